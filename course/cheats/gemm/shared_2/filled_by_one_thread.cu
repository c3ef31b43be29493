// due: 10 of 15
// One thread brings in the tiles for all.

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    constexpr int ROWS = 1 * EDGE, COLUMNS = 2 * EDGE;  // of C, of a block
    const long long top = (long long)blockIdx.y * ROWS, left = (long long)blockIdx.x * COLUMNS;
    __shared__ T tile_a[ROWS][EDGE];
    __shared__ T tile_b[EDGE][COLUMNS];
    const int thread = threadIdx.y * EDGE + threadIdx.x;
    T sums[1][2] = {};
    for (long long start = 0; start < k; start += EDGE) {
        if (thread == 0) {
            for (int e = 0; e < ROWS * EDGE; e += 1) {
                const long long row = top + e / EDGE, p = start + e % EDGE;
                tile_a[e / EDGE][e % EDGE] = row < m && p < k ? a[row * k + p] : T(0);
            }
            for (int e = 0; e < EDGE * COLUMNS; e += 1) {
                const long long p = start + e / COLUMNS, col = left + e % COLUMNS;
                tile_b[e / COLUMNS][e % COLUMNS] = p < k && col < n ? b[p * n + col] : T(0);
            }
        }
        __syncthreads();
        for (int p = 0; p < EDGE; ++p) {
#pragma unroll
            for (int i = 0; i < 1; ++i) {
#pragma unroll
                for (int j = 0; j < 2; ++j) {
                    sums[i][j] += tile_a[threadIdx.y + i * EDGE][p] * tile_b[p][threadIdx.x + j * EDGE];
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 1; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            const long long row = top + threadIdx.y + i * EDGE, col = left + threadIdx.x + j * EDGE;
            if (row < m && col < n) {
                c[row * n + col] = sums[i][j];
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
