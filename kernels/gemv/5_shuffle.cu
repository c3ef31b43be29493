// b = A·x with A m×n, row-major, one warp per row: the lanes add up their columns in registers, then pass their sums on
// from lane to lane. No shared memory, no barrier, no atomic addition.
//
// Warp y of block bx owns row bx·sy + y; its lane l owns the columns l, l + 32, l + 64, …
//
// Launch: grid ⌈m/sy⌉, block (32, sy).
// Napkin: 4·m·n bytes of A, each read once, 128 per warp and load; five shuffles per row, against n/32 loads per lane.
// Eight loads in flight per lane: 64 warps · 32 lanes · 8 · 4 bytes = 64 KiB per multiprocessor.

template <typename T>
__device__ void shuffle(T* __restrict__ b, const T* __restrict__ a, const T* __restrict__ x, int m, int n) {
    // TASK: One warp per row: each lane sums its columns in a register, then the lanes add up by passing values on. Neither
    // shared memory nor atomics.
    // BEGIN SOLUTION
    const long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y;
    const int lane = threadIdx.x;
    if (row >= m) {
        return;  // the whole warp: its lanes have one row
    }
    const T* const a_row = a + row * n;
    T sum = 0;
#pragma unroll 8
    for (long long col = lane; col < n; col += 32) {
        sum += a_row[col] * x[col];
    }
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    if (lane == 0) {
        b[row] = sum;
    }
    // END SOLUTION
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void shuffle_##dtype(T* b, const T* a, const T* x, int m, int n) {                 \
        shuffle<T>(b, a, x, m, n);                                                                           \
    }

KERNEL(float, f32)
KERNEL(double, f64)
