// A tile is read when its bulk copy was issued, and not when the barrier says that it is there.
// requires: sm_90
// launch: grid 1 block 128
// arg: int out[128] = zeros
// arg: int in[128] = iota
// finds: race
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(unsigned barrier, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ void make_known() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ void expect(unsigned barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ void wait(unsigned barrier, int parity) {
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(barrier), "r"(parity) : "memory");
}
__device__ void load(unsigned to, const void* from, int bytes, unsigned barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}
extern "C" __global__ void pass(int* out, const int* in) {
    __shared__ alignas(128) int tile[128];
    __shared__ unsigned long long ready;
    int x = threadIdx.x;
    if (x == 0) {
        init(at(&ready), 1);
        make_known();
    }
    __syncthreads();
    if (x == 0) {
        expect(at(&ready), sizeof tile);
        load(at(tile), in, sizeof tile, at(&ready));
    }
    __syncthreads();
    out[x] = tile[x];
    wait(at(&ready), 0);
}
