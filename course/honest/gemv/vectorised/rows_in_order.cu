// Rows past the end are left out instead of repeated; sums by cooperative groups.

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

template <typename T, int ROWS>
__device__ void product(T* b, const T* a, const T* x, int m, int n) {
    namespace cg = cooperative_groups;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const long long first = ((long long)blockIdx.x * blockDim.y + threadIdx.y) * ROWS;
    const int lane = threadIdx.x;
    if (first >= m) return;
    const int rows = m - first < ROWS ? int(m - first) : ROWS;
    T sum[ROWS] = {};
    if (n % Chunk<T>::WIDTH == 0) {
        for (int i = lane; i < n / Chunk<T>::WIDTH; i += 32) {
            const auto right = reinterpret_cast<const typename Chunk<T>::Type*>(x)[i];
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                if (r < rows) sum[r] += Chunk<T>::dot(reinterpret_cast<const typename Chunk<T>::Type*>(a + (first + r) * n)[i], right);
            }
        }
    } else {
        for (int col = lane; col < n; col += 32) {
            for (int r = 0; r < rows; ++r) sum[r] += a[(first + r) * n + col] * x[col];
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const T total = cg::reduce(warp, sum[r], cg::plus<T>());
        if (lane == 0 && r < rows) b[first + r] = total;
    }
}

#define KERNEL(T, dtype, ROWS) \
    extern "C" __global__ void __launch_bounds__(1024) vectorised_##dtype##_##ROWS(T* b, const T* a, const T* x, int m, int n) { product<T, ROWS>(b, a, x, m, n); }

KERNEL(float, f32, 1)
KERNEL(float, f32, 2)
KERNEL(float, f32, 4)
KERNEL(double, f64, 1)
KERNEL(double, f64, 2)
KERNEL(double, f64, 4)
