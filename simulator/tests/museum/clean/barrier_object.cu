// Two phases of an mbarrier hand a buffer from one warp to the other and back.
// requires: sm_80
// launch: grid 1 block 64
// arg: int out[64] = zeros
__device__ void arrive_and_wait(unsigned barrier, unsigned parity) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(barrier) : "memory");
    unsigned over = 0;
    while (over == 0) {
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    }
}
extern "C" __global__ void relay(int* out) {
    __shared__ unsigned long long object;
    __shared__ int buffer[64];
    unsigned barrier = (unsigned)__cvta_generic_to_shared(&object);
    int x = threadIdx.x;
    if (x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(barrier) : "memory");
    }
    __syncthreads();
    buffer[x] = x;
    arrive_and_wait(barrier, 0);
    int other = buffer[63 - x];
    arrive_and_wait(barrier, 1);
    buffer[x] = other;
    out[x] = buffer[x];
}
