// A counter of the block in shared memory, volatile and not atomic.
// launch: grid 1 block 64
// arg: int out[1] = zeros
// finds: race
extern "C" __global__ void count(int* out) {
    __shared__ volatile int found;
    if (threadIdx.x == 0) {
        found = 0;
    }
    __syncthreads();
    found = found + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        *out = found;
    }
}
