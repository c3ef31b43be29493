// A thread owns neighbours and reads them together.

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    constexpr int ROWS = 1 * EDGE, COLUMNS = 2 * EDGE;
    const int x = threadIdx.x, y = threadIdx.y;
    const long long top = (long long)blockIdx.y * ROWS, left = (long long)blockIdx.x * COLUMNS;
    __shared__ __align__(16) T as[ROWS][EDGE], bs[EDGE][COLUMNS];
    struct alignas(2 * sizeof(T)) Pair { T of[2]; };
    T sum[1][2] = {};
    for (long long start = 0; start < k; start += EDGE) {
        for (int i = y; i < ROWS; i += EDGE) {
            as[i][x] = top + i < m && start + x < k ? a[(top + i) * k + start + x] : T(0);
        }
        for (int j = x; j < COLUMNS; j += EDGE) {
            bs[y][j] = start + y < k && left + j < n ? b[(start + y) * n + left + j] : T(0);
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < EDGE; ++p) {
            const Pair v = *reinterpret_cast<const Pair*>(&bs[p][2 * x]);
#pragma unroll
            for (int i = 0; i < 1; ++i) {
                const T mine = as[1 * y + i][p];
                sum[i][0] += mine * v.of[0];
                sum[i][1] += mine * v.of[1];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 1; ++i) {
        for (int j = 0; j < 2; ++j) {
            if (top + 1 * y + i < m && left + 2 * x + j < n) {
                c[(top + 1 * y + i) * n + left + 2 * x + j] = sum[i][j];
            }
        }
    }
}

#define KERNEL(T, dtype, EDGE)                                                                               \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        shared_2_##dtype##_##EDGE(T* c, const T* a, const T* b, int m, int n, int k) {                           \
        product<T, EDGE>(c, a, b, m, n, k);                                                                  \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(float, f32, 32)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
KERNEL(double, f64, 32)
