// A flag from block to block, of relaxed atomics: the one who waits runs first.
// requires: sm_70
// launch: grid 2 block 32
// arg: int flag[1] = zeros
// arg: int out[32]
// budget: 200000
#include <cuda/atomic>
extern "C" __global__ void wait(int* flag, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> sign(*flag);
    if (blockIdx.x == 0) {
        while (!sign.load(cuda::memory_order_relaxed)) {
            __nanosleep(20);
        }
        out[threadIdx.x] = 1;
    } else if (threadIdx.x == 0) {
        sign.store(1, cuda::memory_order_relaxed);
    }
}
