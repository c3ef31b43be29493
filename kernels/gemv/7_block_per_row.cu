// b = A·x with A m×n, row-major, a small block per row: the threads of a block read one row side by side, four loads of
// 16 bytes each on their way before the first product. What a warp per row takes long for, two warps and more share: the
// last row to start is done soon, and no multiprocessor waits long for another's. Rows are dealt out by the hardware,
// one at a time, so the work stays even whatever the number of multiprocessors.
//
// Thread t of block r, T threads, owns the 16-byte chunks t, t + T, t + 2·T, … of row r. The warps add up by shuffles,
// the block through one number per warp in shared memory. Where rows do not start at multiples of 16 bytes (n no
// multiple of the chunk), the threads go by single elements.
//
// Launch: grid (m), block (T), T a multiple of 32 from 64 to 256: four chunks per thread or more.
// Napkin: 64 bytes of A in flight per thread, 1344 threads of 48 registers: 84 KiB per multiprocessor. The launch bounds
// allow up to 64 registers: left alone, the compiler takes 36 and waits for one load to make room for the next. x is
// read once per row, from L1: as many bytes as of A, 34 GB/s per multiprocessor of the 250 that L1 has.

template <typename T>
struct Chunk;
template <>
struct Chunk<float> {
    using Type = float4;
    static __device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
};
template <>
struct Chunk<double> {
    using Type = double2;
    static __device__ double dot(double2 a, double2 b) { return a.x * b.x + a.y * b.y; }
};

template <typename T>
__device__ void block_per_row(T* __restrict__ b, const T* __restrict__ a, const T* __restrict__ x, int n) {
    // TASK: one row per block. Four loads of A in flight per thread before their products are added, then the sum of the
    // block. Rows that are not aligned to 16 bytes go by single elements.
    // BEGIN SOLUTION
    using Wide = typename Chunk<T>::Type;
    constexpr int WIDTH = sizeof(Wide) / sizeof(T);  // elements per chunk
    constexpr int FLIGHT = 4;                        // loads of A in flight per thread
    __shared__ T of_warp[8];
    const T* const row = a + (long long)blockIdx.x * n;
    const int threads = blockDim.x;

    T sum = 0;
    const bool aligned = n % WIDTH == 0 && ((unsigned long long)a | (unsigned long long)x) % sizeof(Wide) == 0;
    if (aligned) {
        const Wide* const left = reinterpret_cast<const Wide*>(row);
        const Wide* const right = reinterpret_cast<const Wide*>(x);
        const int chunks = n / WIDTH;
        int chunk = threadIdx.x;
        for (; chunk + (FLIGHT - 1) * threads < chunks; chunk += FLIGHT * threads) {
            Wide of_a[FLIGHT], of_x[FLIGHT];
#pragma unroll
            for (int i = 0; i < FLIGHT; ++i) {
                of_a[i] = __ldcs(left + chunk + i * threads);
                of_x[i] = right[chunk + i * threads];
            }
#pragma unroll
            for (int i = 0; i < FLIGHT; ++i) {
                sum += Chunk<T>::dot(of_a[i], of_x[i]);
            }
        }
        for (; chunk < chunks; chunk += threads) {
            sum += Chunk<T>::dot(__ldcs(left + chunk), right[chunk]);
        }
    } else {
        for (int col = threadIdx.x; col < n; col += threads) {
            sum += __ldcs(row + col) * x[col];
        }
    }
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = sum;
    }
    __syncthreads();  // the sums of all warps are written
    if (threadIdx.x == 0) {
        T total = 0;
        for (int warp = 0; warp < threads / 32; ++warp) {
            total += of_warp[warp];
        }
        b[blockIdx.x] = total;
    }
    // END SOLUTION
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void __launch_bounds__(256, 4)                                                     \
        block_per_row_##dtype(T* b, const T* a, const T* x, int m, int n) {                                  \
        block_per_row<T>(b, a, x, n);                                                                        \
    }

KERNEL(float, f32)
KERNEL(double, f64)
