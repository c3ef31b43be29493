// Copies past the registers: C = A·B with A m×k, B k×n, C m×n, row-major. As `double_buffered`, but the copy engine of a
// multiprocessor (cp.async, since sm_80) takes the elements from global into shared memory: no register waits for them, so
// that three tiles can be on their way instead of one. A's elements go one by one, 4 bytes each, for each has to land in
// another row of the transposed tile; B's go by sixteen bytes.
//
// Block (bx, by) owns the 128×128 tile of C at row 128·by, column 128·bx. Thread 16·y + x owns 8×8 elements in chunks of 4×4:
// rows 4·y + 64·i, columns 4·x + 64·j. A block whose tile sticks out of C, and any block where rows of B do not start at
// multiples of 16 bytes or k is no multiple of 8, copies element by element and puts zeros where there is none.
//
// Launch: grid (⌈n/128⌉, ⌈m/128⌉), block 256.
// Napkin: a warp copies 8 steps of k of 4 rows at once: 4 sectors of 32 bytes, used whole. In shared memory they lie in rows of
// 132 floats: bank 4·p + row, another one for each lane.
// Shared memory: four stages of 8·132 and 8·128 floats, 33280 bytes.
// requires: sm_80

constexpr int TILE = 128, DEPTH = 8, STAGES = 4, THREADS = 256;

struct Stage {
    float a[DEPTH][TILE + 4];  // transposed
    float b[DEPTH][TILE];
};

// Copies 4 bytes into shared memory, or writes zeros there where `inside` is false; nobody waits for it yet.
__device__ __forceinline__ void copy4(unsigned to, const float* from, bool inside) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(inside ? 4 : 0));
}

// Copies 16 bytes, around the first-level cache.
__device__ __forceinline__ void copy16(unsigned to, const float* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}

// Makes a group of the copies since the last one.
__device__ __forceinline__ void commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until no more than the youngest PENDING groups of this thread are under way.
template <int PENDING>
__device__ __forceinline__ void wait_for_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

__device__ __forceinline__ unsigned shared_address(const void* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// WHOLE: the tile lies in C, rows of B are aligned and DEPTH divides k.
template <bool WHOLE>
__device__ __forceinline__ void async_copy(
    Stage (&stages)[STAGES], float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int m, int n, int k) {
    const int x = threadIdx.x % 16;
    const int y = threadIdx.x / 16;
    const long long top = (long long)blockIdx.y * TILE;
    const long long left = (long long)blockIdx.x * TILE;
    const int slabs = (k + DEPTH - 1) / DEPTH;

    auto fetch = [&](int slab) {
        if (slab < slabs) {
            Stage& stage = stages[slab % STAGES];
            const long long start = (long long)slab * DEPTH;
#pragma unroll
            for (int turn = 0; turn < TILE * DEPTH / THREADS; ++turn) {
                const int p = threadIdx.x % DEPTH, row = threadIdx.x / DEPTH + turn * (THREADS / DEPTH);
                const bool inside = WHOLE || (top + row < m && start + p < k);
                copy4(shared_address(&stage.a[p][row]), inside ? a + (top + row) * k + start + p : a, inside);
            }
            const int p = threadIdx.x / (TILE / 4), col = threadIdx.x % (TILE / 4) * 4;
            const float* from = b + (start + p) * n + left + col;
            if (WHOLE) {
                copy16(shared_address(&stage.b[p][col]), from);
            } else {
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const bool inside = start + p < k && left + col + e < n;
                    copy4(shared_address(&stage.b[p][col + e]), inside ? from + e : b, inside);
                }
            }
        }
        commit();  // a group for each slab, if only an empty one: so the groups can be counted
    };

    float sum[8][8] = {};
#pragma unroll
    for (int slab = 0; slab < STAGES - 1; ++slab) {
        fetch(slab);
    }
    for (int slab = 0; slab < slabs; ++slab) {
        wait_for_copies<STAGES - 2>();
        __syncthreads();  // everyone's copies of this slab have landed, and nobody reads the slab before it any more
        fetch(slab + STAGES - 1);  // into the buffer of the slab before
        const Stage& stage = stages[slab % STAGES];
#pragma unroll
        for (int p = 0; p < DEPTH; ++p) {
            float of_a[8], of_b[8];
#pragma unroll
            for (int i = 0; i < 8; i += 4) {
                *reinterpret_cast<float4*>(of_a + i) = *reinterpret_cast<const float4*>(&stage.a[p][4 * y + 16 * i]);
                *reinterpret_cast<float4*>(of_b + i) = *reinterpret_cast<const float4*>(&stage.b[p][4 * x + 16 * i]);
            }
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    sum[i][j] += of_a[i] * of_b[j];
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const long long row = top + 4 * y + 64 * (i / 4) + i % 4;
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            const long long col = left + 4 * x + 16 * j;
            if (WHOLE) {
                *reinterpret_cast<float4*>(c + row * n + col) = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
            } else {
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    if (row < m && col + e < n) {
                        c[row * n + col + e] = sum[i][j + e];
                    }
                }
            }
        }
    }
}

#define KERNEL(dtype)                                                                                        \
    extern "C" __global__ void __launch_bounds__(THREADS, 2)                                                 \
        async_copy_##dtype(float* c, const float* a, const float* b, int m, int n, int k) {                  \
        __shared__ __align__(16) Stage stages[STAGES];                                                       \
        const bool inside = (blockIdx.y + 1ll) * TILE <= m && (blockIdx.x + 1ll) * TILE <= n;                \
        if (inside && n % 4 == 0 && k % DEPTH == 0) {                                                        \
            async_copy<true>(stages, c, a, b, m, n, k);                                                      \
        } else {                                                                                             \
            async_copy<false>(stages, c, a, b, m, n, k);                                                     \
        }                                                                                                    \
    }

KERNEL(f32)
