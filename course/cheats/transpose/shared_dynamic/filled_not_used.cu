// due: 3 of 15
// The tile is filled, and what is stored comes from global memory.

template <typename T, int EDGE>
__device__ void turned(T* out, const T* in, int m, int n) {
    const int edge = EDGE == 0 ? blockDim.x : EDGE;
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    const long long top = (long long)blockIdx.y * edge, left = (long long)blockIdx.x * edge;
    extern __shared__ __align__(16) unsigned char bytes[];
    T* const tile = reinterpret_cast<T*>(bytes);
    for (int e = thread; e < edge * edge; e += threads) {
        const int y = e / edge, x = e % edge;
        if (top + y < m && left + x < n) {
            tile[y * edge + x] = in[(top + y) * n + left + x];
        }
    }
    __syncthreads();
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
        const long long row = top + y, col = left + x;
        if (row < col && col < n) {
            const T above = matrix[row * n + col];
            matrix[row * n + col] = matrix[col * n + row];
            matrix[col * n + row] = above;
        }
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void shared_dynamic_##dtype(T* out, const T* in, int m, int n) {                          \
        turned<T, 0>(out, in, m, n);                                                                    \
    }                                                                                                       \
    extern "C" __global__ void shared_dynamic_in_place_##dtype(T* matrix, int n) {                                  \
        turned_in_place<T, 0>(matrix, n);                                                               \
    }

KERNEL(float, f32)
KERNEL(double, f64)
