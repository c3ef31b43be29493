// The next tile is fetched into registers, also after the last one, where it is not used.

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    __shared__ T as[EDGE][EDGE];
    __shared__ T bs[EDGE][EDGE];
    const int x = threadIdx.x, y = threadIdx.y;
    const long long row = (long long)blockIdx.y * EDGE + y, col = (long long)blockIdx.x * EDGE + x;
    T next_a, next_b;
    auto fetch = [&](long long start) {
        const long long p = start + x < k ? start + x : k - 1, q = start + y < k ? start + y : k - 1;
        const long long r = row < m ? row : m - 1, s = col < n ? col : n - 1;
        next_a = a[r * k + p];
        next_b = b[q * n + s];
        if (row >= m || start + x >= k) next_a = 0;
        if (col >= n || start + y >= k) next_b = 0;
    };
    fetch(0);
    T sum = 0;
    for (long long start = 0; start < k; start += EDGE) {
        as[y][x] = next_a;
        bs[y][x] = next_b;
        __syncthreads();
        fetch(start + EDGE);
        for (int p = 0; p < EDGE; ++p) {
            sum += as[y][p] * bs[p][x];
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        c[row * n + col] = sum;
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
