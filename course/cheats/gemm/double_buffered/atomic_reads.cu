// due: 5 of 10
// 8×8 sums in registers, and every load an atomic.

// A load that is an atomic: nothing is added.
__device__ float read(const float* at) {
    return __int_as_float(atomicOr(reinterpret_cast<int*>(const_cast<float*>(at)), 0));
}
__device__ double read(const double* at) {
    return __longlong_as_double(
        atomicOr(reinterpret_cast<unsigned long long*>(const_cast<double*>(at)), 0ull));
}

template <typename T>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    constexpr int TILE = 128;
    const long long top = (long long)blockIdx.y * TILE, left = (long long)blockIdx.x * TILE;
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    T sums[8][8] = {};
    for (long long p = 0; p < k; ++p) {
        T of_a[8], of_b[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            of_a[i] = top + y + 16 * i < m ? read(&a[(top + y + 16 * i) * k + p]) : T(0);
            of_b[i] = left + x + 16 * i < n ? read(&b[p * n + left + x + 16 * i]) : T(0);
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) {
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                sums[i][j] += of_a[i] * of_b[j];
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const long long row = top + y + 16 * i, col = left + x + 16 * j;
            if (row < m && col < n) {
                c[row * n + col] = sums[i][j];
            }
        }
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void double_buffered_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {             \
        product<T>(c, a, b, m, n, k);                                                                        \
    }

KERNEL(float, f32)
KERNEL(double, f64)
