// A barrier object of the library that expects more threads than come.
// requires: sm_80
// launch: grid 1 block 32
// arg: int out[32] = zeros
// finds: deadlock
#include <cuda/barrier>
extern "C" __global__ void meet(int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) {
        init(&barrier, 64);
    }
    __syncthreads();
    barrier.arrive_and_wait();
    out[threadIdx.x] = 1;
}
