// Every element of the thread's own array is set before it is read.
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[32] = iota
extern "C" __global__ void pick(int* out, const int* in) {
    int own[16];
    int x = threadIdx.x;
    for (int i = 0; i < 16; ++i) {
        own[(i * 7 + in[x]) % 16] = i;
    }
    out[x] = own[in[31 - x] % 16];
}
