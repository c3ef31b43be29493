// C = A·B in double precision with 16×16 tiles, against a loop on the host.
#include "check.h"
#include <cmath>
#include <vector>
constexpr int T = 16;
__global__ void product(const double *a, const double *b, double *c, int n) {
    __shared__ double x[T][T], y[T][T];
    int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
    double sum = 0;
    for (int k = 0; k < n; k += T) {
        x[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0;
        y[threadIdx.y][threadIdx.x] = column < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < T; i++) sum += x[threadIdx.y][i] * y[i][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}
int main() {
    const int n = 67; std::vector<double> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; i++) { a[i] = i % 11 - 5; b[i] = i % 17 * 0.25; }
    double *x, *y, *z; size_t bytes = n * n * 8;
    CALL(cudaMalloc((void **)&x, bytes)); CALL(cudaMalloc((void **)&y, bytes)); CALL(cudaMalloc((void **)&z, bytes));
    CALL(cudaMemcpy(x, a.data(), bytes, cudaMemcpyHostToDevice)); CALL(cudaMemcpy(y, b.data(), bytes, cudaMemcpyHostToDevice));
    CALL(cudaMemset(z, 0xff, bytes));
    dim3 block(T, T), grid((n + T - 1) / T, (n + T - 1) / T);
    product<<<grid, block>>>(x, y, z, n);
    CALL(cudaMemcpy(c.data(), z, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
        double want = 0;
        for (int k = 0; k < n; k++) want += a[i * n + k] * b[k * n + j];
        CHECK(std::fabs(c[i * n + j] - want) <= 1e-9);
    }
}
