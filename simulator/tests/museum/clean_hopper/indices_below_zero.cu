// Indices that are counted down below 0 and come back, from an array's end and in 32 bits without a sign.
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[64] = iota
extern "C" __global__ void back(int* out, const int* in) {
    const int* const end = in + 64;
    const unsigned i = threadIdx.x;
    const unsigned down = i - 40;
    out[i] = in[down + 40u] + end[-1 - (int)i] + in[(i - 1) & 63];
}
