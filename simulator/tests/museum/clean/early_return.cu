// Threads without an element leave before the barrier: the machine counts them as arrived.
// launch: grid 2 block 96
// arg: int out[100]
// arg: int in[100] = iota
// arg: int n = 100
extern "C" __global__ void copy(int* out, const int* in, int n) {
    __shared__ int data[96];
    int i = blockIdx.x * 96 + threadIdx.x;
    if (i >= n) {
        return;
    }
    data[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = data[threadIdx.x & ~1];
}
