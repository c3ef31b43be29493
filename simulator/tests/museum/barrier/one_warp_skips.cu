// A whole warp has nothing to do and skips the barrier, then goes on with the others' results.
// launch: grid 1 block 96
// arg: int out[96]
// finds: barrier
extern "C" __global__ void skip(int* out) {
    __shared__ int data[96];
    int x = threadIdx.x;
    data[x] = x;
    if (x / 32 != 1) {
        __syncthreads();
        data[x] += data[(x + 64) % 96] * 0;
    }
    out[x] = data[x];
}
