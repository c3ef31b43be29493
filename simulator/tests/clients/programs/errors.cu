// Errors: what is refused, by which number, and what is remembered.
#include "check.h"
#include <cstring>
__global__ void nothing() {}
__global__ void beyond(int *x) { x[1 << 20] = 1; }
int main() {
    CHECK(cudaGetLastError() == cudaSuccess);
    nothing<<<1, 2048>>>(); CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaSuccess);
    nothing<<<0, 32>>>(); CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    nothing<<<dim3(1, 70000), 32>>>(); CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
    int *x; CHECK(cudaMalloc(&x, size_t(1) << 50) == cudaErrorMemoryAllocation);
    CALL(cudaMalloc(&x, 1024));
    CHECK(cudaMemcpy(x, x, 4, cudaMemcpyKind(9)) == cudaErrorInvalidMemcpyDirection);
    CHECK(cudaFree((char *)x + 4) == cudaErrorInvalidValue);
    CHECK(!std::strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") && !std::strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
    cudaGetLastError();
    beyond<<<1, 1>>>(x);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(cudaMalloc(&x, 4) == cudaErrorIllegalAddress); // a fault stays until the device is reset
    CALL(cudaDeviceReset());
    cudaGetLastError();
    CALL(cudaMalloc(&x, 4)); nothing<<<1, 1>>>(); CALL(cudaDeviceSynchronize());
}
