// A plain loop over chunks; the last sum by the first warp's shuffles.

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
    __shared__ T of_warp[32];
    for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffff, sum, mask);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < threads / 32 ? of_warp[threadIdx.x] : T(0);
        for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffff, sum, mask);
        if (threadIdx.x == 0) b[blockIdx.x] = sum;
    }
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void __launch_bounds__(256) block_per_row_##dtype(T* b, const T* a, const T* x, int m, int n) { product<T>(b, a, x, m, n); }

KERNEL(float, f32)
KERNEL(double, f64)
