// An assertion that fails for one thread.
// launch: grid 1 block 32
// arg: int in[32] = iota
// finds: assert
extern "C" __global__ void check(const int* in) {
    assert(in[threadIdx.x] < 30);
}
