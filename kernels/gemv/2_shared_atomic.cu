// b = A·x with A m×n, row-major, in one launch: each block adds its part of its rows by a tree in shared memory, then
// one atomic addition per row and block puts the parts together. b must hold zeros before the launch. Atomic additions
// come in any order: the last digits differ from run to run.
//
// Thread (x, y) of block (bx, by) owns the product A[by·sy + y][bx·sx + x] · x[bx·sx + x]; thread (0, y) adds to
// b[by·sy + y].
//
// Launch: grid (⌈n/sx⌉, ⌈m/sy⌉), block (sx, sy), sx a power of two, sx·sy ≤ 1024, sx·sy·sizeof(T) bytes of dynamic
// shared memory. f32 only: atomic addition in f64 begins with sm_60.
// Napkin: m·n/sx atomic additions, n/sx of them on the same address; the L2 does about one per address and clock.

extern __shared__ __align__(16) unsigned char shared_bytes[];

template <typename T>
__device__ void shared_atomic(T* __restrict__ b, const T* __restrict__ a, const T* __restrict__ x, int m, int n) {
    // TASK: Add each row of the block by a tree in shared memory; then one thread per row adds that sum to b.
    // BEGIN SOLUTION
    T* const sums = reinterpret_cast<T*>(shared_bytes);  // sy×sx
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const int own = threadIdx.y * blockDim.x + threadIdx.x;

    sums[own] = row < m && col < n ? a[row * n + col] * x[col] : T(0);
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();  // the sums of the level above are written
        if (threadIdx.x < half) {
            sums[own] += sums[own + half];
        }
    }
    if (threadIdx.x == 0 && row < m) {
        atomicAdd(&b[row], sums[own]);
    }
    // END SOLUTION
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void shared_atomic_##dtype(T* b, const T* a, const T* x, int m, int n) {           \
        shared_atomic<T>(b, a, x, m, n);                                                                     \
    }

KERNEL(float, f32)
