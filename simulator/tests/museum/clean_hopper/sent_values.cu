// Values that are sent with st.async are read when the barrier has heard of all of them.
// requires: sm_90
// launch: grid 2 block 32
// arg: int out[64] = zeros
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
__device__ unsigned in_block(unsigned address, unsigned rank) {
    unsigned remote;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
    return remote;
}
__device__ int load_of(unsigned remote) {
    int value;
    asm volatile("ld.shared::cluster.b32 %0, [%1];" : "=r"(value) : "r"(remote) : "memory");
    return value;
}
__device__ unsigned rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) pass(int* out) {
    __shared__ alignas(16) int inbox[32];
    __shared__ unsigned long long ready;
    int x = threadIdx.x;
    if (x == 0) {
        init(at(&ready), 1);
        make_known();
        expect(at(&ready), sizeof inbox);
    }
    cluster_sync();
    unsigned other = rank() ^ 1;
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(in_block(at(&inbox[x]), other)),
                 "r"(x), "r"(in_block(at(&ready), other))
                 : "memory");
    wait(at(&ready), 0);
    out[32 * blockIdx.x + x] = inbox[x];
    cluster_sync();
}
