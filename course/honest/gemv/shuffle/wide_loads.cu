// Sixteen bytes per load where rows are aligned.

template <typename T>
__device__ void product(T* b, const T* a, const T* x, int m, int n) {
    const long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y;
    const int lane = threadIdx.x;
    if (row >= m) return;
    const T* const own = a + row * n;
    constexpr int WIDTH = 16 / sizeof(T);
    struct __align__(16) Chunk { T element[WIDTH]; };
    T sum = 0;
    if (n % WIDTH == 0) {
        for (int i = lane; i < n / WIDTH; i += 32) {
            const Chunk left = reinterpret_cast<const Chunk*>(own)[i], right = reinterpret_cast<const Chunk*>(x)[i];
            for (int e = 0; e < WIDTH; ++e) sum += left.element[e] * right.element[e];
        }
    } else {
        for (int col = lane; col < n; col += 32) sum += own[col] * x[col];
    }
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
    if (!lane) b[row] = sum;
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void shuffle_##dtype(T* b, const T* a, const T* x, int m, int n) { product<T>(b, a, x, m, n); }

KERNEL(float, f32)
KERNEL(double, f64)
