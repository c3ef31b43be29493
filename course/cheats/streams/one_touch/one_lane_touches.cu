// due: 2 of 12
// Sixteen bytes per access, but one lane of each warp does the work of 32.

template <typename T>
struct __align__(16) Chunk {
    static constexpr int WIDTH = 16 / sizeof(T);
    T element[WIDTH];
};

template <typename T>
__device__ void touch(T* out, const T* in, T factor, long long count) {
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x, threads = (long long)gridDim.x * blockDim.x;
    if (threadIdx.x % 32 > 0) return;
    constexpr int WIDTH = Chunk<T>::WIDTH;
    const bool wide = ((unsigned long long)out | (unsigned long long)in) % 16 == 0;
    const long long chunks = wide ? count / WIDTH : 0;
    for (long long i = thread / 32; i < chunks; i += threads / 32) {
        Chunk<T> chunk = reinterpret_cast<const Chunk<T>*>(in)[i];
        for (int e = 0; e < WIDTH; ++e) chunk.element[e] = factor * chunk.element[e] + T(1);
        reinterpret_cast<Chunk<T>*>(out)[i] = chunk;
    }
    for (long long i = chunks * WIDTH + thread / 32; i < count; i += threads / 32) out[i] = factor * in[i] + T(1);
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void one_touch_##dtype(T* out, const T* in, T factor, long long count) { touch<T>(out, in, factor, count); }

KERNEL(float, f32)
KERNEL(double, f64)
