// What the occupancy calls and the attributes of kernels answer.
#include "check.h"
__global__ void small(float *x) { x[threadIdx.x] += 1; }
__global__ void __launch_bounds__(128) bounded(float *x) { __shared__ float t[256]; t[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = t[127 - threadIdx.x]; }
__global__ void big(float *x) { extern __shared__ float t[]; t[threadIdx.x + 12000] = 1; x[threadIdx.x] = t[threadIdx.x + 12000]; }
int main() {
    int blocks, grid, block;
    CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, small)); CHECK(block > 0 && block % 32 == 0 && grid > 0);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 1024, 0)); CHECK(blocks >= 1);
    size_t room; CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&room, small, 1, 256)); CHECK(room >= 48 << 10);
    cudaFuncAttributes a; CALL(cudaFuncGetAttributes(&a, bounded));
    CHECK(a.maxThreadsPerBlock == 128 && a.sharedSizeBytes == 1024 && a.numRegs > 0 && a.ptxVersion >= 50 && a.binaryVersion >= 50);
    float *x; CALL(cudaMalloc(&x, 4096));
    big<<<1, 32, 60000>>>(x); CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CALL(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
    CALL(cudaFuncSetAttribute(big, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    CALL(cudaFuncSetCacheConfig(big, cudaFuncCachePreferShared));
    big<<<1, 32, 60000>>>(x); CALL(cudaGetLastError()); CALL(cudaDeviceSynchronize());
    const char *name; CALL(cudaFuncGetName(&name, (const void *)big)); CHECK(name[0] == '_');
}
