// Horner's rule in double precision for both types.

extern "C" {
__constant__ float coefficients_f32[32];
__constant__ double coefficients_f64[32];
}

template <typename T, typename Coefficients>
__device__ void polynomial(T* out, const T* in, const Coefficients& c, int degree, long long count) {
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x, threads = (long long)gridDim.x * blockDim.x;
    for (long long i = thread; i < count; i += threads) {
        const double x = in[i];
        double value = c[degree];
        for (int power = degree; power-- > 0;) value = value * x + c[power];
        out[i] = T(value);
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
