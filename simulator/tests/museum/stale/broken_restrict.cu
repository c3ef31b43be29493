// `in` promises that nobody writes what it reads, but the host passes `out` for it: the second round reads what the first one wrote.
// launch: grid 1 block 32
// arg: int out[64] = iota
// arg: int* in = of 0
// finds: stale load
extern "C" __global__ void rounds(int* __restrict__ out, const int* __restrict__ in) {
    int x = threadIdx.x;
    out[x] = in[x] + 1;
    __syncthreads();
    out[x + 32] = in[31 - x] + 1;
}
