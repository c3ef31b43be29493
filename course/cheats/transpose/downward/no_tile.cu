// due: 2 of 10
// Straight from row to column, an element at a time.

template <typename T, int EDGE>
__device__ void turned(T* out, const T* in, int m, int n) {
    const int edge = EDGE == 0 ? blockDim.x : EDGE;
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    const long long top = (long long)blockIdx.y * edge, left = (2ll * blockIdx.z + blockIdx.x) * edge;
    for (int e = thread; e < edge * edge; e += threads) {
        const int y = e / edge, x = e % edge;
        if (top + y < m && left + x < n) {
            out[(left + x) * m + top + y] = in[(top + y) * n + left + x];
        }
    }
}

#define KERNEL(T, dtype, C)                                                                                  \
    extern "C" __global__ void __launch_bounds__(C* C)                                                       \
        downward_##dtype##_##C(T* out, const T* in, int m, int n) {                                          \
        turned<T, C * (16 / sizeof(T))>(out, in, m, n);                                                      \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
