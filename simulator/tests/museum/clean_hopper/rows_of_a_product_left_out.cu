// The last eight rows of a product's tile were never written, and the product is used without them.
// requires: sm_90a
// launch: grid 1 block 128
// arg: float out[512] = zeros
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ unsigned long long describe(const void* tile) {
    unsigned long long address = __cvta_generic_to_shared(tile);
    return (address & 0x3ffff) >> 4 | 8ull << 16 | 16ull << 32;
}
__device__ void multiply(float (&d)[4], unsigned long long a, unsigned long long b) {
    asm volatile("{ .reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                 "{%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(a), "l"(b)
                 : "memory");
}
__device__ void fence_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
__device__ void wait_products() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }
__device__ void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
extern "C" __global__ void pass(float* out) {
    __shared__ alignas(128) unsigned short a[64 * 16];
    __shared__ alignas(128) unsigned short b[8 * 16];
    int x = threadIdx.x;
    // The tile has its rows in groups of eight, one behind the other.
    for (int i = x; i < 56 * 16; i += 128) {
        a[i] = 0x3c00;
    }
    b[x] = 0x3c00;
    proxy_fence();
    __syncthreads();
    float d[4] = {0, 0, 0, 0};
    fence_products();
    multiply(d, describe(a), describe(b));
    commit_products();
    wait_products();
    // Of each warp's sixteen rows, the last eight are in d[2] and d[3]. How many are stored is not known to the compiler, which
    // puts d into local memory, in front of the wait.
    for (int i = 0; i < (x < 96 ? 4 : 2); ++i) {
        out[4 * x + i] = d[i];
    }
}
