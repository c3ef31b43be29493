// Sums by cooperative groups: tiles of 32, then one tile over the warps.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

template <typename T>
struct Wide;
template <>
struct Wide<float> {
    using Type = float4;
    static __device__ float sum(float4 c) { return (c.x + c.y) + (c.z + c.w); }
};
template <>
struct Wide<double> {
    using Type = double2;
    static __device__ double sum(double2 c) { return c.x + c.y; }
};

template <typename T, int OWN>
__device__ void read(T* sums, const T* a, long long count) {
    namespace cg = cooperative_groups;
    using Chunk = typename Wide<T>::Type;
    constexpr int WIDTH = 16 / sizeof(T);
    const long long whole = count / WIDTH * WIDTH, per_block = (long long)OWN * blockDim.x * WIDTH;
    const long long first = blockIdx.x * per_block;
    const long long last = first + per_block < whole ? first + per_block : whole;
    __shared__ T of_warp[32];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    const Chunk* const chunks = reinterpret_cast<const Chunk*>(a);
    T sum = 0;
    for (int turn = 0; turn < OWN; ++turn) {
        const long long at = first / WIDTH + turn * (long long)block.size() + block.thread_rank();
        if (at * WIDTH < last) sum += Wide<T>::sum(__ldg(chunks + at));
    }
    if (blockIdx.x == gridDim.x - 1 && whole + threadIdx.x < count) sum += a[whole + threadIdx.x];
    sum = cg::reduce(warp, sum, cg::plus<T>());
    if (warp.thread_rank() == 0) of_warp[warp.meta_group_rank()] = sum;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        T total = warp.thread_rank() < warp.meta_group_size() ? of_warp[warp.thread_rank()] : T(0);
        total = cg::reduce(warp, total, cg::plus<T>());
        if (warp.thread_rank() == 0) sums[blockIdx.x] = total;
    }
}

#define KERNEL(T, dtype, OWN) \
    extern "C" __global__ void read_##dtype##_##OWN(T* sums, const T* a, long long count) { read<T, OWN>(sums, a, count); }

KERNEL(float, f32, 2)
KERNEL(float, f32, 8)
KERNEL(float, f32, 32)
KERNEL(double, f64, 2)
KERNEL(double, f64, 8)
KERNEL(double, f64, 32)
