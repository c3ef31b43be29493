// No empty places in the last round: C = A·B with A m×k, B k×n, C m×n, row-major. As `tile_by_size`, with the tiles in rounds of SLOTS, as
// many as run at once on 132 multiprocessors. At n = 4096 512 tiles of 128×256 are 3.88 rounds and take the time of 4; at 8192 15.5 take
// 16. Here the rounds that fill all places go as before, a tile a block. The slabs of the tiles that are left, one tile after the other,
// are divided evenly among as many blocks again: all end together.
//
// A share begins and ends somewhere in a tile. Its block first adds up its part of its last tile, whose beginning is therefore there
// early, then goes back to the tile before. Who has the beginning of a tile writes its sums to C and says in `finished` how many slabs
// they hold; the next waits for that, adds its own, and so on to the tile's end: in the order of k, the same result every time. A
// block waits only for one of a lower number, which has started before it and did what is waited for first.
//
// Block b < W owns tile b of the W tiles of whole rounds. Of the R tiles that are left and their S = R·k/DEPTH slabs, block W + s of the
// grid's G has the share [s·S/(G - W), (s + 1)·S/(G - W)). Tiles are numbered in bands of 8 rows that are walked column by column.
// Warps own WM×WN, lanes WM/4×WN/8 in chunks of 4×4. Only C and k of whole tiles and slabs are divided. Otherwise each tile has a block,
// and where it sticks out of C, or rows of B are not aligned to 16 bytes, copies element by element and puts zeros where there is none.
//
// Launch: grid W + shares, from R to SLOTS of them; with R every tile has a block of its own. Block and shared memory as the kernel's
// line below says. Launches that overlap would share `finished`: one stream at a time.
// Napkin: 132 shares write a tile of 128 KiB each and read one: 35 MB through the second-level cache, 10 µs of n = 4096's 2600; the
// eighth of a round that was empty cost 80.
// Registers: what the shares need lives in a function of its own, so that it takes none from the loop of the whole tiles.
// requires: sm_80

constexpr int STAGES = 4, FILLED = 2;  // buffers, and those that are filled ahead

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

__device__ __forceinline__ unsigned shared_address(const void* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// Slabs of each tile of the last round whose sums are in C; 0 before and after a launch.
__device__ unsigned finished[396];

// Says that C holds the sums of so many slabs. The block's other threads have written theirs before a barrier.
__device__ __forceinline__ void announce(unsigned* slabs, unsigned count) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(slabs), "r"(count) : "memory");
}

// Waits until C holds the sums of so many slabs.
__device__ __forceinline__ void await(const unsigned* slabs, unsigned count) {
    unsigned there;
    do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(there) : "l"(slabs) : "memory");
    } while (there != count);
}

// Place of a tile, in tiles: bands of 8 rows of tiles, walked column by column.
__device__ __forceinline__ uint2 place_of(unsigned tile, unsigned wide, unsigned high) {
    constexpr unsigned BAND = 8;
    const unsigned first = tile / (BAND * wide) * BAND, in_band = tile % (BAND * wide);
    const unsigned rows = min(BAND, high - first);
    return make_uint2(in_band / rows, first + in_band % rows);
}

// Adds up the slabs from `begin` to `end` of the tile at (left, top). SHARED: other blocks have the rest, and `count` is the tile's.
// WHOLE: the tile lies in C, and every copy is of 16 aligned bytes. `parity` is that of the barrier's phase.
template <int BM, int BN, int DEPTH, int WM, int WN, bool BY_ROWS, bool WHOLE, bool SHARED>
__device__ __forceinline__ void add_slabs(float* c, const float* __restrict__ a, const float* __restrict__ b, int m, int n, int k,
                                          long long top, long long left, int begin, int end, unsigned barrier, unsigned parity,
                                          unsigned* count) {
    constexpr int THREADS = BM / WM * (BN / WN) * 32, EACH_M = WM / 4, EACH_N = WN / 8;
    constexpr int ROW_A = BM + 4, STAGE = DEPTH * (ROW_A + BN);  // floats
    extern __shared__ __align__(16) float stages[];              // of each stage A's tile, transposed, then B's
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    // Lane bits 0 and 4 choose the rows, bits 1 to 3 the columns.
    const int row = warp / (BN / WN) * WM + 4 * ((lane & 1) | (lane >> 4 << 1));
    const int col = warp % (BN / WN) * WN + 4 * (lane >> 1 & 7);
    const int slabs = end - begin;

    // What this thread copies: of A a step of k in rows THREADS/8 apart, of B 16 bytes of rows THREADS/(BN/4) apart.
    constexpr int APART_A = THREADS / 8, APART_B = THREADS / (BN / 4);
    const int copy_row = threadIdx.x / 8, copy_p = threadIdx.x % 8;
    const int copy_k = threadIdx.x / (BN / 4), copy_col = threadIdx.x % (BN / 4) * 4;
    const float* from_a = a + (top + copy_row) * k + copy_p + begin * DEPTH;
    const float* from_b = b + (long long)(copy_k + begin * DEPTH) * n + left + copy_col;
    const unsigned to_a = shared_address(stages) + 4 * (copy_p * ROW_A + copy_row);
    const unsigned to_b = shared_address(stages) + 4 * (DEPTH * ROW_A + copy_k * BN + copy_col);
    const long long apart_a = (long long)APART_A * k, apart_b = (long long)APART_B * n;
    int start = begin * DEPTH;  // of the slab to fetch
    auto fetch = [&](unsigned stage) {
        const float* from = from_a;
#pragma unroll
        for (int turn = 0; turn < BM / APART_A; ++turn) {
#pragma unroll
            for (int p = 0; p < DEPTH; p += 8) {
                const bool inside = WHOLE || (top + copy_row + turn * APART_A < m && start + copy_p + p < k);
                copy4(to_a + 4 * (stage + p * ROW_A + turn * APART_A), inside ? from + p : a, inside);
            }
            from += apart_a;
        }
        from_a += DEPTH;
#pragma unroll
        for (int p = 0; p < DEPTH; p += APART_B) {
            const unsigned to = to_b + 4 * (stage + p * BN);
            if (WHOLE) {
                copy16(to, from_b);
            } else {
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const bool inside = start + copy_k + p < k && left + copy_col + e < n;
                    copy4(to + 4 * e, inside ? from_b + e : b, inside);
                }
            }
            from_b += apart_b;
        }
        start += DEPTH;
    };

    float of_a[2][EACH_M], of_b[2][EACH_N];  // of the step of k that is multiplied, and of the next one
    auto read = [&](int which, const float* stage, int p) {
#pragma unroll
        for (int i = 0; i < EACH_M; i += 4) {
            const float4 four = *reinterpret_cast<const float4*>(stage + p * ROW_A + row + 4 * i);
            of_a[which][i] = four.x, of_a[which][i + 1] = four.y, of_a[which][i + 2] = four.z, of_a[which][i + 3] = four.w;
        }
#pragma unroll
        for (int j = 0; j < EACH_N; j += 4) {
            const float4 four = *reinterpret_cast<const float4*>(stage + DEPTH * ROW_A + p * BN + col + 8 * j);
            of_b[which][j] = four.x, of_b[which][j + 1] = four.y, of_b[which][j + 2] = four.z, of_b[which][j + 3] = four.w;
        }
    };

    float sum[EACH_M][EACH_N] = {};
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
    read(0, stages, 0);
    for (int slab = 0; slab < slabs; ++slab) {
#pragma unroll
        for (int p = 0; p < DEPTH; ++p) {
            const int which = p % 2;
            if (p + 1 < DEPTH) {
                read(1 - which, stages + reading, p + 1);
            } else {
                if (slab + 1 < slabs) {  // else there is no next stage: what is read then is not used
                    reading = reading == (STAGES - 1) * STAGE ? 0 : reading + STAGE;
                }
                wait_at(barrier, (slab + parity) % 2);  // everyone's copies of the next slab have landed
                read(1 - which, stages + reading, 0);
            }
            if (p == 0) {
                wait_for_copies<0>();  // this thread's part of the next slab: asked for a slab ago
                arrive_at(barrier);    // and done with the slab before
            }
            if (p == 1) {
                if (slab + FILLED < slabs) {
                    fetch(writing);
                }
                commit();
                writing = writing == (STAGES - 1) * STAGE ? 0 : writing + STAGE;
            }
            // Along a row or a column of the thread's tile and back along the next: neighbours share an operand.
#pragma unroll
            for (int step = 0; step < EACH_M * EACH_N; ++step) {
                const int i = BY_ROWS ? step / EACH_N : step / EACH_M % 2 ? EACH_M - 1 - step % EACH_M : step % EACH_M;
                const int j = !BY_ROWS ? step / EACH_M : step / EACH_N % 2 ? EACH_N - 1 - step % EACH_N : step % EACH_N;
                sum[i][j] += of_a[which][i] * of_b[which][j];
            }
        }
    }
    const float zero = __int_as_float(m >> 31);  // m is positive; the compiler does not know
    const bool adds = SHARED && begin > 0;
    if (adds) {
        if (threadIdx.x == 0) {
            await(count, begin);
        }
        __syncthreads();
    }
    float* const corner = c + (top + row) * n + left + col;
    auto down = [](int i) { return 16 * (i / 4) + i % 4; };
    // Eight rows are asked for before the first is stored: the compiler lets no load pass a store, and one after the other they take long.
    constexpr int TOGETHER = 8;
#pragma unroll
    for (int first = 0; first < EACH_M; first += TOGETHER) {
        if (WHOLE) {
            float4 before[TOGETHER][EACH_N / 4];
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i) {
                float* const from = corner + down(first + i) * n;
#pragma unroll
                for (int j = 0; j < EACH_N / 4; ++j) {
                    // Around the first-level cache, which does not see what other blocks have written.
                    before[i][j] = adds ? __ldcg(reinterpret_cast<float4*>(from + 32 * j)) : make_float4(zero, zero, zero, zero);
                }
            }
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i) {
                float* const to = corner + down(first + i) * n;
#pragma unroll
                for (int j = 0; j < EACH_N / 4; ++j) {
                    const float* const own = &sum[first + i][4 * j];
                    const float4 other = before[i][j];
                    *reinterpret_cast<float4*>(to + 32 * j) =
                        make_float4(own[0] + other.x, own[1] + other.y, own[2] + other.z, own[3] + other.w);
                }
            }
        } else {
#pragma unroll
            for (int i = first; i < first + TOGETHER; ++i) {
#pragma unroll
                for (int j = 0; j < EACH_N; ++j) {
                    const int across = 8 * (j / 4 * 4) + j % 4;
                    if (top + row + down(i) < m && left + col + across < n) {
                        corner[down(i) * n + across] = sum[i][j] + zero;
                    }
                }
            }
        }
    }
    const int all = (k + DEPTH - 1) / DEPTH;
    if (SHARED && slabs < all) {
        __syncthreads();  // everyone's sums are in C, and the stages are read
        if (threadIdx.x == 0) {
            announce(count, end < all ? end : 0);
        }
    }
}

// The share of this block: parts of the tiles from `whole` on, the last one first.
template <int BM, int BN, int DEPTH, int WM, int WN, bool BY_ROWS>
__device__ __noinline__ void add_share(float* c, const float* a, const float* b, int m, int n, int k, unsigned whole, unsigned tiles,
                                       unsigned barrier) {
    const unsigned wide = (n + BN - 1) / BN, slabs = (k + DEPTH - 1) / DEPTH;
    const unsigned shares = gridDim.x - whole, share = blockIdx.x - whole;
    const unsigned long long all = (unsigned long long)(tiles - whole) * slabs;
    const unsigned begin = all * share / shares;
    unsigned parity = 0;
#pragma unroll 1
    for (unsigned end = all * (share + 1) / shares; end > begin;) {
        const unsigned tile = (end - 1) / slabs, first = max(begin, tile * slabs);
        const uint2 place = place_of(whole + tile, wide, (m + BM - 1) / BM);
        const long long top = (long long)place.y * BM, left = (long long)place.x * BN;
        add_slabs<BM, BN, DEPTH, WM, WN, BY_ROWS, true, true>(
            c, a, b, m, n, k, top, left, first - tile * slabs, end - tile * slabs, barrier, parity, finished + tile);
        parity += end - first;
        end = first;
    }
}

// BY_ROWS: the order of a thread's multiply-adds, along rows or along columns; which gives better registers was tried.
#define KERNEL(dtype, BM, BN, DEPTH, WM, WN, BY_ROWS, BLOCKS)                                                \
    extern "C" __global__ void __launch_bounds__(BM / WM * (BN / WN) * 32, BLOCKS)                           \
        last_round_##dtype##_##BM##x##BN(float* c, const float* a, const float* b, int m, int n, int k) {    \
        constexpr unsigned SLOTS = 132 * BLOCKS;                                                             \
        __shared__ __align__(8) unsigned long long barrier_words;                                            \
        const unsigned barrier = shared_address(&barrier_words);                                             \
        if (threadIdx.x == 0) {                                                                              \
            init_barrier(barrier, BM / WM * (BN / WN) * 32);                                                 \
        }                                                                                                    \
        __syncthreads();                                                                                     \
        const unsigned wide = (n + BN - 1) / BN, high = (m + BM - 1) / BM, tiles = wide * high;              \
        const unsigned whole = tiles - tiles % SLOTS;                                                        \
        const uint2 tile = place_of(blockIdx.x, wide, high);                                                 \
        const long long top = (long long)tile.y * BM, left = (long long)tile.x * BN;                         \
        if (blockIdx.x >= whole && gridDim.x != tiles) {                                                     \
            add_share<BM, BN, DEPTH, WM, WN, BY_ROWS>(c, a, b, m, n, k, whole, tiles, barrier);              \
        } else if (top + BM <= m && left + BN <= n && n % 4 == 0 && k % DEPTH == 0) {                        \
            add_slabs<BM, BN, DEPTH, WM, WN, BY_ROWS, true, false>(                                          \
                c, a, b, m, n, k, top, left, 0, k / DEPTH, barrier, 0, nullptr);                             \
        } else {                                                                                             \
            add_slabs<BM, BN, DEPTH, WM, WN, BY_ROWS, false, false>(                                         \
                c, a, b, m, n, k, top, left, 0, (k + DEPTH - 1) / DEPTH, barrier, 0, nullptr);               \
        }                                                                                                    \
    }

KERNEL(f32, 64, 128, 16, 32, 64, true, 3)
KERNEL(f32, 128, 256, 8, 64, 64, true, 1)
