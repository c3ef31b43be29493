// out = inᵀ, in m×n, out n×m, row-major, through a tile in *dynamic* shared memory: rows in, rows out, and only the
// tile is read down its columns. The tile's size is the launch's choice, so that its index arithmetic is not known
// before.
//
// Thread (x, y) of block (bx, by) reads in[by·edge + y][bx·edge + x] and writes out[bx·edge + y][by·edge + x]. In place
// (square), a block on or above the diagonal exchanges its tile and the mirrored one; those below have nothing to do.
//
// Launch: grid (⌈n/edge⌉, ⌈m/edge⌉), block (edge, edge), any edge of at most 32; edge²·sizeof(T) bytes of dynamic
// shared memory, in place twice that.
// Napkin: a tile row of 32 floats is as long as the 32 banks: a column lies in *one* bank. Of a tile's accesses,
// writing a row takes 1 pass, reading a column 32; shared efficiency is 2·128 / (33·128) = 6.06 %. With banks of 8
// bytes (Kepler) a row fills half of them and two rows share a bank: 16 passes, 2·128 / (17·256) = 5.88 %.

extern __shared__ __align__(16) unsigned char shared_bytes[];

template <typename T>
__device__ void shared_dynamic(T* __restrict__ out, const T* __restrict__ in, int m, int n) {
    // TASK: Read a tile by rows into dynamic shared memory, wait, and write it by rows: only the tile is read by columns.
    // BEGIN SOLUTION
    T* const tile = reinterpret_cast<T*>(shared_bytes);  // edge×edge
    const int edge = blockDim.x;
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const long long top = (long long)blockIdx.y * edge;
    const long long left = (long long)blockIdx.x * edge;

    if (top + y < m && left + x < n) {
        tile[y * edge + x] = in[(top + y) * n + left + x];
    }
    __syncthreads();  // the tile is complete before anyone reads it
    if (left + y < n && top + x < m) {
        out[(left + y) * m + top + x] = tile[x * edge + y];
    }
    // END SOLUTION
}

template <typename T>
__device__ void shared_dynamic_in_place(T* matrix, int n) {
    // TASK: A block on or above the diagonal takes its tile and the mirrored one, and exchanges them.
    // BEGIN SOLUTION
    const int edge = blockDim.x;
    T* const upper = reinterpret_cast<T*>(shared_bytes);  // edge×edge, at (top, left)
    T* const lower = upper + edge * edge;                 // edge×edge, at (left, top)
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const long long top = (long long)blockIdx.y * edge;
    const long long left = (long long)blockIdx.x * edge;
    if (left < top) {
        return;  // the whole block: its tile is exchanged by the mirrored block
    }
    const bool in_upper = top + y < n && left + x < n;
    const bool in_lower = left + y < n && top + x < n;

    if (in_upper) {
        upper[y * edge + x] = matrix[(top + y) * n + left + x];
    }
    if (in_lower) {
        lower[y * edge + x] = matrix[(left + y) * n + top + x];
    }
    __syncthreads();  // both tiles are complete before anyone overwrites the matrix
    if (in_upper) {
        matrix[(top + y) * n + left + x] = lower[x * edge + y];
    }
    if (in_lower && left != top) {
        matrix[(left + y) * n + top + x] = upper[x * edge + y];
    }
    // END SOLUTION
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void shared_dynamic_##dtype(T* out, const T* in, int m, int n) {                   \
        shared_dynamic<T>(out, in, m, n);                                                                    \
    }                                                                                                        \
    extern "C" __global__ void shared_dynamic_in_place_##dtype(T* matrix, int n) {                           \
        shared_dynamic_in_place<T>(matrix, n);                                                               \
    }

KERNEL(float, f32)
KERNEL(double, f64)
