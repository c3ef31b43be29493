// The second half is a thread per row; partial sums lie by columns, so that those threads read neighbours.

#include <cooperative_groups.h>

extern __shared__ __align__(16) unsigned char shared_bytes[];

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
    for (long long first = (long long)blockIdx.y * blockDim.y; first < m; first += (long long)gridDim.y * blockDim.y) {
        const long long row = first + threadIdx.y;
        T sum = 0;
        if (row < m) {
            for (long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x; col < n; col += (long long)gridDim.x * blockDim.x) sum += a[row * n + col] * x[col];
        }
        sum = row_sum(sum);
        if (threadIdx.x == 0 && row < m) partial[(long long)blockIdx.x * m + row] = sum;
    }
    const auto grid = cooperative_groups::this_grid();
    grid.sync();
    for (long long row = grid.thread_rank(); row < m; row += grid.size()) {
        T sum = 0;
        for (int part = 0; part < gridDim.x; ++part) sum += partial[(long long)part * m + row];
        b[row] = sum;
    }
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void __launch_bounds__(1024) cooperative_##dtype(T* b, T* partial, const T* a, const T* x, int m, int n) { product<T>(b, partial, a, x, m, n); }

KERNEL(float, f32)
KERNEL(double, f64)
