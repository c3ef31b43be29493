// out = inᵀ, in m×n, out n×m, row-major, through global memory only: either the reads or the writes of a warp must go
// down a column. Here it is the writes.
//
// Thread (x, y) of block (bx, by) owns in[by·edge + y][bx·edge + x]. In place (square), it owns the pair of elements
// above and below the diagonal, and exchanges them.
//
// Launch: grid (⌈n/edge⌉, ⌈m/edge⌉), block (edge, edge), any edge of at most 32.
// Napkin: a warp reads 128 bytes of 4 sectors and writes 128 bytes into 32 sectors of 32 bytes: store efficiency
// 12.5 %. The L2 puts whole sectors together again where the neighbour rows come soon enough.

template <typename T>
__device__ void naive(T* __restrict__ out, const T* __restrict__ in, int m, int n) {
    // TASK: Read one element along a row and write it down a column.
    // BEGIN SOLUTION
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && col < n) {
        out[col * m + row] = in[row * n + col];
    }
    // END SOLUTION
}

template <typename T>
__device__ void naive_in_place(T* matrix, int n) {
    // TASK: Exchange the element above the diagonal with its mirror image; each pair once.
    // BEGIN SOLUTION
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (row < col && col < n) {
        const T above = matrix[row * n + col];
        matrix[row * n + col] = matrix[col * n + row];
        matrix[col * n + row] = above;
    }
    // END SOLUTION
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void naive_##dtype(T* out, const T* in, int m, int n) { naive<T>(out, in, m, n); } \
    extern "C" __global__ void naive_in_place_##dtype(T* matrix, int n) { naive_in_place<T>(matrix, n); }

KERNEL(float, f32)
KERNEL(double, f64)
