// Each branch has a barrier of its own.
// launch: grid 1 block 64
// arg: int out[64]
// arg: int in[64] = iota
// finds: barrier
extern "C" __global__ void both(int* out, const int* in) {
    __shared__ int data[64];
    int x = threadIdx.x;
    if (x < 32) {
        data[x] = in[x] + 1;
        __syncthreads();
        out[x] = data[x + 32];
    } else {
        data[x] = in[x] * 2;
        __syncthreads();
        out[x] = data[x - 32] + 5;
    }
}
