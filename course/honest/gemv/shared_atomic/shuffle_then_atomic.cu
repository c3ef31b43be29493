// Warps by shuffles where a row is at least a warp wide, the tree elsewhere.

extern __shared__ __align__(16) unsigned char shared_bytes[];

template <typename T>
__device__ void product(T* b, const T* a, const T* x, int m, int n) {
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    T value = row < m && col < n ? a[row * n + col] * x[col] : T(0);
    const int width = blockDim.x < 32 ? blockDim.x : 32;
    for (int distance = width / 2; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance, width);
    T* const of_warp = reinterpret_cast<T*>(shared_bytes);
    const int warps = blockDim.x / width;
    if (threadIdx.x % width == 0) of_warp[threadIdx.y * warps + threadIdx.x / width] = value;
    __syncthreads();
    if (threadIdx.x == 0 && row < m) {
        T sum = 0;
        for (int warp = 0; warp < warps; ++warp) sum += of_warp[threadIdx.y * warps + warp];
        atomicAdd(b + row, sum);
    }
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void shared_atomic_##dtype(T* b, const T* a, const T* x, int m, int n) { product<T>(b, a, x, m, n); }

KERNEL(float, f32)
