// due: 5 of 25
// Each product takes both elements from global memory.

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    constexpr int ROWS = 1 * EDGE, COLUMNS = 1 * EDGE;  // of C, of a block
    const long long top = (long long)blockIdx.y * ROWS, left = (long long)blockIdx.x * COLUMNS;
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
        shared_##dtype##_##EDGE(T* c, const T* a, const T* b, int m, int n, int k) {                           \
        product<T, EDGE>(c, a, b, m, n, k);                                                                  \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(float, f32, 32)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
KERNEL(double, f64, 32)
