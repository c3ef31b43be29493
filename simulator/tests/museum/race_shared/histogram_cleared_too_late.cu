// Bins are cleared by some warps while others count already.
// launch: grid 1 block 128
// arg: int out[128]
// arg: int in[128] = iota
// finds: race
extern "C" __global__ void histogram(int* out, const int* in) {
    __shared__ int bins[128];
    int x = threadIdx.x;
    bins[x] = 0;
    atomicAdd(&bins[127 - in[x]], 1);
    __syncthreads();
    out[x] = bins[x];
}
