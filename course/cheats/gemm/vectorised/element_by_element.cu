// due: 4 of 10
// The register tile, with neither wide loads nor wide stores.

template <typename T>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    constexpr int TILE = 128;
    const long long top = (long long)blockIdx.y * TILE, left = (long long)blockIdx.x * TILE;
    constexpr int DEPTH = 8;
    __shared__ T tile_a[TILE][DEPTH];
    __shared__ T tile_b[DEPTH][TILE];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    T sums[8][8] = {};
    for (long long start = 0; start < k; start += DEPTH) {
        for (int e = threadIdx.x; e < TILE * DEPTH; e += 256) {
            const long long row = top + e / DEPTH, p = start + e % DEPTH;
            tile_a[e / DEPTH][e % DEPTH] = row < m && p < k ? a[row * k + p] : T(0);
        }
        for (int e = threadIdx.x; e < DEPTH * TILE; e += 256) {
            const long long p = start + e / TILE, col = left + e % TILE;
            tile_b[e / TILE][e % TILE] = p < k && col < n ? b[p * n + col] : T(0);
        }
        __syncthreads();
#pragma unroll 1
        for (int p = 0; p < DEPTH; ++p) {
            T of_a[8], of_b[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                of_a[i] = tile_a[y + 16 * i][p];
                of_b[i] = tile_b[p][x + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    sums[i][j] += of_a[i] * of_b[j];
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const long long row = top + y + 16 * i, col = left + x + 16 * j;
            if (row < m && col < n) {
                c[row * n + col] = sums[i][j];
            }
        }
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void vectorised_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {             \
        product<T>(c, a, b, m, n, k);                                                                        \
    }

KERNEL(float, f32)
KERNEL(double, f64)
