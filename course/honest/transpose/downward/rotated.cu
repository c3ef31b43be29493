// Chunks of a row are rotated, not exchanged by exclusive-or.

template <typename T>
struct __align__(16) Chunk {
    static constexpr int WIDTH = 16 / sizeof(T);
    T element[WIDTH];
};

template <typename T, int C>
__device__ void downward(T* __restrict__ out, const T* __restrict__ in, int m, int n) {
    constexpr int W = Chunk<T>::WIDTH;
    constexpr int EDGE = C * W;
    __shared__ Chunk<T> tile[EDGE][C];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const long long top = (long long)blockIdx.y * EDGE;
    const long long left = (2ll * blockIdx.z + blockIdx.x) * EDGE;
    if (left >= n) {
        return;  // the whole block: the last column of tiles has no other beside it
    }
    const bool aligned = n % W == 0 && m % W == 0 && ((unsigned long long)in | (unsigned long long)out) % 16 == 0;

    if (aligned && top + EDGE <= m && left + EDGE <= n) {  // no check between the loads: all are on their way
        const T* const from = in + (top + W * y) * n + left + W * x;
        Chunk<T> held[W];
#pragma unroll
        for (int i = 0; i < W; ++i) {
            held[i] = *reinterpret_cast<const Chunk<T>*>(from + (long long)i * n);
        }
#pragma unroll
        for (int j = 0; j < W; ++j) {
            Chunk<T> turned;  // element j of the W rows, one below the other
#pragma unroll
            for (int i = 0; i < W; ++i) {
                turned.element[i] = held[i].element[j];
            }
            tile[W * x + j][(y + x) % C] = turned;
        }
        __syncthreads();  // the tile is complete before anyone reads it
        T* const to = out + (left + y) * m + top + W * x;
#pragma unroll
        for (int i = 0; i < W; ++i) {
            *reinterpret_cast<Chunk<T>*>(to + (long long)i * C * m) = tile[y + C * i][(x + (y + C * i) / W) % C];
        }
        return;
    }

    // A tile at the edge: the same places in shared memory, element by element, C of them side by side on both ways.
    for (int row = y; row < EDGE; row += C) {
        for (int col = x; col < EDGE; col += C) {
            if (top + row < m && left + col < n) {
                tile[col][(row / W) ^ (col / W)].element[row % W] = in[(top + row) * n + left + col];
            }
        }
    }
    __syncthreads();  // as above, for all threads of a tile at the edge
    for (int row = y; row < EDGE; row += C) {
        for (int col = x; col < EDGE; col += C) {
            if (left + row < n && top + col < m) {
                out[(left + row) * m + top + col] = tile[row][(col / W) ^ (row / W)].element[col % W];
            }
        }
    }
}

#define KERNEL(T, dtype, C)                                                                                  \
    extern "C" __global__ void __launch_bounds__(C* C)                                                       \
        downward_##dtype##_##C(T* out, const T* in, int m, int n) {                                          \
        downward<T, C>(out, in, m, n);                                                                       \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
