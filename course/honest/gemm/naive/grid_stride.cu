// Loops with the stride of the grid; a small library of views.

template <typename T>
struct View {
    T* data;
    int rows, columns;
    __device__ T& operator()(long long i, long long j) const { return data[i * columns + j]; }
};

template <typename T>
__device__ T dot(View<const T> a, View<const T> b, long long i, long long j) {
    T sum = T(0);
    for (int p = 0; p != a.columns; ++p) sum += a(i, p) * b(p, j);
    return sum;
}

template <typename T>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    const View<const T> left{a, m, k}, right{b, k, n};
    const View<T> result{c, m, n};
    for (long long i = blockIdx.y * blockDim.y + threadIdx.y; i < m; i += (long long)gridDim.y * blockDim.y)
        for (long long j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += (long long)gridDim.x * blockDim.x)
            result(i, j) = dot(left, right, i, j);
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void naive_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {             \
        product<T>(c, a, b, m, n, k);                                                                        \
    }

KERNEL(float, f32)
KERNEL(double, f64)
