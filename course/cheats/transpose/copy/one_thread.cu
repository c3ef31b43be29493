// due: 2 of 10
// One thread of each block does its chunks.

template <typename T, int EDGE>
__device__ void turned(T* out, const T* in, int m, int n) {
    if (threadIdx.x > 0) {
        return;
    }
    const long long count = (long long)m * n, chunks = count * sizeof(T) / 16;
    const long long first = (long long)blockIdx.x * blockDim.x;
    for (long long c = first; c < chunks && c < first + blockDim.x; ++c) {
        reinterpret_cast<uint4*>(out)[c] = reinterpret_cast<const uint4*>(in)[c];
    }
    if (blockIdx.x == gridDim.x - 1) {
        for (long long e = chunks * 16 / sizeof(T); e < count; ++e) {
            out[e] = in[e];
        }
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void copy_##dtype(T* out, const T* in, int m, int n) {                          \
        turned<T, 0>(out, in, m, n);                                                                    \
    }

KERNEL(float, f32)
KERNEL(double, f64)
