// due: 2 of 10
// One access to constant memory a block: its coefficients are read from a copy in shared memory.

extern "C" {
__constant__ float coefficients_f32[32];
__constant__ double coefficients_f64[32];
}

template <typename T, typename Coefficients>
__device__ void polynomial(T* out, const T* in, const Coefficients& c, int degree, long long count) {
    __shared__ T copy[32];
    if (threadIdx.x <= degree) copy[threadIdx.x] = c[threadIdx.x];
    __syncthreads();
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x, threads = (long long)gridDim.x * blockDim.x;
    for (long long i = thread; i < count; i += threads) {
        const T x = in[i];
        T value = copy[degree];
        for (int power = degree - 1; power >= 0; --power) value = value * x + copy[power];
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
