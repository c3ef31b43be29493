// The library's atomic, on an element behind the end: told at the line of this file that called the library.
// requires: sm_70
// launch: grid 1 block 32
// arg: int counts[16] = zeros
// finds: out of bounds
#include <cuda/atomic>
__device__ void add_one(int* count) {
    cuda::atomic_ref<int, cuda::thread_scope_device> mine(*count);
    mine.fetch_add(1, cuda::memory_order_relaxed);
}
extern "C" __global__ void count(int* counts) {
    add_one(counts + threadIdx.x);
}
