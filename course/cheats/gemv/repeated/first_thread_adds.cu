// due: 3 of 15
// No atomics, because no thread has anything to hand over: the first thread of each row reads all of the block's columns.

template <typename T>
__device__ void shorten(T* out, const T* in, const T* x, int m, int n, int multiply) {
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x > 0 || row >= m) return;
    T sum = 0;
    for (long long i = col; i < col + blockDim.x && i < n; ++i) sum += multiply ? in[row * n + i] * x[i] : in[row * n + i];
    out[row * gridDim.x + blockIdx.x] = sum;
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void repeated_##dtype(T* out, const T* in, const T* x, int m, int n, int multiply) { shorten<T>(out, in, x, m, n, multiply); }

KERNEL(float, f32)
KERNEL(double, f64)
