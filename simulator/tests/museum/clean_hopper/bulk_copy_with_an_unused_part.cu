// A bulk copy brings more than was written: what is computed with was.
// requires: sm_90
// launch: grid 1 block 32
// arg: int out[32] = zeros
// arg: int in[32] = iota 20
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(unsigned barrier, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void expect(unsigned barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ void load(unsigned to, const void* from, int bytes, unsigned barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from),
                 "r"(bytes), "r"(barrier)
                 : "memory");
}
__device__ void wait(unsigned barrier, int parity) {
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(barrier), "r"(parity) : "memory");
}
extern "C" __global__ void fetch(int* out, const int* in) {
    __shared__ alignas(128) int data[32];
    __shared__ unsigned long long ready;
    int x = threadIdx.x;
    if (x == 0) {
        init(at(&ready), 1);
        proxy_fence();
        expect(at(&ready), sizeof data);
        load(at(data), in, sizeof data, at(&ready));
    }
    __syncthreads();
    wait(at(&ready), 0);
    if (x < 20) {
        out[x] = data[x] + 1;
    }
}
