// A tile at the edge of a matrix comes by a tensor copy, is doubled, and goes back by another.
// requires: sm_90
// launch: grid 1 block 64
// arg: int in[256] = iota
// arg: tiles[16][16] of 0
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
__device__ void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void store(const Map* map, int column, int row, unsigned from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(column),
                 "r"(row), "r"(from)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ void wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
extern "C" __global__ void pass(int*, const __grid_constant__ Map map) {
    __shared__ alignas(128) int tile[64];
    __shared__ unsigned long long ready;
    int x = threadIdx.x;
    if (x == 0) {
        init(at(&ready), 1);
    }
    __syncthreads();
    if (x == 0) {
        expect(at(&ready), sizeof tile);
        load(at(tile), &map, 12, 8, at(&ready));
    }
    wait(at(&ready), 0);
    tile[x] *= 2;
    proxy_fence();
    __syncthreads();
    if (x == 0) {
        store(&map, 12, 8, at(tile));
        wait_read();
    }
}
