// The kernel stops itself.
// launch: grid 1 block 32
// arg: int in[32] = iota
// finds: trap
extern "C" __global__ void check(const int* in) {
    if (in[threadIdx.x] == 7) {
        __trap();
    }
}
