// The old way: volatile accesses in the last warp, whose lanes are taken to go in step.
// launch: grid 1 block 64
// finds: race
// arg: float out[1]
// arg: float in[64] = iota
extern "C" __global__ void reduce(float* out, const float* in) {
    __shared__ float part[64];
    int x = threadIdx.x;
    part[x] = in[x];
    __syncthreads();
    if (x < 32) {
        volatile float* own = part;
        own[x] = own[x] + own[x + 32];
        for (int half = 16; half > 0; half /= 2) {
            if (x < half) {
                own[x] = own[x] + own[x + half];
            }
        }
    }
    if (x == 0) {
        *out = part[0];
    }
}
