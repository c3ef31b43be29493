// Micro-benchmarks that the clock is calibrated on: each asks the card one question.
//
// Every kernel has the parameters (a, b, c, n, m). A line that begins with `//:` is a row: a name, the kernel, blocks, threads of
// a block, n, m, and what `a` holds: `zeros`, `uniform` (floats in [0, 1)), `below N` (integers in [0, N)), or `chase BYTES STRIDE`
// (each place that is read holds the index of the next one, in one random cycle through BYTES bytes).
// `b` holds uniform floats, `c` zeros. `a` has 128 MiB, `b` and `c` have 64 MiB.

typedef unsigned int uint;
typedef unsigned long long ull;
#define KERNEL(name, A) extern "C" __global__ void name(const A* __restrict__ a, const float* b, A* c, int n, int m)
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS (gridDim.x * blockDim.x)

// --- Launches and blocks -----------------------------------------------------------------------------------------------------------
//: empty_1 empty 1 32 0 0 zeros
//: empty_132 empty 132 256 0 0 zeros
//: empty_2048 empty 2048 256 0 0 zeros
//: empty_16384 empty 16384 256 0 0 zeros
//: empty_wide empty 4096 1024 0 0 zeros
KERNEL(empty, float) {}

//: one_store_256 one_store 256 256 0 0 zeros
//: one_store_8192 one_store 8192 256 0 0 zeros
KERNEL(one_store, float) { c[THREAD] = 1.0f; }

// --- Latencies of memory: one thread, each address from the load before -----------------------------------------------------------
//: chase_l1 chase 1 32 2048 0 chase 16384 32
//: chase_l1_edge chase 1 32 4096 0 chase 196608 128
//: chase_l2_near chase 1 32 4096 0 chase 1048576 128
//: chase_l2_far chase 1 32 4096 0 chase 16777216 128
//: chase_l2_end chase 1 32 4096 0 chase 33554432 128
//: chase_memory chase 1 32 2048 0 chase 134217728 128
//: chase_pages chase 1 32 2048 0 chase 134217728 65536
KERNEL(chase, uint) {
    if (threadIdx.x) return;
    uint at = a[0];
    for (int i = 0; i < n; i++) at = a[at];
    c[0] = at;
}

// All lanes of all warps follow the chain, each from its own place.
//: chase_all_l2 chase_all 132 64 512 32 chase 16777216 128
//: chase_all_memory chase_all 132 64 512 32 chase 134217728 128
//: chase_warps_memory chase_all 132 1024 128 32 chase 134217728 128
KERNEL(chase_all, uint) {
    uint at = a[THREAD * 32 % (m * 1024 * 64)];
    for (int i = 0; i < n; i++) at = a[at];
    c[THREAD] = at;
}

//: chase_shared chase_shared 1 32 4096 0 chase 16384 4
KERNEL(chase_shared, uint) {
    __shared__ uint s[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = a[i] & 4095;
    __syncthreads();
    uint at = threadIdx.x;
    for (int i = 0; i < n; i++) at = s[at];
    c[threadIdx.x] = at;
}

// --- Arithmetic: one chain in each thread. One warp shows the latency, a full multiprocessor the rate. ----------------------------
#define CHAIN(name, T, start, step)                                                  \
    extern "C" __global__ void name(const T* a, const T* b, T* c, int n, int m) {    \
        T x = start;                                                                 \
        T y = (T)(m + 3), z = (T)(m + 5);                                            \
        for (int i = 0; i < n; i++) {                                                \
            _Pragma("unroll") for (int j = 0; j < 16; j++) { step; }                 \
        }                                                                            \
        c[THREAD] = x;                                                               \
        if (m < 0) c[THREAD] = y + z;                                                \
    }
//: fma_latency fma_chain 132 32 512 0 zeros
//: fma_4_warps fma_chain 132 128 512 0 zeros
//: fma_8_warps fma_chain 132 256 512 0 zeros
//: fma_16_warps fma_chain 132 512 512 0 zeros
//: fma_rate fma_chain 1056 256 256 0 zeros
CHAIN(fma_chain, float, threadIdx.x, x = fmaf(x, y, z))
//: add_latency add_chain 132 32 512 0 zeros
//: add_rate add_chain 1056 256 256 0 zeros
CHAIN(add_chain, float, threadIdx.x, x = x * y; x = x + z)
//: imad_latency imad_chain 132 32 512 0 zeros
//: imad_rate imad_chain 1056 256 256 0 zeros
CHAIN(imad_chain, uint, threadIdx.x, x = x * y + z)
//: iadd_latency iadd_chain 132 32 512 0 zeros
//: iadd_rate iadd_chain 1056 256 256 0 zeros
CHAIN(iadd_chain, uint, threadIdx.x, x = (x + y) ^ z)
//: shift_latency shift_chain 132 32 512 0 zeros
//: shift_rate shift_chain 1056 256 256 0 zeros
CHAIN(shift_chain, uint, threadIdx.x, x = (x << 7 | x >> 25) + y)
//: logic_rate logic_chain 1056 256 256 0 zeros
CHAIN(logic_chain, uint, threadIdx.x, x = (x & y) ^ (x >> 3))
//: minmax_rate minmax_chain 1056 256 256 0 zeros
CHAIN(minmax_chain, int, threadIdx.x, x = max(x, y) - z)
//: wide_latency wide_chain 132 32 256 0 zeros
//: wide_rate wide_chain 1056 256 128 0 zeros
CHAIN(wide_chain, ull, threadIdx.x, x = x * y + z)
//: popc_rate popc_chain 1056 256 128 0 zeros
CHAIN(popc_chain, uint, threadIdx.x, x = __popc(x) + y)
//: rcp_latency rcp_chain 132 32 128 0 zeros
//: rcp_rate rcp_chain 1056 256 32 0 zeros
CHAIN(rcp_chain, float, threadIdx.x, asm volatile("rcp.approx.ftz.f32 %0, %0;" : "+f"(x)))
//: exp_rate exp_chain 1056 256 32 0 zeros
CHAIN(exp_chain, float, threadIdx.x, x = __expf(x))
//: expf_rate expf_chain 1056 256 32 0 zeros
CHAIN(expf_chain, float, threadIdx.x, x = expf(x))
//: logf_rate logf_chain 1056 256 32 0 zeros
CHAIN(logf_chain, float, threadIdx.x, x = logf(x))
//: sinf_rate sinf_chain 1056 256 16 0 zeros
CHAIN(sinf_chain, float, threadIdx.x * 1e-3f, x = __sinf(x))
//: div_latency div_chain 132 32 64 0 zeros
//: div_rate div_chain 1056 256 16 0 zeros
CHAIN(div_chain, float, threadIdx.x, x = y / (x + z))
//: sqrt_rate sqrt_chain 1056 256 16 0 zeros
CHAIN(sqrt_chain, float, threadIdx.x, x = sqrtf(x + z))
//: rsqrt_rate rsqrt_chain 1056 256 32 0 zeros
CHAIN(rsqrt_chain, float, threadIdx.x, x = rsqrtf(x + z))
//: udiv_rate udiv_chain 1056 256 16 0 zeros
CHAIN(udiv_chain, uint, threadIdx.x + 12345678u, x = (x | 0x40000000u) / y)
//: urem_rate urem_chain 1056 256 16 0 zeros
CHAIN(urem_chain, uint, threadIdx.x + 12345678u, x = (x | 0x40000000u) % y)
//: f64_latency f64_chain 132 32 256 0 zeros
//: f64_rate f64_chain 1056 256 128 0 zeros
CHAIN(f64_chain, double, threadIdx.x, x = fma(x, y, z))
//: f64_div_rate f64_div_chain 528 256 8 0 zeros
CHAIN(f64_div_chain, double, threadIdx.x, x = y / (x + z))
//: convert_rate convert_chain 1056 256 32 0 zeros
CHAIN(convert_chain, int, threadIdx.x, x = (int)((float)x * 1.5f))
//: convert_f64_rate convert_f64_chain 1056 256 16 0 zeros
CHAIN(convert_f64_chain, float, threadIdx.x, x = (float)((double)x + 1.5))
//: half2_latency half2_chain 132 32 512 0 zeros
//: half2_rate half2_chain 1056 256 256 0 zeros
CHAIN(half2_chain, uint, threadIdx.x, asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(y), "r"(z)))
//: select_rate select_chain 1056 256 128 0 zeros
CHAIN(select_chain, int, threadIdx.x, x = x > y ? x - z : x + z * 2)
//: shuffle_latency shuffle_chain 132 32 128 0 zeros
//: shuffle_rate shuffle_chain 1056 256 64 0 zeros
CHAIN(shuffle_chain, float, threadIdx.x, x += __shfl_xor_sync(~0u, x, 1 << (j % 5)))
//: vote_rate vote_chain 1056 256 64 0 zeros
CHAIN(vote_chain, uint, threadIdx.x, x += __ballot_sync(~0u, x & 1))

// Mixed: four independent chains of each of fp32 and integers in a thread.
//: mixed_1_warp mixed 132 32 512 0 zeros
//: mixed_rate mixed 1056 256 256 0 zeros
extern "C" __global__ void mixed(const float* a, const float* b, float* c, int n, int m) {
    float x[4];
    uint u[4], k = m + 77;
    for (int j = 0; j < 4; j++) x[j] = threadIdx.x + j, u[j] = threadIdx.x ^ j;
    float y = m + 3;
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++) x[j] = fmaf(x[j], y, 1.5f), u[j] = u[j] * k + 12345u;
    }
    c[THREAD] = x[0] + x[1] + x[2] + x[3] + u[0] + u[1] + u[2] + u[3];
}

//: fma_independent fma_independent 132 32 1024 0 zeros
//: fma_independent_rate fma_independent 1056 256 256 0 zeros
extern "C" __global__ void fma_independent(const float* a, const float* b, float* c, int n, int m) {
    float x[8], y = m + 3;
    for (int j = 0; j < 8; j++) x[j] = threadIdx.x + j;
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) x[j] = fmaf(x[j], y, 1.5f);
    }
    float sum = 0;
    for (int j = 0; j < 8; j++) sum += x[j];
    c[THREAD] = sum;
}

// A loop whose count the compiler does not know, with a short body: what a turn costs beside its body.
//: short_loop short_loop 1056 256 2048 1 zeros
extern "C" __global__ void short_loop(const float* a, const float* b, float* c, int n, int m) {
    float x = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i += m) x = x * 1.5f + i;
    c[THREAD] = x;
}

// --- Shared memory ---------------------------------------------------------------------------------------------------------------
// m words between neighbours.
//: shared_load_1 shared_load 528 256 256 1 zeros
//: shared_load_2 shared_load 528 256 128 2 zeros
//: shared_load_8 shared_load 528 256 32 8 zeros
//: shared_load_32 shared_load 528 256 16 32 zeros
//: shared_load_0 shared_load 528 256 256 0 zeros
extern "C" __global__ void shared_load(const float* a, const float* b, float* c, int n, int m) {
    __shared__ float s[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) s[i] = b[i];
    __syncthreads();
    float sum = 0;
    uint at = threadIdx.x * m;
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) sum += s[(at + j * 32) & 2047];
        at += 64;
    }
    c[THREAD] = sum;
}

//: shared_load_vector shared_load_vector 528 256 128 0 zeros
extern "C" __global__ void shared_load_vector(const float* a, const float* b, float* c, int n, int m) {
    __shared__ float4 s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = make_float4(b[i], 0, 0, 0);
    __syncthreads();
    float sum = 0;
    uint at = threadIdx.x;
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float4 v = s[(at + j * 32) & 1023];
            sum += v.x + v.y + v.z + v.w;
        }
        at += 64;
    }
    c[THREAD] = sum;
}

//: shared_store_1 shared_store 528 256 256 1 zeros
//: shared_store_4 shared_store 528 256 64 4 zeros
extern "C" __global__ void shared_store(const float* a, const float* b, float* c, int n, int m) {
    __shared__ float s[2048];
    uint at = threadIdx.x * m;
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) s[(at + j * 256) & 2047] = i;
        at += 32;
    }
    __syncthreads();
    c[THREAD] = s[threadIdx.x];
}

// Additions to `1 << m` words of shared memory; the words that a warp meets are random.
//: shared_atomic_1 shared_atomic 264 256 64 0 below 65536
//: shared_atomic_16 shared_atomic 264 256 64 4 below 65536
//: shared_atomic_256 shared_atomic 264 256 64 8 below 65536
//: shared_atomic_4096 shared_atomic 264 256 64 12 below 65536
extern "C" __global__ void shared_atomic(const uint* a, const float* b, uint* c, int n, int m) {
    __shared__ uint s[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = 0;
    __syncthreads();
    uint at = threadIdx.x * 2654435761u + blockIdx.x;
    for (int i = 0; i < n; i++) {
        at = at * 1664525u + 1013904223u;
        atomicAdd(&s[(at >> 12) & ((1u << m) - 1)], 1u);
    }
    __syncthreads();
    c[THREAD] = s[threadIdx.x];
}

// A register tile: per step 16 words from shared memory, 64 multiply-adds.
//: outer_full outer 264 256 256 0 zeros
//: outer_one outer 132 128 256 0 zeros
extern "C" __global__ void __launch_bounds__(256) outer(const float* a, const float* b, float* c, int n, int m) {
    __shared__ float4 s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = make_float4(b[i], b[i + 1], b[i + 2], b[i + 3]);
    __syncthreads();
    float sum[8][8] = {};
    int row = threadIdx.x / 16 * 2, column = threadIdx.x % 16 * 2;
    for (int i = 0; i < n; i++) {
        float4 x0 = s[(i * 32 + row) & 1023], x1 = s[(i * 32 + row + 1) & 1023];
        float4 y0 = s[(i * 32 + column + 512) & 1023], y1 = s[(i * 32 + column + 513) & 1023];
        float x[8] = {x0.x, x0.y, x0.z, x0.w, x1.x, x1.y, x1.z, x1.w};
        float y[8] = {y0.x, y0.y, y0.z, y0.w, y1.x, y1.y, y1.z, y1.w};
#pragma unroll
        for (int j = 0; j < 8; j++)
#pragma unroll
            for (int k = 0; k < 8; k++) sum[j][k] = fmaf(x[j], y[k], sum[j][k]);
    }
    float all = 0;
    for (int j = 0; j < 8; j++)
        for (int k = 0; k < 8; k++) all += sum[j][k];
    c[THREAD] = all;
}

// --- Barriers and divergence -------------------------------------------------------------------------------------------------------
//: barrier_1_block barrier 1 256 512 0 zeros
//: barrier_64 barrier 132 64 512 0 zeros
//: barrier_256 barrier 1056 256 128 0 zeros
//: barrier_1024 barrier 264 1024 128 0 zeros
extern "C" __global__ void barrier(const float* a, const float* b, float* c, int n, int m) {
    for (int i = 0; i < n; i++) __syncthreads();
    c[THREAD] = 1;
}

// A tree sum in shared memory, again and again.
//: tree_256 tree 528 256 16 0 zeros
extern "C" __global__ void tree(const float* a, const float* b, float* c, int n, int m) {
    __shared__ float s[256];
    float sum = 0;
    for (int i = 0; i < n; i++) {
        s[threadIdx.x] = sum + i;
        __syncthreads();
        for (int width = 128; width > 0; width /= 2) {
            if (threadIdx.x < width) s[threadIdx.x] += s[threadIdx.x + width];
            __syncthreads();
        }
        sum = s[0];
        __syncthreads();
    }
    c[THREAD] = sum;
}

// Lanes part m ways, each to a chain of its own.
//: parted_1 parted 1056 256 64 1 zeros
//: parted_2 parted 1056 256 64 2 zeros
//: parted_4 parted 1056 256 64 4 zeros
//: parted_16 parted 1056 256 16 16 zeros
//: parted_4_one_warp parted 132 32 256 4 zeros
extern "C" __global__ void parted(const float* a, const float* b, float* c, int n, int m) {
    float x = threadIdx.x;
    int way = threadIdx.x % m;
    for (int i = 0; i < n; i++) {
        for (int w = 0; w < m; w++) {
            if (way == w) {
#pragma unroll
                for (int j = 0; j < 16; j++) x = fmaf(x, 1.5f, (float)w);
            }
        }
    }
    c[THREAD] = x;
}

// Turns of a loop that differ from lane to lane: m is the most.
//: uneven uneven 1056 256 8 64 below 64
KERNEL(uneven, uint) {
    float x = threadIdx.x;
    for (int i = 0; i < n; i++) {
        uint turns = a[(THREAD + i * 77777) & 0xffffff];
        for (uint j = 0; j < turns; j++) x = fmaf(x, 1.25f, 0.5f);
    }
    c[THREAD] = x;
}

// Every warp has its own number of turns; a few are long.
//: long_blocks long_blocks 1320 128 16384 0 zeros
extern "C" __global__ void long_blocks(const float* a, const float* b, float* c, int n, int m) {
    float x = threadIdx.x;
    int turns = n / (1 + blockIdx.x % 64);
    for (int i = 0; i < turns; i++) x = fmaf(x, 1.25f, 0.5f);
    c[THREAD] = x;
}

// --- Global memory: rates ------------------------------------------------------------------------------------------------------------
// Each thread sums n words; neighbours read neighbours; the block's words come round again after m words (L1, L2 or memory).
#define SUM(name, T, fold)                                                                               \
    extern "C" __global__ void name(const T* __restrict__ a, const float* b, float* c, int n, int m) {   \
        float sum = 0;                                                                                   \
        uint at = THREAD;                                                                                \
        for (int i = 0; i < n; i++) {                                                                    \
            T v = a[at & (m - 1)];                                                                       \
            sum += fold;                                                                                 \
            at += THREADS;                                                                               \
        }                                                                                                \
        c[THREAD] = sum;                                                                                 \
    }
//: sum_l1 sum_words 528 256 256 4096 zeros
//: sum_l2 sum_words 1056 256 32 2097152 zeros
//: sum_memory sum_words 2112 256 62 33554432 zeros
//: sum_memory_few sum_words 132 256 64 33554432 zeros
//: sum_l2_one_warp sum_words 132 32 128 2097152 zeros
SUM(sum_words, float, v)
//: sum4_l1 sum_vectors 528 256 64 1024 zeros
//: sum4_l2 sum_vectors 1056 256 16 524288 zeros
//: sum4_memory sum_vectors 2112 256 15 8388608 zeros
//: sum4_memory_few sum_vectors 132 256 128 8388608 zeros
SUM(sum_vectors, float4, v.x + v.y + v.z + v.w)

// The next address comes from nothing that was loaded, but the sum does: n loads, m words between neighbours.
//: stride_2 stride 4096 256 4 2 zeros
//: stride_8 stride 4096 256 4 8 zeros
//: stride_32_l2 stride 1024 256 1 32 zeros
//: stride_32 stride 4096 256 1 32 zeros
//: stride_33 stride 2048 256 1 33 zeros
KERNEL(stride, float) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += a[(THREAD * m + i * 1048576u) & 0x1ffffff];
    c[THREAD] = sum;
}

// One word to each thread: a block is as short as blocks are.
//: copy_1m copy_words 4096 256 0 0 zeros
//: copy_16m copy_words 65536 256 0 0 zeros
KERNEL(copy_words, float) { c[THREAD] = a[THREAD]; }
//: copy4_1m copy_vectors 4096 256 0 0 zeros
//: copy4_4m copy_vectors 16384 256 0 0 zeros
KERNEL(copy_vectors, float4) { c[THREAD] = a[THREAD]; }
//: fill_4m fill 16384 256 0 0 zeros
KERNEL(fill, float) { c[THREAD] = n; }
//: store_stride_32 store_stride 2048 256 32 0 zeros
//: store_stride_2 store_stride 4096 256 2 0 zeros
KERNEL(store_stride, float) { c[(THREAD * n) & 0xffffff] = 1; }
//: three_streams three_streams 8192 256 0 0 zeros
KERNEL(three_streams, float) { c[THREAD] = a[THREAD] + b[THREAD] + a[THREAD + 8388608]; }

// Random words of the first `1 << m` words.
//: random_l1 random_read 1056 256 16 12 zeros
//: random_l2_small random_read 1056 256 16 18 zeros
//: random_l2 random_read 1056 256 16 22 zeros
//: random_memory random_read 1056 256 16 25 zeros
//: random_once_l2 random_read 8192 256 1 22 zeros
//: random_once_memory random_read 8192 256 1 25 zeros
KERNEL(random_read, float) {
    uint at = THREAD * 2654435761u;
    float sum = 0;
    for (int i = 0; i < n; i++) {
        at = at * 1664525u + 1013904223u;
        sum += a[at >> (32 - m)];
    }
    c[THREAD] = sum;
}
//: random_write_l2 random_write 4096 256 1 20 zeros
//: random_write random_write 4096 256 1 24 zeros
KERNEL(random_write, float) {
    uint at = THREAD * 2654435761u * 1664525u + 1013904223u;
    c[at >> (32 - m)] = 1;
}

// Loads in flight: each thread adds m words, all loaded before the first is used, n times; the next addresses depend on the sum.
#define FLIGHT(name, count)                                                                                     \
    extern "C" __global__ void name(const uint* __restrict__ a, const float* b, uint* c, int n, int m) {        \
        uint at = THREAD;                                                                                       \
        for (int i = 0; i < n; i++) {                                                                           \
            uint sum = 0;                                                                                       \
            _Pragma("unroll") for (int j = 0; j < count; j++) sum += a[(at + j * 65536u) & (m - 1)];            \
            at += sum + 8192u;                                                                                  \
        }                                                                                                       \
        c[THREAD] = at;                                                                                         \
    }
//: flight_1_one_warp flight_1 132 32 128 4194304 zeros
//: flight_8_one_warp flight_8 132 32 64 4194304 zeros
//: flight_1_full flight_1 1056 256 32 4194304 zeros
//: flight_8_full flight_8 1056 256 8 4194304 zeros
FLIGHT(flight_1, 1)
FLIGHT(flight_8, 8)

// --- Atomics on global memory ------------------------------------------------------------------------------------------------------
// A million additions, `1 << m` neighbours to one word.
//: atomic_alone atomic_neighbours 4096 256 0 0 zeros
//: atomic_warp atomic_neighbours 4096 256 0 5 zeros
//: atomic_block atomic_neighbours 4096 256 0 8 zeros
//: atomic_all atomic_neighbours 512 256 0 20 zeros
KERNEL(atomic_neighbours, uint) { atomicAdd(&c[THREAD >> m], (uint)threadIdx.x); }
//: atomic_random_256 atomic_random 1024 256 1 8 zeros
//: atomic_random_64k atomic_random 2048 256 1 16 zeros
//: atomic_random_4m atomic_random 4096 256 1 22 zeros
KERNEL(atomic_random, uint) {
    uint at = THREAD * 2654435761u * 1664525u + 1013904223u;
    atomicAdd(&c[at >> (32 - m)], (uint)threadIdx.x);
}
// The old value is used: a chain of atomics.
//: atomic_chain atomic_chain 132 32 64 0 zeros
KERNEL(atomic_chain, uint) {
    uint x = 0;
    for (int i = 0; i < n; i++) x = atomicAdd(&c[(THREAD + x * 32) & 0xffff], 0u);
    c[THREAD] = x;
}
