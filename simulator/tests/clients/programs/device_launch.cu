// Kernels that launch kernels: streams of a block, the tail, apart, copies and fills, recursion, errors.
// nvcc: -rdc=true -lcudadevrt
#include "check.h"

__global__ void add(int *p, int value) { p[blockIdx.x * blockDim.x + threadIdx.x] += value; }
__global__ void twice(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }

// Data: 32 numbers that children change in their order, 32 that others do, a copy of the first and a fill.
__global__ void parent(int *p, int *error) {
    p[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x != 0) return;
    twice<<<1, 32, 0, cudaStreamTailLaunch>>>(p);
    add<<<2, 16>>>(p, 1);
    twice<<<2, 16>>>(p);
    add<<<2, 16, 0, cudaStreamFireAndForget>>>(p + 32, 1000);
    cudaMemcpyAsync(p + 64, p, 32 * sizeof(int), cudaMemcpyDeviceToDevice, 0);
    cudaStream_t own;
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    cudaMemsetAsync(p + 96, 1, 32 * sizeof(int), own);
    cudaStreamDestroy(own);
    add<<<1, 2048>>>(p, 1);
    *error = cudaGetLastError();
}

__global__ void leaves(int *count, int depth) {
    if (depth == 0) atomicAdd(count, 1);
    else leaves<<<2, 2, 0, cudaStreamFireAndForget>>>(count, depth - 1);
}

int main() {
    int *p, *error, host[128], wrong = 0;
    CALL(cudaMalloc(&p, sizeof host));
    CALL(cudaMalloc(&error, sizeof(int)));
    CALL(cudaMemset(p, 0, sizeof host));
    CALL(cudaMemset(error, 0, sizeof(int)));
    parent<<<1, 64>>>(p, error);
    CALL(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(&wrong, error, sizeof wrong, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        CHECK(host[i] == 4 * (i + 1));
        CHECK(host[32 + i] == 1000 + 32 + i);
        CHECK(host[64 + i] == 2 * (i + 1));
        CHECK(host[96 + i] == 0x01010101);
    }
    CHECK(wrong == cudaErrorInvalidConfiguration);
    CALL(cudaMemset(error, 0, sizeof(int)));
    leaves<<<1, 1>>>(error, 3);
    CALL(cudaMemcpy(&wrong, error, sizeof wrong, cudaMemcpyDeviceToHost));
    // Each thread launches four threads, three times over.
    CHECK(wrong == 4 * 4 * 4);
    return 0;
}
