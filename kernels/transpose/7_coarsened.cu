// out = inᵀ, in m×n, out n×m, row-major, through a padded tile of 32×32 by 32×8 threads of four elements each: four
// loads are on their way before the first is waited for, and a multiprocessor holds twice as many tiles as with 32×32
// threads.
//
// Thread (x, y) of tile (tx, ty) reads in[ty·32 + y + 8·i][tx·32 + x] and writes out[tx·32 + y + 8·i][ty·32 + x], i < 4.
// Blocks that run at the same time take tiles that lie together: GROUP wide, then down. Whole rows of tiles would write
// 128 bytes to each of thousands of rows at once, and in a large matrix each row is another page of the memory.
// In place (square), a block on or above the diagonal exchanges its tile and the mirrored one.
//
// Launch: grid (⌈n/32⌉, ⌈m/32⌉), block (32, 8).
// Napkin: 4·4 bytes per thread, 2048 threads: 32 KiB on their way per multiprocessor, 4 times a thread per element's.

// TASK: functions of your own that the kernel needs go here.
// BEGIN SOLUTION
constexpr unsigned GROUP = 8;

// The tile of this block: the blocks in the order of their numbers go down columns of tiles GROUP wide. 32 bits number
// 16 TiB of tiles.
__device__ uint2 grouped_tile() {
    const unsigned number = blockIdx.y * gridDim.x + blockIdx.x;
    const unsigned per_group = GROUP * gridDim.y;
    const unsigned first = number / per_group * GROUP;
    const unsigned width = min(GROUP, gridDim.x - first);
    const unsigned inside = number % per_group;
    return make_uint2(first + inside % width, inside / width);
}
// END SOLUTION

template <typename T>
__device__ void coarsened(T* __restrict__ out, const T* __restrict__ in, int m, int n) {
    // TASK: 32×8 threads carry a padded tile of 32×32, four elements each. Have all four loads on their way before you wait
    // for the first. Blocks may take their tiles in any order; neighbours in time should be neighbours in memory.
    // BEGIN SOLUTION
    __shared__ T tile[32][32 + 1];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const uint2 own = grouped_tile();
    const long long top = own.y * 32ll;
    const long long left = own.x * 32ll;

    const T* const from = in + (top + y) * n + left + x;
    if (top + 32 <= m && left + 32 <= n) {  // no check between the loads: all four are on their way
#pragma unroll
        for (int i = 0; i < 32; i += 8) {
            tile[y + i][x] = from[(long long)i * n];
        }
    } else {
#pragma unroll
        for (int i = 0; i < 32; i += 8) {
            if (top + y + i < m && left + x < n) {
                tile[y + i][x] = from[(long long)i * n];
            }
        }
    }
    __syncthreads();  // the tile is complete before anyone reads it
#pragma unroll
    for (int i = 0; i < 32; i += 8) {
        if (left + y + i < n && top + x < m) {
            out[(left + y + i) * m + top + x] = tile[x][y + i];
        }
    }
    // END SOLUTION
}

template <typename T>
__device__ void coarsened_in_place(T* matrix, int n) {
    // TASK: A block on or above the diagonal takes its tile and the mirrored one, and exchanges them.
    // BEGIN SOLUTION
    __shared__ T upper[32][32 + 1];  // at (top, left)
    __shared__ T lower[32][32 + 1];  // at (left, top)
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const long long top = (long long)blockIdx.y * 32;
    const long long left = (long long)blockIdx.x * 32;
    if (left < top) {
        return;  // the whole block: its tile is exchanged by the mirrored block
    }

#pragma unroll
    for (int i = 0; i < 32; i += 8) {
        if (top + y + i < n && left + x < n) {
            upper[y + i][x] = matrix[(top + y + i) * n + left + x];
        }
        if (left + y + i < n && top + x < n) {
            lower[y + i][x] = matrix[(left + y + i) * n + top + x];
        }
    }
    __syncthreads();  // both tiles are complete before anyone overwrites the matrix
#pragma unroll
    for (int i = 0; i < 32; i += 8) {
        if (top + y + i < n && left + x < n) {
            matrix[(top + y + i) * n + left + x] = lower[x][y + i];
        }
        if (left + y + i < n && top + x < n && left != top) {
            matrix[(left + y + i) * n + top + x] = upper[x][y + i];
        }
    }
    // END SOLUTION
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void __launch_bounds__(256) coarsened_##dtype(T* out, const T* in, int m, int n) { \
        coarsened<T>(out, in, m, n);                                                                         \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(256) coarsened_in_place_##dtype(T* matrix, int n) {         \
        coarsened_in_place<T>(matrix, n);                                                                    \
    }

KERNEL(float, f32)
KERNEL(double, f64)
