// A grid's barrier without a cooperative launch.
// requires: sm_60
// launch: grid 2 block 32
// finds: trap
#include <cooperative_groups.h>
extern "C" __global__ void meet() {
    cooperative_groups::this_grid().sync();
}
