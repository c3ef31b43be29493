// A tile of cooperative groups and its reduce.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

template <typename T>
__device__ void product(T* b, const T* a, const T* x, int m, int n) {
    namespace cg = cooperative_groups;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const long long row = (long long)blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (row >= m) return;
    T sum = 0;
    for (int col = warp.thread_rank(); col < n; col += warp.size()) sum += a[row * n + col] * x[col];
    sum = cg::reduce(warp, sum, cg::plus<T>());
    if (warp.thread_rank() == 0) b[row] = sum;
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void shuffle_##dtype(T* b, const T* a, const T* x, int m, int n) { product<T>(b, a, x, m, n); }

KERNEL(float, f32)
KERNEL(double, f64)
