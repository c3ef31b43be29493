// The tile is read in the round in which it is written, with only the barrier at the end of the round.
// launch: grid 1 block 64
// arg: float out[64]
// arg: float in[256] = iota
// arg: int rounds = 4
// finds: race
extern "C" __global__ void sums(float* out, const float* in, int rounds) {
    __shared__ float tile[64];
    int x = threadIdx.x;
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
        tile[x] = in[round * 64 + x];
        sum += tile[x ^ 32];
        __syncthreads();
    }
    out[x] = sum;
}
