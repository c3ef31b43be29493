// The mask names the lower half, and the whole warp calls.
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[32] = iota
// finds: wrong mask
extern "C" __global__ void half(int* out, const int* in) {
    int x = threadIdx.x;
    out[x] = __shfl_sync(0xffffu, in[x], 0);
}
