// The threads of the last, incomplete round are fewer: a barrier in a loop over elements.
// launch: grid 1 block 64
// arg: int out[100]
// arg: int in[100] = iota
// arg: int n = 100
// finds: barrier
extern "C" __global__ void stride(int* out, const int* in, int n) {
    __shared__ int data[64];
    for (int i = threadIdx.x; i < n; i += 64) {
        data[threadIdx.x] = in[i];
        __syncthreads();
        out[i] = data[threadIdx.x];
    }
    if (threadIdx.x == 0) {
        out[0] = -1;
    }
}
