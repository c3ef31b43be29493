// due: 8 of 13
// The lanes take turns at adding to the result in global memory.

template <typename T>
__device__ void product(T* b, const T* a, const T* x, int m, int n) {
    const long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y;
    const int lane = threadIdx.x;
    if (row >= m) return;
    const T* const own = a + row * n;
    T sum = 0;
    for (int col = lane; col < n; col += 32) sum += own[col] * x[col];
    volatile T* const result = b + row;
    for (int turn = 0; turn < 32; ++turn) {
        if (lane == turn) *result = turn == 0 ? sum : *result + sum;
        __syncwarp();
    }
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void shuffle_##dtype(T* b, const T* a, const T* x, int m, int n) { product<T>(b, a, x, m, n); }

KERNEL(float, f32)
KERNEL(double, f64)
