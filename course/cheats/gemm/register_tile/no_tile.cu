// due: 2 of 10
// Each product takes both elements from global memory.

template <typename T>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    constexpr int TILE = 128;
    const long long top = (long long)blockIdx.y * TILE, left = (long long)blockIdx.x * TILE;
    for (int e = threadIdx.x; e < TILE * TILE; e += 256) {
        const long long row = top + e / TILE, col = left + e % TILE;
        if (row < m && col < n) {
            T sum = 0;
            for (int p = 0; p < k; ++p) {
                sum += a[row * k + p] * b[(long long)p * n + col];
            }
            c[row * n + col] = sum;
        }
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void register_tile_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {             \
        product<T>(c, a, b, m, n, k);                                                                        \
    }

KERNEL(float, f32)
KERNEL(double, f64)
