// An unsigned index is counted down below 0: it reaches 16 GiB past the array, and near a constant that another kernel has.
// kernel: left
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[32] = iota
// finds: out of bounds
__constant__ int weights[1024];
extern "C" __global__ void left(int* out, const int* in) {
    const unsigned i = threadIdx.x;
    out[i] = in[i - 1];
}
extern "C" __global__ void weigh(int* out) {
    out[threadIdx.x] *= weights[threadIdx.x];
}
