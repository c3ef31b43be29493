// All lanes have the sum in the end, and the last one writes it.

template <typename T>
__device__ void product(T* b, const T* a, const T* x, int m, int n) {
    const long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y;
    const int lane = threadIdx.x;
    if (row >= m) return;
    const T* const own = a + row * n;
    T sum = 0;
    for (int col = lane; col < n; col += 32) sum += own[col] * x[col];
#pragma unroll
    for (int mask = 1; mask < 32; mask <<= 1) sum += __shfl_xor_sync(0xffffffffu, sum, mask);
    if (lane == 31) b[row] = sum;
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void shuffle_##dtype(T* b, const T* a, const T* x, int m, int n) { product<T>(b, a, x, m, n); }

KERNEL(float, f32)
KERNEL(double, f64)
