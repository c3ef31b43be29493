// Two elements per thread: C = A·B with A m×k, B k×n, C m×n, row-major. What a thread reads of A's tile now serves two
// multiply-adds, and the next tiles travel from global memory while the current ones are used.
//
// Block (bx, by) owns the EDGE×2·EDGE tile of C at row by·EDGE, column bx·2·EDGE. Thread (x, y) owns [y][x] and
// [y][x + EDGE]: a block edge apart, so that the lanes of a warp stay neighbours in both halves.
// It carries one element of A's tile (EDGE×EDGE) and two of B's (EDGE×2·EDGE).
//
// Launch: grid (⌈n/(2·EDGE)⌉, ⌈m/EDGE⌉), block (EDGE, EDGE).
// Napkin: 4·EDGE flops per three global loads, CGMA = 4/3·EDGE; three shared loads per two multiply-adds instead of
// four. Shared memory: two buffers of 3·EDGE² elements, 1536 / 6144 / 24576 bytes for EDGE 8 / 16 / 32 in f32.

template <typename T, int EDGE>
__device__ void shared_2(T* __restrict__ c, const T* __restrict__ a, const T* __restrict__ b, int m, int n, int k) {
    // TASK: As in the tiled kernel, but each thread owns two elements of C, EDGE columns apart. Fetch the next tiles into
    // registers while the current ones are used; with two buffers in shared memory one barrier per tile is enough.
    // BEGIN SOLUTION
    // While all read buffer i, the next tiles are written to buffer 1 - i: one barrier per tile is enough.
    __shared__ T tile_a[2][EDGE][EDGE];
    __shared__ T tile_b[2][EDGE][2 * EDGE];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const long long row = (long long)blockIdx.y * EDGE + y;
    const long long col = (long long)blockIdx.x * (2 * EDGE) + x;

    T next_a, next_b0, next_b1;  // the next tiles' elements, on their way
    auto fetch = [&](long long start) {
        next_a = row < m && start + x < k ? a[row * k + start + x] : T(0);
        next_b0 = start + y < k && col < n ? b[(start + y) * n + col] : T(0);
        next_b1 = start + y < k && col + EDGE < n ? b[(start + y) * n + col + EDGE] : T(0);
    };
    auto store = [&](int buffer) {
        tile_a[buffer][y][x] = next_a;
        tile_b[buffer][y][x] = next_b0;
        tile_b[buffer][y][x + EDGE] = next_b1;
    };

    T sum0 = 0, sum1 = 0;
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
            const T left = tile_a[buffer][y][p];
            sum0 += left * tile_b[buffer][p][x];
            sum1 += left * tile_b[buffer][p][x + EDGE];
        }
        if (more) {
            buffer = 1 - buffer;
            store(buffer);
        }
        __syncthreads();  // the next tiles are complete, and the current ones no longer in use
    }
    if (row < m && col < n) {
        c[row * n + col] = sum0;
    }
    if (row < m && col + EDGE < n) {
        c[row * n + col + EDGE] = sum1;
    }
    // END SOLUTION
}

#define KERNEL(T, dtype, EDGE)                                                                               \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        shared_2_##dtype##_##EDGE(T* c, const T* a, const T* b, int m, int n, int k) {                       \
        shared_2<T, EDGE>(c, a, b, m, n, k);                                                                 \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(float, f32, 32)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
KERNEL(double, f64, 32)
