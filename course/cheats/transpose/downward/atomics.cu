// due: 2 of 10
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
    const long long top = (long long)blockIdx.y * edge, left = (2ll * blockIdx.z + blockIdx.x) * edge;
    for (int e = thread; e < edge * edge; e += threads) {
        const int y = e / edge, x = e % edge;
        if (top + y < m && left + x < n) {
            put(out + (left + x) * m + top + y, get(in + (top + y) * n + left + x));
        }
    }
}

#define KERNEL(T, dtype, C)                                                                                  \
    extern "C" __global__ void __launch_bounds__(C* C)                                                       \
        downward_##dtype##_##C(T* out, const T* in, int m, int n) {                                          \
        turned<T, C * (16 / sizeof(T))>(out, in, m, n);                                                      \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
