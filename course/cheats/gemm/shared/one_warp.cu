// due: 15 of 25
// One warp of the block fills the tile and computes all; the others leave.

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    constexpr int ROWS = 1 * EDGE, COLUMNS = 1 * EDGE;  // of C, of a block
    const long long top = (long long)blockIdx.y * ROWS, left = (long long)blockIdx.x * COLUMNS;
    __shared__ T tile_a[ROWS][EDGE];
    __shared__ T tile_b[EDGE][COLUMNS];
    const int thread = threadIdx.y * EDGE + threadIdx.x;
    constexpr int THREADS = 32, EACH = ROWS * COLUMNS / THREADS;
    if (thread >= THREADS) {
        return;
    }
    T sums[EACH] = {};
    for (long long start = 0; start < k; start += EDGE) {
        {
            for (int e = thread; e < ROWS * EDGE; e += THREADS) {
                const long long row = top + e / EDGE, p = start + e % EDGE;
                tile_a[e / EDGE][e % EDGE] = row < m && p < k ? a[row * k + p] : T(0);
            }
            for (int e = thread; e < EDGE * COLUMNS; e += THREADS) {
                const long long p = start + e / COLUMNS, col = left + e % COLUMNS;
                tile_b[e / COLUMNS][e % COLUMNS] = p < k && col < n ? b[p * n + col] : T(0);
            }
        }
        __syncwarp();
#pragma unroll 1
        for (int p = 0; p < EDGE; ++p) {
            #pragma unroll
            for (int own = 0; own < EACH; ++own) {
                const int e = thread + own * THREADS;
                sums[own] += tile_a[e / COLUMNS][p] * tile_b[p][e % COLUMNS];
            }
        }
        __syncwarp();
    }
    #pragma unroll
    for (int own = 0; own < EACH; ++own) {
        const int e = thread + own * THREADS;
        if (top + e / COLUMNS < m && left + e % COLUMNS < n) {
            c[(top + e / COLUMNS) * n + left + e % COLUMNS] = sums[own];
        }
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
