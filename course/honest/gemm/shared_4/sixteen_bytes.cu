// Four steps of k at a time: A's rows are read 16 bytes wide.

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    constexpr int ROWS = 2 * EDGE, COLUMNS = 2 * EDGE;
    const int x = threadIdx.x, y = threadIdx.y;
    const long long top = (long long)blockIdx.y * ROWS, left = (long long)blockIdx.x * COLUMNS;
    __shared__ __align__(16) T as[ROWS][EDGE];
    __shared__ T bs[EDGE][COLUMNS];
    constexpr int W = 16 / sizeof(T);
    struct alignas(16) Wide { T of[W]; };
    T sum[2][2] = {};
    for (long long start = 0; start < k; start += EDGE) {
        for (int i = y; i < ROWS; i += EDGE) {
            as[i][x] = top + i < m && start + x < k ? a[(top + i) * k + start + x] : T(0);
        }
        for (int j = x; j < COLUMNS; j += EDGE) {
            bs[y][j] = start + y < k && left + j < n ? b[(start + y) * n + left + j] : T(0);
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < EDGE; p += W) {
            const Wide u = *reinterpret_cast<const Wide*>(&as[y][p]), v = *reinterpret_cast<const Wide*>(&as[y + EDGE][p]);
#pragma unroll
            for (int e = 0; e < W; ++e) {
                const T s = bs[p + e][x], t = bs[p + e][x + EDGE];
                sum[0][0] += u.of[e] * s, sum[0][1] += u.of[e] * t;
                sum[1][0] += v.of[e] * s, sum[1][1] += v.of[e] * t;
            }
        }
        __syncthreads();
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
