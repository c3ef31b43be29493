// A tree over each row of the block with a barrier for each level, and one block that adds what both have left.
// launch: cooperative grid 2 block 32 4 shared 512
// arg: float out[8] = zeros
// arg: float in[256] = iota
#include <cooperative_groups.h>

extern __shared__ float partial[];

extern "C" __global__ void sum(float* out, const float* in) {
    const int own = threadIdx.y * blockDim.x + threadIdx.x;
    partial[own] = in[blockIdx.x * blockDim.x * blockDim.y + own];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            partial[own] += partial[own + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x * blockDim.y + threadIdx.y] = partial[own];
    }
    cooperative_groups::this_grid().sync();
    if (own == 0 && blockIdx.x == 0) {
        out[0] += out[4];
    }
}
