// Stores of parts of sectors, atomics on scattered words, small kernels, words out of L1, shared memory and constants, each by itself. Where
// programs of `more_programs.cu` were wrong these were measured, on an H200, and the clock learned from them.
//
// Rows and parameters are as in `calibration.cu`.
//
// requires: sm_80

typedef unsigned int u32;
#define PROGRAM(name, TA, TB, TC) \
    extern "C" __global__ void name(const TA* __restrict__ a, const TB* __restrict__ b, TC* __restrict__ c, int n, int m)

// --- Stores --------------------------------------------------------------------------------------------------------------------------
// A word to every nth place, and m words one after the other to each of these places.
//: st1_one st_stride 2048 256 1 0 uniform
//: st2_one st_stride 2048 256 2 0 uniform
//: st3_one st_stride 2048 256 3 0 uniform
//: st4_one st_stride 2048 256 4 0 uniform
//: st7_one st_stride 2048 256 7 0 uniform
//: st8_one st_stride 2048 256 8 0 uniform
PROGRAM(st_stride, float, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    c[i * n] = i * 0.5f;
}
//: st2x2_one st_repeat 2048 256 2 2 uniform
//: st4x4_one st_repeat 2048 256 4 4 uniform
//: st7x7_one st_repeat 2048 256 7 7 uniform
//: st8x8_one st_repeat 2048 256 8 8 uniform
//: st32x8_one st_repeat 512 256 32 8 uniform
//: st33x8_one st_repeat 512 256 33 8 uniform
PROGRAM(st_repeat, float, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    float v = i * 0.5f;
    for (int k = 0; k < m; k++) c[i * n + k] = v + k;
}
// The same of seven words without a loop.
//: st7_all st7_all 2048 256 0 0 uniform
PROGRAM(st7_all, float, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    float v = i * 0.5f;
#pragma unroll
    for (int k = 0; k < 7; k++) c[i * 7 + k] = v + k;
}
// n times 16 bytes to a thread, and a copy of four times 16.
//: st8x8_v4 st_v4 2048 256 2 0 uniform
PROGRAM(st_v4, float, float, float4) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    float v = i * 0.5f;
    for (int k = 0; k < n; k++) c[i * n + k] = make_float4(v, v, v + k, v);
}
//: rows4_128 rows4 512 128 0 0 uniform
//: rows4_256 rows4 1024 256 0 0 uniform
PROGRAM(rows4, float4, float, float4) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v[4];
#pragma unroll
    for (int r = 0; r < 4; r++) v[r] = a[i * 4 + r];
#pragma unroll
    for (int r = 0; r < 4; r++) c[i * 4 + r] = make_float4(v[r].y, v[r].x, v[r ^ 1].z, v[r].w);
}
// Half of each line, a quarter of each, and every second word.
//: half_lines half_lines 4096 256 0 0 uniform
PROGRAM(half_lines, float, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    c[i / 16 * 32 + i % 16] = i * 0.5f;
}
//: quarter_lines quarter_lines 4096 256 0 0 uniform
PROGRAM(quarter_lines, float, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    c[i / 8 * 32 + i % 8] = i * 0.5f;
}
//: odd_words odd_words 4096 256 0 0 uniform
PROGRAM(odd_words, float, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    c[i] = i * 0.5f;
    if (threadIdx.x % 2) c[i + 1048576] = i;
}
// Columns of a matrix with n columns, as a naive transpose writes them.
//: columns_8 columns_8 512 256 1024 0 uniform
PROGRAM(columns_8, float, float, float) {
    u32 t = threadIdx.x, tx = t % 32, ty = t / 32, bx = blockIdx.x % (n / 32), by = blockIdx.x / (n / 32);
    for (int k = 0; k < 2; k++) c[(bx * 32 + tx) * n + by * 16 + ty + k * 8] = t;
}

// --- Loads and copies ----------------------------------------------------------------------------------------------------------------
// Seven words to a thread, and n in a loop.
//: ld7_all ld7_all 2048 256 0 0 uniform
PROGRAM(ld7_all, float, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    float v = 0;
#pragma unroll
    for (int k = 0; k < 7; k++) v += a[i * 7 + k];
    if (v == 12345.678f) c[i] = v;
}
//: ld7x ld_loop 2048 256 7 0 uniform
//: ld4x ld_loop 2048 256 4 0 uniform
PROGRAM(ld_loop, float, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    float v = 0;
    for (int k = 0; k < n; k++) v += a[i * n + k];
    if (v == 12345.678f) c[i] = v;
}
//: copy4_256 copy4 256 256 0 0 uniform
//: copy4_512 copy4 512 256 0 0 uniform
//: copy4_1024 copy4 1024 256 0 0 uniform
//: copy4_2048 copy4 2048 256 0 0 uniform
//: copy4_4096 copy4 4096 256 0 0 uniform
PROGRAM(copy4, float4, float, float4) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    c[i] = a[i];
}
//: copy1_1024 copy1 1024 256 0 0 uniform
//: copy1_4096 copy1 4096 256 0 0 uniform
//: copy1_8192 copy1 8192 256 0 0 uniform
PROGRAM(copy1, float, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    c[i] = a[i];
}
//: read4_2048 read4 2048 256 0 0 uniform
//: read4_4096 read4 4096 256 0 0 uniform
PROGRAM(read4, float4, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    float4 v = a[i];
    if (v.x + v.y + v.z + v.w == 12345.678f) c[i] = v.x;
}
//: gather_1024 gather_words 1024 256 0 0 below 262144
//: gather_4096 gather_words 4096 256 0 0 below 1048576
PROGRAM(gather_words, u32, u32, u32) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    c[i] = b[a[i]];
}
//: four_corners four_corners 4096 256 1024 0 uniform
PROGRAM(four_corners, float, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    c[i] = a[i] * 0.2f + a[i + 1] + a[i + n] + a[i + n + 1];
}
//: seven_arrays seven_arrays 2048 256 524288 0 uniform
PROGRAM(seven_arrays, float, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    float v = 0;
#pragma unroll
    for (int k = 0; k < 7; k++) v += a[k * n + i];
    c[i] = v;
}
//: to_six_arrays to_six_arrays 2048 256 524288 0 uniform
PROGRAM(to_six_arrays, float, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    float v = a[i];
#pragma unroll
    for (int k = 0; k < 6; k++) c[k * n + i] = v + k;
}

// --- Scattered words -----------------------------------------------------------------------------------------------------------------
// One of n + 1 words for each thread: compared and exchanged, exchanged, added to with and without the old value, stored, loaded.
#define ANY u32 i = blockIdx.x * 256 + threadIdx.x, k = a[i] * 2654435761u >> 8 & n
//: cas_16m cas 2048 256 4194303 0 below 2000000000
//: cas_1m cas 2048 256 262143 0 below 2000000000
PROGRAM(cas, u32, u32, u32) {
    ANY;
    u32 old = atomicCAS(c + k, 0xffffffffu, i);
    if (old == 77777) c[5000000] = old;
}
//: cas_twice cas2 2048 256 4194303 0 below 2000000000
PROGRAM(cas2, u32, u32, u32) {
    ANY;
    u32 old = atomicCAS(c + k, 0xffffffffu, i);
    old = atomicCAS(c + (k ^ 1 + (old & 1)), 0xffffffffu, i);
    if (old == 77777) c[5000000] = old;
}
//: exch_16m exch 2048 256 4194303 0 below 2000000000
PROGRAM(exch, u32, u32, u32) {
    ANY;
    u32 old = atomicExch(c + k, i);
    if (old == 0xfffffff7) c[5000000] = old;
}
//: add_16m add_old 2048 256 4194303 0 below 2000000000
PROGRAM(add_old, u32, u32, u32) {
    ANY;
    u32 old = atomicAdd(c + k, i);
    if (old == 0xfffffff7) c[5000000] = old;
}
//: red_16m add_only 2048 256 4194303 0 below 2000000000
//: red_1m add_only 2048 256 262143 0 below 2000000000
PROGRAM(add_only, u32, u32, u32) {
    ANY;
    atomicAdd(c + k, i);
}
//: rst_16m store_any 2048 256 4194303 0 below 2000000000
//: rst_1m store_any 2048 256 262143 0 below 2000000000
PROGRAM(store_any, u32, u32, u32) {
    ANY;
    c[k] = i;
}
//: rld_16m load_any 2048 256 4194303 0 below 2000000000
PROGRAM(load_any, u32, u32, u32) {
    ANY;
    u32 v = b[k];
    if (v == 0xfffffff7) c[i] = v;
}

// --- Shared memory and constants -----------------------------------------------------------------------------------------------------
__constant__ float weights[64];
// n words of shared memory one after the other; 64 of them times constants; a chain of 64 constants n times; 16 bytes for all lanes.
//: lds_word lds_word 1056 256 64 0 uniform
PROGRAM(lds_word, float, float, float) {
    __shared__ float s[512];
    u32 t = threadIdx.x;
    s[t] = a[t], s[t + 256] = a[t + 256];
    __syncthreads();
    float v = 0;
#pragma unroll 1
    for (int k = 0; k < n; k += 8) {
#pragma unroll
        for (int j = 0; j < 8; j++) v += s[t + k + j];
    }
    c[blockIdx.x * 256 + t] = v;
}
//: lds_const lds_const 1056 256 64 0 uniform
PROGRAM(lds_const, float, float, float) {
    __shared__ float s[512];
    u32 t = threadIdx.x;
    s[t] = a[t], s[t + 256] = a[t + 256];
    __syncthreads();
    float v = 0;
#pragma unroll
    for (int k = 0; k < 64; k++) v += weights[k] * s[t + k];
    c[blockIdx.x * 256 + t] = v;
}
//: const_only const_only 1056 256 16 0 uniform
PROGRAM(const_only, float, float, float) {
    u32 t = threadIdx.x;
    float v = a[t];
#pragma unroll 1
    for (int j = 0; j < n; j++)
#pragma unroll
        for (int k = 0; k < 64; k++) v = weights[k] * v + 0.5f;
    c[blockIdx.x * 256 + t] = v;
}
//: lds4_uniform lds4_uniform 1056 256 64 0 uniform
PROGRAM(lds4_uniform, float4, float, float) {
    __shared__ float4 s[64];
    u32 t = threadIdx.x;
    if (t < 64) s[t] = a[t];
    __syncthreads();
    float x = t * 0.01f, y = 0.5f;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        float4 v = s[k];
        x = x * v.x + v.y, y = y * v.z + v.w;
    }
    c[blockIdx.x * 256 + t] = x + y;
}
