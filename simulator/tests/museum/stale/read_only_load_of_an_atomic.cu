// Threads count atomically, meet, and read the count through the read-only cache.
// launch: grid 1 block 64
// arg: int out[64] = zeros
// arg: int count[1] = zeros
// finds: stale load
extern "C" __global__ void count(int* out, int* count) {
    atomicAdd(count, 1);
    __syncthreads();
    out[threadIdx.x] = __ldg(count);
}
