// Volatile accesses in the last warp, with a barrier of the warp between reading and writing back and after each step; a shuffle ends it, and one lane
// goes on alone.
// requires: sm_70
// launch: grid 1 block 64
// arg: float out[1]
// arg: float in[64] = iota
extern "C" __global__ void reduce(float* out, const float* in) {
    __shared__ float part[64];
    int x = threadIdx.x;
    part[x] = in[x];
    __syncthreads();
    if (x < 32) {
        volatile float* own = part;
        float sum = own[x];
        for (int half = 32; half > 2; half /= 2) {
            sum += own[x + half];
            __syncwarp();
            own[x] = sum;
            __syncwarp();
            own[x + 32] = 0;
            __syncwarp();
        }
        sum += __shfl_down_sync(~0u, sum, 2);
        if (x == 0) {
            own[0] = sum;
            own[1] = own[1] + own[0];
            *out = own[1];
        }
    }
}
