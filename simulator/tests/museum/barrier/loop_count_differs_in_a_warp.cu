// As above, within one warp.
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[32] = iota
// finds: barrier
extern "C" __global__ void rounds(int* out, const int* in) {
    __shared__ int data[32];
    int x = threadIdx.x;
    data[x] = 0;
    for (int i = 0; i < 1 + in[x] % 3; ++i) {
        data[x] += i;
        __syncthreads();
    }
    out[x] = data[x];
}
