// CUDA C++ for the host's compiler: the keywords, and the intrinsics by the words of NVIDIA's manuals.
#pragma once
#include "ptx.h"
#include <math.h>

#define __device__ static __attribute__((unused))
#define __global__
#define __constant__
#define __shared__ static
#define __noinline__ __attribute__((noinline))
#define HELPER static inline

struct uint2 { u32 x, y; };
struct uint4 { u32 x, y, z, w; };
struct ushort4 { u16 x, y, z, w; };
struct float2 { float x, y; };
struct float4 { float x, y, z, w; };
struct double2 { double x, y; };
struct ulonglong2 { u64 x, y; };
struct uchar4 { u8 x, y, z, w; };

HELPER u32 __float_as_uint(float f) { u32 b; memcpy(&b, &f, 4); return b; }
HELPER float __uint_as_float(u32 b) { float f; memcpy(&f, &b, 4); return f; }
HELPER i64 __double_as_longlong(double f) { i64 b; memcpy(&b, &f, 8); return b; }
HELPER double __longlong_as_double(i64 b) { double f; memcpy(&f, &b, 8); return f; }
#include "both.h"

// ---- integers ----
HELPER i32 __popc(u32 a) { return popc(a); }
HELPER i32 __popcll(u64 a) { return popc(a); }
HELPER i32 __clz(i32 a) { return clz(32, (u32)a); }
HELPER i32 __clzll(i64 a) { return clz(64, (u64)a); }
HELPER i32 __ffs(i32 a) { return a ? __builtin_ctz(a) + 1 : 0; }
HELPER i32 __ffsll(i64 a) { return a ? __builtin_ctzll(a) + 1 : 0; }
HELPER u32 __brev(u32 a) { return (u32)brev(32, a); }
HELPER u64 __brevll(u64 a) { return brev(64, a); }
HELPER u32 __byte_perm(u32 a, u32 b, u32 s) { return prmt(INDEX, a, b, s & 0x7777); }
HELPER u32 __funnelshift_l(u32 lo, u32 hi, u32 n) { return shf(true, true, lo, hi, n); }
HELPER u32 __funnelshift_lc(u32 lo, u32 hi, u32 n) { return shf(true, false, lo, hi, n); }
HELPER u32 __funnelshift_r(u32 lo, u32 hi, u32 n) { return shf(false, true, lo, hi, n); }
HELPER u32 __funnelshift_rc(u32 lo, u32 hi, u32 n) { return shf(false, false, lo, hi, n); }
HELPER u32 __umulhi(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
HELPER i32 __mulhi(i32 a, i32 b) { return (i32)((i64)a * b >> 32); }
HELPER u64 __umul64hi(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
HELPER i64 __mul64hi(i64 a, i64 b) { return (i64)((__int128)a * b >> 64); }
HELPER u32 __umul24(u32 a, u32 b) { return mul24(false, false, a, b); }
HELPER u32 __sad(i32 a, i32 b, u32 c) { return c + (u32)(a < b ? (u32)b - (u32)a : (u32)a - (u32)b); }
HELPER u32 __usad(u32 a, u32 b, u32 c) { return c + (a < b ? b - a : a - b); }
HELPER i32 __hadd(i32 a, i32 b) { return (i32)(((i64)a + b) >> 1); }
HELPER i32 __rhadd(i32 a, i32 b) { return (i32)(((i64)a + b + 1) >> 1); }
HELPER u32 __uhadd(u32 a, u32 b) { return (u32)(((u64)a + b) >> 1); }
HELPER u32 __urhadd(u32 a, u32 b) { return (u32)(((u64)a + b + 1) >> 1); }
HELPER i32 __dp4a(i32 a, i32 b, i32 c) { return (i32)dp4a(true, true, (u32)a, (u32)b, (u32)c); }
HELPER u32 __dp4a(u32 a, u32 b, u32 c) { return dp4a(false, false, a, b, c); }
HELPER i32 __dp2a_lo(i32 a, i32 b, i32 c) { return (i32)dp2a(false, true, true, (u32)a, (u32)b, (u32)c); }
HELPER u32 __dp2a_hi(u32 a, u32 b, u32 c) { return dp2a(true, false, false, a, b, c); }

// ---- several integers in a word: BITS each, whose values are S or U ----
template <int BITS, class F> u32 parts(u32 a, u32 b, F f) {
    u32 d = 0;
    for (int at = 0; at < 32; at += BITS) {
        const u32 m = (u32)((1ull << BITS) - 1), x = a >> at & m, y = b >> at & m;
        const i32 sx = (i32)(x << (32 - BITS)) >> (32 - BITS), sy = (i32)(y << (32 - BITS)) >> (32 - BITS);
        d |= ((u32)f((i32)x, (i32)y, sx, sy) & m) << at;
    }
    return d;
}
#define TOP_S(BITS) ((1 << (BITS - 1)) - 1)
#define CLIP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
#define PARTS(name, expression)                                                                                       \
    HELPER u32 name##2(u32 a, u32 b) { enum { B = 16 }; return parts<16>(a, b, [](i32 x, i32 y, i32 s, i32 t) { (void)x, (void)y, (void)s, (void)t; return expression; }); } \
    HELPER u32 name##4(u32 a, u32 b) { enum { B = 8 }; return parts<8>(a, b, [](i32 x, i32 y, i32 s, i32 t) { (void)x, (void)y, (void)s, (void)t; return expression; }); }
PARTS(__vadd, x + y)
PARTS(__vsub, x - y)
PARTS(__vaddss, CLIP(s + t, -TOP_S(B) - 1, TOP_S(B)))
PARTS(__vaddus, CLIP(x + y, 0, 2 * TOP_S(B) + 1))
PARTS(__vsubss, CLIP(s - t, -TOP_S(B) - 1, TOP_S(B)))
PARTS(__vsubus, CLIP(x - y, 0, 2 * TOP_S(B) + 1))
PARTS(__vavgu, (x + y + 1) >> 1)
PARTS(__vhaddu, (x + y) >> 1)
PARTS(__vabsdiffu, x < y ? y - x : x - y)
PARTS(__vabsdiffs, s < t ? t - s : s - t)
PARTS(__vmaxu, x > y ? x : y)
PARTS(__vmaxs, s > t ? s : t)
PARTS(__vminu, x < y ? x : y)
PARTS(__vmins, s < t ? s : t)
PARTS(__vcmpeq, x == y ? -1 : 0)
PARTS(__vcmpne, x != y ? -1 : 0)
PARTS(__vcmpgtu, x > y ? -1 : 0)
PARTS(__vcmpgts, s > t ? -1 : 0)
PARTS(__vcmpgeu, x >= y ? -1 : 0)
PARTS(__vcmpges, s >= t ? -1 : 0)
PARTS(__vcmpltu, x < y ? -1 : 0)
PARTS(__vcmplts, s < t ? -1 : 0)
PARTS(__vcmpleu, x <= y ? -1 : 0)
PARTS(__vcmples, s <= t ? -1 : 0)
PARTS(__vseteq, x == y)
PARTS(__vsetne, x != y)
PARTS(__vsetgtu, x > y)
PARTS(__vsetgts, s > t)
PARTS(__vsetgeu, x >= y)
PARTS(__vsetges, s >= t)
PARTS(__vsetltu, x < y)
PARTS(__vsetlts, s < t)
PARTS(__vsetleu, x <= y)
PARTS(__vsetles, s <= t)
PARTS(absolute_, s < 0 ? -s : s)
PARTS(absolute_ss_, s < 0 ? CLIP(-s, 0, TOP_S(B)) : s)
PARTS(negative_, -s)
PARTS(negative_ss_, CLIP(-s, -TOP_S(B), TOP_S(B)))
HELPER u32 __vabs2(u32 a) { return absolute_2(a, 0); }
HELPER u32 __vabs4(u32 a) { return absolute_4(a, 0); }
HELPER u32 __vabsss2(u32 a) { return absolute_ss_2(a, 0); }
HELPER u32 __vabsss4(u32 a) { return absolute_ss_4(a, 0); }
HELPER u32 __vneg2(u32 a) { return negative_2(a, 0); }
HELPER u32 __vneg4(u32 a) { return negative_4(a, 0); }
HELPER u32 __vnegss2(u32 a) { return negative_ss_2(a, 0); }
HELPER u32 __vnegss4(u32 a) { return negative_ss_4(a, 0); }
HELPER u32 __vsadu4(u32 a, u32 b) { return vabsdiff4(false, true, a, b, 0); }
HELPER u32 __vsads4(u32 a, u32 b) { return vabsdiff4(true, true, a, b, 0); }
HELPER u32 __vsadu2(u32 a, u32 b) { const u32 d = __vabsdiffu2(a, b); return (d & 0xffff) + (d >> 16); }

// ---- floats ----
HELPER float f32(u64 b) { return __uint_as_float((u32)b); }
HELPER double f64(u64 b) { return __longlong_as_double((i64)b); }
#define F(a) __float_as_uint(a)
#define D(a) ((u64)__double_as_longlong(a))
#define ROUNDED(suffix, mode)                                                                                         \
    HELPER float __fadd_##suffix(float a, float b) { return f32(flt(F32, ADD, mode, 0, F(a), F(b))); }                \
    HELPER float __fsub_##suffix(float a, float b) { return f32(flt(F32, SUB, mode, 0, F(a), F(b))); }                \
    HELPER float __fmul_##suffix(float a, float b) { return f32(flt(F32, MUL, mode, 0, F(a), F(b))); }                \
    HELPER float __fdiv_##suffix(float a, float b) { return f32(flt(F32, DIV, mode, 0, F(a), F(b))); }                \
    HELPER float __fmaf_##suffix(float a, float b, float c) { return f32(flt(F32, FMA, mode, 0, F(a), F(b), F(c))); } \
    HELPER float __frcp_##suffix(float a) { return f32(flt(F32, RCP, mode, 0, F(a))); }                               \
    HELPER float __fsqrt_##suffix(float a) { return f32(flt(F32, SQRT, mode, 0, F(a))); }                             \
    HELPER double __dadd_##suffix(double a, double b) { return f64(flt(F64, ADD, mode, 0, D(a), D(b))); }             \
    HELPER double __dsub_##suffix(double a, double b) { return f64(flt(F64, SUB, mode, 0, D(a), D(b))); }             \
    HELPER double __dmul_##suffix(double a, double b) { return f64(flt(F64, MUL, mode, 0, D(a), D(b))); }             \
    HELPER double __ddiv_##suffix(double a, double b) { return f64(flt(F64, DIV, mode, 0, D(a), D(b))); }             \
    HELPER double __fma_##suffix(double a, double b, double c) { return f64(flt(F64, FMA, mode, 0, D(a), D(b), D(c))); } \
    HELPER double __drcp_##suffix(double a) { return f64(flt(F64, RCP, mode, 0, D(a))); }                             \
    HELPER double __dsqrt_##suffix(double a) { return f64(flt(F64, SQRT, mode, 0, D(a))); }                           \
    HELPER float __double2float_##suffix(double a) { return f32(cvt(F32, F64, mode, false, 0, D(a))); }               \
    HELPER float __int2float_##suffix(i32 a) { return f32(cvt(F32, S32, mode, false, 0, (u32)a)); }                   \
    HELPER float __uint2float_##suffix(u32 a) { return f32(cvt(F32, U32, mode, false, 0, a)); }                       \
    HELPER float __ll2float_##suffix(i64 a) { return f32(cvt(F32, S64, mode, false, 0, (u64)a)); }                    \
    HELPER float __ull2float_##suffix(u64 a) { return f32(cvt(F32, U64, mode, false, 0, a)); }                        \
    HELPER double __ll2double_##suffix(i64 a) { return f64(cvt(F64, S64, mode, false, 0, (u64)a)); }                  \
    HELPER double __ull2double_##suffix(u64 a) { return f64(cvt(F64, U64, mode, false, 0, a)); }                      \
    HELPER i32 __float2int_##suffix(float a) { return (i32)cvt(S32, F32, mode, true, 0, F(a)); }                      \
    HELPER u32 __float2uint_##suffix(float a) { return (u32)cvt(U32, F32, mode, true, 0, F(a)); }                     \
    HELPER i64 __float2ll_##suffix(float a) { return (i64)cvt(S64, F32, mode, true, 0, F(a)); }                       \
    HELPER u64 __float2ull_##suffix(float a) { return cvt(U64, F32, mode, true, 0, F(a)); }                           \
    HELPER i32 __double2int_##suffix(double a) { return (i32)cvt(S32, F64, mode, true, 0, D(a)); }                    \
    HELPER u32 __double2uint_##suffix(double a) { return (u32)cvt(U32, F64, mode, true, 0, D(a)); }                   \
    HELPER i64 __double2ll_##suffix(double a) { return (i64)cvt(S64, F64, mode, true, 0, D(a)); }                     \
    HELPER u64 __double2ull_##suffix(double a) { return cvt(U64, F64, mode, true, 0, D(a)); }
ROUNDED(rn, RN)
ROUNDED(rz, RZ)
ROUNDED(rd, RM)
ROUNDED(ru, RP)
HELPER float __saturatef(float a) { return a != a || a <= 0 ? 0.0f : a > 1 ? 1.0f : a; }
HELPER float host_fminf(float a, float b) { return f32(flt(F32, MIN, RN, 0, F(a), F(b))); }
HELPER float host_fmaxf(float a, float b) { return f32(flt(F32, MAX, RN, 0, F(a), F(b))); }
HELPER double host_fmin(double a, double b) { return f64(flt(F64, MIN, RN, 0, D(a), D(b))); }
HELPER double host_fmax(double a, double b) { return f64(flt(F64, MAX, RN, 0, D(a), D(b))); }
// C leaves the sign of a zero open, the PTX manual does not.
#define fminf host_fminf
#define fmaxf host_fmaxf
#define fmin host_fmin
#define fmax host_fmax
HELPER double __hiloint2double(i32 high, i32 low) { return f64((u64)(u32)high << 32 | (u32)low); }

// ---- the block and the warp ----
HELPER void __syncthreads() { meet_block(0); }
HELPER i32 __syncthreads_count(i32 p) { return (i32)meet_block(p != 0); }
HELPER i32 __syncthreads_or(i32 p) { return meet_block(p != 0) != 0; }
HELPER i32 __syncthreads_and(i32 p) { u32 came; const u32 yes = meet_block(p != 0, &came); return yes == came; }
HELPER void __syncwarp(u32 mask = ~0u) { meet_lanes(mask, 0); }
HELPER u32 __ballot_sync(u32 mask, i32 p) { return ballot(mask, p != 0); }
HELPER i32 __any_sync(u32 mask, i32 p) { return ballot(mask, p != 0) != 0; }
HELPER i32 __all_sync(u32 mask, i32 p) { return ballot(mask, p != 0) == mask; }
template <class T> HELPER u64 raw(T v) { u64 b = 0; memcpy(&b, &v, sizeof v); return b; }
template <class T> HELPER T cooked(u64 b) { T v; memcpy(&v, &b, sizeof v); return v; }
template <class T> HELPER T shuffled(Shuffle mode, u32 mask, T v, u32 by, u32 width) {
    const u64 *seen = meet_lanes(mask, raw(v));
    const u32 lane = threadIdx.x & 31, first = lane & ~(width - 1), at = lane - first;
    u32 from = lane;
    switch (mode) {
    case UP: if (at >= by) from = lane - by; break;
    case DOWN: if (at + by < width) from = lane + by; break;
    case BFLY: if ((lane ^ by) < first + width) from = lane ^ by; break;
    default: from = first + (by & (width - 1)); break;
    }
    return cooked<T>(seen[from]);
}
template <class T> HELPER T __shfl_sync(u32 m, T v, i32 lane, i32 width = 32) { return shuffled(IDX, m, v, (u32)lane, width); }
template <class T> HELPER T __shfl_up_sync(u32 m, T v, u32 by, i32 width = 32) { return shuffled(UP, m, v, by, width); }
template <class T> HELPER T __shfl_down_sync(u32 m, T v, u32 by, i32 width = 32) { return shuffled(DOWN, m, v, by, width); }
template <class T> HELPER T __shfl_xor_sync(u32 m, T v, i32 by, i32 width = 32) { return shuffled(BFLY, m, v, (u32)by, width); }
template <class T> HELPER u32 __match_any_sync(u32 mask, T v) { return match_any(mask, raw(v)); }
template <class T> HELPER u32 __match_all_sync(u32 mask, T v, i32 *all) { bool same; const u32 d = match_all(mask, raw(v), &same); *all = same; return d; }
HELPER u32 __reduce_add_sync(u32 mask, u32 v) { return redux(R_ADD, U32, mask, v); }
HELPER u32 __reduce_min_sync(u32 mask, u32 v) { return redux(R_MIN, U32, mask, v); }
HELPER i32 __reduce_max_sync(u32 mask, i32 v) { return (i32)redux(R_MAX, S32, mask, (u32)v); }
HELPER u32 __reduce_and_sync(u32 mask, u32 v) { return redux(R_AND, U32, mask, v); }
HELPER u32 __reduce_or_sync(u32 mask, u32 v) { return redux(R_OR, U32, mask, v); }
HELPER u32 __reduce_xor_sync(u32 mask, u32 v) { return redux(R_XOR, U32, mask, v); }

// ---- atomics: the threads of the host take turns only where they meet ----
#define ATOMIC(name, T, expression) HELPER T name(T *at, T v) { const T old = *at; *at = expression; return old; }
ATOMIC(atomicAdd, u32, old + v)
ATOMIC(atomicAdd, i32, (i32)((u32)old + (u32)v))
ATOMIC(atomicAdd, u64, old + v)
ATOMIC(atomicSub, u32, old - v)
ATOMIC(atomicMin, u32, old < v ? old : v)
ATOMIC(atomicMin, i32, old < v ? old : v)
ATOMIC(atomicMin, u64, old < v ? old : v)
ATOMIC(atomicMax, u32, old > v ? old : v)
ATOMIC(atomicMax, i32, old > v ? old : v)
ATOMIC(atomicMax, u64, old > v ? old : v)
ATOMIC(atomicAnd, u32, old & v)
ATOMIC(atomicOr, u32, old | v)
ATOMIC(atomicXor, u32, old ^ v)
ATOMIC(atomicXor, u64, old ^ v)
ATOMIC(atomicInc, u32, old >= v ? 0 : old + 1)
HELPER u32 atomicCAS(u32 *at, u32 expected, u32 v) { const u32 old = *at; if (old == expected) *at = v; return old; }
HELPER u64 atomicCAS(u64 *at, u64 expected, u64 v) { const u64 old = *at; if (old == expected) *at = v; return old; }
