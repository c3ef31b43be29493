// Tiles of cooperative groups, and their reduce.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

template <typename T>
struct Chunk;
template <>
struct Chunk<float> {
    using Type = float4;
    static constexpr int WIDTH = 4;
    static __device__ float dot(Type a, Type b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
};
template <>
struct Chunk<double> {
    using Type = double2;
    static constexpr int WIDTH = 2;
    static __device__ double dot(Type a, Type b) { return a.x * b.x + a.y * b.y; }
};

template <typename T>
__device__ void product(T* b, const T* a, const T* x, int m, int n) {
    namespace cg = cooperative_groups;
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    const T* const row = a + (long long)blockIdx.x * n;
    const int threads = blockDim.x;
    T sum = 0;
    if (n % Chunk<T>::WIDTH == 0) {
        for (int i = threadIdx.x; i < n / Chunk<T>::WIDTH; i += threads) {
            sum += Chunk<T>::dot(reinterpret_cast<const typename Chunk<T>::Type*>(row)[i], reinterpret_cast<const typename Chunk<T>::Type*>(x)[i]);
        }
    } else {
        for (int col = threadIdx.x; col < n; col += threads) sum += row[col] * x[col];
    }
    __shared__ T of_warp[8];
    sum = cg::reduce(warp, sum, cg::plus<T>());
    cg::invoke_one(warp, [&] { of_warp[warp.meta_group_rank()] = sum; });
    block.sync();
    if (block.thread_rank() == 0) {
        T total = 0;
        for (int i = 0; i < warp.meta_group_size(); ++i) total += of_warp[i];
        b[blockIdx.x] = total;
    }
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void __launch_bounds__(256) block_per_row_##dtype(T* b, const T* a, const T* x, int m, int n) { product<T>(b, a, x, m, n); }

KERNEL(float, f32)
KERNEL(double, f64)
