// The library's atomics with the scope of a block, used by two blocks: told at the lines of this file that called the library.
// requires: sm_70
// launch: grid 2 block 32
// arg: int counts[32] = zeros
// finds: race
#include <cuda/atomic>
extern "C" __global__ void count(int* counts) {
    cuda::atomic_ref<int, cuda::thread_scope_block> mine(counts[threadIdx.x]);
    mine.fetch_add(1, cuda::memory_order_relaxed);
}
