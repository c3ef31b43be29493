// Four elements per thread, 2×2: C = A·B with A m×k, B k×n, C m×n, row-major. Two elements of A's tile and two of B's
// serve four multiply-adds; the next tiles travel from global memory while the current ones are used.
//
// Block (bx, by) owns the 2·EDGE×2·EDGE tile of C at row by·2·EDGE, column bx·2·EDGE. Thread (x, y) owns
// [y][x], [y][x + EDGE], [y + EDGE][x], [y + EDGE][x + EDGE]: a block edge apart, so that the lanes of a warp stay
// neighbours in each. It carries two elements of A's tile (2·EDGE×EDGE) and two of B's (EDGE×2·EDGE).
//
// Launch: grid (⌈n/(2·EDGE)⌉, ⌈m/(2·EDGE)⌉), block (EDGE, EDGE).
// Napkin: 8·EDGE flops per four global loads, CGMA = 2·EDGE; one shared load per multiply-add instead of two.
// Shared memory: two buffers of 4·EDGE² elements, 2048 / 8192 / 32768 bytes for EDGE 8 / 16 / 32 in f32.

template <typename T, int EDGE>
__device__ void shared_4(T* __restrict__ c, const T* __restrict__ a, const T* __restrict__ b, int m, int n, int k) {
    // TASK: Each thread owns 2×2 elements, EDGE apart in both directions: four values from shared memory serve four products.
    // Fetch ahead as before. Two buffers do not fit into 48 KiB for EDGE 32 in f64: that one needs another plan.
    // BEGIN SOLUTION
    // A block may declare 48 KiB. Two buffers exceed that for EDGE 32 in f64 only, which makes do with one and a
    // second barrier.
    constexpr int BUFFERS = 2 * 4 * EDGE * EDGE * sizeof(T) <= 48 * 1024 ? 2 : 1;
    __shared__ T tile_a[BUFFERS][2 * EDGE][EDGE];
    __shared__ T tile_b[BUFFERS][EDGE][2 * EDGE];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const long long row = (long long)blockIdx.y * (2 * EDGE) + y;
    const long long col = (long long)blockIdx.x * (2 * EDGE) + x;

    T next_a0, next_a1, next_b0, next_b1;  // the next tiles' elements, on their way
    auto fetch = [&](long long start) {
        next_a0 = row < m && start + x < k ? a[row * k + start + x] : T(0);
        next_a1 = row + EDGE < m && start + x < k ? a[(row + EDGE) * k + start + x] : T(0);
        next_b0 = start + y < k && col < n ? b[(start + y) * n + col] : T(0);
        next_b1 = start + y < k && col + EDGE < n ? b[(start + y) * n + col + EDGE] : T(0);
    };
    auto store = [&](int buffer) {
        tile_a[buffer][y][x] = next_a0;
        tile_a[buffer][y + EDGE][x] = next_a1;
        tile_b[buffer][y][x] = next_b0;
        tile_b[buffer][y][x + EDGE] = next_b1;
    };

    T sum00 = 0, sum01 = 0, sum10 = 0, sum11 = 0;
    int buffer = 0;
    fetch(0);
    store(buffer);
    __syncthreads();
    for (long long start = 0; start < k; start += EDGE) {
        const bool more = start + EDGE < k;
        if (more) {
            fetch(start + EDGE);  // nothing waits for these loads until `store` below
        }
#pragma unroll
        for (int p = 0; p < EDGE; ++p) {
            const T left0 = tile_a[buffer][y][p];
            const T left1 = tile_a[buffer][y + EDGE][p];
            const T right0 = tile_b[buffer][p][x];
            const T right1 = tile_b[buffer][p][x + EDGE];
            sum00 += left0 * right0;
            sum01 += left0 * right1;
            sum10 += left1 * right0;
            sum11 += left1 * right1;
        }
        if (BUFFERS == 1) {
            __syncthreads();  // everyone has read the only buffer before anyone overwrites it
        }
        if (more) {
            buffer = BUFFERS - 1 - buffer;
            store(buffer);
        }
        __syncthreads();  // the next tiles are complete, and the current ones no longer in use
    }
    if (row < m && col < n) {
        c[row * n + col] = sum00;
    }
    if (row < m && col + EDGE < n) {
        c[row * n + col + EDGE] = sum01;
    }
    if (row + EDGE < m && col < n) {
        c[(row + EDGE) * n + col] = sum10;
    }
    if (row + EDGE < m && col + EDGE < n) {
        c[(row + EDGE) * n + col + EDGE] = sum11;
    }
    // END SOLUTION
}

#define KERNEL(T, dtype, EDGE)                                                                               \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        shared_4_##dtype##_##EDGE(T* c, const T* a, const T* b, int m, int n, int k) {                       \
        shared_4<T, EDGE>(c, a, b, m, n, k);                                                                 \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(float, f32, 32)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
KERNEL(double, f64, 32)
