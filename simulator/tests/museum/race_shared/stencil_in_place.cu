// Neighbours are read from the row that is being written.
// launch: grid 1 block 64
// arg: float out[64]
// arg: float in[64] = iota
// finds: race
extern "C" __global__ void smooth(float* out, const float* in) {
    __shared__ float row[64];
    int x = threadIdx.x;
    row[x] = in[x];
    __syncthreads();
    if (x > 0 && x < 63) {
        row[x] = 0.5f * (row[x - 1] + row[x + 1]);
    }
    __syncthreads();
    out[x] = row[x];
}
