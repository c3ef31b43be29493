// As above with plain stores and loads: the fence and the atomic order them.
// launch: grid 16 block 64
// arg: int out[1]
// arg: int part[1024]
// arg: unsigned counter[1] = zeros
extern "C" __global__ void reduce(int* out, int* part, unsigned* counter) {
    __shared__ bool last;
    int x = threadIdx.x;
    part[blockIdx.x * 64 + x] = x;
    __threadfence();
    __syncthreads();
    if (x == 0) {
        last = atomicInc(counter, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && x == 0) {
        __threadfence();
        int sum = 0;
        for (int i = 0; i < gridDim.x * 64; ++i) {
            sum += part[i];
        }
        *out = sum;
    }
}
