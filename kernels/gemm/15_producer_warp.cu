// A warp that only copies, and eight that only multiply: C = A·B with A m×k, B k×n, C m×n, row-major. Of the loop of `last_round` 9 % are no
// multiply-adds: reads of shared memory, and copies with their addresses. Here one thread brings a slab of A and a slab of B by two bulk
// copies, up to STAGES slabs ahead, across the ends of tiles too; the loop of the others is multiply-adds and reads, 94 % and 5 %.
//
// Two launches. A bulk copy moves bytes that lie together, so `producer_warp_split` packs A and B first: A's rows in panels of BM, B's
// columns in panels of BN, of each panel slab after slab, DEPTH steps of k, of each step the panel's elements. A is transposed by that:
// the multiplying warps read 16 bytes of a step at once. What sticks out of A and B is zero there, so `producer_warp` knows no edges
// but C's. Launch: a block of 256 for each panel and slab, A's before B's.
//
// `producer_warp`: a block of 384 per multiprocessor goes from tile to tile of 128×256; the tiles of the last round are divided among all
// along k, as in `last_round`. mbarriers tell when a stage is full, and when the eight warps have read it. Warps own WM×WN, lanes 16×8
// elements in chunks of 4×4. Registers are given to four warps at once, so there are three more that copy nothing and end.
//
// Launch: grid SLOTS at most, and as many as there are tiles at least if they are fewer; block 384, 196608 bytes of shared memory.
// Launches that overlap would share `finished`: one stream at a time.
// Napkin: n = 4096 is packed in 270 MB of traffic, 70 to 80 µs beside 2450; at 16384 it is 1.1 ms of 150. One bulk copy for each row of
// B needs no packing, but seventeen copies a slab: the thread that starts them one by one takes slots of its scheduler (0.97 of cuBLAS).
// Registers: 128 sums, 48 operands. Two of three operands come from the register files' two banks at once, or the third stays from the
// multiply-add before: the order goes to and fro along rows.
// requires: sm_90a

using u32 = unsigned;
using u64 = unsigned long long;

constexpr int BM = 128, BN = 256, DEPTH = 16, STAGES = 8;
constexpr int WM = 64, WN = 64, EACH_M = WM / 4, EACH_N = WN / 8;
constexpr int MULTIPLYING = BM / WM * (BN / WN) * 32;  // threads
constexpr int STAGE = DEPTH * (BM + BN);               // floats
constexpr u32 SLOTS = 132;                             // multiprocessors of an H100 or H200
constexpr u32 BAND = 8;  // rows of tiles that are walked together: their panels stay in the second-level cache

// --- Packing -----------------------------------------------------------------------------------------------------------------------
// A slab of A: turned in shared memory, whose rows are a float longer, so that a column lies in different banks.
__device__ __forceinline__ void pack_rows(float* slab, const float* __restrict__ a, int m, int k, int top, int start) {
    __shared__ float turned[DEPTH][BM + 1];
#pragma unroll
    for (int row = threadIdx.x / DEPTH; row < BM; row += 256 / DEPTH) {
        const int p = threadIdx.x % DEPTH;
        turned[p][row] = top + row < m && start + p < k ? a[(long long)(top + row) * k + start + p] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = threadIdx.x; i < DEPTH * BM; i += 256) {
        slab[i] = turned[i / BM][i % BM];
    }
}

// A slab of B: a row of the panel after the other.
__device__ __forceinline__ void pack_columns(float* slab, const float* __restrict__ b, int n, int k, int left, int start) {
    const int column = threadIdx.x % (BN / 4) * 4;
#pragma unroll
    for (int p = threadIdx.x / (BN / 4); p < DEPTH; p += 256 / (BN / 4)) {
        const float* const from = b + (long long)(start + p) * n + left + column;
        float4 four = make_float4(0, 0, 0, 0);
        if (start + p < k && left + column + 4 <= n && n % 4 == 0) {
            four = *reinterpret_cast<const float4*>(from);
        } else if (start + p < k) {
            four.x = left + column < n ? from[0] : 0;
            four.y = left + column + 1 < n ? from[1] : 0;
            four.z = left + column + 2 < n ? from[2] : 0;
            four.w = left + column + 3 < n ? from[3] : 0;
        }
        *reinterpret_cast<float4*>(slab + p * BN + column) = four;
    }
}

__device__ __forceinline__ void pack(float* panels, const float* __restrict__ a, const float* __restrict__ b, int m, int n, int k) {
    const int slabs = (k + DEPTH - 1) / DEPTH, of_a = (m + BM - 1) / BM * slabs;
    if (blockIdx.x < of_a) {
        pack_rows(panels + (long long)blockIdx.x * DEPTH * BM, a, m, k, blockIdx.x / slabs * BM, blockIdx.x % slabs * DEPTH);
    } else {
        const int slab = blockIdx.x - of_a;
        float* const to = panels + (long long)of_a * DEPTH * BM + (long long)slab * DEPTH * BN;
        pack_columns(to, b, n, k, slab / slabs * BN, slab % slabs * DEPTH);
    }
}

// --- Barriers and copies -----------------------------------------------------------------------------------------------------------
__device__ __forceinline__ u32 shared_address(const void* at) {
    return static_cast<u32>(__cvta_generic_to_shared(at));
}

__device__ __forceinline__ void init_barrier(u32 barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Whether a phase has ended: of the even ones for parity 0, of the odd ones for parity 1. Before the first, that of parity 1 has.
__device__ __forceinline__ bool has_ended(u32 barrier, u32 parity) {
    u32 ended;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(ended)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    return ended;
}

// Waits for the end of a phase.
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
__device__ __forceinline__ void copy(u32 to, const float* from, int bytes, u32 barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes),
                 "r"(barrier)
                 : "memory");
}

// The multiplying warps wait for one another.
__device__ __forceinline__ void meet() {
    asm volatile("barrier.cta.sync 1, %0;" ::"n"(MULTIPLYING) : "memory");
}

// Slabs of each tile of the last round whose sums are in C; 0 before and after a launch.
__device__ u32 finished[SLOTS];

// Says that C holds the sums of so many slabs. The block's other threads have written theirs before a barrier.
__device__ __forceinline__ void announce(u32* slabs, u32 count) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(slabs), "r"(count) : "memory");
}

// Waits until C holds the sums of so many slabs.
__device__ __forceinline__ void await(const u32* slabs, u32 count) {
    u32 there;
    do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(there) : "l"(slabs) : "memory");
    } while (there != count);
}

// --- The order of work -------------------------------------------------------------------------------------------------------------
// Slabs [begin, end) of a tile. The warp that copies and those that multiply walk the same works.
struct Work {
    u32 tile, begin, end;
};

// What a block does: its tiles of the whole rounds, then its share of the slabs of all tiles that are left, the last tile first, so that the
// beginning of a tile is there before the block with the rest of it asks.
struct Works {
    u32 next, whole, slabs;  // the next tile; tiles of whole rounds; slabs of a tile
    u32 from, to;            // the share that is left, in slabs behind the whole rounds

    __device__ Works(u32 tiles, u32 slabs_) : next(blockIdx.x), whole(tiles - tiles % gridDim.x), slabs(slabs_) {
        const u64 all = (u64)(tiles - whole) * slabs;
        from = all * blockIdx.x / gridDim.x;
        to = all * (blockIdx.x + 1) / gridDim.x;
    }

    __device__ __forceinline__ bool take(Work& work) {
        if (next < whole) {
            work = {next, 0, slabs};
            next += gridDim.x;
            return true;
        }
        if (to == from) {
            return false;
        }
        const u32 tile = (to - 1) / slabs, first = max(from, tile * slabs);
        work = {whole + tile, first - tile * slabs, to - tile * slabs};
        to = first;
        return true;
    }
};

// Place of a tile, in tiles: bands of rows of tiles, walked column by column.
__device__ __forceinline__ uint2 place_of(u32 tile, u32 wide, u32 high) {
    const u32 first = tile / (BAND * wide) * BAND, in_band = tile % (BAND * wide), rows = min(BAND, high - first);
    return make_uint2(in_band / rows, first + in_band % rows);
}

// A thread's place in the ring of stages.
struct Ring {
    u32 stage = 0, parity = 0;

    __device__ __forceinline__ void advance() {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

// --- The product -------------------------------------------------------------------------------------------------------------------
__device__ __forceinline__ void multiply_tiles(float* c, const float* __restrict__ of_a, const float* __restrict__ of_b, int m, int n, int k) {
    extern __shared__ __align__(128) float stages[];  // of each stage A's slab, then B's
    __shared__ __align__(8) u64 barriers[2 * STAGES];
    const u32 full = shared_address(barriers), empty = full + 8 * STAGES;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; ++stage) {
            init_barrier(full + 8 * stage, 1);
            init_barrier(empty + 8 * stage, MULTIPLYING / 32);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    const u32 wide = (n + BN - 1) / BN, high = (m + BM - 1) / BM, slabs = (k + DEPTH - 1) / DEPTH;
    Works works(wide * high, slabs);
    Work work;

    if (threadIdx.x >= MULTIPLYING) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (Ring ring; threadIdx.x == MULTIPLYING && works.take(work);) {
            const uint2 place = place_of(work.tile, wide, high);
            const float* from_a = of_a + ((long long)place.y * slabs + work.begin) * DEPTH * BM;
            const float* from_b = of_b + ((long long)place.x * slabs + work.begin) * DEPTH * BN;
            for (u32 slab = work.begin; slab < work.end; ++slab) {
                wait_at(empty + 8 * ring.stage, ring.parity ^ 1);
                const u32 to = shared_address(stages + ring.stage * STAGE), barrier = full + 8 * ring.stage;
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "n"(4 * STAGE) : "memory");
                copy(to, from_a, 4 * DEPTH * BM, barrier);
                copy(to + 4 * DEPTH * BM, from_b, 4 * DEPTH * BN, barrier);
                from_a += DEPTH * BM;
                from_b += DEPTH * BN;
                ring.advance();
            }
        }
        return;
    }

    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    // Lane bits 0 and 4 choose the rows, bits 1 to 3 the columns.
    const int row = warp / (BN / WN) * WM + 4 * ((lane & 1) | (lane >> 4 << 1));
    const int col = warp % (BN / WN) * WN + 4 * (lane >> 1 & 7);
    // What comes out of a shuffle the compiler keeps; else it computes it again in every turn of the loop.
    const u32 first_a = __shfl_sync(~0u, shared_address(stages) + 4 * row, lane);
    const u32 first_b = __shfl_sync(~0u, shared_address(stages) + 4 * (DEPTH * BM + col), lane);
    const bool speaks = __shfl_sync(~0u, lane == 0, lane);  // for its warp

    float a[2][EACH_M], b[2][EACH_N];  // of the step of k that is multiplied, and of the next one
    auto read = [&](int which, u32 at_a, u32 at_b, int p) {
        auto four = [](float* to, u32 from) {
            asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3]) : "r"(from));
        };
#pragma unroll
        for (int i = 0; i < EACH_M; i += 4) {
            four(a[which] + i, at_a + 4 * (p * BM + 4 * i));
        }
#pragma unroll
        for (int j = 0; j < EACH_N; j += 4) {
            four(b[which] + j, at_b + 4 * (p * BN + 8 * j));
        }
    };
    u32 at_a = first_a, at_b = first_b, stage = full, parity = 0;  // a stage is known by its barrier
#pragma unroll 1
    while (works.take(work)) {
        float sum[EACH_M][EACH_N] = {};
        wait_at(stage, parity);
        read(0, at_a, at_b, 0);
#pragma unroll 1
        for (u32 left = work.end - work.begin; left > 0; --left) {
            const bool wraps = stage == full + 8 * (STAGES - 1);
            const u32 next_stage = wraps ? full : stage + 8, next_parity = wraps ? parity ^ 1 : parity;
            const u32 next_a = wraps ? first_a : at_a + 4 * STAGE, next_b = wraps ? first_b : at_b + 4 * STAGE;
            bool ready = true;
#pragma unroll
            for (int p = 0; p < DEPTH; ++p) {
                const int which = p % 2;
                if (p + 1 < DEPTH) {
                    read(1 - which, at_a, at_b, p + 1);
                } else {  // behind the last slab nothing is there yet: what is read then is not used
                    read(1 - which, left > 1 ? next_a : at_a, left > 1 ? next_b : at_b, 0);
                }
                // Asked early, and waited for under the multiply-adds of a step: nobody stands at the end of a slab.
                if (p == DEPTH - 4) {
                    ready = left == 1 || has_ended(next_stage, next_parity);
                }
                if (p == DEPTH - 2 && !ready) {
                    wait_at(next_stage, next_parity);
                }
                // Along a row of the thread's tile and back along the next: neighbours share an operand.
#pragma unroll
                for (int step = 0; step < EACH_M * EACH_N; ++step) {
                    const int i = step / EACH_N, j = i % 2 ? EACH_N - 1 - step % EACH_N : step % EACH_N;
                    sum[i][j] += a[which][i] * b[which][j];
                }
            }
            __syncwarp();  // the warp has read the stage
            if (speaks) {
                asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(stage + 8 * STAGES) : "memory");
            }
            stage = next_stage, parity = next_parity, at_a = next_a, at_b = next_b;
        }

        const bool adds = work.begin > 0, whole = work.end - work.begin == slabs;
        u32* const count = finished + (work.tile - works.whole);
        if (adds) {
            if (threadIdx.x == 0) {
                await(count, work.begin);
            }
            meet();
        }
        const float zero = __int_as_float(m >> 31);  // m is positive; the compiler does not know, and adds: sums and operands lie in different banks
        const uint2 place = place_of(work.tile, wide, high);
        const long long top = (long long)place.y * BM, from_left = (long long)place.x * BN;
        float* const corner = c + (top + row) * n + from_left + col;
        if (top + BM <= m && from_left + BN <= n && n % 4 == 0) {
            // Four rows are asked for before the first is stored: the compiler lets no load pass a store, and one after the other they take 9 µs.
#pragma unroll
            for (int first = 0; first < EACH_M; first += 4) {
                float* const rows = corner + 4 * first * (long long)n;
                float4 before[4][EACH_N / 4];
#pragma unroll
                for (int i = 0; i < 4; ++i) {
#pragma unroll
                    for (int j = 0; j < EACH_N / 4; ++j) {
                        // Around the first-level cache, which does not see what other blocks have written.
                        before[i][j] = adds ? __ldcg(reinterpret_cast<float4*>(rows + i * (long long)n + 32 * j)) : make_float4(zero, zero, zero, zero);
                    }
                }
#pragma unroll
                for (int i = 0; i < 4; ++i) {
#pragma unroll
                    for (int j = 0; j < EACH_N / 4; ++j) {
                        const float* const own = &sum[first + i][4 * j];
                        const float4 other = before[i][j];
                        *reinterpret_cast<float4*>(rows + i * (long long)n + 32 * j) =
                            make_float4(own[0] + other.x, own[1] + other.y, own[2] + other.z, own[3] + other.w);
                    }
                }
            }
        } else {
#pragma unroll
            for (int i = 0; i < EACH_M; ++i) {
                const int down = 16 * (i / 4) + i % 4;
                float* const to = corner + down * (long long)n;
#pragma unroll
                for (int j = 0; j < EACH_N; ++j) {
                    const int across = 8 * (j / 4 * 4) + j % 4;
                    if (top + row + down < m && from_left + col + across < n) {
                        to[across] = sum[i][j] + (adds ? __ldcg(to + across) : zero);
                    }
                }
            }
        }
        if (!whole) {
            meet();  // everyone's sums are in C
            if (threadIdx.x == 0) {
                announce(count, work.end < slabs ? work.end : 0);
            }
        }
    }
}

// Both have the arguments of every rung: the first writes the panels where others write C; the second reads A's and B's as others read A and B.
#define KERNEL(dtype)                                                                                                              \
    extern "C" __global__ void __launch_bounds__(256)                                                                              \
        producer_warp_split_##dtype(float* panels, const float* a, const float* b, int m, int n, int k) {                          \
        pack(panels, a, b, m, n, k);                                                                                               \
    }                                                                                                                              \
    extern "C" __global__ void __launch_bounds__(MULTIPLYING + 128, 1)                                                             \
        producer_warp_##dtype(float* c, const float* of_a, const float* of_b, int m, int n, int k) {                               \
        multiply_tiles(c, of_a, of_b, m, n, k);                                                                                    \
    }

KERNEL(f32)
