// A scan that reads and writes one buffer in the same step.
// launch: grid 1 block 128
// arg: int out[128]
// arg: int in[128] = iota
// finds: race
extern "C" __global__ void scan(int* out, const int* in) {
    __shared__ int sum[128];
    int x = threadIdx.x;
    sum[x] = in[x];
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
        int left = x >= step ? sum[x - step] : 0;
        sum[x] += left;
        __syncthreads();
    }
    out[x] = sum[x];
}
