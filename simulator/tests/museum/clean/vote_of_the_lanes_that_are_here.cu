// The mask is computed before the branch.
// launch: grid 1 block 32
// arg: int out[32] = zeros
// arg: int in[32] = iota
extern "C" __global__ void half(int* out, const int* in) {
    int x = threadIdx.x;
    unsigned mask = __ballot_sync(~0u, in[x] < 16);
    if (in[x] < 16) {
        out[x] = __shfl_xor_sync(mask, in[x], 1);
    }
}
