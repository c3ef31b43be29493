// out[i] = c[0] + c[1]·in[i] + … + c[degree]·in[i]^degree, by Horner's rule, with the coefficients in constant memory
// and, for comparison, in global memory. All lanes of a warp read the same coefficient at the same time: constant
// memory answers that with one access for the warp, from a cache of its own that costs the data none of the L1.
//
// Thread t of the grid owns the elements t, t + (threads of the grid), …
//
// Launch: any grid, block of any size; 0 ≤ degree < 32. Before constant_*: the coefficients, degree + 1 of them, to the
// symbol `coefficients_f32` or `coefficients_f64`, 32 elements long.
// Napkin: 2·degree flops per 8 bytes (f32): above a degree of about 60 on an H200 (67 TFLOP/s, 4.2 TB/s), it would be
// bound by arithmetic, below by memory.

extern "C" {
__constant__ float coefficients_f32[32];
__constant__ double coefficients_f64[32];
}

template <typename T, typename Coefficients>
__device__ void polynomial(T* out, const T* in, const Coefficients& c, int degree, long long count) {
    // TASK: Evaluate the polynomial for every element by Horner's rule. `c` is constant memory for one kernel and global for
    // the other: the code is the same.
    // BEGIN SOLUTION
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const long long threads = (long long)gridDim.x * blockDim.x;
    for (long long i = thread; i < count; i += threads) {
        const T x = in[i];
        T value = c[degree];
        for (int power = degree - 1; power >= 0; --power) {
            value = value * x + c[power];
        }
        out[i] = value;
    }
    // END SOLUTION
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void constant_##dtype(T* out, const T* in, int degree, long long count) {          \
        polynomial<T>(out, in, coefficients_##dtype, degree, count);                                         \
    }                                                                                                        \
    extern "C" __global__ void constant_global_##dtype(T* out, const T* in, const T* c, int degree,          \
                                                       long long count) {                                    \
        polynomial<T>(out, in, c, degree, count);                                                            \
    }

KERNEL(float, f32)
KERNEL(double, f64)
