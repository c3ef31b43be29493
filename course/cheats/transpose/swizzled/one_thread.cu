// due: 3 of 15
// One thread of the block carries the whole tile.

template <typename T, int EDGE>
__device__ void turned(T* out, const T* in, int m, int n) {
    const int edge = EDGE == 0 ? blockDim.x : EDGE;
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    const long long top = (long long)blockIdx.y * edge, left = (long long)blockIdx.x * edge;
    __shared__ T tile[EDGE * EDGE];
    if (thread != 0) {
        return;
    }
    for (int e = 0; e < edge * edge; e += 1) {
        const int y = e / edge, x = e % edge;
        if (top + y < m && left + x < n) {
            tile[y * edge + (x ^ y)] = in[(top + y) * n + left + x];
        }
    }
    for (int e = 0; e < edge * edge; e += 1) {
        const int y = e / edge, x = e % edge;
        if (left + y < n && top + x < m) {
            out[(left + y) * m + top + x] = tile[x * edge + (y ^ x)];
        }
    }
}

template <typename T, int EDGE>
__device__ void turned_in_place(T* matrix, int n) {
    const int edge = EDGE == 0 ? blockDim.x : EDGE;
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    const long long top = (long long)blockIdx.y * edge, left = (long long)blockIdx.x * edge;
    __shared__ T upper[EDGE * EDGE];
    __shared__ T lower[EDGE * EDGE];
    if (left < top) {
        return;
    }
    if (thread != 0) {
        return;
    }
    for (int e = 0; e < edge * edge; e += 1) {
        const int y = e / edge, x = e % edge;
        if (top + y < n && left + x < n) {
            upper[y * edge + (x ^ y)] = matrix[(top + y) * n + left + x];
        }
        if (left + y < n && top + x < n) {
            lower[y * edge + (x ^ y)] = matrix[(left + y) * n + top + x];
        }
    }
    for (int e = 0; e < edge * edge; e += 1) {
        const int y = e / edge, x = e % edge;
        if (top + y < n && left + x < n) {
            matrix[(top + y) * n + left + x] = lower[x * edge + (y ^ x)];
        }
        if (left + y < n && top + x < n && left != top) {
            matrix[(left + y) * n + top + x] = upper[x * edge + (y ^ x)];
        }
    }
}

#define KERNEL(T, dtype, EDGE)                                                                               \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        swizzled_##dtype##_##EDGE(T* out, const T* in, int m, int n) {                                        \
        turned<T, EDGE>(out, in, m, n);                                                                      \
    }                                                                                                       \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        swizzled_in_place_##dtype##_##EDGE(T* matrix, int n) {                                                \
        turned_in_place<T, EDGE>(matrix, n);                                                                 \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(float, f32, 32)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
KERNEL(double, f64, 32)
