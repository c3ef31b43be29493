// The threads wait at an mbarrier that has been given up.
// requires: sm_80
// launch: grid 1 block 64
// arg: int out[64]
// budget: 200000
// finds: ended mbarrier, deadlock
extern "C" __global__ void meet(int* out) {
    __shared__ unsigned long long barrier;
    const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
    }
    __syncthreads();
    unsigned done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(at) : "memory");
    }
    out[threadIdx.x] = 1;
}
