// Seven elements, read by two loads of four: nothing uses what the second one reads behind the end, which lies in the same
// granule of a card's memory.
// launch: grid 1 block 1
// arg: int out[1]
// arg: int in[7] = iota
extern "C" __global__ void sum(int* out, const int4* in) {
    int4 low = in[0], high = in[1];
    *out = low.x + 2 * low.y + 3 * low.z + 4 * low.w + 5 * high.x + 6 * high.y + 7 * high.z;
}
