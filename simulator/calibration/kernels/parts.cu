// Stores side by side, swaps of few lanes, as much memory as L2 has room for and more, divisions of zero, each by itself. Where programs of
// `forty_programs.cu` were wrong these were measured, on an H200, and the clock learned from them.
//
// Rows and parameters are as in `calibration.cu`.
//
// requires: sm_80

typedef unsigned int u32;
#define PROGRAM(name, TA, TB, TC)                                                                                  \
    extern "C" __global__ void name(const TA* __restrict__ a, const TB* __restrict__ b, TC* __restrict__ c, int n, \
                                    int m)
#define TID (blockIdx.x * blockDim.x + threadIdx.x)
// --- Stores side by side -------------------------------------------------------------------------------------------------------------
// Pairs of 16 bytes.
//: pair16_64m pair16 16384 128 0 0 uniform
//: pair16_8m pair16 2048 128 0 0 uniform
//: pair16_alone pair16 132 32 0 0 uniform
PROGRAM(pair16, float, float, float4) {
    u32 i = TID;
    float v = i;
    c[2 * i] = make_float4(v, v, v, v);
    c[2 * i + 1] = make_float4(v, v + 1, v, v);
}
//: quad16_8m quad16 1024 128 0 0 uniform
PROGRAM(quad16, float, float, float4) {
    u32 i = TID;
    float v = i;
    c[4 * i] = make_float4(v, v, v, v);
    c[4 * i + 1] = make_float4(v, v + 1, v, v);
    c[4 * i + 2] = make_float4(v, v + 2, v, v);
    c[4 * i + 3] = make_float4(v, v + 3, v, v);
}
//: pair8_8m pair8 2048 256 0 0 uniform
PROGRAM(pair8, float, float, float2) {
    u32 i = TID;
    float v = i;
    c[2 * i] = make_float2(v, v);
    c[2 * i + 1] = make_float2(v, v + 1);
}
//: quad8_16m quad8 2048 256 0 0 uniform
PROGRAM(quad8, float, float, float2) {
    u32 i = TID;
    float v = i;
    c[4 * i] = make_float2(v, v);
    c[4 * i + 1] = make_float2(v, v + 1);
    c[4 * i + 2] = make_float2(v, v + 2);
    c[4 * i + 3] = make_float2(v, v + 3);
}
// Words, one after the other: one word's offset keeps the compiler from making one store of them.
#define WORDS(W)                                                                \
    PROGRAM(words_##W, float, float, float) {                                   \
        u32 i = TID;                                                            \
        float v = i;                                                            \
        _Pragma("unroll") for (int k = 0; k < W; k++) c[1 + i * W + k] = v + k; \
    }
//: words_2 words_2 2048 256 0 0 uniform
WORDS(2)
//: words_3 words_3 2048 256 0 0 uniform
WORDS(3)
//: words_4 words_4 2048 256 0 0 uniform
//: words_4_alone words_4 132 32 0 0 uniform
WORDS(4)
//: words_5 words_5 2048 256 0 0 uniform
WORDS(5)
//: words_6 words_6 2048 256 0 0 uniform
WORDS(6)
//: words_8 words_8 2048 256 0 0 uniform
//: words_8_alone words_8 132 32 0 0 uniform
WORDS(8)
// The same with other work between them.
#define APART(W)                                                                   \
    PROGRAM(apart_##W, float, float, float) {                                      \
        u32 i = TID;                                                               \
        float v = i;                                                               \
        _Pragma("unroll") for (int k = 0; k < W; k++) {                            \
            c[1 + i * W + k] = v;                                                  \
            _Pragma("unroll") for (int q = 0; q < 24; q++) v = v * 1.0001f + 0.5f; \
        }                                                                          \
    }
//: apart_2 apart_2 2048 256 0 0 uniform
APART(2)
//: apart_4 apart_4 2048 256 0 0 uniform
APART(4)
//: apart_7 apart_7 2048 256 0 0 uniform
//: apart_7_few apart_7 264 128 0 0 uniform
APART(7)
// Structures of seven words and of eight, read and written back.
//: update_7 update_of_7 2048 256 0 0 uniform
PROGRAM(update_of_7, float, float, float) {
    u32 i = TID;
    float x = c[i * 7], y = c[i * 7 + 1], z = c[i * 7 + 2], u = c[i * 7 + 3], v = c[i * 7 + 4], w = c[i * 7 + 5];
    x += u * 0.1f;
    y += v * 0.1f;
    z += w * 0.1f;
    c[i * 7] = x;
    c[i * 7 + 1] = y;
    c[i * 7 + 2] = z;
}
//: update_4of8 update_of_8 2048 256 0 0 uniform
PROGRAM(update_of_8, float4, float, float4) {
    u32 i = TID;
    float4 p = c[2 * i], v = c[2 * i + 1];
    p.x += v.x;
    p.y += v.y;
    c[2 * i] = p;
}
// --- Words anywhere ------------------------------------------------------------------------------------------------------------------
// Comparisons and swaps of n lanes of a warp, m times one behind the other.
#define HASH(x) ((x) * 2654435761u ^ (x) >> 15)
//: cas_32_4 cas_lanes 1024 256 32 4 zeros
//: cas_8_4 cas_lanes 1024 256 8 4 zeros
//: cas_2_4 cas_lanes 1024 256 2 4 zeros
//: cas_1_4 cas_lanes 1024 256 1 4 zeros
//: cas_1_16 cas_lanes 1024 256 1 16 zeros
PROGRAM(cas_lanes, u32, u32, u32) {
    u32 i = TID, x = HASH(i);
    if (threadIdx.x % 32 < n)
        for (int k = 0; k < m; k++) {
            u32 was = atomicCAS(&c[x >> 12], 0, x | 1);
            x = HASH(x + was * 0 + (was >> 31) + k);
        }
}
//: put_again put_keys 2048 256 524288 0 below 2147483648
PROGRAM(put_keys, u32, u32, u32) {
    if (TID >= n) return;
    u32 key = a[TID] + 1, place = key * 2654435761u >> 12;
    while (true) {
        u32 was = atomicCAS(&c[place], 0, key);
        if (was == 0 || was == key) break;
        place = (place + 1) & ((1 << 20) - 1);
    }
}
//: put_8th put_keys 256 256 65536 0 below 2147483648
// The same by loads.
//: look_32_4 look_up 1024 256 32 4 zeros
//: look_2_4 look_up 1024 256 2 4 zeros
//: look_2_16 look_up 1024 256 2 16 zeros
PROGRAM(look_up, u32, u32, u32) {
    u32 i = TID, x = HASH(i);
    if (threadIdx.x % 32 < n) {
        for (int k = 0; k < m; k++) {
            u32 was = a[x >> 12];
            x = HASH(x + was + k);
        }
        if (x == 12345) c[i] = x;
    }
}
// --- As much as L2 has room for, and more ---------------------------------------------------------------------------------------------
// Copies, sums and fills of so many MiB, by 16 bytes a thread.
//: copy_12m copy_fours 3072 256 0 0 uniform
//: copy_16m copy_fours 4096 256 0 0 uniform
//: copy_20m copy_fours 5120 256 0 0 uniform
//: copy_24m copy_fours 6144 256 0 0 uniform
//: copy_28m copy_fours 7168 256 0 0 uniform
//: copy_32m copy_fours 8192 256 0 0 uniform
//: copy_36m copy_fours 9216 256 0 0 uniform
//: copy_40m copy_fours 10240 256 0 0 uniform
//: copy_48m copy_fours 12288 256 0 0 uniform
//: copy_64m copy_fours 16384 256 0 0 uniform
PROGRAM(copy_fours, float4, float, float4) {
    u32 i = TID;
    float4 v = a[i];
    v.x += 1;
    c[i] = v;
}
//: read_24m read_fours 6144 256 0 0 uniform
//: read_32m read_fours 8192 256 0 0 uniform
//: read_40m read_fours 10240 256 0 0 uniform
//: read_48m read_fours 12288 256 0 0 uniform
//: read_64m read_fours 16384 256 0 0 uniform
//: read_96m read_fours 24576 256 0 0 uniform
PROGRAM(read_fours, float4, float, float) {
    u32 i = TID;
    float4 v = a[i];
    if (v.x + v.y + v.z + v.w == 12345.678f) c[i] = v.x;
}
//: fill_16m fill_fours 4096 256 0 0 uniform
//: fill_32m fill_fours 8192 256 0 0 uniform
//: fill_48m fill_fours 12288 256 0 0 uniform
//: fill_64m fill_fours 16384 256 0 0 uniform
PROGRAM(fill_fours, float, float, float4) {
    u32 i = TID;
    float v = i;
    c[i] = make_float4(v, v, v, v + 1);
}
// Rows of 6 KiB, normed by 192 threads each.
//: norm_1000 norm_rows 1000 192 0 0 uniform
//: norm_3000 norm_rows 3000 192 0 0 uniform
//: norm_6000 norm_rows 6000 192 0 0 uniform
//: norm_9000 norm_rows 9000 192 0 0 uniform
PROGRAM(norm_rows, float4, float, float4) {
    __shared__ float part[6];
    int t = threadIdx.x, at = blockIdx.x * 384 + t;
    float4 x = a[at], y = a[at + 192];
    float s = x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w + y.x * y.x + y.y * y.y + y.z * y.z + y.w * y.w;
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (t % 32 == 0) part[t / 32] = s;
    __syncthreads();
    float r = rsqrtf((part[0] + part[1] + part[2] + part[3] + part[4] + part[5]) / 1536 + 1e-5f);
    c[at] = make_float4(x.x * r, x.y * r, x.z * r, x.w * r);
    c[at + 192] = make_float4(y.x * r, y.y * r, y.z * r, y.w * r);
}
// --- Divisions -----------------------------------------------------------------------------------------------------------------------
// With numerators of zero (m = 0), which go another way, and without.
//: div_some quotients 2048 256 16 1 uniform
//: div_zero quotients 2048 256 16 0 uniform
PROGRAM(quotients, float, float, float) {
    u32 i = TID;
    float v = a[i & 1048575] * m, s = 0;
    for (int k = 1; k <= n; k++) s += v * m / (k + 0.5f);
    c[i] = s;
}
