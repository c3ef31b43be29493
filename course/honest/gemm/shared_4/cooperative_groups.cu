// The same with cooperative groups.
#include <cooperative_groups.h>

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    constexpr int ROWS = 2 * EDGE, COLUMNS = 2 * EDGE;
    const int x = threadIdx.x, y = threadIdx.y;
    const long long top = (long long)blockIdx.y * ROWS, left = (long long)blockIdx.x * COLUMNS;
    auto block = cooperative_groups::this_thread_block();
    __shared__ T as[ROWS][EDGE], bs[EDGE][COLUMNS];
    T sum[2][2] = {};
    for (long long start = 0; start < k; start += EDGE) {
        for (int i = y; i < ROWS; i += EDGE) {
            as[i][x] = top + i < m && start + x < k ? a[(top + i) * k + start + x] : T(0);
        }
        for (int j = x; j < COLUMNS; j += EDGE) {
            bs[y][j] = start + y < k && left + j < n ? b[(start + y) * n + left + j] : T(0);
        }
        block.sync();
        for (int p = 0; p < EDGE; ++p) {
            T u[2], v[2];
            for (int i = 0; i < 2; ++i) u[i] = as[y + i * EDGE][p];
            for (int j = 0; j < 2; ++j) v[j] = bs[p][x + j * EDGE];
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j) sum[i][j] = fma(u[i], v[j], sum[i][j]);
        }
        block.sync();
    }
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            if (top + y + i * EDGE < m && left + x + j * EDGE < n) {
                c[(top + y + i * EDGE) * n + left + x + j * EDGE] = sum[i][j];
            }
        }
    }
}

#define KERNEL(T, dtype, EDGE)                                                                               \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        shared_4_##dtype##_##EDGE(T* c, const T* a, const T* b, int m, int n, int k) {                           \
        product<T, EDGE>(c, a, b, m, n, k);                                                                  \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(float, f32, 32)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
KERNEL(double, f64, 32)
