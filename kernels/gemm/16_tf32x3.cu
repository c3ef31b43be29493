// Tensor cores at the error of fp32: C = A·B with A m×k, B k×n, C m×n, row-major. Tensor cores multiply TF32, fp32 with 11 bits of
// mantissa instead of 24. Each element is split in two of them, x = high + low up to 2⁻²², and of the four products three are
// taken: high·high + high·low + low·high. The fourth is below the rounding of fp32.
//
// Tensor cores truncate their sums instead of rounding them, always towards zero: over a long k that would add up. So each slab of
// 16 steps of k is summed up there from zero on, six products deep, and added to the sum in fp32 by ordinary additions. The
// error against f64 is then below that of fp32's own multiply-adds, which round once per step of k. An infinite element makes NaN.
//
// Block (bx, by) owns the 128×128 tile of C at row 128·by, column 128·bx, warp w the part at row 64·(w / 4), column 32·(w % 4): 4×4
// fragments of 16×8. Lane 4·g + t of a fragment owns the elements [g][2t], [g][2t + 1], [g + 8][2t], [g + 8][2t + 1] of C; of A
// [g][t], [g + 8][t], [g][t + 4], [g + 8][t + 4], as ldmatrix deals them out; of B [t][g], [t + 4][g]. Where a tile sticks out of
// C, rows are not aligned to 16 bytes or k is no multiple of DEPTH, a block copies element by element and puts zeros where there is none.
//
// Launch: grid (⌈n/128⌉, ⌈m/128⌉), block 256, 143360 bytes of shared memory for DEPTH 32 or, where a block may not have as much,
// 75776 for DEPTH 16: the kernel looks at what it was given. Deeper slabs wait for each other half as often.
// Napkin: three products at twice the rate of ordinary multiply-adds each would gain nothing; tensor cores have eight times it
// in TF32, five as mma.sync feeds them. Rows of DEPTH + 4 and 136 floats: fragments then fall into 32 different banks.
// Shared memory: four stages of 128·(DEPTH + 4) and DEPTH·136 floats, and the barrier in two halves of `split_barrier`.
// Registers: 64 sums, 64 of the slab, 24 for the fragments to come, 48 for the split ones.
// requires: sm_80

constexpr int TILE = 128, THREADS = 256;
constexpr int STAGES = 4, FILLED = 2;  // buffers, and those that are filled ahead
constexpr int ROW_B = TILE + 8;        // floats

// The floats of a stage: rows of A are padded by 4, rows of B by 8.
__host__ __device__ constexpr int stage_of(int depth) {
    return TILE * (depth + 4) + depth * ROW_B;
}

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

// An mbarrier: a count of arrivals in shared memory. A phase ends with the last of `threads` arrivals, and the next begins.
__device__ __forceinline__ void init_barrier(unsigned barrier, int threads) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(threads) : "memory");
}

__device__ __forceinline__ void arrive_at(unsigned barrier) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(barrier) : "memory");
}

// Waits for the end of a phase: of the even ones for parity 0, of the odd ones for parity 1.
__device__ __forceinline__ void wait_at(unsigned barrier, unsigned parity) {
    unsigned ended;
    do {
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(ended)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    } while (!ended);
    __syncwarp();  // lanes may leave the loop one by one; what follows wants them together
}

// x as the sum of two TF32 numbers: the upper 11 bits, rounded, and what they leave, of which tensor cores take the upper 11.
__device__ __forceinline__ void split(float x, unsigned& high, unsigned& low) {
    high = (__float_as_uint(x) + 0x1000u) & 0xffffe000u;
    low = __float_as_uint(x - __uint_as_float(high));
}

// d += a·b for 16×8 and 8×8 elements.
__device__ __forceinline__ void multiply_add(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// WHOLE: the tile lies in C, rows of A and B are aligned and DEPTH divides k.
template <int DEPTH, bool WHOLE>
__device__ __forceinline__ void tf32x3(
    float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int m, int n, int k, long long top, long long left) {
    constexpr int ROW_A = DEPTH + 4, STAGE = stage_of(DEPTH), CHUNKS = DEPTH / 4, APART_A = THREADS / CHUNKS, TURNS = DEPTH / 8;
    extern __shared__ __align__(16) float stages[];  // of each stage A's tile, then B's
    __shared__ __align__(8) unsigned long long barrier_words;
    const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(stages));
    const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&barrier_words));
    if (threadIdx.x == 0) {
        init_barrier(barrier, THREADS);
    }
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = warp / 4 * 64, col = warp % 4 * 32;
    const int slabs = (k + DEPTH - 1) / DEPTH;

    // What this thread copies: 16 bytes of rows APART_A apart of A, and of rows 8 apart of B.
    const int copy_row = threadIdx.x / CHUNKS, copy_p = threadIdx.x % CHUNKS * 4;
    const int copy_k = threadIdx.x / 32, copy_col = threadIdx.x % 32 * 4;
    const float* from_a = a + (top + copy_row) * k + copy_p;
    const float* from_b = b + (long long)copy_k * n + left + copy_col;
    const unsigned to_a = shared + 4 * (copy_row * ROW_A + copy_p);
    const unsigned to_b = shared + 4 * (TILE * ROW_A + copy_k * ROW_B + copy_col);
    int start = 0;  // of the slab to fetch
    auto fetch = [&](unsigned stage) {
        const float* from = from_a;
#pragma unroll(WHOLE ? TURNS : 1)
        for (int turn = 0; turn < TURNS; ++turn) {
            const unsigned into_a = to_a + 4 * (stage + APART_A * turn * ROW_A), into_b = to_b + 4 * (stage + 8 * turn * ROW_B);
            if (WHOLE) {
                copy16(into_a, from);
                copy16(into_b, from_b);
            } else {
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const bool in_a = top + copy_row + APART_A * turn < m && start + copy_p + e < k;
                    const bool in_b = start + copy_k + 8 * turn < k && left + copy_col + e < n;
                    copy4(into_a + 4 * e, in_a ? from + e : a, in_a);
                    copy4(into_b + 4 * e, in_b ? from_b + e : b, in_b);
                }
            }
            from += (long long)APART_A * k;
            from_b += 8ll * n;
        }
        from_a += DEPTH;
        start += DEPTH;
    };

    float of_a[2][4][4], of_b[2][4][2];  // [which][fragment][element]: of the 8 steps of k that are multiplied, and of the next
    const unsigned at_a = shared + 4 * ((row + lane % 16) * ROW_A + lane / 16 * 4);
    const float* const at_b = stages + TILE * ROW_A + lane % 4 * ROW_B + col + lane / 4;
    auto read = [&](int which, unsigned stage, int p) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float(&x)[4] = of_a[which][i];
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                         : "r"(at_a + 4 * (stage + 16 * i * ROW_A + p))
                         : "memory");
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            of_b[which][j][0] = at_b[stage + p * ROW_B + 8 * j];
            of_b[which][j][1] = at_b[stage + (p + 4) * ROW_B + 8 * j];
        }
    };

    float sum[4][4][4] = {};            // [fragment down][fragment across][element]
    unsigned writing = 0, reading = 0;  // the stages' offsets, in floats
#pragma unroll
    for (int slab = 0; slab < FILLED; ++slab) {
        if (slab < slabs) {
            fetch(writing);
        }
        commit();
        writing += STAGE;
    }
    wait_for_copies<FILLED - 1>();
    __syncthreads();  // the first slab is complete
    read(0, reading, 0);
    for (int slab = 0; slab < slabs; ++slab) {
        float part[4][4][4] = {};
#pragma unroll
        for (int p = 0; p < DEPTH; p += 8) {
            const int which = p / 8 % 2;
            if (p + 8 < DEPTH) {
                read(1 - which, reading, p + 8);
            } else {
                reading = reading == (STAGES - 1) * STAGE ? 0 : reading + STAGE;
                wait_at(barrier, slab % 2);  // everyone's copies of the next slab have landed
                if (slab + 1 < slabs) {
                    read(1 - which, reading, 0);
                }
            }
            if (p == 0) {
                wait_for_copies<0>();  // this thread's part of the next slab: asked for a slab ago
                arrive_at(barrier);    // and done with the slab before
            }
            if (p == 8) {
                if (slab + FILLED < slabs) {
                    fetch(writing);
                }
                commit();
                writing = writing == (STAGES - 1) * STAGE ? 0 : writing + STAGE;
            }
            unsigned high_a[4][4], low_a[4][4], high_b[4][2], low_b[4][2];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    split(of_a[which][i][e], high_a[i][e], low_a[i][e]);
                }
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    split(of_b[which][i][e], high_b[i][e], low_b[i][e]);
                }
            }
            // The small products first. Sixteen sums in turn: none is asked for again before it is there.
#pragma unroll
            for (int product = 0; product < 3; ++product) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
#pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        multiply_add(part[i][j], product == 0 ? low_a[i] : high_a[i], product == 1 ? low_b[j] : high_b[j]);
                    }
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    sum[i][j][e] += part[i][j][e];
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const long long own_row = top + row + 16 * i + lane / 4 + 8 * half, own_col = left + col + 8 * j + lane % 4 * 2;
                const float* const two = sum[i][j] + 2 * half;
                if (WHOLE) {
                    *reinterpret_cast<float2*>(c + own_row * n + own_col) = make_float2(two[0], two[1]);
                } else {
                    if (own_row < m && own_col < n) {
                        c[own_row * n + own_col] = two[0];
                    }
                    if (own_row < m && own_col + 1 < n) {
                        c[own_row * n + own_col + 1] = two[1];
                    }
                }
            }
        }
    }
}

template <int DEPTH>
__device__ __forceinline__ void tf32x3(float* c, const float* a, const float* b, int m, int n, int k) {
    const long long top = (long long)blockIdx.y * TILE, left = (long long)blockIdx.x * TILE;
    if (top + TILE <= m && left + TILE <= n && n % 4 == 0 && k % DEPTH == 0) {
        tf32x3<DEPTH, true>(c, a, b, m, n, k, top, left);
    } else {
        tf32x3<DEPTH, false>(c, a, b, m, n, k, top, left);
    }
}

#define KERNEL(dtype)                                                                                        \
    extern "C" __global__ void __launch_bounds__(THREADS, 1)                                                 \
        tf32x3_##dtype(float* c, const float* a, const float* b, int m, int n, int k) {                      \
        unsigned given;                                                                                      \
        asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(given));                                               \
        if (given >= 4 * STAGES * stage_of(32)) {                                                            \
            tf32x3<32>(c, a, b, m, n, k);                                                                    \
        } else {                                                                                             \
            tf32x3<16>(c, a, b, m, n, k);                                                                    \
        }                                                                                                    \
    }

KERNEL(f32)
