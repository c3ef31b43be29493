// Cooperative groups of 16 lanes, each with its own shuffles.
// requires: sm_60
// launch: grid 2 block 64
// arg: int out[8]
// arg: int in[128] = iota
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void reduce(int* out, const int* in) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = blockIdx.x * 64 + threadIdx.x;
    int sum = in[i];
    for (int step = 8; step > 0; step /= 2) {
        sum += tile.shfl_down(sum, step);
    }
    if (tile.thread_rank() == 0) {
        out[i / 16] = sum;
    }
}
