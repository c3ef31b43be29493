// Lanes leave the loop one after the other, but each vote names all.
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[32] = iota
// finds: wrong mask
extern "C" __global__ void votes(int* out, const int* in) {
    int x = threadIdx.x;
    unsigned seen = 0;
    for (int i = 0; i < in[x]; ++i) {
        seen |= __ballot_sync(~0u, in[i] & 1);
    }
    out[x] = seen;
}
