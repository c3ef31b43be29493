// The tree's last levels within a warp need no barrier of the block.

extern __shared__ __align__(16) unsigned char shared_bytes[];

template <typename T>
__device__ void product(T* b, const T* a, const T* x, int m, int n) {
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    T value = row < m && col < n ? a[row * n + col] * x[col] : T(0);
    volatile T* const sums = reinterpret_cast<T*>(shared_bytes);
    const int own = threadIdx.y * blockDim.x + threadIdx.x;
    sums[own] = value;
    __syncthreads();
    int half = blockDim.x / 2;
    for (; half >= 32; half /= 2) {
        if (threadIdx.x < half) sums[own] = sums[own] + sums[own + half];
        __syncthreads();
    }
    for (; half > 0; half /= 2) {
        const T other = threadIdx.x < half ? sums[own + half] : T(0);
        __syncwarp();
        sums[own] = sums[own] + other;
        __syncwarp();
    }
    if (threadIdx.x == 0 && row < m) atomicAdd(&b[row], sums[own]);
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void shared_atomic_##dtype(T* b, const T* a, const T* x, int m, int n) { product<T>(b, a, x, m, n); }

KERNEL(float, f32)
