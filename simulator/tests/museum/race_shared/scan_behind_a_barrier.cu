// A scan in place with its one barrier before the step: a second one beside it changes nothing, since one line both reads and writes.
// launch: grid 1 block 128
// arg: int out[128]
// arg: int in[128] = iota
// finds: race
extern "C" __global__ void scan(int* out, const int* in) {
    __shared__ int sum[128];
    int x = threadIdx.x;
    sum[x] = in[x];
    for (int step = 1; step < 128; step *= 2) {
        __syncthreads();
        if (x >= step) sum[x] += sum[x - step];
    }
    out[x] = sum[x];
}
