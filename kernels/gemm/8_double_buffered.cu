// Two buffers: C = A·B with A m×k, B k×n, C m×n, row-major. As `vectorised`, but the next tiles travel from global memory into
// registers while the current ones are multiplied, and land in a second pair of buffers: nobody waits for global memory, and
// one barrier per step suffices, for those who fill a buffer and those who read one never touch the same.
//
// Block (bx, by) owns the 128×128 tile of C at row 128·by, column 128·bx. W elements make 16 bytes. Thread 16·y + x owns 8×8
// elements in chunks of W×W: rows W·y + 16·W·i, columns W·x + 16·W·j, so that 16 lanes read 256 contiguous bytes of B.
// Where rows do not start at multiples of 16 bytes (k or n no multiple of W), and at the edges, it loads element by element.
//
// Launch: grid (⌈n/128⌉, ⌈m/128⌉), block 256.
// Napkin: a tile's 1024 multiply-adds per thread take two warps of a scheduler 2048 cycles at least; global memory answers in 800.
// Shared memory: twice (128 + W)·DEPTH and 128·DEPTH elements: 33280 bytes in f32, 33024 in f64.

template <typename T> struct Chunk;
template <> struct Chunk<float> { typedef float4 Type; };
template <> struct Chunk<double> { typedef double2 Type; };

// W elements that may be moved as one.
template <typename T, int W>
union Vector {
    typename Chunk<T>::Type all;
    T each[W];
};

// W elements of a row-major matrix, from `from` on; zeros where `row` or the columns from `col` on are outside.
template <typename T, int W>
__device__ Vector<T, W> load(const T* __restrict__ from, long long row, long long rows, long long col, long long cols) {
    Vector<T, W> got;
    const T* at = from + row * cols + col;
    if (row < rows && col + W <= cols && cols % W == 0) {
        got.all = *reinterpret_cast<const typename Chunk<T>::Type*>(at);
    } else {
#pragma unroll
        for (int e = 0; e < W; ++e) {
            got.each[e] = row < rows && col + e < cols ? at[e] : T(0);
        }
    }
    return got;
}

template <typename T>
__device__ void double_buffered(T* __restrict__ c, const T* __restrict__ a, const T* __restrict__ b, int m, int n, int k) {
    // TASK: a bonus. As `vectorised`, with two buffers: fetch the next tiles into registers before the products of the current
    // ones, store them into the other buffer after. One barrier per step is left: which one?
    // BEGIN SOLUTION
    constexpr int TILE = 128, DEPTH = 64 / sizeof(T), EACH = 8, ACROSS = TILE / EACH, THREADS = ACROSS * ACROSS;
    constexpr int W = 16 / sizeof(T), CHUNKS = EACH / W, APART = ACROSS * W;
    typedef Vector<T, W> Elements;
    // Rows of the transposed tile are W longer than needed: stores of one column then spread over the banks.
    __shared__ __align__(16) T tile_a[2][DEPTH][TILE + W];
    __shared__ __align__(16) T tile_b[2][DEPTH][TILE];

    const int x = threadIdx.x % ACROSS;
    const int y = threadIdx.x / ACROSS;
    const long long top = (long long)blockIdx.y * TILE;
    const long long left = (long long)blockIdx.x * TILE;

    constexpr int TURNS = TILE * DEPTH / W / THREADS;  // for each of the two tiles
    Elements next_a[TURNS], next_b[TURNS];             // the next tiles' elements, on their way
    auto fetch = [&](long long start) {
#pragma unroll
        for (int turn = 0; turn < TURNS; ++turn) {
            const int chunk = threadIdx.x + turn * THREADS;
            next_a[turn] = load<T, W>(a, top + chunk / (DEPTH / W), m, start + chunk % (DEPTH / W) * W, k);
            next_b[turn] = load<T, W>(b, start + chunk / (TILE / W), k, left + chunk % (TILE / W) * W, n);
        }
    };
    auto store = [&](int buffer) {
#pragma unroll
        for (int turn = 0; turn < TURNS; ++turn) {
            const int chunk = threadIdx.x + turn * THREADS;
#pragma unroll
            for (int e = 0; e < W; ++e) {
                tile_a[buffer][chunk % (DEPTH / W) * W + e][chunk / (DEPTH / W)] = next_a[turn].each[e];
            }
            reinterpret_cast<Elements&>(tile_b[buffer][chunk / (TILE / W)][chunk % (TILE / W) * W]).all = next_b[turn].all;
        }
    };

    T sum[EACH][EACH] = {};
    int buffer = 0;
    fetch(0);
    store(buffer);
    __syncthreads();
    for (long long start = 0; start < k; start += DEPTH) {
        const bool more = start + DEPTH < k;
        if (more) {
            fetch(start + DEPTH);  // nothing waits for these loads until `store` below
        }
#pragma unroll
        for (int p = 0; p < DEPTH; ++p) {
            Elements of_a[CHUNKS], of_b[CHUNKS];
#pragma unroll
            for (int i = 0; i < CHUNKS; ++i) {
                of_a[i].all = reinterpret_cast<Elements&>(tile_a[buffer][p][W * y + APART * i]).all;
                of_b[i].all = reinterpret_cast<Elements&>(tile_b[buffer][p][W * x + APART * i]).all;
            }
#pragma unroll
            for (int i = 0; i < EACH; ++i) {
#pragma unroll
                for (int j = 0; j < EACH; ++j) {
                    sum[i][j] += of_a[i / W].each[i % W] * of_b[j / W].each[j % W];
                }
            }
        }
        if (more) {
            buffer = 1 - buffer;
            store(buffer);
        }
        __syncthreads();  // the next tiles are complete, and the current ones no longer in use
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const long long row = top + W * y + APART * (i / W) + i % W;
#pragma unroll
        for (int j = 0; j < CHUNKS; ++j) {
            const long long col = left + W * x + APART * j;
            Elements result;
#pragma unroll
            for (int e = 0; e < W; ++e) {
                result.each[e] = sum[i][j * W + e];
            }
            if (row < m && col + W <= n && n % W == 0) {
                reinterpret_cast<Elements&>(c[row * n + col]).all = result.all;
            } else {
#pragma unroll
                for (int e = 0; e < W; ++e) {
                    if (row < m && col + e < n) {
                        c[row * n + col + e] = result.each[e];
                    }
                }
            }
        }
    }
    // END SOLUTION
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void __launch_bounds__(256)                                                        \
        double_buffered_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {                         \
        double_buffered<T>(c, a, b, m, n, k);                                                                \
    }

KERNEL(float, f32)
KERNEL(double, f64)
