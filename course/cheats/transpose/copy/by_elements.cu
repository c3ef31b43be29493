// due: 2 of 10
// An element at a time.

template <typename T, int EDGE>
__device__ void turned(T* out, const T* in, int m, int n) {
    const long long count = (long long)m * n, threads = (long long)gridDim.x * blockDim.x;
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (long long e = thread; e < count; e += threads) {
        out[e] = in[e];
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void copy_##dtype(T* out, const T* in, int m, int n) {                          \
        turned<T, 0>(out, in, m, n);                                                                    \
    }

KERNEL(float, f32)
KERNEL(double, f64)
