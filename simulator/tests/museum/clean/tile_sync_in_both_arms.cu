// Tiles of 16 threads synchronise in both arms of a branch, some of them in the one arm alone.
// requires: sm_70
// launch: grid 1 block 64
// arg: int out[64] = zeros
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void meet(int* out) {
    __shared__ int data[64];
    int x = threadIdx.x;
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    if (x % 2 && x < 48) {
        data[x] = 3 * x;
        tile.sync();
        data[x] += 1;
        tile.sync();
    } else {
        data[x] = 5 * x;
        tile.sync();
        data[x] += 2;
        tile.sync();
    }
    out[x] = data[x ^ 1];
}
