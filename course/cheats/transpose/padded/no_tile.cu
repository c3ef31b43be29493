// due: 3 of 15
// Straight from row to column.

template <typename T, int EDGE>
__device__ void turned(T* out, const T* in, int m, int n) {
    const int edge = EDGE == 0 ? blockDim.x : EDGE;
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    const long long top = (long long)blockIdx.y * edge, left = (long long)blockIdx.x * edge;
    for (int e = thread; e < edge * edge; e += threads) {
        const int y = e / edge, x = e % edge;
        if (top + y < m && left + x < n) {
            out[(left + x) * m + top + y] = in[(top + y) * n + left + x];
        }
    }
}

template <typename T, int EDGE>
__device__ void turned_in_place(T* matrix, int n) {
    const int edge = EDGE == 0 ? blockDim.x : EDGE;
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    const long long top = (long long)blockIdx.y * edge, left = (long long)blockIdx.x * edge;
    for (int e = thread; e < edge * edge; e += threads) {
        const int y = e / edge, x = e % edge;
        const long long row = top + y, col = left + x;
        if (row < col && col < n) {
            const T above = matrix[row * n + col];
            matrix[row * n + col] = matrix[col * n + row];
            matrix[col * n + row] = above;
        }
    }
}

#define KERNEL(T, dtype, EDGE)                                                                               \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        padded_##dtype##_##EDGE(T* out, const T* in, int m, int n) {                                        \
        turned<T, EDGE>(out, in, m, n);                                                                      \
    }                                                                                                       \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        padded_in_place_##dtype##_##EDGE(T* matrix, int n) {                                                \
        turned_in_place<T, EDGE>(matrix, n);                                                                 \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(float, f32, 32)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
KERNEL(double, f64, 32)
