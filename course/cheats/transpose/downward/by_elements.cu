// due: 7 of 10
// A padded tile, an element at a time on both sides.

template <typename T, int EDGE>
__device__ void turned(T* out, const T* in, int m, int n) {
    const int edge = EDGE == 0 ? blockDim.x : EDGE;
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    const long long top = (long long)blockIdx.y * edge, left = (2ll * blockIdx.z + blockIdx.x) * edge;
    __shared__ T tile[EDGE * (EDGE + 1)];
    for (int e = thread; e < edge * edge; e += threads) {
        const int y = e / edge, x = e % edge;
        if (top + y < m && left + x < n) {
            tile[y * (edge + 1) + x] = in[(top + y) * n + left + x];
        }
    }
    __syncthreads();
    for (int e = thread; e < edge * edge; e += threads) {
        const int y = e / edge, x = e % edge;
        if (left + y < n && top + x < m) {
            out[(left + y) * m + top + x] = tile[x * (edge + 1) + y];
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
