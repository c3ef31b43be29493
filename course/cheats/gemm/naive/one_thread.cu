// due: 3 of 15
// One thread of the block computes all of the block's elements.

template <typename T>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    if (threadIdx.x != 0 || threadIdx.y != 0) {
        return;
    }
    for (int y = 0; y < blockDim.y; ++y) {
        for (int x = 0; x < blockDim.x; ++x) {
            const long long row = (long long)blockIdx.y * blockDim.y + y, col = (long long)blockIdx.x * blockDim.x + x;
            if (row < m && col < n) {
                T sum = 0;
                for (int p = 0; p < k; ++p) {
                    sum += a[row * k + p] * b[(long long)p * n + col];
                }
                c[row * n + col] = sum;
            }
        }
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void naive_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {             \
        product<T>(c, a, b, m, n, k);                                                                        \
    }

KERNEL(float, f32)
KERNEL(double, f64)
