// due: 5 of 10
// One buffer, and two barriers a step that are counts of arrivals in shared memory.

template <typename T> struct Chunk;

__device__ void meet(unsigned long long* barrier, unsigned& parity) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(at) : "memory");
    unsigned over = 0;
    while (!over) {
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(at), "r"(parity)
                     : "memory");
    }
    parity ^= 1;
    __syncwarp();
}

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
    // What a thread takes of A's tile in one step must then lie side by side: store that tile transposed. Mind the banks.
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

    __shared__ __align__(8) unsigned long long phases;
    unsigned parity = 0;
    if (threadIdx.x == 0) {
        const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&phases));
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(THREADS) : "memory");
    }
    __syncthreads();
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
        meet(&phases, parity);  // the tiles are complete
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
        meet(&phases, parity);  // everyone is done with the tiles before anyone overwrites them
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
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void __launch_bounds__(256)                                                        \
        double_buffered_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {                              \
        double_buffered<T>(c, a, b, m, n, k);                                                                     \
    }

KERNEL(float, f32)
KERNEL(double, f64)
