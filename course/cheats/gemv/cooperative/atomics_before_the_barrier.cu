// due: 8 of 15
// The grid's barrier only lets the zeros be written first; the sums meet by atomics, and there are no partial sums.

#include <cooperative_groups.h>

extern __shared__ __align__(16) unsigned char shared_bytes[];

__device__ void add(float* at, float value) { atomicAdd(at, value); }
__device__ void add(double* at, double value) {
    unsigned long long* const bits = reinterpret_cast<unsigned long long*>(at);
    unsigned long long seen = atomicCAS(bits, 0ull, 0ull), expected;
    do {
        expected = seen;
        seen = atomicCAS(bits, expected, __double_as_longlong(__longlong_as_double(expected) + value));
    } while (seen != expected);
}

template <typename T>
__device__ T row_sum(T value) {
    T* const sums = reinterpret_cast<T*>(shared_bytes);
    const int own = threadIdx.y * blockDim.x + threadIdx.x;
    __syncthreads();  // what was there has been read
    sums[own] = value;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[own] += sums[own + half];
    }
    return sums[own];
}

template <typename T>
__device__ void product(T* b, T* partial, const T* a, const T* x, int m, int n) {
    for (long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y; row < m; row += (long long)gridDim.y * blockDim.y) {
        if (threadIdx.x == 0 && blockIdx.x == 0) b[row] = 0;
    }
    cooperative_groups::this_grid().sync();
    for (long long first = (long long)blockIdx.y * blockDim.y; first < m; first += (long long)gridDim.y * blockDim.y) {
        const long long row = first + threadIdx.y;
        T sum = 0;
        if (row < m) {
            for (long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x; col < n; col += (long long)gridDim.x * blockDim.x) sum += a[row * n + col] * x[col];
        }
        sum = row_sum(sum);
        if (threadIdx.x == 0 && row < m) add(&b[row], sum);
    }
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void __launch_bounds__(1024) cooperative_##dtype(T* b, T* partial, const T* a, const T* x, int m, int n) { product<T>(b, partial, a, x, m, n); }

KERNEL(float, f32)
KERNEL(double, f64)
