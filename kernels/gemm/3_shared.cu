// Tiles in shared memory: C = A·B with A m×k, B k×n, C m×n, row-major. Each element of A and B is read from global
// memory once per block, then EDGE times from shared memory.
//
// Block (bx, by) owns the EDGE×EDGE tile of C at row by·EDGE, column bx·EDGE; thread (x, y) owns its element [y][x],
// and carries element [y][x] of each tile of A and of B. What lies outside of the matrices is carried as 0, which adds
// nothing to a sum: the inner loop needs no check.
//
// Launch: grid (⌈n/EDGE⌉, ⌈m/EDGE⌉), block (EDGE, EDGE).
// Napkin: 2·EDGE flops per two global loads, CGMA = EDGE. Shared memory: 2·EDGE²·sizeof(T), 8 KiB for EDGE 32, f32.
// Each multiply-add still needs two shared loads; A's is a broadcast, B's one pass: shared memory is the limit now.

template <typename T, int EDGE>
__device__ void shared(T* __restrict__ c, const T* __restrict__ a, const T* __restrict__ b, int m, int n, int k) {
    // TASK: Go along k tile by tile: the block brings one tile of A and one of B into shared memory, then every thread adds
    // EDGE products from there. Think of who must wait for whom, twice per tile, and of tiles that stick out.
    // BEGIN SOLUTION
    __shared__ T tile_a[EDGE][EDGE];
    __shared__ T tile_b[EDGE][EDGE];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const long long row = (long long)blockIdx.y * EDGE + y;
    const long long col = (long long)blockIdx.x * EDGE + x;

    T sum = 0;
    for (long long start = 0; start < k; start += EDGE) {
        tile_a[y][x] = row < m && start + x < k ? a[row * k + start + x] : T(0);
        tile_b[y][x] = start + y < k && col < n ? b[(start + y) * n + col] : T(0);
        __syncthreads();  // the tiles are complete before anyone reads them

#pragma unroll
        for (int p = 0; p < EDGE; ++p) {
            sum += tile_a[y][p] * tile_b[p][x];
        }
        __syncthreads();  // everyone has read them before anyone overwrites them
    }
    if (row < m && col < n) {
        c[row * n + col] = sum;
    }
    // END SOLUTION
}

#define KERNEL(T, dtype, EDGE)                                                                               \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        shared_##dtype##_##EDGE(T* c, const T* a, const T* b, int m, int n, int k) {                         \
        shared<T, EDGE>(c, a, b, m, n, k);                                                                   \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(float, f32, 32)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
KERNEL(double, f64, 32)
