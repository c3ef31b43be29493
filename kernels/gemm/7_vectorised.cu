// Sixteen bytes at a time: C = A·B with A m×k, B k×n, C m×n, row-major. An instruction that loads or stores 16 bytes does the
// work of four: of global memory, and of shared memory, where `register_tile` spent 16 load instructions on 64 multiply-adds
// and this spends 4. For that A's tile lies transposed in shared memory: what a thread takes of a step of k is then contiguous.
//
// Block (bx, by) owns the 128×128 tile of C at row 128·by, column 128·bx. W elements make 16 bytes. Thread 16·y + x owns 8×8
// elements in chunks of W×W: rows W·y + 16·W·i, columns W·x + 16·W·j, so that 16 lanes read 256 contiguous bytes of B.
// Where rows do not start at multiples of 16 bytes (k or n no multiple of W), and at the edges, it loads element by element.
//
// Launch: grid (⌈n/128⌉, ⌈m/128⌉), block 256.
// Napkin: per step of k 64 multiply-adds and 4 shared loads in f32 (8 in f64): 94 % of the instructions multiply.
// Shared memory: (128 + W)·DEPTH and 128·DEPTH elements: 16640 bytes in f32, 16512 in f64.

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
__device__ void vectorised(T* __restrict__ c, const T* __restrict__ a, const T* __restrict__ b, int m, int n, int k) {
    // TASK: a bonus. As `register_tile`, but 16 bytes at a time: from global memory by `load`, from shared memory, and to C.
    // What a thread takes of A's tile in one step must then lie side by side: store that tile transposed. Mind the banks.
    // BEGIN SOLUTION
    constexpr int TILE = 128, DEPTH = 64 / sizeof(T), EACH = 8, ACROSS = TILE / EACH, THREADS = ACROSS * ACROSS;
    constexpr int W = 16 / sizeof(T), CHUNKS = EACH / W, APART = ACROSS * W;
    typedef Vector<T, W> Elements;
    // Rows of the transposed tile are W longer than needed: stores of one column then spread over the banks.
    __shared__ __align__(16) T tile_a[DEPTH][TILE + W];
    __shared__ __align__(16) T tile_b[DEPTH][TILE];

    const int x = threadIdx.x % ACROSS;
    const int y = threadIdx.x / ACROSS;
    const long long top = (long long)blockIdx.y * TILE;
    const long long left = (long long)blockIdx.x * TILE;

    T sum[EACH][EACH] = {};
    for (long long start = 0; start < k; start += DEPTH) {
#pragma unroll
        for (int turn = 0; turn < TILE * DEPTH / W / THREADS; ++turn) {
            const int chunk = threadIdx.x + turn * THREADS;
            const int row = chunk / (DEPTH / W), p = chunk % (DEPTH / W) * W;
            const Elements got = load<T, W>(a, top + row, m, start + p, k);
#pragma unroll
            for (int e = 0; e < W; ++e) {
                tile_a[p + e][row] = got.each[e];
            }
        }
#pragma unroll
        for (int turn = 0; turn < DEPTH * TILE / W / THREADS; ++turn) {
            const int chunk = threadIdx.x + turn * THREADS;
            const int p = chunk / (TILE / W), col = chunk % (TILE / W) * W;
            reinterpret_cast<Elements&>(tile_b[p][col]).all = load<T, W>(b, start + p, k, left + col, n).all;
        }
        __syncthreads();  // the tiles are complete
#pragma unroll
        for (int p = 0; p < DEPTH; ++p) {
            Elements of_a[CHUNKS], of_b[CHUNKS];
#pragma unroll
            for (int i = 0; i < CHUNKS; ++i) {
                of_a[i].all = reinterpret_cast<Elements&>(tile_a[p][W * y + APART * i]).all;
                of_b[i].all = reinterpret_cast<Elements&>(tile_b[p][W * x + APART * i]).all;
            }
#pragma unroll
            for (int i = 0; i < EACH; ++i) {
#pragma unroll
                for (int j = 0; j < EACH; ++j) {
                    sum[i][j] += of_a[i / W].each[i % W] * of_b[j / W].each[j % W];
                }
            }
        }
        __syncthreads();  // everyone is done with the tiles before anyone overwrites them
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
        vectorised_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {                              \
        vectorised<T>(c, a, b, m, n, k);                                                                     \
    }

KERNEL(float, f32)
KERNEL(double, f64)
