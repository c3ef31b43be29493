// The block ends, and with it its shared memory, while the bulk store still reads it.
// requires: sm_90
// launch: grid 1 block 128
// arg: int out[128] = zeros
// finds: not waited for
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void store(void* to, unsigned from, int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
extern "C" __global__ void pass(int* out) {
    __shared__ alignas(128) int buffer[128];
    int x = threadIdx.x;
    buffer[x] = x;
    proxy_fence();
    __syncthreads();
    if (x == 0) {
        store(out, at(buffer), sizeof buffer);
    }
}
