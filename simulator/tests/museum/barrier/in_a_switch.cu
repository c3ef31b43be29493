// Three kinds of work, one of them without the barrier.
// launch: grid 1 block 96
// arg: int out[96]
// arg: int in[96] = iota
// finds: barrier
extern "C" __global__ void kinds(int* out, const int* in) {
    __shared__ int data[96];
    int x = threadIdx.x;
    data[x] = in[x];
    switch (in[x] / 32) {
        case 0:
            data[x] *= 2;
            break;
        default:
            data[x] += in[x] / 64;
            __syncthreads();
    }
    out[x] = data[x];
}
