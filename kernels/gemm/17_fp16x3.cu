// Tensor cores at half precision and the error of fp32: C = A·B with A m×k, B k×n, C m×n, row-major. Each element is split in two fp16
// numbers, x·s = high + low up to 2⁻²⁴ of x·s, and of the four products three are taken, as in `tf32x3`: high·high + high·low +
// low·high. fp16 multiplies at twice the rate of TF32, but knows only magnitudes from 2⁻²⁴ to 2¹⁶. So each row of A and each
// column of B is scaled by a power of two of its own, anew for every SLAB steps of k: its largest element then lies in [2¹⁴, 2¹⁵), and one
// that is 2¹⁷ times smaller still has all its bits. An infinite element makes NaN, as does NaN.
//
// Two launches. `fp16x3_split` writes the parts of A and of B as the tensor cores want to read them: for each tile of ROWS rows of A, or COLUMNS
// columns of B, and each slab, DEPTH steps of k after DEPTH steps the high parts and the low ones, k along 64-byte rows whose 16-byte
// chunks are swizzled, then the factors that undo the scales. What sticks out of A and B is zero there, so `fp16x3` knows no edges but C's.
// Launch: a block of 256 for each tile and slab, A's before B's.
//
// `fp16x3`: a block of 384 goes from tile to tile of C, 128×192, or 128×128 where those would be few. One thread of its first four warps brings
// the parts by bulk copies, DEPTH steps of k a stage, STAGES ahead; mbarriers tell when a stage is full, and when empty. The two warpgroups behind it have 64 rows of the tile
// each and multiply with wgmma, straight from shared memory; they take turns, so that one's additions are under the other's products. Tensor
// cores truncate their sums: those of a slab begin at zero, and join the sum in fp32 with the scales undone.
//
// Launch: grid up to a block per multiprocessor, block 384, 215040 or 199680 bytes of shared memory.
// Napkin: three products at 16 times the rate of fp32's multiply-adds: 5 times as fast, before power binds. Shared memory gives the tensor cores
// 8 KB for each 64×192×16 products, 83 bytes a cycle of 128, and takes 27: with columns 128 wide it would be 96 and 43, too much.
// Registers: 96 sums, 96 of the slab; so the copying warps give theirs away.
// requires: sm_90a

using u32 = unsigned;
using u64 = unsigned long long;

constexpr int ROWS = 128;  // of a tile of C
constexpr int SLAB = 64;   // steps of k with scales of their own
constexpr int BAND = 8;    // rows of tiles that are walked together: their parts stay in the second-level cache

// A tile of so many columns, and a ring of so many stages of so many steps of k.
template <int COLUMNS_, int DEPTH_, int STAGES_>
struct Shape {
    static constexpr int COLUMNS = COLUMNS_, DEPTH = DEPTH_, STAGES = STAGES_;
    static constexpr int LINE = 2 * DEPTH;  // bytes of a row of one part
    static constexpr int PART_A = ROWS * LINE, PART_B = COLUMNS * LINE;
    // A stage: A's high part and low part, B's, and the factors of each.
    static constexpr int AT_B = 2 * PART_A, AT_FACTORS_A = AT_B + 2 * PART_B, AT_FACTORS_B = AT_FACTORS_A + 4 * ROWS;
    static constexpr int FILLED = AT_FACTORS_B + 4 * COLUMNS, STAGE = (FILLED + 1023) / 1024 * 1024;
    static constexpr int SUMS = COLUMNS / 2;  // a thread's: two rows of its warpgroup's 64, a quarter of the columns
};

// Bytes of a slab of so many rows or columns: two parts of 2 bytes an element, and a factor for each.
__host__ __device__ constexpr int bytes_of(int rows) {
    return rows * (2 * 2 * SLAB + 4);
}

// Where chunk `chunk` of a row lies among its chunks: a row has 64 or 128 bytes, and eight rows lie in 32 different banks.
template <int DEPTH>
__device__ __forceinline__ int swizzled(int chunk, int row) {
    return DEPTH == 64 ? chunk ^ row % 8 : chunk ^ row / 2 % 4;
}

// Writes eight elements of one row, steps 8·chunk to 8·chunk + 7 of a slab. The row's other chunks are with the seven lanes beside.
template <int DEPTH>
__device__ __forceinline__ void put(char* slab, int rows, int row, int chunk, const float (&x)[8]) {
    float most = 0;
#pragma unroll
    for (int e = 0; e < 8; ++e) {
        most = fmaxf(most, fabsf(x[e]));
    }
#pragma unroll
    for (int apart = 1; apart < 8; apart *= 2) {
        most = fmaxf(most, __shfl_xor_sync(~0u, most, apart));
    }
    // 2¹⁴ over the power of two in `most`, and the inverse. Exponents are biased by 127; below 15 the scale would be no number.
    const u32 exponent = max(__float_as_uint(most) >> 23, 15u);
    const float scale = __uint_as_float((2 * 127 + 14 - exponent) << 23), factor = __uint_as_float((exponent - 14) << 23);
    u32 high[4], low[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float even = x[2 * i] * scale, odd = x[2 * i + 1] * scale;
        float high_even, high_odd;
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(high[i]) : "f"(odd), "f"(even));
        asm("{ .reg .b16 even, odd; mov.b32 {even, odd}, %2; cvt.f32.f16 %0, even; cvt.f32.f16 %1, odd; }"
            : "=f"(high_even), "=f"(high_odd)
            : "r"(high[i]));
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(low[i]) : "f"(odd - high_odd), "f"(even - high_even));
    }
    constexpr int LINE = 2 * DEPTH;
    char* const to = slab + chunk / (DEPTH / 8) * 2 * rows * LINE + row * LINE + 16 * swizzled<DEPTH>(chunk % (DEPTH / 8), row);
    *reinterpret_cast<uint4*>(to) = make_uint4(high[0], high[1], high[2], high[3]);
    *reinterpret_cast<uint4*>(to + rows * LINE) = make_uint4(low[0], low[1], low[2], low[3]);
    if (chunk == 0) {
        reinterpret_cast<float*>(slab + rows * (2 * 2 * SLAB))[row] = factor;
    }
}

template <class Shape>
__device__ __forceinline__ void split(char* parts, const float* __restrict__ a, const float* __restrict__ b, int m, int n, int k) {
    constexpr int COLUMNS = Shape::COLUMNS, DEPTH = Shape::DEPTH;
    const int slabs = (k + SLAB - 1) / SLAB, of_a = (m + ROWS - 1) / ROWS * slabs;
    const int chunk = threadIdx.x % 8, line = threadIdx.x / 8, start = blockIdx.x % slabs * SLAB + 8 * chunk;
    if (blockIdx.x < of_a) {
        char* const slab = parts + (long long)blockIdx.x * bytes_of(ROWS);
        const int top = blockIdx.x / slabs * ROWS;
        const bool whole = top + ROWS <= m && start + 8 <= k && k % 4 == 0;
#pragma unroll
        for (int row = line; row < ROWS; row += 32) {
            const float* const from = a + (long long)(top + row) * k + start;
            float x[8];
            if (whole) {
                const float4 left = *reinterpret_cast<const float4*>(from), right = *reinterpret_cast<const float4*>(from + 4);
                x[0] = left.x, x[1] = left.y, x[2] = left.z, x[3] = left.w;
                x[4] = right.x, x[5] = right.y, x[6] = right.z, x[7] = right.w;
            } else {
                for (int e = 0; e < 8; ++e) {
                    x[e] = top + row < m && start + e < k ? from[e] : 0;
                }
            }
            put<DEPTH>(slab, ROWS, row, chunk, x);
        }
    } else {
        const int tile = blockIdx.x - of_a, left = tile / slabs * COLUMNS;
        char* const slab = parts + (long long)of_a * bytes_of(ROWS) + (long long)tile * bytes_of(COLUMNS);
        const bool whole = left + COLUMNS <= n && start + 8 <= k && n % 4 == 0;
#pragma unroll 1
        for (int column = 4 * line; column < COLUMNS; column += 4 * 32) {
            const float* from = b + (long long)start * n + left + column;
            float x[4][8];  // turned: [column][step of k]
#pragma unroll
            for (int e = 0; e < 8; ++e) {
                if (whole) {
                    const float4 four = *reinterpret_cast<const float4*>(from);
                    x[0][e] = four.x, x[1][e] = four.y, x[2][e] = four.z, x[3][e] = four.w;
                } else {
                    for (int j = 0; j < 4; ++j) {
                        x[j][e] = start + e < k && left + column + j < n ? from[j] : 0;
                    }
                }
                from += n;
            }
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                put<DEPTH>(slab, COLUMNS, column + j, chunk, x[j]);
            }
        }
    }
}

__device__ __forceinline__ void init_barrier(u32 barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Waits for the end of a phase: of the even ones for parity 0, of the odd ones for parity 1. Before the first, parity 1 does not wait.
__device__ __forceinline__ void wait_at(u32 barrier, u32 parity) {
    u32 ended;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(ended)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    } while (!ended);
}

// Starts a copy whose bytes count at the barrier when they are there.
__device__ __forceinline__ void copy(u32 to, const char* from, int bytes, u32 barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes),
                 "r"(barrier)
                 : "memory");
}

// Where a part begins and how it lies, for wgmma: swizzled rows, eight of them one behind the other.
template <int LINE>
__device__ __forceinline__ u64 describe(u32 at) {
    return (u64)((at & 0x3ffff) >> 4) | 1ull << 16 | (u64)(8 * LINE >> 4) << 32 | (LINE == 128 ? 1ull : 2ull) << 62;
}

#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)

// d = a·b, or d += a·b where `adds`, of 64×16 and 16×128 or 16×192 elements, by four warps. Nobody waits for it yet.
__device__ __forceinline__ void multiply(float (&d)[64], u64 a, u64 b, int adds) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
                 "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
                 "}, %64, %65, p, 1, 1, 0, 0; }"
                 : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)
                 : "l"(a), "l"(b), "r"(adds)
                 : "memory");
}

__device__ __forceinline__ void multiply(float (&d)[96], u64 a, u64 b, int adds) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %98, 0; wgmma.mma_async.sync.aligned.m64n192k16.f32.f16.f16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
                 "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, "
                 "%72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
                 "}, %96, %97, p, 1, 1, 0, 0; }"
                 : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48), SIXTEEN(64), SIXTEEN(80)
                 : "l"(a), "l"(b), "r"(adds)
                 : "memory");
}

// The sums are written by what the compiler does not see: none of them is moved over this point.
template <int SUMS>
__device__ __forceinline__ void pin(float (&d)[SUMS]) {
#pragma unroll
    for (int i = 0; i < SUMS; i += 16) {
        asm volatile("" : SIXTEEN(i)::"memory");
    }
}

template <class Shape>
__device__ __forceinline__ void multiply_tiles(float* __restrict__ c, const char* __restrict__ of_a, const char* __restrict__ of_b, int m, int n, int k) {
    constexpr int COLUMNS = Shape::COLUMNS, DEPTH = Shape::DEPTH, STAGES = Shape::STAGES, STAGE = Shape::STAGE, SUMS = Shape::SUMS;
    constexpr int LINE = Shape::LINE, PART_A = Shape::PART_A, PART_B = Shape::PART_B, AT_B = Shape::AT_B;
    constexpr int AT_FACTORS_A = Shape::AT_FACTORS_A, AT_FACTORS_B = Shape::AT_FACTORS_B, FILLED = Shape::FILLED;
    constexpr int HALVES = SLAB / DEPTH;  // stages of a slab: one or two
    extern __shared__ __align__(1024) unsigned char stages[];
    __shared__ __align__(8) u64 barriers[2 * STAGES];
    const u32 shared = static_cast<u32>(__cvta_generic_to_shared(stages));
    const u32 full = static_cast<u32>(__cvta_generic_to_shared(barriers)), empty = full + 8 * STAGES;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; ++stage) {
            init_barrier(full + 8 * stage, 1);
            init_barrier(empty + 8 * stage, 8);  // warps
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();

    const int slabs = (k + SLAB - 1) / SLAB, down = (m + ROWS - 1) / ROWS, across = (n + COLUMNS - 1) / COLUMNS;
    // The row and column of a tile, in tiles: column after column of a band.
    auto place = [&](int tile, int& row, int& column) {
        const int band = tile / (BAND * across), in_band = tile % (BAND * across), height = min(BAND, down - band * BAND);
        row = band * BAND + in_band % height;
        column = in_band / height;
    };
    u32 stage = 0, parity = 0;
    auto advance = [&] {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    };
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (int tile = blockIdx.x; threadIdx.x == 0 && tile < down * across; tile += gridDim.x) {
            int row, column;
            place(tile, row, column);
            const char* from_a = of_a + (long long)row * slabs * bytes_of(ROWS);
            const char* from_b = of_b + (long long)column * slabs * bytes_of(COLUMNS);
            for (int slab = 0; slab < slabs; ++slab) {
                for (int half = 0; half < HALVES; ++half) {
                    wait_at(empty + 8 * stage, parity ^ 1);
                    const u32 to = shared + stage * STAGE, barrier = full + 8 * stage;
                    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(FILLED) : "memory");
                    copy(to, from_a + half * 2 * PART_A, 2 * PART_A, barrier);
                    copy(to + AT_B, from_b + half * 2 * PART_B, 2 * PART_B, barrier);
                    copy(to + AT_FACTORS_A, from_a + 2 * 2 * SLAB * ROWS, 4 * ROWS, barrier);
                    copy(to + AT_FACTORS_B, from_b + 2 * 2 * SLAB * COLUMNS, 4 * COLUMNS, barrier);
                    advance();
                }
                from_a += bytes_of(ROWS);
                from_b += bytes_of(COLUMNS);
            }
        }
        return;
    }

    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int group = threadIdx.x / 128 - 1, lane = threadIdx.x % 32;
    const int own_row = group * 64 + threadIdx.x / 32 % 4 * 16 + lane / 4, own_column = lane % 4 * 2;
    // This warp has done with a stage.
    auto release = [&](u32 which) {
        __syncwarp();
        if (lane == 0) {
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(empty + 8 * which) : "memory");
        }
    };
    int turns = blockIdx.x < down * across ? (down * across - 1 - blockIdx.x) / gridDim.x * slabs + slabs : 0;
    if (group == 1 && turns > 0) {
        asm volatile("barrier.cta.arrive 1, 256;" ::: "memory");  // the first turn is group 0's
    }
    for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
        float sum[SUMS] = {}, d[SUMS] = {};
        for (int slab = 0; slab < slabs; ++slab, --turns) {
            asm volatile("barrier.cta.sync %0, 256;" ::"r"(1 + group) : "memory");  // our turn
            const u32 first = stage;
#pragma unroll
            for (int half = 0; half < HALVES; ++half) {
                wait_at(full + 8 * stage, parity);
                const u32 at_a = shared + stage * STAGE + group * 64 * LINE, at_b = shared + stage * STAGE + AT_B;
                pin(d);
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
                // The small products first.
#pragma unroll
                for (int product = 0; product < 3; ++product) {
                    if (HALVES == 1 && product == 2) {
                        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                    }
#pragma unroll
                    for (int p = 0; p < LINE; p += 32) {
                        const u32 low_a = product == 0 ? PART_A : 0, low_b = product == 1 ? PART_B : 0;
                        multiply(d, describe<LINE>(at_a + low_a + p), describe<LINE>(at_b + low_b + p), half + product + p > 0);
                    }
                }
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                if (half + 1 < HALVES) {
                    advance();
                }
            }
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
            if (HALVES > 1) {
                release(first);
            }
            if (group == 0 || turns > 1) {
                asm volatile("barrier.cta.arrive %0, 256;" ::"r"(2 - group) : "memory");  // the other group's turn, under the rest of ours
            }
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            pin(d);
            const unsigned char* const at = stages + stage * STAGE;
            const float* const factors_a = reinterpret_cast<const float*>(at + AT_FACTORS_A) + own_row;
            const float* const factors_b = reinterpret_cast<const float*>(at + AT_FACTORS_B) + own_column;
            const float upper = factors_a[0], lower = factors_a[8];
#pragma unroll
            for (int i = 0; i < SUMS; i += 4) {
                const float2 factor = *reinterpret_cast<const float2*>(factors_b + 2 * i);
                sum[i] = fmaf(d[i], upper * factor.x, sum[i]);
                sum[i + 1] = fmaf(d[i + 1], upper * factor.y, sum[i + 1]);
                sum[i + 2] = fmaf(d[i + 2], lower * factor.x, sum[i + 2]);
                sum[i + 3] = fmaf(d[i + 3], lower * factor.y, sum[i + 3]);
            }
            release(stage);
            advance();
        }
        int row, column;
        place(tile, row, column);
        const long long left = (long long)column * COLUMNS + own_column;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const long long to_row = (long long)row * ROWS + own_row + 8 * half;
            float* const to = c + to_row * n + left;
#pragma unroll
            for (int i = 0; i < SUMS; i += 4) {
                const float* const two = sum + i + 2 * half;
                if (to_row < m && left + 2 * i + 1 < n && n % 2 == 0) {
                    *reinterpret_cast<float2*>(to + 2 * i) = make_float2(two[0], two[1]);
                } else if (to_row < m && left + 2 * i < n) {
                    to[2 * i] = two[0];
                    if (left + 2 * i + 1 < n) {
                        to[2 * i + 1] = two[1];
                    }
                }
            }
        }
    }
}

// Both have the arguments of every rung: the first writes the parts where others write C; the second reads A's and B's as others read A and B.
#define KERNEL(dtype, ROWS, COLUMNS, DEPTH, STAGES)                                                                                 \
    extern "C" __global__ void __launch_bounds__(256)                                                                              \
        fp16x3_split_##dtype##_##ROWS##x##COLUMNS(float* parts, const float* a, const float* b, int m, int n, int k) {             \
        split<Shape<COLUMNS, DEPTH, STAGES>>(reinterpret_cast<char*>(parts), a, b, m, n, k);                                       \
    }                                                                                                                              \
    extern "C" __global__ void __launch_bounds__(384, 1)                                                                           \
        fp16x3_##dtype##_##ROWS##x##COLUMNS(float* c, const float* of_a, const float* of_b, int m, int n, int k) {                 \
        const char *const parts_of_a = reinterpret_cast<const char*>(of_a), *const parts_of_b = reinterpret_cast<const char*>(of_b);  \
        multiply_tiles<Shape<COLUMNS, DEPTH, STAGES>>(c, parts_of_a, parts_of_b, m, n, k);                                         \
    }

KERNEL(f32, 128, 128, 64, 3)
KERNEL(f32, 128, 192, 32, 5)
