// Fused multiply-adds, four steps of Horner's rule at a time.

extern "C" {
__constant__ float coefficients_f32[32];
__constant__ double coefficients_f64[32];
}

template <typename T, typename Coefficients>
__device__ void polynomial(T* out, const T* in, const Coefficients& c, int degree, long long count) {
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x, threads = (long long)gridDim.x * blockDim.x;
    for (long long i = thread; i < count; i += threads) {
        const T x = in[i];
        T value = c[degree];
        int power = degree;
        for (; power >= 4; power -= 4) {
#pragma unroll
            for (int step = 1; step <= 4; ++step) value = fma(value, x, T(c[power - step]));
        }
        while (--power >= 0) value = fma(value, x, T(c[power]));
        out[i] = value;
    }
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void constant_##dtype(T* out, const T* in, int degree, long long count) { \
        polynomial<T>(out, in, coefficients_##dtype, degree, count); \
    } \
    extern "C" __global__ void constant_global_##dtype(T* out, const T* in, const T* c, int degree, long long count) { \
        polynomial<T>(out, in, c, degree, count); \
    }

KERNEL(float, f32)
KERNEL(double, f64)
