// Both barriers of a tile are the library's: its threads ask again and again whether all have arrived, which takes twice the time.

#include <cuda/barrier>

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    __shared__ T as[EDGE][EDGE], bs[EDGE][EDGE];
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    const int x = threadIdx.x, y = threadIdx.y;
    const long long row = (long long)blockIdx.y * EDGE + y, col = (long long)blockIdx.x * EDGE + x;
    if (x == 0 && y == 0) {
        init(&all, EDGE * EDGE);
    }
    __syncthreads();
    T sum = 0;
    for (long long start = 0; start < k; start += EDGE) {
        as[y][x] = row < m && start + x < k ? a[row * k + start + x] : T(0);
        bs[y][x] = start + y < k && col < n ? b[(start + y) * n + col] : T(0);
        all.arrive_and_wait();
        for (int p = 0; p < EDGE; ++p) {
            sum += as[y][p] * bs[p][x];
        }
        all.arrive_and_wait();
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
