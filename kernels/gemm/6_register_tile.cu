// A tile per thread: C = A·B with A m×k, B k×n, C m×n, row-major. Each thread keeps 8×8 elements of C in registers: eight
// elements of A and eight of B from shared memory serve 64 multiply-adds. The 2×2 of `shared_4` needed a shared load for
// each multiply-add; shared memory delivers a quarter of what the arithmetic units take then.
//
// Block (bx, by) owns the 128×128 tile of C at row 128·by, column 128·bx. Thread 16·y + x owns the elements [y + 16·i][x + 16·j]:
// 16 apart, so that the lanes of a warp read neighbours of B (no bank conflicts) and write neighbours of C.
//
// Launch: grid (⌈n/128⌉, ⌈m/128⌉), block 256.
// Napkin: per step of k a thread loads 16 elements for 128 flops; the block reads 256 elements of A and B per 32768 flops, CGMA = 128.
// Shared memory: 128·8 + 8·128 elements, 8192 bytes in f32. Registers: 64 sums and 16 operands, twice that in f64.

template <typename T>
__device__ void register_tile(T* __restrict__ c, const T* __restrict__ a, const T* __restrict__ b, int m, int n, int k) {
    // TASK: a bonus. A block of 256 threads owns 128×128 elements of C, a thread 8×8 of them, in registers. Per step of k it reads
    // eight elements of A's tile and eight of B's and makes 64 multiply-adds of them. Which eight, so that no bank has a conflict?
    // BEGIN SOLUTION
    constexpr int TILE = 128, DEPTH = 8, EACH = 8, APART = TILE / EACH, THREADS = APART * APART;
    __shared__ T tile_a[TILE][DEPTH];
    __shared__ T tile_b[DEPTH][TILE];

    const int x = threadIdx.x % APART;
    const int y = threadIdx.x / APART;
    const long long top = (long long)blockIdx.y * TILE;
    const long long left = (long long)blockIdx.x * TILE;

    T sum[EACH][EACH] = {};
    for (long long start = 0; start < k; start += DEPTH) {
#pragma unroll
        for (int turn = 0; turn < TILE * DEPTH / THREADS; ++turn) {
            const int element = threadIdx.x + turn * THREADS;
            const long long row = top + element / DEPTH, p = start + element % DEPTH;
            tile_a[element / DEPTH][element % DEPTH] = row < m && p < k ? a[row * k + p] : T(0);
        }
#pragma unroll
        for (int turn = 0; turn < DEPTH * TILE / THREADS; ++turn) {
            const int element = threadIdx.x + turn * THREADS;
            const long long p = start + element / TILE, col = left + element % TILE;
            tile_b[element / TILE][element % TILE] = p < k && col < n ? b[p * n + col] : T(0);
        }
        __syncthreads();  // the tiles are complete
#pragma unroll 2
        for (int p = 0; p < DEPTH; ++p) {
            T of_a[EACH], of_b[EACH];
#pragma unroll
            for (int i = 0; i < EACH; ++i) {
                of_a[i] = tile_a[y + APART * i][p];
                of_b[i] = tile_b[p][x + APART * i];
            }
#pragma unroll
            for (int i = 0; i < EACH; ++i) {
#pragma unroll
                for (int j = 0; j < EACH; ++j) {
                    sum[i][j] += of_a[i] * of_b[j];
                }
            }
        }
        __syncthreads();  // everyone is done with the tiles before anyone overwrites them
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
#pragma unroll
        for (int j = 0; j < EACH; ++j) {
            const long long row = top + y + APART * i, col = left + x + APART * j;
            if (row < m && col < n) {
                c[row * n + col] = sum[i][j];
            }
        }
    }
    // END SOLUTION
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void __launch_bounds__(256, 8 / sizeof(T))                                                  \
        register_tile_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {                           \
        register_tile<T>(c, a, b, m, n, k);                                                                  \
    }

KERNEL(float, f32)
KERNEL(double, f64)
