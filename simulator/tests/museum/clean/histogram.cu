// Shared bins by atomics, then global ones.
// launch: grid 3 block 128
// arg: int out[16] = zeros
// arg: int in[384] = iota
extern "C" __global__ void histogram(int* out, const int* in) {
    __shared__ int bins[16];
    int x = threadIdx.x;
    if (x < 16) {
        bins[x] = 0;
    }
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * 128 + x] % 16], 1);
    __syncthreads();
    if (x < 16) {
        atomicAdd(&out[x], bins[x]);
    }
}
