// A tensor copy at the edge of its matrix is taken to bring fewer bytes: what lies outside is filled, and counts.
// requires: sm_90
// launch: grid 1 block 64
// arg: int in[256] = iota
// arg: tiles[16][16] of 0
// arg: int out[64] = zeros
// finds: transaction count
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
struct alignas(64) Map {
    char bytes[128];
};
__device__ void init(unsigned barrier, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void expect(unsigned barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ void wait(unsigned barrier, int parity) {
    unsigned over = 0;
    while (over == 0) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    }
}
__device__ void load(unsigned to, const Map* map, int column, int row, unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                     to),
                 "l"(map), "r"(column), "r"(row), "r"(barrier)
                 : "memory");
}
extern "C" __global__ void pass(const int*, const __grid_constant__ Map map, int* out) {
    __shared__ alignas(128) int tile[64];
    __shared__ unsigned long long ready;
    int x = threadIdx.x;
    if (x == 0) {
        init(at(&ready), 1);
    }
    __syncthreads();
    if (x == 0) {
        expect(at(&ready), sizeof tile / 2);
        load(at(tile), &map, 12, 8, at(&ready));
    }
    wait(at(&ready), 0);
    out[x] = tile[x];
}
