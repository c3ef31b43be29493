// Some elements of the thread's own array are read before they are set.
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[32] = iota
// finds: uninitialised
extern "C" __global__ void pick(int* out, const int* in) {
    int own[16];
    int x = threadIdx.x;
    for (int i = 0; i < in[x] % 16; ++i) {
        own[(i * 7) % 16] = i;
    }
    out[x] = own[in[31 - x] % 16];
}
