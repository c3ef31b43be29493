// Chunks of a row are rotated, not exchanged by exclusive-or.

template <typename T>
struct __align__(16) Chunk {
    static constexpr int WIDTH = 16 / sizeof(T);
    T element[WIDTH];
};

// Chunk at `from`, of which `inside` elements belong to the matrix (none or fewer: less than 1).
template <typename T>
__device__ Chunk<T> load(const T* from, long long inside, bool wide) {
    Chunk<T> chunk = {};
    if (wide) {
        if (inside > 0) {
            chunk = *reinterpret_cast<const Chunk<T>*>(from);
        }
    } else {
#pragma unroll
        for (int j = 0; j < Chunk<T>::WIDTH; ++j) {
            if (j < inside) {
                chunk.element[j] = from[j];
            }
        }
    }
    return chunk;
}

template <typename T>
__device__ void store(T* to, Chunk<T> chunk, long long inside, bool wide) {
    if (wide) {
        if (inside > 0) {
            *reinterpret_cast<Chunk<T>*>(to) = chunk;
        }
    } else {
#pragma unroll
        for (int j = 0; j < Chunk<T>::WIDTH; ++j) {
            if (j < inside) {
                to[j] = chunk.element[j];
            }
        }
    }
}

// One tile on its way from the matrix `from` of rows×columns to the place (left, top) of its transpose.
template <typename T>
struct Tile {
    static constexpr int W = Chunk<T>::WIDTH;
    static constexpr int EDGE = 16 * W;
    Chunk<T> held[W];

    // The rows W·y + i of the tile at (top, left).
    __device__ void read(const T* from, long long top, long long left, int rows, int columns) {
        const bool wide = columns % W == 0 && (unsigned long long)from % 16 == 0;
        const long long col = left + W * threadIdx.x;
        if (wide && top + EDGE <= rows && left + EDGE <= columns) {  // no check between the loads: all are on their way
            const T* const first = from + (top + W * threadIdx.y) * columns + col;
#pragma unroll
            for (int i = 0; i < W; ++i) {
                held[i] = *reinterpret_cast<const Chunk<T>*>(first + (long long)i * columns);
            }
            return;
        }
#pragma unroll
        for (int i = 0; i < W; ++i) {
            const long long row = top + W * threadIdx.y + i;
            held[i] = load(from + row * columns + col, row < rows ? columns - col : 0, wide);
        }
    }

    // Into shared memory, turned: element j of held chunk i becomes element i of chunk j.
    __device__ void turn(Chunk<T> (*shared)[16]) const {
#pragma unroll
        for (int j = 0; j < W; ++j) {
            Chunk<T> turned;
#pragma unroll
            for (int i = 0; i < W; ++i) {
                turned.element[i] = held[i].element[j];
            }
            shared[W * threadIdx.x + j][(threadIdx.y + threadIdx.x) % 16] = turned;
        }
    }
};

// The rows y + 16·i of the turned tile, to (top, left) of `to`, rows×columns.
template <typename T>
__device__ void write(T* to, const Chunk<T> (*shared)[16], long long top, long long left, int rows, int columns) {
    constexpr int W = Chunk<T>::WIDTH;
    const bool wide = columns % W == 0 && (unsigned long long)to % 16 == 0;
    const bool whole = wide && top + 16 * W <= rows && left + 16 * W <= columns;
    const long long col = left + W * threadIdx.x;
#pragma unroll
    for (int i = 0; i < W; ++i) {
        const int r = threadIdx.y + 16 * i;
        const long long row = top + r;
        const Chunk<T> chunk = shared[r][(threadIdx.x + r / W) % 16];
        if (whole) {
            *reinterpret_cast<Chunk<T>*>(to + row * columns + col) = chunk;
        } else {
            store(to + row * columns + col, chunk, row < rows ? columns - col : 0, wide);
        }
    }
}

template <typename T>
__device__ void vectorised(T* __restrict__ out, const T* __restrict__ in, int m, int n) {
    // W×W square around in its registers. Helpers go above. Rows that are not aligned go element by element.
    constexpr int EDGE = 16 * Chunk<T>::WIDTH;
    __shared__ Chunk<T> shared[EDGE][16];
    const long long top = (long long)blockIdx.y * EDGE;
    const long long left = (long long)blockIdx.x * EDGE;

    Tile<T> tile;
    tile.read(in, top, left, m, n);
    tile.turn(shared);
    __syncthreads();  // the tile is complete before anyone reads it
    write(out, shared, left, top, n, m);
}

template <typename T>
__device__ void vectorised_in_place(T* matrix, int n) {
    constexpr int EDGE = 16 * Chunk<T>::WIDTH;
    __shared__ Chunk<T> shared_upper[EDGE][16];
    __shared__ Chunk<T> shared_lower[EDGE][16];
    const long long top = (long long)blockIdx.y * EDGE;
    const long long left = (long long)blockIdx.x * EDGE;
    if (left < top) {
        return;  // the whole block: its tile is exchanged by the mirrored block
    }
    Tile<T> upper, lower;
    upper.read(matrix, top, left, n, n);
    lower.read(matrix, left, top, n, n);
    upper.turn(shared_upper);
    lower.turn(shared_lower);
    __syncthreads();  // both tiles are complete before anyone overwrites the matrix
    write(matrix, shared_lower, top, left, n, n);
    if (left != top) {
        write(matrix, shared_upper, left, top, n, n);
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void __launch_bounds__(256) vectorised_##dtype(T* out, const T* in, int m, int n) { \
        vectorised<T>(out, in, m, n);                                                                        \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(256) vectorised_in_place_##dtype(T* matrix, int n) {        \
        vectorised_in_place<T>(matrix, n);                                                                   \
    }

KERNEL(float, f32)
KERNEL(double, f64)
