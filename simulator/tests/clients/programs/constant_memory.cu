// A polynomial whose coefficients lie in constant memory, written by cudaMemcpyToSymbol, in parts.
#include "check.h"
__constant__ float coefficient[4] = {1, 0, 0, 0};
__global__ void polynomial(float *x) { float v = x[threadIdx.x], s = 0; for (int i = 3; i >= 0; i--) s = s * v + coefficient[i]; x[threadIdx.x] = s; }
int main() {
    float x[64], y[64], *d, more[3] = {2, 3, 4}, all[4]; size_t bytes = 0;
    for (int i = 0; i < 64; i++) x[i] = i;
    CALL(cudaMalloc(&d, sizeof x)); CALL(cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice));
    CALL(cudaGetSymbolSize(&bytes, coefficient)); CHECK(bytes == 16);
    CALL(cudaMemcpyToSymbol(coefficient, more, sizeof more, 4));
    CALL(cudaMemcpyFromSymbol(all, coefficient, sizeof all)); CHECK(all[0] == 1 && all[3] == 4);
    polynomial<<<1, 64>>>(d);
    CALL(cudaMemcpy(y, d, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) CHECK(y[i] == 1 + 2.0f * i + 3.0f * i * i + 4.0f * i * i * i);
    CHECK(cudaMemcpyToSymbol(coefficient, more, sizeof more, 8) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaMemcpyToSymbol((const void *)x, more, 4) == cudaErrorInvalidSymbol);
}
