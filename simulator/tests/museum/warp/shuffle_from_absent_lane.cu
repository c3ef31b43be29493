// The mask is right, but the lanes that are read are not in it.
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[32] = iota
// finds: absent lane
extern "C" __global__ void half(int* out, const int* in) {
    int x = threadIdx.x;
    int value = in[x];
    if (in[x] < 16) {
        value = __shfl_down_sync(0xffffu, value, 8);
    }
    out[x] = value;
}
