// float4 and double2, each type by its own name.

template <typename T> struct Wide;
template <> struct Wide<float> { using Type = float4; };
template <> struct Wide<double> { using Type = double2; };

template <typename T, int EDGE>
__device__ void turned(T* out, const T* in, int m, int n) {
    using Type = typename Wide<T>::Type;
    const size_t all = (size_t)m * n, each = sizeof(Type) / sizeof(T), me = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if ((me + 1) * each <= all) {
        ((Type*)out)[me] = ((const Type*)in)[me];
    } else {
        for (size_t e = me * each; e < all; ++e) out[e] = in[e];
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void copy_##dtype(T* out, const T* in, int m, int n) {                          \
        turned<T, 0>(out, in, m, n);                                                                    \
    }

KERNEL(float, f32)
KERNEL(double, f64)
