// Some warps bring the tiles, and all multiply: the producers are the first half of the block.

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    __shared__ T as[EDGE][EDGE], bs[EDGE][EDGE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int thread = y * EDGE + x;
    constexpr int PRODUCERS = EDGE * EDGE / 2;
    const long long top = (long long)blockIdx.y * EDGE, left = (long long)blockIdx.x * EDGE;
    T sum = 0;
    for (long long start = 0; start < k; start += EDGE) {
        if (thread < PRODUCERS) {
            for (int e = thread; e < EDGE * EDGE; e += PRODUCERS) {
                const int i = e / EDGE, j = e % EDGE;
                as[i][j] = top + i < m && start + j < k ? a[(top + i) * k + start + j] : T(0);
                bs[i][j] = start + i < k && left + j < n ? b[(start + i) * n + left + j] : T(0);
            }
        }
        __syncthreads();
        for (int p = 0; p < EDGE; ++p) {
            sum += as[y][p] * bs[p][x];
        }
        __syncthreads();
    }
    if (top + y < m && left + x < n) {
        c[(top + y) * n + left + x] = sum;
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
