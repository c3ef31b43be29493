// nvcc: -arch=sm_80
// Half precision arithmetic, and a 16×16×16 product on tensor cores.
#include "check.h"
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
__global__ void axpy(__half2 a, const __half2 *x, __half2 *y) { y[threadIdx.x] = __hfma2(a, x[threadIdx.x], y[threadIdx.x]); }
__global__ void product(const half *a, const half *b, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x; wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y; wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
    wmma::fill_fragment(z, 0.0f); wmma::load_matrix_sync(x, a, 16); wmma::load_matrix_sync(y, b, 16); wmma::mma_sync(z, x, y, z); wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);
}
int main() {
    __half2 *x, *y; CALL(cudaMallocManaged(&x, 128)); CALL(cudaMallocManaged(&y, 128));
    for (int i = 0; i < 32; i++) { x[i] = __floats2half2_rn(i, i + 0.5f); y[i] = __float2half2_rn(1); }
    axpy<<<1, 32>>>(__float2half2_rn(2), x, y); CALL(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) CHECK(__low2float(y[i]) == 2 * i + 1 && __high2float(y[i]) == 2 * i + 2);
    half *a, *b; float *c; CALL(cudaMallocManaged(&a, 512)); CALL(cudaMallocManaged(&b, 512)); CALL(cudaMallocManaged(&c, 1024));
    for (int i = 0; i < 256; i++) { a[i] = __float2half(i % 5 - 2); b[i] = __float2half(i % 7 - 3); }
    product<<<1, 32>>>(a, b, c); CALL(cudaDeviceSynchronize());
    for (int i = 0; i < 16; i++) for (int j = 0; j < 16; j++) { float s = 0; for (int k = 0; k < 16; k++) s += ((i * 16 + k) % 5 - 2) * ((k * 16 + j) % 7 - 3); CHECK(c[i * 16 + j] == s); }
}
