// Histogram with atomics in shared, then in global memory.
#include "check.h"
#include <vector>
__global__ void count(const unsigned char *x, int n, unsigned *bins) {
    __shared__ unsigned own[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[x[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], own[b]);
}
int main() {
    const int n = 50000; std::vector<unsigned char> x(n); unsigned want[256] = {}, got[256];
    for (int i = 0; i < n; i++) want[x[i] = (i * 7919u) >> 5]++;
    unsigned char *d; unsigned *b;
    CALL(cudaMalloc(&d, n)); CALL(cudaMalloc(&b, sizeof got)); CALL(cudaMemsetAsync(b, 0, sizeof got));
    CALL(cudaMemcpy(d, x.data(), n, cudaMemcpyHostToDevice));
    count<<<8, 128>>>(d, n, b);
    CALL(cudaMemcpy(got, b, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++) CHECK(got[i] == want[i]);
}
