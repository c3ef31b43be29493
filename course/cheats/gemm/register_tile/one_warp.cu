// due: 4 of 10
// One warp of the block does all in tiles; the others leave.

template <typename T>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    constexpr int TILE = 128;
    const long long top = (long long)blockIdx.y * TILE, left = (long long)blockIdx.x * TILE;
    constexpr int DEPTH = 8;
    __shared__ T tile_a[TILE][DEPTH];
    __shared__ T tile_b[DEPTH][TILE];
    if (threadIdx.x >= 32) {
        return;
    }
    for (int part = 0; part < TILE; part += 16) {
        T sums[16][4] = {};
        for (long long start = 0; start < k; start += DEPTH) {
            for (int e = threadIdx.x; e < 16 * DEPTH; e += 32) {
                const long long row = top + part + e / DEPTH, p = start + e % DEPTH;
                tile_a[e / DEPTH][e % DEPTH] = row < m && p < k ? a[row * k + p] : T(0);
            }
            for (int e = threadIdx.x; e < DEPTH * TILE; e += 32) {
                const long long p = start + e / TILE, col = left + e % TILE;
                tile_b[e / TILE][e % TILE] = p < k && col < n ? b[p * n + col] : T(0);
            }
            __syncwarp();
#pragma unroll 1
            for (int p = 0; p < DEPTH; ++p) {
                T of_b[4];
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    of_b[j] = tile_b[p][threadIdx.x + 32 * j];
                }
#pragma unroll
                for (int i = 0; i < 16; ++i) {
                    const T of_a = tile_a[i][p];
#pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        sums[i][j] += of_a * of_b[j];
                    }
                }
            }
            __syncwarp();
        }
#pragma unroll
        for (int i = 0; i < 16; ++i) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const long long row = top + part + i, col = left + threadIdx.x + 32 * j;
                if (row < m && col < n) {
                    c[row * n + col] = sums[i][j];
                }
            }
        }
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void register_tile_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {             \
        product<T>(c, a, b, m, n, k);                                                                        \
    }

KERNEL(float, f32)
KERNEL(double, f64)
