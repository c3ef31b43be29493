// Structures with padding between their members are copied as a whole, through shared memory and a local one.
// launch: grid 1 block 32
// arg: int out[128]
// arg: int in[32] = iota
// arg: int rounds = 3
struct Item {
    double value;
    char tag;
};
extern "C" __global__ void copy(Item* out, const int* in, int rounds) {
    __shared__ Item items[32];
    int x = threadIdx.x;
    items[x].value = in[x];
    items[x].tag = (char)in[x];
    __syncthreads();
    Item own = items[31 - x];
    for (int i = 0; i < rounds; ++i) {
        own.value += own.tag;
    }
    out[x] = own;
    Item again = out[x];
    out[x + 32 * (rounds - 3)] = again;
}
