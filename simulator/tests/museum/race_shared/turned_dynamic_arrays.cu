// Two arrays in dynamic memory change places in each turn, and nobody waits before the next turn: they do not overlap.
// launch: grid 1 block 64 shared 512
// arg: int out[64]
// finds: race
extern "C" __global__ void turns(int* out) {
    extern __shared__ int memory[];
    int* from = memory;
    int* to = memory + 64;
    const int x = threadIdx.x;
    from[x] = x;
    __syncthreads();
    for (int turn = 0; turn < 3; ++turn) {
        to[x] = from[63 - x];
        int* const last = from;
        from = to;
        to = last;
    }
    out[x] = from[x];
}
