// Tiles of a ring of one: everybody says that a tile was used before the next is loaded.
// requires: sm_90
// launch: grid 1 block 128
// arg: int out[128] = zeros
// arg: int in[512] = iota
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
__device__ void arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
extern "C" __global__ void pass(int* out, const int* in) {
    __shared__ alignas(128) int tile[128];
    __shared__ unsigned long long full, empty;
    int x = threadIdx.x;
    if (x == 0) {
        init(at(&full), 1);
        init(at(&empty), 128);
        make_known();
    }
    __syncthreads();
    int sum = 0;
    for (int round = 0; round < 4; ++round) {
        if (x == 0) {
            if (round > 0) {
                wait(at(&empty), (round - 1) & 1);
            }
            expect(at(&full), sizeof tile);
            load(at(tile), in + 128 * round, sizeof tile, at(&full));
        }
        wait(at(&full), round & 1);
        sum += tile[x];
        arrive(at(&empty));
    }
    out[x] = sum;
}
