// Only the lower half of the block comes to the barrier.
// launch: grid 1 block 64
// arg: int out[64]
// finds: barrier
extern "C" __global__ void half(int* out) {
    __shared__ int data[64];
    int x = threadIdx.x;
    data[x] = x;
    if (x < 32) {
        data[x] += 1;
        __syncthreads();
    }
    out[x] = data[x];
}
