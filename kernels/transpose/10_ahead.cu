// out = inᵀ, in m×n, out n×m, row-major, by the tiles of `downward`, down single columns of tiles instead of pairs: what blocks write
// that run together then lies closer still. What they read does not: 256 bytes of each of thousands of rows, and the memory is slow to
// open so many. So each block also asks for the tile of a block that starts later, by a copy into the L2 that nobody waits for: then
// more is on its way than the blocks at work have registers for, and their own loads meet the L2. The copy is an instruction of
// Hopper's.
// requires: sm_90
//
// Chunks are 16 bytes, W elements: 4 in f32, 2 in f64. A tile has T = C·W rows of C chunks and C×C threads; C is 16, or 8
// for small matrices, whose larger tiles would leave multiprocessors without work. Thread (x, y) reads chunk x of the rows
// W·y + i, i < W, turns that W×W square around in its registers, and writes chunk x of the rows y + C·i of the turned tile.
// In shared memory chunk c of row r lies at c ^ (r / W): no access has a bank conflict. Where rows do not start at
// multiples of 16 bytes, or a tile is not whole, the elements go one by one.
//
// The grid says the order: blocks start in the order of their numbers, x first. Tile (tx, ty) is block (0, ty, tx): the block of number
// b = ty + R·tx, of R = ⌈m/T⌉ tiles down, and it asks for the tile of block b + AHEAD. Small matrices lie in the L2 anyway: their tiles
// go down pairs of columns as in `downward`, and none is asked for.
//
//   in:  ┌─────┬─────┬──     out:  ┌─────┬─────┬─────┬──
//        │  0  │  R  │             │  0  │  1  │  2  │       read by blocks that run together: pieces of rows far apart;
//        ├─────┼─────┼──           ├─────┼─────┼─────┼──     written by them: pieces of T rows that continue one another
//        │  1  │ R+1 │             │  R  │ R+1 │
//        ├─────┼─────┼──           ├─────┼─────┼──
//        │  2  │     │             │     │     │
//
// Launch: grid (G, ⌈m/T⌉, ⌈n/(G·T)⌉), block (C, C); G is 1 for C = 16 and 2 for C = 8. For C = 16 also 28 KiB of shared memory that is
// not used, so that a multiprocessor runs five blocks at once (in f64 six): with tiles asked for, fewer blocks are 0.7 % faster on an
// H200, and without 3 % slower.
// Napkin: 2·m·n·sizeof(T) bytes over the bandwidth of a copy; 64 bytes per thread on their way, 5·256 threads: 80 KiB per
// multiprocessor, and the tiles asked for: 132 · 16 KiB are 2 MB of an L2 of 50 or 60, 16 KiB more per multiprocessor.

template <typename T>
struct __align__(16) Chunk {
    static constexpr int WIDTH = 16 / sizeof(T);
    T element[WIDTH];
};

// Asks for the tile of the block AHEAD blocks behind this one, a row of C chunks by each of the first threads: it is in
// the L2 when that block loads it.
template <typename T, int C>
__device__ void ask_ahead(const T* in, int m, int n) {
    constexpr int EDGE = C * Chunk<T>::WIDTH;
    // As many as an H100 or H200 has multiprocessors. On an H200 66 are 0.002 slower, 264 0.005; 528 are more than the L2 keeps.
    constexpr unsigned AHEAD = 132;
    const unsigned thread = threadIdx.y * C + threadIdx.x;
    if (thread >= EDGE) {
        return;
    }
    const unsigned down = (blockIdx.y + AHEAD) % gridDim.y;
    const unsigned across = blockIdx.z + (blockIdx.y + AHEAD) / gridDim.y;
    const long long top = (long long)down * EDGE;
    const long long left = (long long)across * EDGE;
    if (top + EDGE <= m && left + EDGE <= n) {  // whole tiles only, whose rows are aligned as those of this block are
        const T* const row = in + (top + thread) * n + left;
        constexpr int BYTES = C * sizeof(Chunk<T>);
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(row), "n"(BYTES) : "memory");
    }
}

template <typename T, int C>
__device__ void ahead(T* __restrict__ out, const T* __restrict__ in, int m, int n) {
    constexpr int W = Chunk<T>::WIDTH;
    constexpr int EDGE = C * W;
    __shared__ Chunk<T> tile[EDGE][C];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const long long top = (long long)blockIdx.y * EDGE;
    const long long left = ((long long)gridDim.x * blockIdx.z + blockIdx.x) * EDGE;
    if (left >= n) {
        return;  // the whole block: the last of an odd number of columns has no other beside it
    }
    const bool aligned = n % W == 0 && m % W == 0 && ((unsigned long long)in | (unsigned long long)out) % 16 == 0;

    if (aligned && top + EDGE <= m && left + EDGE <= n) {  // no check between the loads: all are on their way
        const T* const from = in + (top + W * y) * n + left + W * x;
        Chunk<T> held[W];
#pragma unroll
        for (int i = 0; i < W; ++i) {
            held[i] = *reinterpret_cast<const Chunk<T>*>(from + (long long)i * n);
        }
        if (C == 16) {
            ask_ahead<T, C>(in, m, n);
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
}

// Room for six blocks of 16×16 a multiprocessor, and no more is asked for: with the 32 registers of eight blocks compilers spill,
// and the loads wait for one another. (NVRTC 13.0 by itself: 0.906 of the driver's copy at n = 16384 on an H200.) Small tiles do not ask,
// and 32 registers are enough for them.
#define KERNEL(T, dtype, C)                                                                                  \
    extern "C" __global__ void __launch_bounds__(C* C, C == 16 ? 6 : 32)                                     \
        ahead_##dtype##_##C(T* out, const T* in, int m, int n) {                                             \
        ahead<T, C>(out, in, m, n);                                                                          \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
