// due: 8 of 13
// The tree passes values on through shared memory.

template <typename T>
__device__ void product(T* b, const T* a, const T* x, int m, int n) {
    __shared__ T sums[32][32];
    const long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y;
    const int lane = threadIdx.x;
    if (row >= m) return;
    const T* const own = a + row * n;
    T sum = 0;
    for (int col = lane; col < n; col += 32) sum += own[col] * x[col];
    for (int distance = 16; distance > 0; distance /= 2) {
        sums[threadIdx.y][lane] = sum;
        __syncwarp();
        const T other = lane + distance < 32 ? sums[threadIdx.y][lane + distance] : T(0);
        __syncwarp();
        sum += other;
    }
    if (lane == 0) b[row] = sum;
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void shuffle_##dtype(T* b, const T* a, const T* x, int m, int n) { product<T>(b, a, x, m, n); }

KERNEL(float, f32)
KERNEL(double, f64)
