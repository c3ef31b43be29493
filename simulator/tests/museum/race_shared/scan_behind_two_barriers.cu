// The same with a barrier on each side: reading and writing are still one line, in turns that the compiler does not unroll.
// launch: grid 1 block 128
// arg: int out[128]
// arg: int in[128] = iota
// arg: int n = 128
// finds: race
extern "C" __global__ void scan(int* out, const int* in, int n) {
    __shared__ int sum[128];
    int x = threadIdx.x;
    sum[x] = in[x];
    for (int step = 1; step < n; step *= 2) {
        __syncthreads();
        if (x >= step) sum[x] += sum[x - step];
        __syncthreads();
    }
    out[x] = sum[x];
}
