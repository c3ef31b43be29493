// b = A·x with A m×n, row-major, one atomic addition to global memory per product. b must hold zeros before the launch.
// The simplest parallel sum there is, and the slowest: it shows what the reductions are for.
//
// Thread (x, y) of block (bx, by) owns the product A[by·sy + y][bx·sx + x] · x[bx·sx + x] and adds it to b[by·sy + y].
//
// Launch: grid (⌈n/sx⌉, ⌈m/sy⌉), block (sx, sy). f32 only: atomic addition in f64 begins with sm_60.
// Napkin: m·n atomic additions, n of them on the same address: a warp with sx = 32 lanes on one row is 32 additions to
// one address, one after the other.

template <typename T>
__device__ void atomic(T* __restrict__ b, const T* __restrict__ a, const T* __restrict__ x, int m, int n) {
    // TASK: Every thread adds its own product to its row of b.
    // BEGIN SOLUTION
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && col < n) {
        atomicAdd(&b[row], a[row * n + col] * x[col]);
    }
    // END SOLUTION
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void atomic_##dtype(T* b, const T* a, const T* x, int m, int n) {                  \
        atomic<T>(b, a, x, m, n);                                                                            \
    }

KERNEL(float, f32)
