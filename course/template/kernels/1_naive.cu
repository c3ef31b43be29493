// y = a·x + y for n elements, one thread for each.
//
// Thread t of block b owns the element T·b + t, T the block's threads.
//
// Launch: grid ⌈n/T⌉, block (T).
// Napkin: 12·n bytes for 2·n flop in f32: a sixth of a flop per byte, where a card can do ten and more. The memory is the limit.

template <typename T>
__device__ void naive(T* __restrict__ y, const T* __restrict__ x, T a, int n) {
    // TASK: Each thread does its element, if there is one.
    // BEGIN SOLUTION
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
    // END SOLUTION
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void naive_##dtype(T* y, const T* x, T a, int n) { naive<T>(y, x, a, n); }

KERNEL(float, f32)
KERNEL(double, f64)
