// The last rows of a matrix were never written; a tensor copy brings them to shared memory, and a sum of them goes to the host.
// requires: sm_90
// launch: grid 1 block 64
// arg: int in[256] = iota 192
// arg: tiles[16][16] of 0
// arg: int out[64] = zeros
// finds: uninitialised
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
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(barrier), "r"(parity) : "memory");
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
        expect(at(&ready), sizeof tile);
        load(at(tile), &map, 8, 8, at(&ready));
    }
    wait(at(&ready), 0);
    out[x] = tile[x] + 1;
}
