// due: 2 of 10
// Loads and stores that are atomics, an element each.

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
    const long long count = (long long)m * n, threads = (long long)gridDim.x * blockDim.x;
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (long long e = thread; e < count; e += threads) {
        put(out + e, get(in + e));
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void copy_##dtype(T* out, const T* in, int m, int n) {                          \
        turned<T, 0>(out, in, m, n);                                                                    \
    }

KERNEL(float, f32)
KERNEL(double, f64)
