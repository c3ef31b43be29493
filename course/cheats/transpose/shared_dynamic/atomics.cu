// due: 3 of 15
// No tile; loads and stores are atomics.

__device__ void put(float* to, float value) {
    atomicExch(to, value);
}
__device__ void put(double* to, double value) {
    atomicExch(reinterpret_cast<unsigned long long*>(to), __double_as_longlong(value));
}
__device__ float get(const float* from) {
    return __int_as_float(atomicOr(reinterpret_cast<int*>(const_cast<float*>(from)), 0));
}
__device__ double get(const double* from) {
    return __longlong_as_double(atomicAdd(reinterpret_cast<unsigned long long*>(const_cast<double*>(from)), 0ull));
}

template <typename T, int EDGE>
__device__ void turned(T* out, const T* in, int m, int n) {
    const int edge = EDGE == 0 ? blockDim.x : EDGE;
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    const long long top = (long long)blockIdx.y * edge, left = (long long)blockIdx.x * edge;
    for (int e = thread; e < edge * edge; e += threads) {
        const int y = e / edge, x = e % edge;
        if (top + y < m && left + x < n) {
            put(out + (left + x) * m + top + y, get(in + (top + y) * n + left + x));
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
            put(matrix + row * n + col, get(matrix + col * n + row));
            put(matrix + col * n + row, above);
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
