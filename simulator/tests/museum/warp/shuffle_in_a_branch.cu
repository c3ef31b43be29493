// Half the warp shuffles with a mask that names all of it.
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[32] = iota
// finds: wrong mask
extern "C" __global__ void half(int* out, const int* in) {
    int x = threadIdx.x;
    int value = in[x];
    if (in[x] < 16) {
        value = __shfl_xor_sync(~0u, value, 1);
    } else {
        value = value * value;
    }
    out[x] = value;
}
