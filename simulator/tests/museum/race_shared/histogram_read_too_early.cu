// Counted with atomics, but written out before all have counted.
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
    atomicAdd(&bins[in[x] % 16], 1);
    if (x < 16) {
        out[x] = bins[x];
    }
}
