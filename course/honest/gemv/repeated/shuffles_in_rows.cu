// Rows of up to 32 threads by shuffles, wider ones through one number per warp in shared memory.

extern __shared__ __align__(16) unsigned char shared_bytes[];

template <typename T>
__device__ void shorten(T* out, const T* in, const T* x, int m, int n, int multiply) {
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    T value = 0;
    if (row < m && col < n) value = multiply ? in[row * n + col] * x[col] : in[row * n + col];
    T* const of_warp = reinterpret_cast<T*>(shared_bytes);
    const int width = blockDim.x < 32 ? blockDim.x : 32;
    for (int distance = width / 2; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance, width);
    if (blockDim.x > 32) {
        const int warps = blockDim.x / 32;
        if (threadIdx.x % 32 == 0) of_warp[threadIdx.y * warps + threadIdx.x / 32] = value;
        __syncthreads();
        if (threadIdx.x == 0) {
            value = 0;
            for (int warp = 0; warp < warps; ++warp) value += of_warp[threadIdx.y * warps + warp];
        }
    }
    if (threadIdx.x == 0 && row < m) out[row * gridDim.x + blockIdx.x] = value;
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void repeated_##dtype(T* out, const T* in, const T* x, int m, int n, int multiply) { shorten<T>(out, in, x, m, n, multiply); }

KERNEL(float, f32)
KERNEL(double, f64)
