// Each step reads one buffer and writes the other.
// launch: grid 1 block 128
// arg: int out[128]
// arg: int in[128] = iota
extern "C" __global__ void scan(int* out, const int* in) {
    __shared__ int sum[2][128];
    int x = threadIdx.x, from = 0;
    sum[0][x] = in[x];
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
        sum[1 - from][x] = sum[from][x] + (x >= step ? sum[from][x - step] : 0);
        from = 1 - from;
        __syncthreads();
    }
    out[x] = sum[from][x];
}
