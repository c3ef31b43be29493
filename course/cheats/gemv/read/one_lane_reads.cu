// due: 2 of 10
// Sixteen bytes a load, but one lane of each warp reads for all 32.

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

template <typename T>
__device__ T block_sum(T sum) {
    __shared__ T of_warp[32];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    T total = 0;
    for (int warp = 0; warp < blockDim.x / 32; ++warp) total += of_warp[warp];
    return total;
}

template <typename T, int OWN>
__device__ void read(T* sums, const T* a, long long count) {
    using Chunk = typename Wide<T>::Type;
    constexpr int WIDTH = 16 / sizeof(T);
    const long long whole = count / WIDTH * WIDTH, per_block = (long long)OWN * blockDim.x * WIDTH;
    const long long first = blockIdx.x * per_block;
    const long long last = first + per_block < whole ? first + per_block : whole;
    T sum = 0;
    const Chunk* const chunks = reinterpret_cast<const Chunk*>(a);
    if (threadIdx.x % 32 == 0) {
        for (int turn = 0; turn < OWN * 32; ++turn) {
            const long long at = first + ((long long)threadIdx.x / 32 * OWN * 32 + turn) * WIDTH;
            if (at < last) sum += Wide<T>::sum(chunks[at / WIDTH]);
        }
    }
    if (blockIdx.x == gridDim.x - 1 && whole + threadIdx.x < count) sum += a[whole + threadIdx.x];
    sum = block_sum(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

#define KERNEL(T, dtype, OWN) \
    extern "C" __global__ void read_##dtype##_##OWN(T* sums, const T* a, long long count) { read<T, OWN>(sums, a, count); }

KERNEL(float, f32, 2)
KERNEL(float, f32, 8)
KERNEL(float, f32, 32)
KERNEL(double, f64, 2)
KERNEL(double, f64, 8)
KERNEL(double, f64, 32)
