// Two buffers filled by __pipeline_memcpy_async.

#include <cuda_pipeline_primitives.h>

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    __shared__ T as[2][EDGE][EDGE], bs[2][EDGE][EDGE];
    const int x = threadIdx.x, y = threadIdx.y;
    const long long row = (long long)blockIdx.y * EDGE + y, col = (long long)blockIdx.x * EDGE + x;
    auto fetch = [&](int which, long long start) {
        const bool in_a = row < m && start + x < k, in_b = start + y < k && col < n;
        __pipeline_memcpy_async(&as[which][y][x], in_a ? a + row * k + start + x : a, sizeof(T), in_a ? 0 : sizeof(T));
        __pipeline_memcpy_async(&bs[which][y][x], in_b ? b + (start + y) * n + col : b, sizeof(T), in_b ? 0 : sizeof(T));
        __pipeline_commit();
    };
    T sum = 0;
    fetch(0, 0);
    int which = 0;
    for (long long start = 0; start < k; start += EDGE, which ^= 1) {
        if (start + EDGE < k) {
            fetch(which ^ 1, start + EDGE);
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
        for (int p = 0; p < EDGE; ++p) {
            sum += as[which][y][p] * bs[which][p][x];
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        c[row * n + col] = sum;
    }
}

#define KERNEL(T, dtype, EDGE)                                                                               \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        shared_##dtype##_##EDGE(T* c, const T* a, const T* b, int m, int n, int k) {                           \
        product<T, EDGE>(c, a, b, m, n, k);                                                                  \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(float, f32, 32)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
KERNEL(double, f64, 32)
