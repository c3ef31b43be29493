// A tree over the block: the barrier stands before the tree, and none between its levels. The compiler unrolls it.
// launch: cooperative grid 2 block 128
// arg: float out[2] = zeros
// arg: float in[256] = iota
// finds: race
#include <cooperative_groups.h>

extern "C" __global__ void sum(float* out, const float* in) {
    __shared__ float partial[128];
    const int x = threadIdx.x;
    partial[x] = in[blockIdx.x * 128 + x];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (x < half) {
            partial[x] += partial[x + half];
        }
    }
    if (x == 0) {
        out[blockIdx.x] = partial[0];
    }
    cooperative_groups::this_grid().sync();
    if (x == 0 && blockIdx.x == 0) {
        out[0] += out[1];
    }
}
