// A buffer is filled again although the bulk store of its first contents may still read it.
// requires: sm_90
// launch: grid 1 block 128
// arg: int out[256] = zeros
// finds: race
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void store(void* to, unsigned from, int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ void wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
extern "C" __global__ void pass(int* out) {
    __shared__ alignas(128) int buffer[128];
    int x = threadIdx.x;
    for (int round = 0; round < 2; ++round) {
        buffer[x] = x + round;
        proxy_fence();
        __syncthreads();
        if (x == 0) {
            store(out + 128 * round, at(buffer), sizeof buffer);
        }
        __syncthreads();
    }
    if (x == 0) {
        wait_read();
    }
}
