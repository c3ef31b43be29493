// A loop with the stride of the grid.

template <typename T, int EDGE>
__device__ void turned(T* out, const T* in, int m, int n) {
    const long long bytes = (long long)m * n * sizeof(T), chunks = bytes / 16;
    const long long step = (long long)gridDim.x * blockDim.x, me = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (long long i = me; i < chunks; i += step) reinterpret_cast<ulonglong2*>(out)[i] = reinterpret_cast<const ulonglong2*>(in)[i];
    for (long long i = chunks * 16 / sizeof(T) + me; i < (long long)m * n; i += step) out[i] = in[i];
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void copy_##dtype(T* out, const T* in, int m, int n) {                          \
        turned<T, 0>(out, in, m, n);                                                                    \
    }

KERNEL(float, f32)
KERNEL(double, f64)
