// The lanes that are here count with one atomic.
// requires: sm_60
// launch: grid 2 block 64
// arg: int counter[1] = zeros
// arg: int in[128] = iota
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void count(int* counter, const int* in) {
    if (in[blockIdx.x * 64 + threadIdx.x] % 3 == 0) {
        auto active = cg::coalesced_threads();
        if (active.thread_rank() == 0) {
            atomicAdd(counter, (int)active.size());
        }
    }
}
