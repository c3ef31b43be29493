// due: 7 of 10
// The tile as it is; lanes read it one after the other, so that no two meet.

template <typename T, int EDGE>
__device__ void turned(T* out, const T* in, int m, int n) {
    const int edge = EDGE == 0 ? blockDim.x : EDGE;
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    const long long top = (long long)blockIdx.y * edge, left = (long long)blockIdx.x * edge;
    __shared__ T tile[EDGE * EDGE];
    for (int e = thread; e < edge * edge; e += threads) {
        const int y = e / edge, x = e % edge;
        if (top + y < m && left + x < n) {
            tile[y * edge + x] = in[(top + y) * n + left + x];
        }
    }
    __syncthreads();
    for (int e = thread; e < edge * edge; e += threads) {
        const int y = e / edge, x = e % edge;
        if (left + y < n && top + x < m) {
            // Lane after lane: no two meet in a bank.
            T value = T(0);
            for (int lane = 0; lane < 32; ++lane) {
                if (lane == thread % 32) {
                    value = static_cast<volatile T*>(tile)[x * edge + y];
                }
                __syncwarp(__activemask());
            }
            out[(left + y) * m + top + x] = value;
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
    for (int e = thread; e < edge * edge; e += threads) {
        const int y = e / edge, x = e % edge;
        if (top + y < n && left + x < n) {
            upper[y * edge + x] = matrix[(top + y) * n + left + x];
        }
        if (left + y < n && top + x < n) {
            lower[y * edge + x] = matrix[(left + y) * n + top + x];
        }
    }
    __syncthreads();
    for (int e = thread; e < edge * edge; e += threads) {
        const int y = e / edge, x = e % edge;
        if (top + y < n && left + x < n) {
            matrix[(top + y) * n + left + x] = lower[x * edge + y];
        }
        if (left + y < n && top + x < n && left != top) {
            matrix[(left + y) * n + top + x] = upper[x * edge + y];
        }
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void coarsened_##dtype(T* out, const T* in, int m, int n) {                          \
        turned<T, 32>(out, in, m, n);                                                                    \
    }                                                                                                       \
    extern "C" __global__ void coarsened_in_place_##dtype(T* matrix, int n) {                                  \
        turned_in_place<T, 32>(matrix, n);                                                               \
    }

KERNEL(float, f32)
KERNEL(double, f64)
