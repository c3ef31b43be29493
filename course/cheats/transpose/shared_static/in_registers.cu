// due: 7 of 10
// 4×4 elements turn in the registers of a few threads: along rows on both sides, without a tile.

// 4×4 elements in a thread's registers: wide where rows are aligned.
template <typename T>
__device__ void turn4(T* to, const T* from, long long top, long long left, int m, int n) {
    T held[4][4];
    const bool wide = sizeof(T) == 4 && (n | m | top | left) % 4 == 0 && top + 4 <= m && left + 4 <= n;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        if (wide) {
            const float4 row = *reinterpret_cast<const float4*>(from + (top + i) * n + left);
            held[i][0] = row.x, held[i][1] = row.y, held[i][2] = row.z, held[i][3] = row.w;
        } else {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                held[i][j] = top + i < m && left + j < n ? from[(top + i) * n + left + j] : T(0);
            }
        }
    }
    if (wide) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float4 row = make_float4(held[0][j], held[1][j], held[2][j], held[3][j]);
            *reinterpret_cast<float4*>(to + (left + j) * m + top) = row;
        }
        return;
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if (top + i < m && left + j < n) {
                to[(left + j) * m + top + i] = held[i][j];
            }
        }
    }
}

template <typename T, int EDGE>
__device__ void turned(T* out, const T* in, int m, int n) {
    const int edge = EDGE == 0 ? blockDim.x : EDGE;
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    const long long top = (long long)blockIdx.y * edge, left = (long long)blockIdx.x * edge;
    const int across = edge / 4;
    for (int e = thread; e < across * across; e += threads) {
        turn4(out, in, top + e / across * 4, left + e % across * 4, m, n);
    }
}

template <typename T, int EDGE>
__device__ void turned_in_place(T* matrix, int n) {
    const int edge = EDGE == 0 ? blockDim.x : EDGE;
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    const long long top = (long long)blockIdx.y * edge, left = (long long)blockIdx.x * edge;
    for (int e = thread; e < edge * edge; e += threads) {
        const int y = e / edge, x = e % edge;
        const long long row = top + y, col = left + x;
        if (row < col && col < n) {
            const T above = matrix[row * n + col];
            matrix[row * n + col] = matrix[col * n + row];
            matrix[col * n + row] = above;
        }
    }
}

#define KERNEL(T, dtype, EDGE)                                                                               \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        shared_static_##dtype##_##EDGE(T* out, const T* in, int m, int n) {                                        \
        turned<T, EDGE>(out, in, m, n);                                                                      \
    }                                                                                                       \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        shared_static_in_place_##dtype##_##EDGE(T* matrix, int n) {                                                \
        turned_in_place<T, EDGE>(matrix, n);                                                                 \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(float, f32, 32)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
KERNEL(double, f64, 32)
