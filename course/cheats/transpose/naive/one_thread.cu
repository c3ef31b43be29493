// due: 2 of 10
// One thread of the block moves all of the block's elements.

template <typename T, int EDGE>
__device__ void turned(T* out, const T* in, int m, int n) {
    const int edge = EDGE == 0 ? blockDim.x : EDGE;
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    const long long top = (long long)blockIdx.y * edge, left = (long long)blockIdx.x * edge;
    for (int e = thread == 0 ? 0 : edge * edge; e < edge * edge; ++e) {
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

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void naive_##dtype(T* out, const T* in, int m, int n) {                          \
        turned<T, 0>(out, in, m, n);                                                                    \
    }                                                                                                       \
    extern "C" __global__ void naive_in_place_##dtype(T* matrix, int n) {                                  \
        turned_in_place<T, 0>(matrix, n);                                                               \
    }

KERNEL(float, f32)
KERNEL(double, f64)
