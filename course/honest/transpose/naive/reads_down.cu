// Reads go down columns, writes along rows.

template <typename T, int EDGE>
__device__ void turned(T* out, const T* in, int m, int n) {
    const int edge = EDGE == 0 ? blockDim.x : EDGE;
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    const long long top = (long long)blockIdx.y * edge, left = (long long)blockIdx.x * edge;
    for (int e = thread; e < edge * edge; e += threads) {
        const int y = e / edge, x = e % edge;
        if (left + y < n && top + x < m) {
            out[(left + y) * m + top + x] = in[(top + x) * n + left + y];
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
        const long long i = left + y, j = top + x;
        if (i > j && i < n) {
            const T t = matrix[i * n + j];
            matrix[i * n + j] = matrix[j * n + i];
            matrix[j * n + i] = t;
        }
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void naive_##dtype(T* out, const T* in, int m, int n) {                          \
        turned<T, 0>(out, in, m, n);                                                                    \
    }                                                                                                       \
    extern "C" __global__ void naive_in_place_##dtype(T* matrix, int n) {                                  \
        turned_in_place<T, 0>(matrix, n);                                                               \
    }

KERNEL(float, f32)
KERNEL(double, f64)
