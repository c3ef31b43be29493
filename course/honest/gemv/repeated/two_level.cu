// Each fourth of a row is added up by one thread, then the fourths: few barriers.

extern __shared__ __align__(16) unsigned char shared_bytes[];

template <typename T>
__device__ void shorten(T* out, const T* in, const T* x, int m, int n, int multiply) {
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    T value = 0;
    if (row < m && col < n) value = multiply ? in[row * n + col] * x[col] : in[row * n + col];
    T* const sums = reinterpret_cast<T*>(shared_bytes) + threadIdx.y * blockDim.x;
    sums[threadIdx.x] = value;
    __syncthreads();
    int left = blockDim.x;
    while (left > 1) {
        const int fan = left % 4 == 0 ? 4 : 2;
        const int rest = left / fan;
        T sum = 0;
        if (threadIdx.x < rest) {
            for (int i = 0; i < fan; ++i) sum += sums[threadIdx.x + i * rest];
        }
        __syncthreads();
        if (threadIdx.x < rest) sums[threadIdx.x] = sum;
        __syncthreads();
        left = rest;
    }
    if (threadIdx.x == 0 && row < m) out[row * gridDim.x + blockIdx.x] = sums[0];
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void repeated_##dtype(T* out, const T* in, const T* x, int m, int n, int multiply) { shorten<T>(out, in, x, m, n, multiply); }

KERNEL(float, f32)
KERNEL(double, f64)
