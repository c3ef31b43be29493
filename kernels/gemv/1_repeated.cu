// b = A·x with A m×n, row-major, by repeated reduction: every launch shortens the rows sx-fold, and the same kernel is
// launched again on what it wrote until one column is left. The first launch multiplies by x, the later ones only add.
//
// Thread (x, y) of block (bx, by) owns element [by·sy + y][bx·sx + x] of its input (m×n). The block adds each of its
// rows by a tree in shared memory, and thread (0, y) writes the sum to out[by·sy + y][bx]; out is m×⌈n/sx⌉, row-major.
// With n = 1 and multiply = 0 the kernel copies; the host stops before that.
//
// Launch: grid (⌈n/sx⌉, ⌈m/sy⌉), block (sx, sy), sx a power of two, sx·sy ≤ 1024, sx·sy·sizeof(T) bytes of dynamic
// shared memory; n shrinks to ⌈n/sx⌉ each time.
// Napkin: the first launch reads 4·m·n bytes and writes 1/sx of that, which the second reads again: at most
// 1 + 2/(sx - 1) times the bytes of A. But each thread does one multiplication and log2(sx) barriers for it.

extern __shared__ __align__(16) unsigned char shared_bytes[];

template <typename T>
__device__ void repeated(T* __restrict__ out, const T* __restrict__ in, const T* __restrict__ x, int m, int n,
                         int multiply) {
    // TASK: Multiply (or not), put one value per thread into shared memory, and add each row of the block by a tree. Threads
    // outside of the matrix still take part in every barrier.
    // BEGIN SOLUTION
    T* const sums = reinterpret_cast<T*>(shared_bytes);  // sy×sx
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const int own = threadIdx.y * blockDim.x + threadIdx.x;

    T value = 0;
    if (row < m && col < n) {
        value = in[row * n + col];
        if (multiply) {
            value *= x[col];
        }
    }
    sums[own] = value;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();  // the sums of the level above are written
        if (threadIdx.x < half) {
            sums[own] += sums[own + half];
        }
    }
    if (threadIdx.x == 0 && row < m) {
        out[row * gridDim.x + blockIdx.x] = sums[own];
    }
    // END SOLUTION
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void repeated_##dtype(T* out, const T* in, const T* x, int m, int n, int multiply) { \
        repeated<T>(out, in, x, m, n, multiply);                                                             \
    }

KERNEL(float, f32)
KERNEL(double, f64)
