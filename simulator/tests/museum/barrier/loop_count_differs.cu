// The number of rounds, each with a barrier, depends on the thread.
// launch: grid 1 block 64
// arg: int out[64]
// arg: int in[64] = iota
// finds: barrier
extern "C" __global__ void rounds(int* out, const int* in) {
    __shared__ int data[64];
    int x = threadIdx.x;
    data[x] = 0;
    for (int i = 0; i < 1 + in[x] / 32; ++i) {
        data[x] += i;
        __syncthreads();
    }
    out[x] = data[x];
}
