// shfl.sync as PTX has it.

__device__ float down(float value, int distance) {
    float moved;
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(moved) : "f"(value), "r"(distance));
    return moved;
}
__device__ double down(double value, int distance) {
    const int low = __shfl_down_sync(0xffffffff, __double2loint(value), distance);
    const int high = __shfl_down_sync(0xffffffff, __double2hiint(value), distance);
    return __hiloint2double(high, low);
}

template <typename T>
__device__ void product(T* b, const T* a, const T* x, int m, int n) {
    const long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y;
    const int lane = threadIdx.x;
    if (row >= m) return;
    const T* const own = a + row * n;
    T sum = 0;
    for (int col = lane; col < n; col += 32) sum += own[col] * x[col];
    for (int distance = 16; distance > 0; distance /= 2) sum += down(sum, distance);
    if (lane == 0) b[row] = sum;
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void shuffle_##dtype(T* b, const T* a, const T* x, int m, int n) { product<T>(b, a, x, m, n); }

KERNEL(float, f32)
KERNEL(double, f64)
