// Partial sums, the grid's barrier, then all of them by one block.
// requires: sm_60
// launch: cooperative grid 4 block 64
// arg: float out[1]
// arg: float part[4]
// arg: float in[256] = iota
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void reduce(float* out, float* part, const float* in) {
    __shared__ float sum[64];
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    int x = threadIdx.x;
    sum[x] = in[blockIdx.x * 64 + x];
    block.sync();
    for (int half = 32; half > 0; half /= 2) {
        if (x < half) {
            sum[x] += sum[x + half];
        }
        block.sync();
    }
    if (x == 0) {
        part[blockIdx.x] = sum[0];
    }
    grid.sync();
    if (blockIdx.x == 0 && x == 0) {
        float all = 0;
        for (int i = 0; i < gridDim.x; ++i) {
            all += part[i];
        }
        *out = all;
    }
}
