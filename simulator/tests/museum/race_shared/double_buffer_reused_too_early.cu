// Two buffers, but the one being read is the one being filled.
// launch: grid 1 block 64
// arg: float out[64]
// arg: float in[512] = iota
// finds: race
extern "C" __global__ void sums(float* out, const float* in) {
    __shared__ float tile[2][64];
    int x = threadIdx.x;
    float sum = 0;
    tile[0][x] = in[x];
    __syncthreads();
    for (int round = 1; round < 8; ++round) {
        tile[(round + 1) % 2][x] = in[round * 64 + x];
        sum += tile[(round - 1) % 2][x ^ 32];
        __syncthreads();
    }
    out[x] = sum;
}
