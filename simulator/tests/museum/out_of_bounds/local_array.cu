// The thread's own array has 8 elements.
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[32] = iota
// finds: out of bounds
extern "C" __global__ void pick(int* out, const int* in) {
    int own[8];
    for (int i = 0; i < 8; ++i) {
        own[i] = in[i];
    }
    out[threadIdx.x] = own[in[threadIdx.x] * 1000];
}
