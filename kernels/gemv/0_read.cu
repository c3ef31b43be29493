// sums[block] = the sum of the elements that this block owns: no product, only A read once, as fast as it can be. Its
// rate is the memory limit of the rungs after it; it is measured first.
//
// A is taken as a row of chunks of 16 bytes. Thread t of block b owns the chunks O·T·b + t + T·i, i < O, T the block's
// threads, O = OWN. The elements after the last whole chunk are the last block's first threads'.
// Short blocks, and as many as it takes: where one ends, the next one's loads are on their way at once. Blocks that
// stay and stride through A read 4 to 10 % less on an H200, for the first that is done has nothing left to do. Two
// chunks a thread are enough blocks for a small A; of a large one eight read 1 % more, because a block ends less often
// with nothing but sums. Which O is the fastest depends on the card and on the size, so each is tried.
//
// Launch: O 2, 8 or 32, grid ⌈chunks/(O·T)⌉, at least 1, block (T), T a multiple of 32, at most 1024; A aligned to 16 bytes.
// Napkin: count·sizeof(T) bytes. Two chunks in flight per thread: 2048 threads · 32 bytes = 64 KiB per multiprocessor.

template <typename T>
struct Chunk;
template <>
struct Chunk<float> {
    using Type = float4;
    static __device__ float sum(float4 c) { return (c.x + c.y) + (c.z + c.w); }
};
template <>
struct Chunk<double> {
    using Type = double2;
    static __device__ double sum(double2 c) { return c.x + c.y; }
};

template <typename T, int OWN>
__device__ void read(T* __restrict__ sums, const T* __restrict__ a, long long count) {
    // TASK: Add up the elements that this block owns, four per load in f32, and leave the sum in sums[blockIdx.x]. Do not forget
    // the elements after the last whole chunk.
    // BEGIN SOLUTION
    using Wide = typename Chunk<T>::Type;
    constexpr int WIDTH = sizeof(Wide) / sizeof(T);  // elements per chunk
    __shared__ T of_warp[32];
    const Wide* const chunks = reinterpret_cast<const Wide*>(a);
    const long long whole = count / WIDTH;
    const long long first = (long long)blockIdx.x * (OWN * blockDim.x) + threadIdx.x;

    Wide held[OWN] = {};
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        const long long chunk = first + i * blockDim.x;
        if (chunk < whole) {
            held[i] = __ldcs(chunks + chunk);
        }
    }
    T sum = 0;
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        sum += Chunk<T>::sum(held[i]);
    }
    const long long rest = whole * WIDTH + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && rest < count) {
        sum += a[rest];
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
        for (int warp = 0; warp < blockDim.x / 32; ++warp) {
            total += of_warp[warp];
        }
        sums[blockIdx.x] = total;
    }
    // END SOLUTION
}

#define KERNEL(T, dtype, OWN)                                                                                \
    extern "C" __global__ void read_##dtype##_##OWN(T* sums, const T* a, long long count) {                  \
        read<T, OWN>(sums, a, count);                                                                        \
    }

KERNEL(float, f32, 2)
KERNEL(float, f32, 8)
KERNEL(float, f32, 32)
KERNEL(double, f64, 2)
KERNEL(double, f64, 8)
KERNEL(double, f64, 32)
