// b = A·x with A m×n, row-major, in one cooperative launch and without atomic additions: all blocks write partial sums,
// meet at a barrier of the whole grid, and add them up.
// requires: sm_60
//
// Block (bx, by) owns the rows by·sy + y, and from there on every gridDim.y·sy-th; of each it adds the columns bx·sx +
// x and every gridDim.x·sx-th. It leaves one partial sum per row in partial[row][bx]; partial is m×gridDim.x,
// row-major.
// After the barrier the rows are dealt out anew, sy to each of the gridDim.x·gridDim.y blocks at a time, and each row's
// gridDim.x partial sums become b[row].
//
// Launch: cooperative, block (sx, sy), sx a power of two, sx·sy·sizeof(T) bytes of dynamic shared memory; gridDim.x ·
// gridDim.y at most what fits on the device at once: the occupancy API's blocks *per multiprocessor* times the
// multiprocessors. gridDim.x > 1 pays only where ⌈m/sy⌉ rows of blocks do not fill the device.
// Napkin: 4·m·n bytes of A read once; 8·m·gridDim.x bytes of partial sums; one barrier of the grid, 1–2 µs.

#include <cooperative_groups.h>

extern __shared__ __align__(16) unsigned char shared_bytes[];

// TASK: functions of your own that the kernel needs go here.
// BEGIN SOLUTION
// Adds `value` over the sx threads of each row of the block. The result is thread (0, y)'s. All threads of the block
// take part, whether they have something to add or not: there are barriers inside.
template <typename T>
__device__ T row_sum(T value) {
    T* const sums = reinterpret_cast<T*>(shared_bytes);  // sy×sx
    const int own = threadIdx.y * blockDim.x + threadIdx.x;
    sums[own] = value;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();  // the sums of the level above are written
        if (threadIdx.x < half) {
            sums[own] += sums[own + half];
        }
    }
    return sums[own];
}
// END SOLUTION

template <typename T>
__device__ void cooperative(T* b, T* partial, const T* __restrict__ a, const T* __restrict__ x, int m, int n) {
    // TASK: Write partial sums, let all blocks of the grid meet at one barrier, then deal out the rows anew and add the partial
    // sums up. No atomic addition to b. A loop around a block barrier must run the same number of turns in all threads.
    // BEGIN SOLUTION
    const long long parts = gridDim.x;

    // `first` is the same for all threads of a block, so they all make the same number of turns and of barriers.
    for (long long first = (long long)blockIdx.y * blockDim.y; first < m; first += (long long)gridDim.y * blockDim.y) {
        const long long row = first + threadIdx.y;
        T sum = 0;
        if (row < m) {
#pragma unroll 8
            for (long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x; col < n; col += parts * blockDim.x) {
                sum += a[row * n + col] * x[col];
            }
        }
        sum = row_sum(sum);
        if (threadIdx.x == 0 && row < m) {
            partial[row * parts + blockIdx.x] = sum;
        }
        __syncthreads();  // the sums have been read before the next turn overwrites them
    }

    cooperative_groups::this_grid().sync();  // every block's partial sums are written

    const long long block = blockIdx.y * parts + blockIdx.x;
    for (long long first = block * blockDim.y; first < m; first += parts * gridDim.y * blockDim.y) {
        const long long row = first + threadIdx.y;
        T sum = 0;
        if (row < m) {
            for (long long part = threadIdx.x; part < parts; part += blockDim.x) {
                sum += partial[row * parts + part];
            }
        }
        sum = row_sum(sum);
        if (threadIdx.x == 0 && row < m) {
            b[row] = sum;
        }
        __syncthreads();
    }
    // END SOLUTION
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void __launch_bounds__(1024)                                                       \
        cooperative_##dtype(T* b, T* partial, const T* a, const T* x, int m, int n) {                        \
        cooperative<T>(b, partial, a, x, m, n);                                                              \
    }

KERNEL(float, f32)
KERNEL(double, f64)
