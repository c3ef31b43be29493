// A phase is to wait for a mebibyte, a byte more than it can count: an H200 ends the launch with an unspecified failure.
// requires: sm_90
// launch: grid 1 block 32
// arg: int out[32] = zeros
// finds: too-many-bytes
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(unsigned barrier, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ void expect(unsigned barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ void wait(unsigned barrier, int parity) {
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(barrier), "r"(parity) : "memory");
}
__device__ void complete(unsigned barrier, int bytes) {
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
extern "C" __global__ void pass(int* out) {
    __shared__ unsigned long long ready;
    int x = threadIdx.x;
    if (x == 0) {
        init(at(&ready), 1);
        expect(at(&ready), 1048576);
        complete(at(&ready), 1048576);
    }
    __syncthreads();
    wait(at(&ready), 0);
    out[x] = x;
}
