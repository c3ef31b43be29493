// Row sums by shuffles, the second half by one warp a row.

#include <cooperative_groups.h>

extern __shared__ __align__(16) unsigned char shared_bytes[];

template <typename T>
__device__ void product(T* b, T* partial, const T* a, const T* x, int m, int n) {
    namespace cg = cooperative_groups;
    cg::grid_group grid = cg::this_grid();
    T* const of_warp = reinterpret_cast<T*>(shared_bytes);
    const int width = blockDim.x < 32 ? blockDim.x : 32, warps = blockDim.x / width;
    for (long long first = (long long)blockIdx.y * blockDim.y; first < m; first += (long long)gridDim.y * blockDim.y) {
        const long long row = first + threadIdx.y;
        T sum = 0;
        for (long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x; row < m && col < n; col += (long long)gridDim.x * blockDim.x) sum += a[row * n + col] * x[col];
        for (int distance = width / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance, width);
        if (threadIdx.x % width == 0) of_warp[threadIdx.y * warps + threadIdx.x / width] = sum;
        __syncthreads();
        if (threadIdx.x == 0 && row < m) {
            sum = 0;
            for (int warp = 0; warp < warps; ++warp) sum += of_warp[threadIdx.y * warps + warp];
            partial[row * gridDim.x + blockIdx.x] = sum;
        }
        __syncthreads();
    }
    grid.sync();
    const long long rank = grid.thread_rank() / 32;
    const int lane = (threadIdx.y * blockDim.x + threadIdx.x) % 32;
    for (long long row = rank; row < m; row += grid.size() / 32) {
        T sum = 0;
        for (int part = lane; part < gridDim.x; part += 32) sum += partial[row * gridDim.x + part];
        for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
        if (lane == 0) b[row] = sum;
    }
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void __launch_bounds__(1024) cooperative_##dtype(T* b, T* partial, const T* a, const T* x, int m, int n) { product<T>(b, partial, a, x, m, n); }

KERNEL(float, f32)
KERNEL(double, f64)
