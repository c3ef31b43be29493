// Odd threads come to the barrier, even ones go on.
// launch: grid 1 block 32
// arg: int out[32]
// finds: barrier
extern "C" __global__ void odd(int* out) {
    __shared__ int data[32];
    int x = threadIdx.x;
    data[x] = x;
    if (x % 2) {
        data[x] *= 3;
        __syncthreads();
    }
    out[x] = data[x];
}
