// A bulk copy, a tensor copy and a bulk store of 256 bytes each, to arrays of 128 and from one: the rest is of their neighbours.
// requires: sm_90
// launch: grid 1 block 32
// arg: int in[256] = iota
// arg: tiles[16][16] of 0
// arg: int out[64] = zeros
// finds: out of bounds
struct alignas(64) Map {
    char bytes[128];
};
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait(unsigned barrier) {
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::"r"(barrier) : "memory");
}
__device__ void init(unsigned barrier, int bytes) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(barrier) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ void load(unsigned to, const void* from, int bytes, unsigned barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(barrier) : "memory");
}
__device__ void load_tile(unsigned to, const Map* map, unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {0, 0}], [%2];" ::"r"(to), "l"(map), "r"(barrier) : "memory");
}
__device__ void store(void* to, unsigned from, int bytes) {
    asm volatile("fence.proxy.async.shared::cta; cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}
extern "C" __global__ void pass(const int* in, const __grid_constant__ Map map, int* out) {
    __shared__ alignas(128) int row[32], weights[32], tile[4][8], others[32], result[32], last[32];
    __shared__ unsigned long long ready;
    const int x = threadIdx.x;
    weights[x] = result[x] = last[x] = x;
    if (x == 0) {
        init(at(&ready), 512);
        load(at(row), in, 256, at(&ready));
        load_tile(at(tile), &map, at(&ready));
    }
    __syncthreads();
    wait(at(&ready));
    result[x] += row[x] * weights[x] + tile[x / 8][x % 8];
    others[x] = result[x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (x == 0) {
        store(out, at(result), 256);
    }
    __syncthreads();
    out[x] += last[31 - x] + others[31 - x];
}
