// All threads write the same value: it does not matter whose comes last.
// launch: grid 3 block 64
// arg: int found[1] = zeros
// arg: int out[192]
extern "C" __global__ void flag(int* found, int* out) {
    __shared__ int limit;
    limit = 5;
    __syncthreads();
    if (threadIdx.x > limit) {
        *found = 1;
    }
    out[blockIdx.x * 64 + threadIdx.x] = limit;
}
