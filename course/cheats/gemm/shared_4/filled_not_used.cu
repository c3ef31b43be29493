// due: 4 of 20
// Tiles are filled, with their barriers; the products are made of global memory.

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    constexpr int ROWS = 2 * EDGE, COLUMNS = 2 * EDGE;  // of C, of a block
    const long long top = (long long)blockIdx.y * ROWS, left = (long long)blockIdx.x * COLUMNS;
    __shared__ T tile_a[ROWS][EDGE];
    __shared__ T tile_b[EDGE][COLUMNS];
    const int thread = threadIdx.y * EDGE + threadIdx.x;
    for (long long start = 0; start < k; start += EDGE) {
        {
            for (int e = thread; e < ROWS * EDGE; e += EDGE * EDGE) {
                const long long row = top + e / EDGE, p = start + e % EDGE;
                tile_a[e / EDGE][e % EDGE] = row < m && p < k ? a[row * k + p] : T(0);
            }
            for (int e = thread; e < EDGE * COLUMNS; e += EDGE * EDGE) {
                const long long p = start + e / COLUMNS, col = left + e % COLUMNS;
                tile_b[e / COLUMNS][e % COLUMNS] = p < k && col < n ? b[p * n + col] : T(0);
            }
        }
        __syncthreads();
        if (static_cast<volatile T*>(tile_a[0])[0] != static_cast<volatile T*>(tile_a[0])[0]) {
            return;
        }
        __syncthreads();
    }
    for (int i = threadIdx.y; i < ROWS; i += EDGE) {
        for (int j = threadIdx.x; j < COLUMNS; j += EDGE) {
            const long long row = top + i, col = left + j;
            if (row < m && col < n) {
                T sum = 0;
                for (int p = 0; p < k; ++p) {
                    sum += a[row * k + p] * b[(long long)p * n + col];
                }
                c[row * n + col] = sum;
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
