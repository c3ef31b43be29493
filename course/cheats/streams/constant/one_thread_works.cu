// due: 7 of 10
// The coefficients come from constant memory, by the one thread of each block that does the work of all.

extern "C" {
__constant__ float coefficients_f32[32];
__constant__ double coefficients_f64[32];
}

template <typename T, typename Coefficients>
__device__ void polynomial(T* out, const T* in, const Coefficients& c, int degree, long long count) {
    if (threadIdx.x > 0) return;
    for (long long i = blockIdx.x; i < count; i += gridDim.x) {
        const T x = in[i];
        T value = c[degree];
        for (int power = degree - 1; power >= 0; --power) value = value * x + c[power];
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
