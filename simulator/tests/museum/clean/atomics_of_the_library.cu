// The library's atomics on elements that are there, seen by all blocks.
// requires: sm_70
// launch: grid 2 block 32
// arg: int counts[32] = zeros
#include <cuda/atomic>
__device__ void add_one(int* count) {
    cuda::atomic_ref<int, cuda::thread_scope_device> mine(*count);
    mine.fetch_add(1, cuda::memory_order_relaxed);
}
extern "C" __global__ void count(int* counts) {
    add_one(counts + threadIdx.x);
}
