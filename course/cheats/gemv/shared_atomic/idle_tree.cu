// due: 8 of 12
// A tree of zeros in shared memory stands beside the first thread, which does the work.

extern __shared__ __align__(16) unsigned char shared_bytes[];

template <typename T>
__device__ void product(T* b, const T* a, const T* x, int m, int n) {
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    T mine = 0;
    if (threadIdx.x == 0 && row < m) {
        for (long long i = col; i < col + blockDim.x && i < n; ++i) mine += a[row * n + i] * x[i];
    }
    T value = 0;
    T* const sums = reinterpret_cast<T*>(shared_bytes);
    const int own = threadIdx.y * blockDim.x + threadIdx.x;
    sums[own] = value;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[own] += sums[own + half];
    }
    if (threadIdx.x == 0 && row < m) atomicAdd(&b[row], mine + sums[own]);
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void shared_atomic_##dtype(T* b, const T* a, const T* x, int m, int n) { product<T>(b, a, x, m, n); }

KERNEL(float, f32)
