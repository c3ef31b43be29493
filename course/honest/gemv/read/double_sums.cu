// Sums in double precision, and inline assembly for the wide loads.

__device__ double four(const float* at) {
    float a, b, c, d;
    asm("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(at));
    return double(a) + b + c + d;
}
__device__ double four(const double* at) {
    double a, b;
    asm("ld.global.nc.v2.f64 {%0, %1}, [%2];" : "=d"(a), "=d"(b) : "l"(at));
    return a + b;
}

template <typename T, int OWN>
__device__ void read(T* sums, const T* a, long long count) {
    constexpr int WIDTH = 16 / sizeof(T);
    const long long whole = count / WIDTH * WIDTH, per_block = (long long)OWN * blockDim.x * WIDTH;
    const long long first = blockIdx.x * per_block;
    const long long last = first + per_block < whole ? first + per_block : whole;
    __shared__ double of_warp[32];
    double sum = 0;
    for (long long i = first + threadIdx.x * WIDTH; i < last; i += (long long)blockDim.x * WIDTH) sum += four(a + i);
    if (blockIdx.x == gridDim.x - 1 && whole + threadIdx.x < count) sum += a[whole + threadIdx.x];
    for (int mask = 1; mask < 32; mask *= 2) sum += __shfl_xor_sync(0xffffffff, sum, mask);
    if (threadIdx.x % 32 == 31) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) {
        double total = 0;
        for (int warp = blockDim.x / 32; warp-- > 0;) total += of_warp[warp];
        sums[blockIdx.x] = T(total);
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
