// Micro-benchmarks that the clock is calibrated on: each asks the card one question.
//
// Every kernel has the parameters (a, b, c, n, m). A line that begins with `//:` is a row: a name, the kernel, blocks, threads of
// a block, n, m, and what `a` holds: `zeros`, `uniform` (floats in [0, 1)), `below N` (integers in [0, N)), or `chase BYTES STRIDE`
// (each place that is read holds the index of the next one, in one random cycle through BYTES bytes).
// `b` holds uniform floats, `c` zeros. `a` has 128 MiB, `b` and `c` have 64 MiB.
//
// requires: sm_80

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
//: fill_4m fill_words 16384 256 0 0 zeros
KERNEL(fill_words, float) { c[THREAD] = n; }
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

// --- As programs have them: several questions at a time ----------------------------------------------------------------------------
#define ROW(name, A) extern "C" __global__ void name(const A* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n, int m)

// An index each, in order, and what it points to.
//: index_gather_16m index_gather 4096 256 0 0 below 16777216
//: index_gather_64k index_gather 4096 256 0 0 below 65536
ROW(index_gather, uint) { c[THREAD] = b[a[THREAD]]; }

// n columns of m rows: a thread for each column, then one for each row.
//: column_sums column_sums 128 128 16384 512 zeros
ROW(column_sums, float) {
    float sum = 0;
    for (int i = 0; i < m; i++) sum += a[i * n + THREAD];
    c[THREAD] = sum;
}
//: row_sums_thread row_sums_thread 64 128 512 0 zeros
ROW(row_sums_thread, float) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += a[THREAD * n + i];
    c[THREAD] = sum;
}

__device__ float warp_sum(float x) {
    for (int offset = 16; offset > 0; offset /= 2) x += __shfl_xor_sync(~0u, x, offset);
    return x;
}
// Rows to length one: a warp for each row of n.
//: unit_rows_512 unit_rows 2048 256 512 0 uniform
//: unit_rows_64 unit_rows 4096 128 64 0 uniform
ROW(unit_rows, float) {
    int row = THREAD / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = lane; i < n; i += 32) sum += a[row * n + i] * a[row * n + i];
    float scale = rsqrtf(warp_sum(sum) + 1e-6f);
    for (int i = lane; i < n; i += 32) c[row * n + i] = a[row * n + i] * scale;
}

// The largest of each row and its place: a block for each row.
//: row_peaks row_peaks 2048 128 1024 0 uniform
ROW(row_peaks, float) {
    __shared__ float best[4];
    __shared__ int where[4];
    float x = -1;
    int at = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float y = a[blockIdx.x * n + i];
        if (y > x) x = y, at = i;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        float y = __shfl_down_sync(~0u, x, offset);
        int other = __shfl_down_sync(~0u, at, offset);
        if (y > x) x = y, at = other;
    }
    if (threadIdx.x % 32 == 0) best[threadIdx.x / 32] = x, where[threadIdx.x / 32] = at;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 4; i++)
            if (best[i] > x) x = best[i], at = where[i];
        c[blockIdx.x] = at;
    }
}

// A sum of n words by all blocks, one addition to global memory each.
//: sum_all_few sum_all 132 512 1048576 0 uniform
//: sum_all_many sum_all 1056 256 8388608 0 uniform
ROW(sum_all, float) {
    __shared__ float s[16];
    float sum = 0;
    for (int i = THREAD; i < n; i += THREADS) sum += a[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = warp_sum(threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0);
        if (threadIdx.x == 0) atomicAdd(c, sum);
    }
}

// Running sums of a block's 1024 words, by doubling in shared memory.
//: running_sums running_sums 512 1024 0 0 uniform
ROW(running_sums, float) {
    __shared__ float s[2][1024];
    int t = threadIdx.x, from = 0;
    s[0][t] = a[THREAD];
    __syncthreads();
    for (int offset = 1; offset < 1024; offset *= 2) {
        s[1 - from][t] = t >= offset ? s[from][t] + s[from][t - offset] : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    c[THREAD] = s[from][t];
}

// Counts of n words a thread: in 64 words of each warp, then of the card; and in m words of the card at once.
//: counts_by_warp counts_by_warp 264 256 32 0 below 64
extern "C" __global__ void counts_by_warp(const uint* __restrict__ a, const float* b, uint* c, int n, int m) {
    __shared__ uint s[8][64];
    for (int i = threadIdx.x; i < 512; i += blockDim.x) s[i / 64][i % 64] = 0;
    __syncthreads();
    for (int i = 0; i < n; i++) atomicAdd(&s[threadIdx.x / 32][a[THREAD + i * THREADS]], 1u);
    __syncthreads();
    if (threadIdx.x < 64) {
        uint sum = 0;
        for (int w = 0; w < 8; w++) sum += s[w][threadIdx.x];
        atomicAdd(&c[threadIdx.x], sum);
    }
}
//: counts_1000 counts 1024 256 4 0 below 1000
//: counts_100000 counts 1024 256 4 0 below 100000
extern "C" __global__ void counts(const uint* __restrict__ a, const float* b, uint* c, int n, int m) {
    for (int i = 0; i < n; i++) atomicAdd(&c[a[THREAD + i * THREADS]], 1u);
}
// A place in a queue for each thread; for each warp.
//: queue_threads queue_threads 512 256 0 0 zeros
KERNEL(queue_threads, uint) { c[1024 + atomicAdd(c, threadIdx.x % 3) % 4194304] = THREAD; }
//: queue_warps queue_warps 4096 256 0 0 below 3
KERNEL(queue_warps, uint) {
    bool wanted = a[THREAD] == 0;
    uint who = __ballot_sync(~0u, wanted), lane = threadIdx.x % 32, first = 0;
    if (lane == 0) first = atomicAdd(c, __popc(who));
    first = __shfl_sync(~0u, first, 0);
    if (wanted) c[1024 + first % 65536 + __popc(who & ((1u << lane) - 1))] = THREAD;
}
// The largest value of 4096 places, by comparing and swapping.
//: swap_max swap_max 1024 256 0 0 below 1000000
KERNEL(swap_max, uint) {
    uint value = a[THREAD], at = THREAD * 2654435761u >> 20, old = c[at];
    while (old < value) {
        uint seen = atomicCAS(&c[at], old, value);
        if (seen == old) break;
        old = seen;
    }
}

// Products of n x n matrices: a word of the result each, and 2 x 8 words of it in registers.
//: product_words product_words 1024 256 512 0 uniform
ROW(product_words, float) {
    int x = blockIdx.x % (n / 32) * 32 + threadIdx.x % 32, y = blockIdx.x / (n / 32) * 8 + threadIdx.x / 32;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
//: product_shared product_shared 1024 256 512 0 uniform
ROW(product_shared, float) {
    __shared__ float s[16][16], t[16][16];
    int i = threadIdx.x / 16, j = threadIdx.x % 16, x = blockIdx.x % (n / 16) * 16 + j, y = blockIdx.x / (n / 16) * 16 + i;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[i][j] = a[y * n + k + j];
        t[i][j] = b[(k + i) * n + x];
        __syncthreads();
        for (int l = 0; l < 16; l++) sum += s[i][l] * t[l][j];
        __syncthreads();
    }
    c[y * n + x] = sum;
}
//: product_2x8_512 product_2x8 64 256 512 0 uniform
//: product_2x8_1024 product_2x8 256 256 1024 0 uniform
ROW(product_2x8, float) {
    __shared__ float s[16][33], t[16][128];
    int i = threadIdx.x / 16, j = threadIdx.x % 16, x = blockIdx.x % (n / 128) * 128, y = blockIdx.x / (n / 128) * 32;
    float sum[2][8] = {};
    for (int k = 0; k < n; k += 16) {
        for (int l = threadIdx.x; l < 512; l += 256) s[l % 16][l / 16] = a[(y + l / 16) * n + k + l % 16];
        for (int l = threadIdx.x; l < 2048; l += 256) t[l / 128][l % 128] = b[(k + l / 128) * n + x + l % 128];
        __syncthreads();
        for (int l = 0; l < 16; l++)
            for (int v = 0; v < 2; v++)
                for (int u = 0; u < 8; u++) sum[v][u] += s[l][i + 16 * v] * t[l][j + 16 * u];
        __syncthreads();
    }
    for (int v = 0; v < 2; v++)
        for (int u = 0; u < 8; u++) c[(y + i + 16 * v) * n + x + j + 16 * u] = sum[v][u];
}

// Nine neighbours in a plane of n columns, from global memory; a plane in shared memory, m steps.
//: nine_points nine_points 4096 256 1024 0 uniform
ROW(nine_points, float) {
    int x = THREAD % n, y = THREAD / n;
    if (x == 0 || y == 0 || x == n - 1 || y == 1023) return;
    float sum = 0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) sum += a[(y + i) * n + x + j];
    c[y * n + x] = sum / 9.0f;
}
//: heat_in_shared heat_in_shared 264 1024 0 16 uniform
ROW(heat_in_shared, float) {
    __shared__ float s[34][34];
    int x = threadIdx.x % 32 + 1, y = threadIdx.x / 32 + 1;
    s[y][x] = a[THREAD];
    if (x == 1) s[y][0] = s[y][33] = 0;
    if (y == 1) s[0][x] = s[33][x] = 0;
    __syncthreads();
    for (int i = 0; i < m; i++) {
        float next = 0.25f * (s[y - 1][x] + s[y + 1][x] + s[y][x - 1] + s[y][x + 1]);
        __syncthreads();
        s[y][x] = next;
        __syncthreads();
    }
    c[THREAD] = s[y][x];
}
// Sixteen taps from shared memory along a row.
//: sixteen_taps sixteen_taps 4096 256 0 0 uniform
ROW(sixteen_taps, float) {
    __shared__ float s[272];
    for (int i = threadIdx.x; i < 272; i += 256) s[i] = a[blockIdx.x * 256 + i];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 16; i++) sum += s[threadIdx.x + i] * b[i];
    c[THREAD] = sum;
}

// Structures of three words, one to each thread; rows of 1023 words, which begin anywhere; bytes.
//: triples triples 4096 256 1048576 0 uniform
ROW(triples, float) {
    for (int i = 0; i < 3; i++) c[i * n + THREAD] = a[THREAD * 3 + i];
}
//: odd_rows odd_rows 4096 256 1023 0 uniform
ROW(odd_rows, float) { c[THREAD] = a[THREAD / 1024 * n + THREAD % 1024] + a[THREAD / 1024 * n + THREAD % 1024 + n]; }
//: bytes_to_floats bytes_to_floats 4096 256 0 0 below 256
ROW(bytes_to_floats, unsigned char) { c[THREAD] = a[THREAD] * (1.0f / 255.0f); }

// What is under way in a thread: bits, rounds of a hash, a generator of random numbers.
//: hash_rounds hash_rounds 528 256 256 0 below 65536
KERNEL(hash_rounds, uint) {
    uint h = a[THREAD];
    for (int i = 0; i < n; i++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h = (h << 13 | h >> 19) + i;
    }
    c[THREAD] = h;
}
//: shift_register shift_register 528 256 512 0 below 65536
KERNEL(shift_register, uint) {
    uint x = a[THREAD] + 1, hits = 0;
    for (int i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        hits += (x >> 8) * (1.0f / 16777216.0f) < 0.25f;
    }
    c[THREAD] = hits;
}
//: remainders remainders 528 256 64 97 below 65536
KERNEL(remainders, uint) {
    uint x = a[THREAD] + 7, sum = 0;
    for (int i = 1; i <= n; i++) {
        sum += x % (uint)(i + m);
        x = x * 1664525u + sum;
    }
    c[THREAD] = sum;
}
// Sines and cosines, roots and exponentials, of the library.
//: rotations rotations 2048 256 4 0 uniform
ROW(rotations, float) {
    float x = a[THREAD], y = 1;
    for (int i = 0; i < n; i++) {
        float s, t;
        sincosf(x + i, &s, &t);
        float z = x * t - y * s;
        y = x * s + y * t;
        x = z;
    }
    c[THREAD] = x + y;
}
//: bells bells 2048 256 8 0 uniform
ROW(bells, float) {
    float x = a[THREAD], sum = 0;
    for (int i = 1; i <= n; i++) sum += expf(-x * x / i) / sqrtf(x + i);
    c[THREAD] = sum + powf(x, 1.5f);
}
// Differences of all pairs, from global memory through L1.
//: pairs pairs 128 256 2048 0 uniform
ROW(pairs, float) {
    float x = a[THREAD], y = a[THREAD + n], force = 0;
    for (int i = 0; i < n; i++) {
        float p = a[i] - x, q = a[i + n] - y, square = p * p + q * q + 0.01f;
        force += p / square;
    }
    c[THREAD] = force;
}
// Doubles: a polynomial of the same eight numbers.
//: polynomial_f64 polynomial_f64 1056 256 16 0 zeros
extern "C" __global__ void polynomial_f64(const double* __restrict__ a, const float* b, double* c, int n, int m) {
    double x = THREAD * 1e-6, y = 0;
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) y = y * x + a[j];
    }
    c[THREAD] = y;
}

// Branches by what was read: five ways, and an end that each lane finds for itself; a search by halves; a table in local memory.
//: five_ways five_ways 2048 256 8 0 below 5
KERNEL(five_ways, uint) {
    float x = threadIdx.x;
    for (int i = 0; i < n; i++) {
        switch (a[THREAD + i * 524288]) {
            case 0: x = x * 1.5f + 1; break;
            case 1: x = sqrtf(x + 2); break;
            case 2: x = x / 3.1f; break;
            case 3: x = __expf(-x); break;
            default: x -= 5;
        }
    }
    c[THREAD] = x;
}
//: first_zero first_zero 2048 256 64 0 below 16
KERNEL(first_zero, uint) {
    int i = 0;
    while (i < n && a[(THREAD + i * 131) & 0xffffff]) i++;
    c[THREAD] = i;
}
//: halves halves 1024 256 4194304 0 zeros
KERNEL(halves, uint) {
    uint key = THREAD * 2654435761u >> 10, low = 0, high = n;
    while (low + 1 < high) {
        uint middle = (low + high) / 2;
        if (a[middle] + middle <= key) low = middle;
        else high = middle;
    }
    c[THREAD] = low;
}
//: table_in_local table_in_local 528 128 16 0 below 16
KERNEL(table_in_local, uint) {
    uint table[16];
    for (int i = 0; i < 16; i++) table[i] = a[THREAD + i];
    uint at = threadIdx.x % 16;
    for (int i = 0; i < n; i++) at = table[at] ^ (i & 15), table[i & 15] += at & 1, at &= 15;
    c[THREAD] = at;
}
// Words of a block in order, by comparing neighbours.
//: neighbours_sorted neighbours_sorted 528 128 64 0 below 1000000
KERNEL(neighbours_sorted, uint) {
    __shared__ uint s[256];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * 256 + t];
    s[t + 128] = a[blockIdx.x * 256 + t + 128];
    __syncthreads();
    for (int i = 0; i < n; i++) {
        int at = 2 * t + i % 2;
        if (at < 255 && s[at] > s[at + 1]) {
            uint x = s[at];
            s[at] = s[at + 1];
            s[at + 1] = x;
        }
        __syncthreads();
    }
    c[blockIdx.x * 256 + t] = s[t];
    c[blockIdx.x * 256 + t + 128] = s[t + 128];
}

// Waves: one block more than there is room for, and small grids.
//: room_132 room 132 1024 256 0 zeros
//: room_264 room 264 1024 256 0 zeros
//: room_265 room 265 1024 256 0 zeros
//: room_32 room 32 128 64 0 zeros
KERNEL(room, float) {
    float x = threadIdx.x, y = 1;
    for (int i = 0; i < n; i++) {
        x = x * 1.25f + y;
        y = y * 0.75f + a[(THREAD + i * 32) & 0xffff];
    }
    c[THREAD] = x;
}

// --- L2's slices, and what is under way -----------------------------------------------------------------------------------------------
// One lane of each warp adds to one of n words, m words apart.
//: add_one_1 add_one 1024 256 1 1 zeros
//: add_one_8_1 add_one 1024 256 8 1 zeros
//: add_one_8_8 add_one 1024 256 8 8 zeros
//: add_one_8_32 add_one 1024 256 8 32 zeros
//: add_one_128_32 add_one 1024 256 128 32 zeros
KERNEL(add_one, uint) {
    uint warp = THREAD / 32;
    if (threadIdx.x % 32 == 0) atomicAdd(&c[(warp * 2654435761u >> 12) % n * m], warp);
}
// All lanes of a warp add to a row of 32 words, one of n.
//: add_row_1 add_row 1024 256 1 0 zeros
//: add_row_8 add_row 1024 256 8 0 zeros
//: add_row_64 add_row 1024 256 64 0 zeros
KERNEL(add_row, uint) {
    uint warp = THREAD / 32;
    atomicAdd(&c[(warp * 2654435761u >> 12) % n * 32 + threadIdx.x % 32], warp);
}
// Each block adds its 256 words to the same 256.
//: add_flush add_flush 264 256 0 0 zeros
//: add_flush_many add_flush 2048 256 0 0 zeros
KERNEL(add_flush, uint) { atomicAdd(&c[threadIdx.x], blockIdx.x); }
// Each lane adds to any of n words, m words apart.
//: add_any_8_1 add_any 1024 256 8 1 zeros
//: add_any_32_1 add_any 1024 256 32 1 zeros
//: add_any_32_8 add_any 1024 256 32 8 zeros
//: add_any_32_32 add_any 1024 256 32 32 zeros
//: add_any_256_8 add_any 1024 256 256 8 zeros
//: add_any_256_32 add_any 1024 256 256 32 zeros
//: add_any_4096_1 add_any 1024 256 4096 1 zeros
KERNEL(add_any, uint) {
    uint at = (THREAD * 2654435761u * 1664525u + 1013904223u) >> 12;
    atomicAdd(&c[at % n * m], (uint)threadIdx.x);
}
// 2^m neighbours to one word.
//: add_near_1 add_near 4096 256 0 1 zeros
//: add_near_3 add_near 4096 256 0 3 zeros
KERNEL(add_near, uint) { atomicAdd(&c[THREAD >> m], (uint)threadIdx.x); }
// The same with the old value, of floats, of 64 bits, the largest.
//: take_any_256 take_any 1024 256 256 0 zeros
KERNEL(take_any, uint) {
    uint at = (THREAD * 2654435761u * 1664525u + 1013904223u) >> 12;
    c[65536 + THREAD] = atomicAdd(&c[at % n], (uint)threadIdx.x);
}
//: float_any_256 float_any 1024 256 256 0 zeros
KERNEL(float_any, float) {
    uint at = (THREAD * 2654435761u * 1664525u + 1013904223u) >> 12;
    atomicAdd(&c[at % n], 1.5f);
}
//: wide_any_256 wide_any 1024 256 256 0 zeros
KERNEL(wide_any, ull) {
    uint at = (THREAD * 2654435761u * 1664525u + 1013904223u) >> 12;
    atomicAdd(&c[at % n], (ull)threadIdx.x);
}
//: max_any_256 max_any 1024 256 256 0 zeros
KERNEL(max_any, uint) {
    uint at = (THREAD * 2654435761u * 1664525u + 1013904223u) >> 12;
    atomicMax(&c[at % n], at * 77u);
}

// All blocks read the same n words, once; each block its own n words.
//: table_4k table 132 256 4096 0 zeros
//: table_16k table 132 256 16384 0 zeros
//: table_16k_full table 1056 256 16384 0 zeros
//: own_16k table 132 256 16384 16384 zeros
KERNEL(table, float) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 1024)
#pragma unroll
        for (int j = 0; j < 4; j++) sum += a[blockIdx.x * m + i + j * 256];
    c[THREAD] = sum;
}
// Any word of 4096, once.
//: any_of_4k any_of 1024 256 4096 0 zeros
KERNEL(any_of, float) { c[THREAD] = a[(THREAD * 2654435761u >> 12) % n]; }
// All threads read the same word after word.
//: same_one_warp same 132 32 2048 0 zeros
//: same_full same 1056 256 2048 0 zeros
KERNEL(same, float) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += a[i];
    c[THREAD] = sum;
}

// Four loads of 16 bytes under way in each thread, n times, through m vectors.
//: four_few_128m four 132 256 16 8388608 zeros
//: four_half_128m four 264 512 16 8388608 zeros
//: four_full_128m four 1056 256 8 8388608 zeros
//: four_full_33m four 1056 256 8 2097152 zeros
//: four_full_16m four 1056 256 8 1048576 zeros
//: four_few_16m four 132 256 16 1048576 zeros
KERNEL(four, float4) {
    uint at = THREAD;
    float sum = 0;
    for (int i = 0; i < n; i++) {
        float4 v[4];
#pragma unroll
        for (int j = 0; j < 4; j++) v[j] = a[(at + j * THREADS) & (m - 1)];
#pragma unroll
        for (int j = 0; j < 4; j++) sum += v[j].x + v[j].y + v[j].z + v[j].w;
        at += 4 * THREADS + (sum == 12345.0f);
    }
    c[THREAD] = make_float4(sum, 0, 0, 0);
}
// n words a thread, in order of all threads: written; copied.
//: fill_grid_64m fill_grid 1056 256 62 0 zeros
KERNEL(fill_grid, float) {
    for (int i = 0; i < n; i++) c[THREAD + i * THREADS] = m;
}
//: copy_grid_16m copy_grid 1056 256 15 0 zeros
//: copy_grid_64m copy_grid 1056 256 62 0 zeros
KERNEL(copy_grid, float) {
    for (int i = 0; i < n; i++) c[THREAD + i * THREADS] = a[THREAD + i * THREADS];
}

// Which warps share a scheduler: of each block only the warps in the mask m work, on eight independent chains.
//: one_16_0001 masked 132 512 512 1 uniform
//: one_16_1111 masked 132 512 512 4369 uniform
//: one_16_000f masked 132 512 512 15 uniform
//: one_16_0055 masked 132 512 512 85 uniform
//: one_16_0033 masked 132 512 512 51 uniform
//: one_16_0101 masked 132 512 512 257 uniform
//: one_16_0011 masked 132 512 512 17 uniform
//: one_16_5555 masked 132 512 512 21845 uniform
//: one_16_ffff masked 132 512 512 65535 uniform
//: two_8_01 masked 264 256 512 1 uniform
//: two_8_55 masked 264 256 512 85 uniform
//: two_8_ff masked 264 256 512 255 uniform
//: four_8_01 masked 528 256 512 1 uniform
//: four_8_55 masked 528 256 512 85 uniform
//: eight_8_01 masked 1056 256 512 1 uniform
//: eight_8_55 masked 1056 256 512 85 uniform
//: eight_8_11 masked 1056 256 512 17 uniform
//: eight_8_ff masked 1056 256 512 255 uniform
//: more_8_55 masked 2112 256 512 85 uniform
//: four_4_01 masked 528 128 512 1 uniform
//: four_4_05 masked 528 128 512 5 uniform
//: sixteen_1 masked 2112 32 512 1 uniform
//: eight_2_01 masked 1056 64 512 1 uniform
//: eight_3_01 masked 1056 96 512 1 uniform
KERNEL(masked, float) {
    float x = a[THREAD & 1023], y[8];
#pragma unroll
    for (int j = 0; j < 8; j++) y[j] = x + j;
    if (m >> threadIdx.x / 32 & 1)
        for (int i = 0; i < n; i++)
#pragma unroll
            for (int j = 0; j < 8; j++) y[j] = y[j] * x + 0.5f;
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) sum += y[j];
    c[THREAD] = sum;
}

// --- Loops that lanes leave, guards, arrays of a thread, products of matrices, rows that other blocks read too -----------------------
typedef unsigned char byte;
#define LANE (threadIdx.x % 32)
#define BOTH(name, A)                                                                                                             \
    extern "C" __global__ void name(const A* __restrict__ a, const float* __restrict__ b, A* c, int n, int m)
// A chain of multiply-adds as long as the lane says: n for all, n for lane 0 alone, up to n by lane.
//: ends_together ends 1056 256 128 0 uniform
//: ends_one_lane ends 1056 256 128 1 uniform
//: ends_by_lane ends 1056 256 128 2 uniform
//: ends_one_warp ends 132 32 128 2 uniform
KERNEL(ends, float) {
    float x = a[THREAD], y = 1;
    int turns = m == 0 ? n : m == 1 ? (LANE == 0 ? n : 1) : LANE * n / 32;
    for (int i = 0; i < turns; i++) y = y * x + 0.5f;
    c[THREAD] = y;
}
// The end is a value's: the same in all lanes, or by lane.
//: until_together until 1056 256 128 0 zeros
//: until_by_lane until 1056 256 128 1 zeros
KERNEL(until, float) {
    float x = a[THREAD], limit = m ? 1.0f * LANE + 1 : 32.0f;
    int k = 0;
    for (; k < n && x < limit; k++) x = x + 0.25f;
    c[THREAD] = x + k;
}
//: until_two until_two 1056 256 128 0 zeros
KERNEL(until_two, float) {
    float x = a[THREAD], y = 0.5f;
    int k = 0;
    for (; k < n && x * x + y * y < 4000.0f; k++) {
        float t = x * x - y * y * 0.25f + 0.1f;
        y = 2 * x * y + 0.01f;
        x = t * 0.001f;
    }
    c[THREAD] = k + x;
}
// A square root in a chain, all lanes or one.
//: roots_all roots 1056 256 64 32 uniform
//: roots_one roots 1056 256 64 1 uniform
//: roots_one_warp roots 132 32 64 32 uniform
KERNEL(roots, float) {
    float x = a[THREAD], y = x;
    if (LANE < m)
        for (int i = 0; i < n; i++) y = sqrtf(y + x);
    c[THREAD] = y;
}
//: half_of_warps half_of_warps 1056 256 128 0 uniform
KERNEL(half_of_warps, float) {
    float x = a[THREAD], y = x;
    if (threadIdx.x / 32 % 2 == 0)
        for (int i = 0; i < n; i++) y = y * x + 0.125f;
    c[THREAD] = y;
}
// Bytes of three rows; nine neighbours.
//: byte_rows byte_rows 8192 256 2048 0 below 2
KERNEL(byte_rows, byte) { c[THREAD] = a[THREAD + n] + a[THREAD + 2 * n] + a[THREAD + 3 * n]; }
//: word_near_9 word_near_9 8192 256 2048 0 below 2
KERNEL(word_near_9, uint) {
    uint sum = 0;
#pragma unroll
    for (int d = 0; d < 9; d++) sum += a[THREAD + d];
    c[THREAD] = sum;
}
// Nine rows of neighbours behind a guard that all pass, and one that a lane of each warp fails.
//: guarded_all guarded 8192 256 0 0 uniform
//: guarded_most guarded 8192 256 1 0 uniform
KERNEL(guarded, float) {
    float sum = 0;
    if (LANE >= n)
#pragma unroll
        for (int d = 0; d < 9; d++) sum += a[THREAD + d * 1024];
    c[THREAD] = sum;
}
// An array in local memory by an index that is computed: depth n, chain or not.
//: local_chain local_chain 8 64 256 0 zeros
//: local_chain_full local_chain 528 256 64 0 zeros
KERNEL(local_chain, uint) {
    uint s[16];
#pragma unroll
    for (int i = 0; i < 16; i++) s[i] = (i * 7 + 1 + a[THREAD]) & 15;
    uint at = LANE & 15;
    for (int i = 0; i < n; i++) {
        s[at ^ 1] = at + i & 15;
        at = s[at];
    }
    c[THREAD] = at;
}
// A table in shared memory: random places, each known from the last.
//: table_chain table_chain 264 256 64 0 below 1000000
//: table_chain_one_warp table_chain 132 32 64 0 below 1000000
KERNEL(table_chain, uint) {
    __shared__ uint table[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) table[i] = i * 2654435761u;
    __syncthreads();
    uint x = a[THREAD];
    for (int i = 0; i < n; i++) x = table[x & 255] ^ x >> 8;
    c[THREAD] = x;
}
// Products of matrices: a chain, and four.
#define MMA(d, a0, a1, a2, a3, b0, b1)                                                                                        \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"     \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                              \
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1))
//: mma_chain_one_warp mma_chain 132 32 256 0 zeros
//: mma_chain_full mma_chain 264 256 256 0 zeros
KERNEL(mma_chain, uint) {
    uint x = a[THREAD];
    float d[4] = {};
    for (int i = 0; i < n; i++) MMA(d, x, x, x, x, x, x);
    c[THREAD] = __float_as_uint(d[0] + d[1] + d[2] + d[3]);
}
//: mma_four mma_four 264 256 128 0 zeros
KERNEL(mma_four, uint) {
    uint x = a[THREAD];
    float d[4][4] = {};
    for (int i = 0; i < n; i++) {
        MMA(d[0], x, x, x, x, x, x);
        MMA(d[1], x, x, x, x, x, x);
        MMA(d[2], x, x, x, x, x, x);
        MMA(d[3], x, x, x, x, x, x);
    }
    c[THREAD] = __float_as_uint(d[0][0] + d[1][1] + d[2][2] + d[3][3]);
}
// Eight rows of 16 bytes for each request of a warp, m words apart; four requests under way in each turn.
//: rows_of_16_bytes rows_of_16 528 128 32 512 zeros
KERNEL(rows_of_16, uint) {
    uint at = blockIdx.x % 64 * 16384 + threadIdx.x / 32 * 4096 + LANE / 4 * m + LANE % 4, sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        uint from = at + i * 16;
        sum += a[from] + a[from + 4] * 3 + a[from + 8] * 5 + a[from + 12] * 7;
    }
    c[THREAD] = sum;
}
// Two warps, and eight, add floats to one word.
//: add_float_64 add_float 2048 256 64 0 uniform
//: add_float_256 add_float 2048 256 256 0 uniform
KERNEL(add_float, float) { atomicAdd(&c[THREAD / n * 8], a[THREAD]); }
// A tree over 1024 threads by shuffles, one block, and a value of each thread before it.
//: one_block_tree one_block_tree 1 1024 0 0 uniform
KERNEL(one_block_tree, float) {
    __shared__ float s[32];
    float sum = a[THREAD];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (LANE == 0) s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = s[threadIdx.x];
        for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
        if (threadIdx.x == 0) c[0] = sum;
    }
}
//: tanh_rate tanh_rate 1056 256 16 0 uniform
KERNEL(tanh_rate, float) {
    float x = a[THREAD];
    for (int i = 0; i < n; i++) x = tanhf(x + 0.5f);
    c[THREAD] = x;
}
//: gcd_like gcd_like 528 256 16 0 below 100000
KERNEL(gcd_like, uint) {
    uint x = a[THREAD] + 77777, y = a[THREAD + 4096] + 12345;
    for (int i = 0; i < n; i++) {
        uint r = x % y + 1;
        x = y + 3;
        y = r;
    }
    c[THREAD] = x;
}
// A search of 16 steps in 4 MiB that all threads begin at the same place.
//: search_l2 search_l2 1024 256 1048576 0 below 1048576
BOTH(search_l2, uint) {
    uint key = a[THREAD], low = 0;
    for (uint step = n / 2; step > 0; step /= 2)
        if ((uint)(b[low + step] * 0.0f) + low + step <= key) low += step;
    c[THREAD] = low;
}
// Columns of a matrix by few threads, with a factor for each row and without.
//: columns_few columns 64 128 1024 8192 uniform
BOTH(columns, float) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += a[i * m + THREAD] * b[i];
    c[THREAD] = sum;
}
//: columns_sum_only columns_sum 64 128 1024 8192 uniform
BOTH(columns_sum, float) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += a[i * m + THREAD];
    c[THREAD] = sum;
}
// Every other warp has nothing to do and leaves.
//: late_halves late 1056 256 256 0 uniform
KERNEL(late, float) {
    float x = a[THREAD & 1023], y = x;
    if (threadIdx.x / 32 % 2 == 1) return;
    for (int i = 0; i < n; i++) y = y * x + 0.125f;
    c[THREAD] = y;
}
// Neighbours' lines: n lines read by every thread, each line by n blocks; blocks lie side by side, or 4, 64 or 1024 apart.
//: joined_9_4 joined 8192 256 9 1024 uniform
//: joined_9_1 joined 8192 256 9 256 uniform
//: joined_9_64 joined 8192 256 9 16384 uniform
//: joined_9_far joined 8192 256 9 131072 uniform
//: joined_3_4 joined 8192 256 3 1024 uniform
//: alone_3 joined 8192 256 3 2097152 uniform
//: alone_9 joined 8192 256 9 2097152 uniform
KERNEL(joined, float) {
    float sum = 0;
    for (int d = 0; d < n; d++) sum += a[THREAD + d * m];
    c[THREAD] = sum;
}
// A word of local memory, the same of all lanes, written and then read; and the one beside it; and none written.
//: local_same own_array 132 32 128 0 zeros
//: local_other own_array 132 32 128 1 zeros
//: local_only_read own_array 132 32 128 2 zeros
KERNEL(own_array, uint) {
    uint s[32];
#pragma unroll
    for (int i = 0; i < 32; i++) s[i] = (i + 1 + a[THREAD]) & 31;
    uint at = a[THREAD + 64];
    for (int i = 0; i < n; i++) {
        if (m < 2) s[(at + m) & 31] = (at + 3 + i) & 31;
        at = s[at & 31];
    }
    c[THREAD] = at;
}
