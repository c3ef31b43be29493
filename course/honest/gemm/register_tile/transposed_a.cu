// A's tile transposed and padded.

template <typename T>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    constexpr int TILE = 128, DEPTH = 8;
    __shared__ T as[DEPTH][TILE + 1], bs[DEPTH][TILE];
    const int x = threadIdx.x & 15, y = threadIdx.x >> 4;
    const long long top = (long long)blockIdx.y * TILE, left = (long long)blockIdx.x * TILE;
    T sum[8][8] = {};
    for (long long start = 0; start < k; start += DEPTH) {
        for (int e = threadIdx.x; e < TILE * DEPTH; e += 256) {
            const long long row = top + e / DEPTH, p = start + e % DEPTH;
            as[e % DEPTH][e / DEPTH] = row < m && p < k ? a[row * k + p] : T(0);
        }
        for (int e = threadIdx.x; e < TILE * DEPTH; e += 256) {
            const long long p = start + e / TILE, col = left + e % TILE;
            bs[e / TILE][e % TILE] = p < k && col < n ? b[p * n + col] : T(0);
        }
        __syncthreads();
#pragma unroll 1
        for (int p = 0; p < DEPTH; ++p) {
            T u[8], v[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) u[i] = as[p][y + 16 * i];
#pragma unroll
            for (int j = 0; j < 8; ++j) v[j] = bs[p][x + 16 * j];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) sum[i][j] += u[i] * v[j];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const long long row = top + y + 16 * i, col = left + x + 16 * j;
            if (row < m && col < n) c[row * n + col] = sum[i][j];
        }
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void register_tile_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {             \
        product<T>(c, a, b, m, n, k);                                                                        \
    }

KERNEL(float, f32)
KERNEL(double, f64)
