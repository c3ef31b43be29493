// The accumulator is added to before anyone sets it.
// launch: grid 1 block 32
// arg: int out[1]
// finds: uninitialised
extern "C" __global__ void count(int* out) {
    __shared__ int sum;
    atomicAdd(&sum, (int)threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        *out = sum;
    }
}
