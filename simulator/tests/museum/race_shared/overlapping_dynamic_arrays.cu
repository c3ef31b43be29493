// Two arrays share the dynamic memory; the second begins one element too early.
// launch: grid 1 block 64 shared 512
// arg: int out[64]
// finds: race
extern "C" __global__ void pair(int* out) {
    extern __shared__ int memory[];
    int* low = memory;
    int* high = memory + 63;
    int x = threadIdx.x;
    low[x] = x;
    high[x] = 1000 + x;
    __syncthreads();
    out[x] = low[x] + high[x];
}
