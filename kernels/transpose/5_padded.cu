// out = inᵀ, in m×n, out n×m, row-major, through a tile whose rows are one element longer than
// needed. Neighbours in a column are EDGE + 1 words apart: with 32 banks, each in the next bank.
//
// Thread (x, y) of block (bx, by) reads in[by·EDGE + y][bx·EDGE + x] and writes out[bx·EDGE + y][by·EDGE + x]. In place
// (square), a block on or above the diagonal exchanges its tile and the mirrored one; those below have nothing to do.
//
// Launch: grid (⌈n/EDGE⌉, ⌈m/EDGE⌉), block (EDGE, EDGE).
// Napkin: one pass for a row and one for a column: shared efficiency 2·128 / (2·128) = 100 %, for 128 bytes of padding
// per tile of EDGE 32 in f32. With Kepler's banks of 8 bytes no access of 4-byte elements exceeds 50 %: a warp asks for
// 128 of a pass's 256 bytes. In f64, a half warp at a time, neighbours in a column are 33 double words apart: no
// conflict.

template <typename T, int EDGE>
__device__ void padded(T* __restrict__ out, const T* __restrict__ in, int m, int n) {
    // TASK: The same tile with one more element per row: which bank does element [y][x] lie in now?
    // BEGIN SOLUTION
    __shared__ T tile[EDGE][EDGE + 1];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const long long top = (long long)blockIdx.y * EDGE;
    const long long left = (long long)blockIdx.x * EDGE;

    if (top + y < m && left + x < n) {
        tile[y][x] = in[(top + y) * n + left + x];
    }
    __syncthreads();  // the tile is complete before anyone reads it
    if (left + y < n && top + x < m) {
        out[(left + y) * m + top + x] = tile[x][y];
    }
    // END SOLUTION
}

template <typename T, int EDGE>
__device__ void padded_in_place(T* matrix, int n) {
    // TASK: A block on or above the diagonal takes its tile and the mirrored one, and exchanges them.
    // BEGIN SOLUTION
    __shared__ T upper[EDGE][EDGE + 1];  // at (top, left)
    __shared__ T lower[EDGE][EDGE + 1];  // at (left, top)
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const long long top = (long long)blockIdx.y * EDGE;
    const long long left = (long long)blockIdx.x * EDGE;
    if (left < top) {
        return;  // the whole block: its tile is exchanged by the mirrored block
    }
    const bool in_upper = top + y < n && left + x < n;
    const bool in_lower = left + y < n && top + x < n;

    if (in_upper) {
        upper[y][x] = matrix[(top + y) * n + left + x];
    }
    if (in_lower) {
        lower[y][x] = matrix[(left + y) * n + top + x];
    }
    __syncthreads();  // both tiles are complete before anyone overwrites the matrix
    if (in_upper) {
        matrix[(top + y) * n + left + x] = lower[x][y];
    }
    if (in_lower && left != top) {
        matrix[(left + y) * n + top + x] = upper[x][y];
    }
    // END SOLUTION
}

#define KERNEL(T, dtype, EDGE)                                                                               \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        padded_##dtype##_##EDGE(T* out, const T* in, int m, int n) {                                         \
        padded<T, EDGE>(out, in, m, n);                                                                      \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        padded_in_place_##dtype##_##EDGE(T* matrix, int n) {                                                 \
        padded_in_place<T, EDGE>(matrix, n);                                                                 \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(float, f32, 32)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
KERNEL(double, f64, 32)
