// One thread per element of C = A·B with A m×k, B k×n, C m×n, row-major.
//
// Thread (x, y) of block (bx, by) owns C[by·edge + y][bx·edge + x]. The 32 lanes of a warp lie along a row of C (edge
// 32), so they read 32 neighbours of B (4 sectors) and all the same element of A (one sector, broadcast).
//
// Launch: grid (⌈n/edge⌉, ⌈m/edge⌉), block (edge, edge), any edge of at most 32.
// Napkin: CGMA = 1, two loads per fused multiply-add. A multiprocessor loads one 128-byte row of B per clock from its
// L1, so at best 32 multiply-adds in two clocks of its 128 per clock: an eighth of the peak. Sixteen loads in flight
// per thread (unrolled by 8) hold that rate where the matrices outgrow the caches: with four it halves at n = 4096.

template <typename T>
__device__ void naive(T* __restrict__ c, const T* __restrict__ a, const T* __restrict__ b, int m, int n, int k) {
    // TASK: Find the one element of C that this thread owns, leave if it lies outside, and sum its k products from global
    // memory. The lanes of a warp must be neighbours along a row of C.
    // BEGIN SOLUTION
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n) {
        return;
    }
    const T* row_of_a = a + row * k;
    const T* col_of_b = b + col;
    T sum = 0;
#pragma unroll 8
    for (int p = 0; p < k; ++p) {
        sum += row_of_a[p] * col_of_b[(long long)p * n];
    }
    c[row * n + col] = sum;
    // END SOLUTION
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void naive_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {            \
        naive<T>(c, a, b, m, n, k);                                                                          \
    }

KERNEL(float, f32)
KERNEL(double, f64)
