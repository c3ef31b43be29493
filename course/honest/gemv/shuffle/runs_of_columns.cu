// Four sums side by side in each lane, added at the end; the row's pointer is moved on.

template <typename T>
__device__ void product(T* b, const T* a, const T* x, int m, int n) {
    const long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y;
    const int lane = threadIdx.x;
    if (row >= m) return;
    const T* const own = a + row * n;
    T sums[4] = {};
    int col = lane;
    for (; col + 96 < n; col += 128) {
        for (int i = 0; i < 4; ++i) sums[i] += own[col + 32 * i] * x[col + 32 * i];
    }
    for (; col < n; col += 32) sums[0] += own[col] * x[col];
    T sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (int distance = 16; distance >= 1; distance >>= 1) sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0) b[row] = sum;
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void shuffle_##dtype(T* b, const T* a, const T* x, int m, int n) { product<T>(b, a, x, m, n); }

KERNEL(float, f32)
KERNEL(double, f64)
