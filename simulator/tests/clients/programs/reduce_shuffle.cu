// Sum by warp shuffles, then one atomic for each block.
#include "check.h"
#include <vector>
__global__ void sum(const int *x, int n, int *total) {
    int v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    __shared__ int warps[32];
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
        for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
        if (threadIdx.x == 0) atomicAdd(total, v);
    }
}
int main() {
    const int n = 77777;
    std::vector<int> x(n); int want = 0, got = 0;
    for (int i = 0; i < n; i++) want += x[i] = i % 13 - 5;
    int *d, *t;
    CALL(cudaMalloc(&d, n * 4)); CALL(cudaMalloc(&t, 4)); CALL(cudaMemset(t, 0, 4));
    CALL(cudaMemcpy(d, x.data(), n * 4, cudaMemcpyHostToDevice));
    sum<<<20, 256>>>(d, n, t);
    CALL(cudaMemcpy(&got, t, 4, cudaMemcpyDeviceToHost));
    CHECK(got == want);
}
