// Inclusive scan of a block in dynamic shared memory.
#include "check.h"
__global__ void scan(int *x) {
    extern __shared__ int tile[];
    int t = threadIdx.x;
    tile[t] = x[t];
    for (int d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        int left = t >= d ? tile[t - d] : 0;
        __syncthreads();
        tile[t] += left;
    }
    x[t] = tile[t];
}
int main() {
    const int n = 1024; int x[n], *d;
    for (int i = 0; i < n; i++) x[i] = i * i % 7;
    CALL(cudaMalloc(&d, sizeof x)); CALL(cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice));
    scan<<<1, n, sizeof x>>>(d);
    int y[n]; CALL(cudaMemcpy(y, d, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0, sum = 0; i < n; i++) CHECK(y[i] == (sum += x[i]));
}
