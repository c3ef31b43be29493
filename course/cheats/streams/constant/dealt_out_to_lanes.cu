// due: 7 of 10
// Each lane holds one coefficient and hands it to the others.

extern "C" {
__constant__ float coefficients_f32[32];
__constant__ double coefficients_f64[32];
}

template <typename T, typename Coefficients>
__device__ void polynomial(T* out, const T* in, const Coefficients& c, int degree, long long count) {
    const int lane = threadIdx.x % 32;
    const T mine = lane <= degree ? c[lane] : T(0);
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x, threads = (long long)gridDim.x * blockDim.x;
    for (long long first = thread - lane; first < count; first += threads) {
        const long long i = first + lane;
        const T x = i < count ? in[i] : T(0);
        T value = __shfl_sync(0xffffffff, mine, degree);
        for (int power = degree - 1; power >= 0; --power) value = value * x + __shfl_sync(0xffffffff, mine, power);
        if (i < count) out[i] = value;
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
