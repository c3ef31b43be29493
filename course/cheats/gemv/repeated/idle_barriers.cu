// due: 11 of 15
// As many barriers as a tree has, and shared memory is written; but the sum is the first thread's work alone.

extern __shared__ __align__(16) unsigned char shared_bytes[];

template <typename T>
__device__ void shorten(T* out, const T* in, const T* x, int m, int n, int multiply) {
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    volatile T* const sums = reinterpret_cast<T*>(shared_bytes);
    T sum = 0;
    if (threadIdx.x == 0 && row < m) {
        for (long long i = col; i < col + blockDim.x && i < n; ++i) sum += multiply ? in[row * n + i] * x[i] : in[row * n + i];
    }
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        sums[threadIdx.y * blockDim.x + threadIdx.x] = sum;
    }
    if (threadIdx.x == 0 && row < m) out[row * gridDim.x + blockIdx.x] = sum;
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void repeated_##dtype(T* out, const T* in, const T* x, int m, int n, int multiply) { shorten<T>(out, in, x, m, n, multiply); }

KERNEL(float, f32)
KERNEL(double, f64)
