// due: 6 of 10
// Sixteen bytes a load, as few loads as there can be; but each thread has rows of its own, and most warps have none.

template <typename T>
struct Chunk;
template <>
struct Chunk<float> {
    using Type = float4;
    static constexpr int WIDTH = 4;
    static __device__ float dot(Type a, Type b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
};
template <>
struct Chunk<double> {
    using Type = double2;
    static constexpr int WIDTH = 2;
    static __device__ double dot(Type a, Type b) { return a.x * b.x + a.y * b.y; }
};

template <typename T, int ROWS>
__device__ void product(T* b, const T* a, const T* x, int m, int n) {
    const long long rank = ((long long)blockIdx.x * blockDim.y + threadIdx.y) * 32 + threadIdx.x;
    const long long first = rank * ROWS;
    if (first >= m) return;
    const T* row[ROWS];
    T sum[ROWS] = {};
    for (int r = 0; r < ROWS; ++r) row[r] = a + (first + r < m ? first + r : m - 1) * n;
    if (n % Chunk<T>::WIDTH == 0) {
        for (int i = 0; i < n / Chunk<T>::WIDTH; ++i) {
            const auto right = reinterpret_cast<const typename Chunk<T>::Type*>(x)[i];
            for (int r = 0; r < ROWS; ++r) sum[r] += Chunk<T>::dot(reinterpret_cast<const typename Chunk<T>::Type*>(row[r])[i], right);
        }
    } else {
        for (int col = 0; col < n; ++col) {
            for (int r = 0; r < ROWS; ++r) sum[r] += row[r][col] * x[col];
        }
    }
    for (int r = 0; r < ROWS; ++r) {
        if (first + r < m) b[first + r] = sum[r];
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
