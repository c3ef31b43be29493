// due: 2 of 10
// x is shared by the rows, but every load is of one element.

template <typename T, int ROWS>
__device__ void product(T* b, const T* a, const T* x, int m, int n) {
    const long long first = ((long long)blockIdx.x * blockDim.y + threadIdx.y) * ROWS;
    const int lane = threadIdx.x;
    if (first >= m) return;
    const T* row[ROWS];
    T sum[ROWS] = {};
    for (int r = 0; r < ROWS; ++r) row[r] = a + (first + r < m ? first + r : m - 1) * n;
    for (int col = lane; col < n; col += 32) {
        const T right = x[col];
        for (int r = 0; r < ROWS; ++r) sum[r] += row[r][col] * right;
    }
    for (int r = 0; r < ROWS; ++r) {
        for (int distance = 16; distance > 0; distance /= 2) sum[r] += __shfl_down_sync(0xffffffff, sum[r], distance);
        if (lane == 0 && first + r < m) b[first + r] = sum[r];
    }
}

#define KERNEL(T, dtype, ROWS) \
    extern "C" __global__ void __launch_bounds__(1024) vectorised_##dtype##_##ROWS(T* b, const T* a, const T* x, int m, int n) { product<T, ROWS>(b, a, x, m, n); }

KERNEL(float, f32, 1)
KERNEL(float, f32, 2)
KERNEL(float, f32, 4)
KERNEL(double, f64, 1)
KERNEL(double, f64, 2)
KERNEL(double, f64, 4)
