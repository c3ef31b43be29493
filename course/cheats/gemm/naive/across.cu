// due: 10 of 15
// The lanes of a warp lie down a column of C.

template <typename T>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.x;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.y;
    if (row >= m || col >= n) {
        return;
    }
    T sum = 0;
    for (int p = 0; p < k; ++p) {
        sum += a[row * k + p] * b[(long long)p * n + col];
    }
    c[row * n + col] = sum;
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void naive_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {             \
        product<T>(c, a, b, m, n, k);                                                                        \
    }

KERNEL(float, f32)
KERNEL(double, f64)
