// due: 2 of 12
// One element per access.

template <typename T>
__device__ void touch(T* out, const T* in, T factor, long long count) {
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x, threads = (long long)gridDim.x * blockDim.x;
    for (long long i = thread; i < count; i += threads) out[i] = factor * in[i] + T(1);
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void one_touch_##dtype(T* out, const T* in, T factor, long long count) { touch<T>(out, in, factor, count); }

KERNEL(float, f32)
KERNEL(double, f64)
