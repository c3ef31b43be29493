// Only block 0 comes to the grid's barrier.
// requires: sm_60
// launch: cooperative grid 3 block 32
// arg: int out[96]
// budget: 200000
// finds: deadlock
#include <cooperative_groups.h>
extern "C" __global__ void wait(int* out) {
    if (blockIdx.x == 0) {
        cooperative_groups::this_grid().sync();
    }
    out[blockIdx.x * 32 + threadIdx.x] = 1;
}
