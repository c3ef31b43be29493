// out = inᵀ, in m×n, out n×m, row-major, by the tiles of `vectorised` in another order: the blocks go down a pair of
// tile columns, not along a row of tiles. What is read is scattered either way, but what is written by blocks that run
// together now lies together: each goes on in the rows of `out` where the one above it stopped. Memory takes stores that
// continue one another better than stores to thousands of rows at once. (Whole rows of tiles: 0.945 of the driver's copy
// at n = 16384 on an H200; pairs of columns: 0.97.)
//
// Chunks are 16 bytes, W elements: 4 in f32, 2 in f64. A tile has T = C·W rows of C chunks and C×C threads; C is 16, or 8
// for small matrices, whose larger tiles would leave multiprocessors without work. Thread (x, y) reads chunk x of the rows
// W·y + i, i < W, turns that W×W square around in its registers, and writes chunk x of the rows y + C·i of the turned tile.
// In shared memory chunk c of row r lies at c ^ (r / W): no access has a bank conflict. Where rows do not start at
// multiples of 16 bytes, or a tile is not whole, the elements go one by one.
//
// The grid says the order: blocks start in the order of their numbers, x first. Tile (tx, ty) is block (tx % 2, ty, tx / 2).
//
// Launch: grid (2, ⌈m/T⌉, ⌈n/(2·T)⌉), block (C, C).
// Napkin: 2·m·n·sizeof(T) bytes over the bandwidth of a copy; 64 bytes per thread on their way, 1536 threads: 96 KiB per
// multiprocessor.

// TASK: functions of your own that the kernel needs go here.
// BEGIN SOLUTION
template <typename T>
struct __align__(16) Chunk {
    static constexpr int WIDTH = 16 / sizeof(T);
    T element[WIDTH];
};
// END SOLUTION

template <typename T, int C>
__device__ void downward(T* __restrict__ out, const T* __restrict__ in, int m, int n) {
    // TASK: as `vectorised`, but the blocks' order keeps together what is written together; see the launch.
    // BEGIN SOLUTION
    constexpr int W = Chunk<T>::WIDTH;
    constexpr int EDGE = C * W;
    __shared__ Chunk<T> tile[EDGE][C];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const long long top = (long long)blockIdx.y * EDGE;
    const long long left = (2ll * blockIdx.z + blockIdx.x) * EDGE;
    if (left >= n) {
        return;  // the whole block: the last column of tiles has no other beside it
    }
    const bool aligned = n % W == 0 && m % W == 0 && ((unsigned long long)in | (unsigned long long)out) % 16 == 0;

    if (aligned && top + EDGE <= m && left + EDGE <= n) {  // no check between the loads: all are on their way
        const T* const from = in + (top + W * y) * n + left + W * x;
        Chunk<T> held[W];
#pragma unroll
        for (int i = 0; i < W; ++i) {
            held[i] = *reinterpret_cast<const Chunk<T>*>(from + (long long)i * n);
        }
#pragma unroll
        for (int j = 0; j < W; ++j) {
            Chunk<T> turned;  // element j of the W rows, one below the other
#pragma unroll
            for (int i = 0; i < W; ++i) {
                turned.element[i] = held[i].element[j];
            }
            tile[W * x + j][y ^ x] = turned;
        }
        __syncthreads();  // the tile is complete before anyone reads it
        T* const to = out + (left + y) * m + top + W * x;
#pragma unroll
        for (int i = 0; i < W; ++i) {
            *reinterpret_cast<Chunk<T>*>(to + (long long)i * C * m) = tile[y + C * i][x ^ ((y + C * i) / W)];
        }
        return;
    }

    // A tile at the edge: the same places in shared memory, element by element, C of them side by side on both ways.
    for (int row = y; row < EDGE; row += C) {
        for (int col = x; col < EDGE; col += C) {
            if (top + row < m && left + col < n) {
                tile[col][(row / W) ^ (col / W)].element[row % W] = in[(top + row) * n + left + col];
            }
        }
    }
    __syncthreads();  // as above, for all threads of a tile at the edge
    for (int row = y; row < EDGE; row += C) {
        for (int col = x; col < EDGE; col += C) {
            if (left + row < n && top + col < m) {
                out[(left + row) * m + top + col] = tile[row][(col / W) ^ (row / W)].element[col % W];
            }
        }
    }
    // END SOLUTION
}

#define KERNEL(T, dtype, C)                                                                                  \
    extern "C" __global__ void __launch_bounds__(C* C)                                                       \
        downward_##dtype##_##C(T* out, const T* in, int m, int n) {                                          \
        downward<T, C>(out, in, m, n);                                                                       \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
