// Warps by shuffle, the block through shared memory, the first warp at the end.
// launch: grid 2 block 256
// arg: float out[2]
// arg: float in[512] = iota
extern "C" __global__ void reduce(float* out, const float* in) {
    __shared__ float part[8];
    int x = threadIdx.x;
    float sum = in[blockIdx.x * 256 + x];
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(~0u, sum, step);
    }
    if (x % 32 == 0) {
        part[x / 32] = sum;
    }
    __syncthreads();
    if (x < 32) {
        sum = x < 8 ? part[x] : 0;
        for (int step = 4; step > 0; step /= 2) {
            sum += __shfl_down_sync(~0u, sum, step);
        }
        if (x == 0) {
            out[blockIdx.x] = sum;
        }
    }
}
