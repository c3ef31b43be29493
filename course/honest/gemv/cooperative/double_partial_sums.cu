// Sums in double precision within the block; rows of warps by shuffles.

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
    const auto grid = cooperative_groups::this_grid();
    __shared__ double of_warp[32];
    const dim3 blocks = gridDim;
    const int lanes = blockDim.x < 32 ? blockDim.x : 32, warps = blockDim.x / lanes;
    for (long long first = (long long)blockIdx.y * blockDim.y; first < m; first += (long long)blocks.y * blockDim.y) {
        const long long row = first + threadIdx.y;
        double sum = 0;
        for (long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x; row < m && col < n; col += (long long)blocks.x * blockDim.x) sum += double(a[row * n + col]) * double(x[col]);
        for (int distance = lanes / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance, lanes);
        __syncthreads();
        if (threadIdx.x % lanes == 0) of_warp[threadIdx.y * warps + threadIdx.x / lanes] = sum;
        __syncthreads();
        if (threadIdx.x == 0 && row < m) {
            sum = 0;
            for (int warp = 0; warp < warps; ++warp) sum += of_warp[threadIdx.y * warps + warp];
            partial[row * blocks.x + blockIdx.x] = T(sum);
        }
    }
    grid.sync();
    const long long block = (long long)blockIdx.y * gridDim.x + blockIdx.x;
    for (long long row = block * blockDim.y + threadIdx.y; row < m; row += (long long)gridDim.x * gridDim.y * blockDim.y) {
        if (threadIdx.x > 0) continue;
        T sum = 0;
        for (int part = 0; part < gridDim.x; ++part) sum += partial[row * gridDim.x + part];
        b[row] = sum;
    }
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void __launch_bounds__(1024) cooperative_##dtype(T* b, T* partial, const T* a, const T* x, int m, int n) { product<T>(b, partial, a, x, m, n); }

KERNEL(float, f32)
KERNEL(double, f64)
