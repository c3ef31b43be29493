// Threads write a tile and meet at a barrier, but nothing makes their writes known to the tensor copy that stores it.
// requires: sm_90
// launch: grid 1 block 64
// arg: int out[256] = zeros
// arg: tiles[16][16] of 0
// finds: proxy fence
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
struct alignas(64) Map {
    char bytes[128];
};
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
    int x = threadIdx.x;
    tile[x] = x;
    __syncthreads();
    if (x == 0) {
        store(&map, 8, 8, at(tile));
        wait_read();
    }
}
