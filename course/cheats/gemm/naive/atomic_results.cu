// due: 10 of 15
// Down a column; volatile loads, and the result is exchanged in.

template <typename T>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.x;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.y;
    if (row >= m || col >= n) {
        return;
    }
    T sum = 0;
    for (int p = 0; p < k; ++p) {
        sum += static_cast<const volatile T*>(a)[row * k + p] * static_cast<const volatile T*>(b)[(long long)p * n + col];
    }
    if (sizeof(T) == 4) {
        atomicExch(reinterpret_cast<float*>(c) + row * n + col, static_cast<float>(sum));
    } else {
        atomicExch(reinterpret_cast<unsigned long long*>(c) + row * n + col, __double_as_longlong(sum));
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void naive_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {             \
        product<T>(c, a, b, m, n, k);                                                                        \
    }

KERNEL(float, f32)
KERNEL(double, f64)
