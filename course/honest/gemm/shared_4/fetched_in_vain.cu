// Fetched ahead in registers, also after the last tile; padded tiles.

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    constexpr int ROWS = 2 * EDGE, COLUMNS = 2 * EDGE;
    const int x = threadIdx.x, y = threadIdx.y;
    const long long top = (long long)blockIdx.y * ROWS, left = (long long)blockIdx.x * COLUMNS;
    __shared__ T as[ROWS][EDGE + 1], bs[EDGE][COLUMNS + 1];
    T next[4];
    auto fetch = [&](long long start) {
        const long long p = min((long long)k - 1, start + x), q = min((long long)k - 1, start + y);
        for (int h = 0; h < 2; ++h) {
            const long long row = min((long long)m - 1, top + y + h * EDGE), col = min((long long)n - 1, left + x + h * EDGE);
            const T of_a = a[row * k + p], of_b = b[q * n + col];
            next[h] = top + y + h * EDGE < m && start + x < k ? of_a : T(0);
            next[2 + h] = left + x + h * EDGE < n && start + y < k ? of_b : T(0);
        }
    };
    T sum[2][2] = {};
    fetch(0);
    for (long long start = 0; start < k; start += EDGE) {
        as[y][x] = next[0], as[y + EDGE][x] = next[1];
        bs[y][x] = next[2], bs[y][x + EDGE] = next[3];
        __syncthreads();
        fetch(start + EDGE);
        for (int p = 0; p < EDGE; ++p) {
            T u[2], v[2];
            for (int i = 0; i < 2; ++i) u[i] = as[y + i * EDGE][p];
            for (int j = 0; j < 2; ++j) v[j] = bs[p][x + j * EDGE];
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j) sum[i][j] = fma(u[i], v[j], sum[i][j]);
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
