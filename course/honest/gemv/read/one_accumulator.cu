// A plain loop over chunks of 16 bytes, one sum, and a tree in shared memory.

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
    using Chunk = typename Wide<T>::Type;
    constexpr int WIDTH = 16 / sizeof(T);
    const long long whole = count / WIDTH * WIDTH, per_block = (long long)OWN * blockDim.x * WIDTH;
    const long long first = blockIdx.x * per_block;
    const long long last = first + per_block < whole ? first + per_block : whole;
    __shared__ T of[1024];
    const Chunk* const chunks = reinterpret_cast<const Chunk*>(a);
    T sum = 0;
    for (long long i = first / WIDTH + threadIdx.x; i < last / WIDTH; i += blockDim.x) sum += Wide<T>::sum(chunks[i]);
    if (blockIdx.x == gridDim.x - 1 && whole + threadIdx.x < count) sum += a[whole + threadIdx.x];
    of[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) of[threadIdx.x] += of[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = of[0];
}

#define KERNEL(T, dtype, OWN) \
    extern "C" __global__ void read_##dtype##_##OWN(T* sums, const T* a, long long count) { read<T, OWN>(sums, a, count); }

KERNEL(float, f32, 2)
KERNEL(float, f32, 8)
KERNEL(float, f32, 32)
KERNEL(double, f64, 2)
KERNEL(double, f64, 8)
KERNEL(double, f64, 32)
