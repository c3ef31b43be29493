// Threads write a buffer and meet at a barrier, but nothing makes their writes known to the bulk store.
// requires: sm_90
// launch: grid 1 block 128
// arg: int out[128] = zeros
// finds: proxy fence
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void store(void* to, unsigned from, int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ void wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
extern "C" __global__ void pass(int* out) {
    __shared__ alignas(128) int buffer[128];
    int x = threadIdx.x;
    buffer[x] = x;
    __syncthreads();
    if (x == 0) {
        store(out, at(buffer), sizeof buffer);
        wait_read();
    }
}
