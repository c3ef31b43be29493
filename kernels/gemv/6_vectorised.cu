// b = A·x with A m×n, row-major, ROWS rows per warp in loads of 16 bytes: what a lane reads of x serves ROWS rows, and
// ROWS loads of A are on their way at a time. A is read once and never again, so its loads ask to be evicted first and
// leave the caches to x.
//
// Warp y of block bx owns the rows ROWS·(bx·sy + y) + r, r < ROWS; its lane l owns the 16-byte chunks l, l + 32, … of
// each. Where rows do not start at multiples of 16 bytes (n no multiple of the chunk), the lanes go by single elements.
//
// Launch: grid ⌈m/(ROWS·sy)⌉, block (32, sy); ROWS 1, 2, 4: the fewer rows the matrix has, the fewer per warp.
// Napkin: the limit is 4·m·n bytes over the *read-only* bandwidth. To fill it, bandwidth · latency ≈ 4.5 TB/s · 0.7 µs
// = 3 MB must be in flight, 24 KiB per multiprocessor: 12 warps · 32 lanes · ROWS 4 · 16 bytes are that already.

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

template <typename T, int ROWS>
__device__ void vectorised(T* __restrict__ b, const T* __restrict__ a, const T* __restrict__ x, int m, int n) {
    // TASK: ROWS rows per warp: one load of x serves all of them, 16 bytes at a time where the rows are aligned. Rows past the
    // end must not be written.
    // BEGIN SOLUTION
    using Wide = typename Chunk<T>::Type;
    constexpr int WIDTH = sizeof(Wide) / sizeof(T);  // elements per chunk

    const long long first = ((long long)blockIdx.x * blockDim.y + threadIdx.y) * ROWS;
    const int lane = threadIdx.x;
    if (first >= m) {
        return;  // the whole warp
    }
    const T* row[ROWS];
    T sum[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        // Rows past the end repeat the last one, and are not written: the loop needs no check.
        row[r] = a + (first + r < m ? first + r : m - 1) * n;
        sum[r] = 0;
    }

    const bool aligned = n % WIDTH == 0 && ((unsigned long long)a | (unsigned long long)x) % sizeof(Wide) == 0;
    if (aligned) {
#pragma unroll 2
        for (long long chunk = lane; chunk < n / WIDTH; chunk += 32) {
            const Wide right = reinterpret_cast<const Wide*>(x)[chunk];
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                sum[r] += Chunk<T>::dot(__ldcs(reinterpret_cast<const Wide*>(row[r]) + chunk), right);
            }
        }
    } else {
        for (long long col = lane; col < n; col += 32) {
            const T right = x[col];
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                sum[r] += __ldcs(row[r] + col) * right;
            }
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2) {
            sum[r] += __shfl_down_sync(0xffffffff, sum[r], distance);
        }
        if (lane == 0 && first + r < m) {
            b[first + r] = sum[r];
        }
    }
    // END SOLUTION
}

#define KERNEL(T, dtype, ROWS)                                                                               \
    extern "C" __global__ void __launch_bounds__(1024)                                                       \
        vectorised_##dtype##_##ROWS(T* b, const T* a, const T* x, int m, int n) {                            \
        vectorised<T, ROWS>(b, a, x, m, n);                                                                  \
    }

KERNEL(float, f32, 1)
KERNEL(float, f32, 2)
KERNEL(float, f32, 4)
KERNEL(double, f64, 1)
KERNEL(double, f64, 2)
KERNEL(double, f64, 4)
