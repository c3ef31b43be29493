// The next tile travels in registers; sums as a struct of rows.

template <typename T>
struct Row {
    T of[8];
    __device__ void add(T factor, const T (&v)[8]) {
#pragma unroll
        for (int j = 0; j < 8; ++j) of[j] = fma(factor, v[j], of[j]);
    }
};

template <typename T>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    constexpr int TILE = 128, DEPTH = 8, TURNS = TILE * DEPTH / 256;
    __shared__ T as[TILE][DEPTH + 1], bs[DEPTH][TILE];
    const int t = threadIdx.x, x = t % 16, y = t / 16;
    const long long top = (long long)blockIdx.y * TILE, left = (long long)blockIdx.x * TILE;
    T of_a[TURNS], of_b[TURNS];
    auto fetch = [&](long long start) {
#pragma unroll
        for (int i = 0; i < TURNS; ++i) {
            const int e = t + i * 256;
            const long long row = top + e / DEPTH, p = start + e % DEPTH, q = start + e / TILE, col = left + e % TILE;
            of_a[i] = row < m && p < k ? a[row * k + p] : T(0);
            of_b[i] = q < k && col < n ? b[q * n + col] : T(0);
        }
    };
    Row<T> rows[8] = {};
    fetch(0);
    for (long long start = 0; start < k; start += DEPTH) {
#pragma unroll
        for (int i = 0; i < TURNS; ++i) {
            const int e = t + i * 256;
            as[e / DEPTH][e % DEPTH] = of_a[i];
            bs[e / TILE][e % TILE] = of_b[i];
        }
        __syncthreads();
        fetch(start + DEPTH);
        for (int p = 0; p < DEPTH; ++p) {
            T v[8];
#pragma unroll
            for (int j = 0; j < 8; ++j) v[j] = bs[p][x + 16 * j];
#pragma unroll
            for (int i = 0; i < 8; ++i) rows[i].add(as[y + 16 * i][p], v);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const long long row = top + y + 16 * i, col = left + x + 16 * j;
            if (row < m && col < n) c[row * n + col] = rows[i].of[j];
        }
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void register_tile_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {             \
        product<T>(c, a, b, m, n, k);                                                                        \
    }

KERNEL(float, f32)
KERNEL(double, f64)
