// The next tile is written while slower warps still read this one: one barrier per round where two are needed.
// launch: grid 2 block 64
// arg: float out[128]
// arg: float in[256] = iota
// arg: int rounds = 4
// finds: race
extern "C" __global__ void sums(float* out, const float* in, int rounds) {
    __shared__ float tile[64];
    int x = threadIdx.x;
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
        tile[x] = in[round * 64 + x];
        __syncthreads();
        for (int i = 0; i < 64; ++i) {
            sum += tile[i];
        }
    }
    out[blockIdx.x * 64 + x] = sum;
}
