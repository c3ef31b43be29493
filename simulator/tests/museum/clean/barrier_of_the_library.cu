// cuda::barrier as its documentation has it.
// requires: sm_80
// launch: grid 1 block 64
// arg: int out[64] = zeros
#include <cuda/barrier>
extern "C" __global__ void reverse(int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int buffer[64];
    int x = threadIdx.x;
    if (x == 0) {
        init(&barrier, 64);
    }
    __syncthreads();
    buffer[x] = x;
    barrier.arrive_and_wait();
    out[x] = buffer[63 - x];
}
