// One thread block computes the whole matrix: C = A·B with A m×k, B k×n, C m×n, row-major.
//
// The block is a window of edge×edge threads that slides over C. Thread (x, y) owns the elements
//   C[y + i·edge][x + j·edge],  i = 0, 1, …  j = 0, 1, …
// and reads its whole row of A and column of B from global memory for each of them.
//
// Launch: grid (1, 1), block (edge, edge), any edge of at most 32.
// Napkin: 2·m·n·k flops from 2·m·n·k loads, so CGMA = 1; and one multiprocessor works, all others rest:
// on a card of 132 that is at most 1/132 of the naive kernel's rate.

template <typename T>
__device__ void one_block(T* __restrict__ c, const T* __restrict__ a, const T* __restrict__ b, int m, int n, int k) {
    // TASK: One block computes all of C. Let the window of threads slide over C: each thread goes down its rows and along its
    // columns, a block edge at a time, and sums the k products of each element that it meets.
    // BEGIN SOLUTION
    // The strides are 64 bits wide: with 32 bits, row + blockDim.y could pass 2³¹ and turn negative.
    for (long long row = threadIdx.y; row < m; row += blockDim.y) {
        for (long long col = threadIdx.x; col < n; col += blockDim.x) {
            T sum = 0;
            for (long long p = 0; p < k; ++p) {
                sum += a[row * k + p] * b[p * n + col];
            }
            c[row * n + col] = sum;
        }
    }
    // END SOLUTION
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void one_block_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {        \
        one_block<T>(c, a, b, m, n, k);                                                                      \
    }

KERNEL(float, f32)
KERNEL(double, f64)
