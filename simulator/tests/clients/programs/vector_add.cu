// Grid-stride addition of 100 003 elements, copied there and back.
#include "check.h"
#include <vector>
__global__ void add(const float *a, const float *b, float *c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}
int main() {
    const int n = 100003;
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; i++) { a[i] = i * 0.5f; b[i] = 3.0f * i; }
    float *x, *y, *z;
    CALL(cudaMalloc(&x, n * 4)); CALL(cudaMalloc(&y, n * 4)); CALL(cudaMalloc(&z, n * 4));
    CALL(cudaMemcpy(x, a.data(), n * 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(y, b.data(), n * 4, cudaMemcpyDefault));
    add<<<64, 256>>>(x, y, z, n);
    CALL(cudaGetLastError());
    CALL(cudaMemcpy(c.data(), z, n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) CHECK(c[i] == a[i] + b[i]);
    CALL(cudaFree(x)); CALL(cudaFree(y)); CALL(cudaFree(z)); CALL(cudaFree(nullptr));
}
