// A small library: tiles and fragments as classes.

namespace linalg {
template <typename T, int ROWS, int COLUMNS>
class Tile {
    T storage[ROWS][COLUMNS];

public:
    __device__ T& at(int i, int j) { return storage[i][j]; }
    __device__ void load(const T* matrix, long long row, long long col, int rows, int columns, int i, int j) {
        const bool inside = row + i < rows && col + j < columns;
        storage[i][j] = inside ? matrix[(row + i) * columns + col + j] : T{};
    }
};

template <typename T, int N>
__device__ T inner(Tile<T, N, N>& a, Tile<T, N, N>& b, int i, int j) {
    T result{};
    for (int p = 0; p < N; ++p) result += a.at(i, p) * b.at(p, j);
    return result;
}
}  // namespace linalg

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    __shared__ linalg::Tile<T, EDGE, EDGE> left, right;
    const int i = threadIdx.y, j = threadIdx.x;
    const long long row = (long long)EDGE * blockIdx.y, col = (long long)EDGE * blockIdx.x;
    T sum{};
    for (long long p = 0; p < k; p += EDGE) {
        left.load(a, row, p, m, k, i, j);
        right.load(b, p, col, k, n, i, j);
        __syncthreads();
        sum += linalg::inner(left, right, i, j);
        __syncthreads();
    }
    if (row + i < m && col + j < n) c[(row + i) * n + col + j] = sum;
}

#define KERNEL(T, dtype, EDGE)                                                                               \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        shared_##dtype##_##EDGE(T* c, const T* a, const T* b, int m, int n, int k) {                           \
        product<T, EDGE>(c, a, b, m, n, k);                                                                  \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(float, f32, 32)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
KERNEL(double, f64, 32)
