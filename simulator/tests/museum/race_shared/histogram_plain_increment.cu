// Bins are counted with ++ where threads of several warps meet.
// launch: grid 1 block 128
// arg: int out[16]
// arg: int in[128] = iota
// finds: race
extern "C" __global__ void histogram(int* out, const int* in) {
    __shared__ int bins[16];
    int x = threadIdx.x;
    if (x < 16) {
        bins[x] = 0;
    }
    __syncthreads();
    bins[in[x] % 16]++;
    __syncthreads();
    if (x < 16) {
        out[x] = bins[x];
    }
}
