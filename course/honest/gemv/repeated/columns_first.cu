// The tile lies in shared memory by columns, padded; the tree goes over neighbours with a growing stride.

extern __shared__ __align__(16) unsigned char shared_bytes[];

template <typename T>
__device__ void shorten(T* out, const T* in, const T* x, int m, int n, int multiply) {
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    T value = 0;
    if (row < m && col < n) value = multiply ? in[row * n + col] * x[col] : in[row * n + col];
    T* const sums = reinterpret_cast<T*>(shared_bytes);
    const int own = threadIdx.y * blockDim.x + threadIdx.x;
    sums[own] = value;
    __syncthreads();
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        const int left = 2 * stride * threadIdx.x;
        if (left + stride < blockDim.x) sums[threadIdx.y * blockDim.x + left] += sums[threadIdx.y * blockDim.x + left + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0 && row < m) out[row * gridDim.x + blockIdx.x] = sums[own];
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void repeated_##dtype(T* out, const T* in, const T* x, int m, int n, int multiply) { shorten<T>(out, in, x, m, n, multiply); }

KERNEL(float, f32)
KERNEL(double, f64)
