// due: 8 of 12
// Half a chunk per access.

template <typename T>
__device__ void touch(T* out, const T* in, T factor, long long count) {
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x, threads = (long long)gridDim.x * blockDim.x;
    constexpr int PAIR = 8 / sizeof(T);
    const bool wide = ((unsigned long long)out | (unsigned long long)in) % 8 == 0;
    const long long pairs = wide ? count / PAIR : 0;
    for (long long i = thread; i < pairs; i += threads) {
        uint2 pair = reinterpret_cast<const uint2*>(in)[i];
        T* const elements = reinterpret_cast<T*>(&pair);
        for (int e = 0; e < PAIR; ++e) elements[e] = factor * elements[e] + T(1);
        reinterpret_cast<uint2*>(out)[i] = pair;
    }
    for (long long i = pairs * PAIR + thread; i < count; i += threads) out[i] = factor * in[i] + T(1);
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void one_touch_##dtype(T* out, const T* in, T factor, long long count) { touch<T>(out, in, factor, count); }

KERNEL(float, f32)
KERNEL(double, f64)
