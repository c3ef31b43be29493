// Floats: f32 and f64 by the host's own arithmetic in each rounding mode; halves from doubles that are rounded to odd, which
// keeps a second rounding harmless.
#include "ptx.h"
#include <fenv.h>
#include <float.h>
#include <math.h>

static double as_f64(u64 bits) { double v; memcpy(&v, &bits, 8); return v; }
static u64 bits_of(double v) { u64 b; memcpy(&b, &v, 8); return b; }
static float as_f32(u32 bits) { float v; memcpy(&v, &bits, 4); return v; }
static u32 bits_of(float v) { u32 b; memcpy(&b, &v, 4); return b; }

struct Format {
    int fraction, smallest;  // bits of the fraction, exponent of the smallest normal number
    u32 sign, infinity;
};
static const Format HALF = {10, -14, 0x8000, 0x7c00}, BRAIN = {7, -126, 0x8000, 0x7f80};
static const Format &half_format(Type t) { return t == F16 ? HALF : BRAIN; }

static int environment(Rounding mode) {
    const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    return modes[mode];
}

// What a half is worth.
static double widen(const Format &f, u32 bits) {
    const u32 exponent = (bits & f.infinity) >> f.fraction, fraction = bits & ((1u << f.fraction) - 1);
    double v;
    if ((bits & f.infinity) == f.infinity) v = fraction ? NAN : INFINITY;
    else if (exponent == 0) v = ldexp((double)fraction, f.smallest - f.fraction);
    else v = ldexp((double)(fraction | 1u << f.fraction), (int)exponent - 1 + f.smallest - f.fraction);
    return bits & f.sign ? -v : v;
}

// magnitude · 2^exponent, rounded to a half.
static u32 round_half(const Format &f, Rounding mode, bool negative, u64 magnitude, int exponent) {
    const u32 sign = negative ? f.sign : 0;
    if (magnitude == 0) return sign;
    const int top = 63 - __builtin_clzll(magnitude) + exponent;
    // The exponent of the last bit that the result keeps.
    const int last = (top < f.smallest ? f.smallest : top) - f.fraction;
    const int drop = last - exponent;
    u64 kept;
    bool half = false, rest = false;
    if (drop <= 0) kept = magnitude << -drop;
    else if (drop > 64) kept = 0, rest = true;
    else {
        kept = drop == 64 ? 0 : magnitude >> drop;
        half = magnitude >> (drop - 1) & 1;
        rest = (magnitude & ((1ull << (drop - 1)) - 1)) != 0;
    }
    const bool up = mode == RN ? half && (rest || (kept & 1)) : mode == RM ? negative && (half || rest)
                  : mode == RP ? !negative && (half || rest) : false;
    kept += up;
    // Fraction and exponent lie so that a carry out of the one counts up the other.
    u64 bits = kept;
    if (kept >= 1ull << f.fraction) bits += (u64)(last + f.fraction - f.smallest) << f.fraction;
    if (bits >= f.infinity) {
        const bool away = mode == RN || (mode == RM && negative) || (mode == RP && !negative);
        bits = away ? f.infinity : f.infinity - 1;
    }
    return sign | (u32)bits;
}

static u32 narrow(const Format &f, Rounding mode, double v) {
    if (isnan(v)) return 0x7fff;
    if (isinf(v)) return (v < 0 ? f.sign : 0) | f.infinity;
    int exponent;
    const double fraction = frexp(fabs(v), &exponent);
    return round_half(f, mode, signbit(v), (u64)ldexp(fraction, 53), exponent - 53);
}

// a + b with the last bit set where digits were lost.
static double sum_to_odd(double a, double b) {
    feclearexcept(FE_INEXACT);
    fesetround(FE_TOWARDZERO);
    volatile double x = a, y = b, sum = x + y;
    fesetround(FE_TONEAREST);
    if (!fetestexcept(FE_INEXACT)) {
        volatile double exact = x + y;  // the sign of an exact zero is that of rounding to nearest
        return exact;
    }
    return as_f64(bits_of((double)sum) | 1);
}

static double arithmetic(Operation op, double a, double b, double c) {
    switch (op) {
    case ADD: return sum_to_odd(a, b);
    case SUB: return sum_to_odd(a, -b);
    case MUL: return a * b;
    default: return sum_to_odd(a * b, c);
    }
}

template <class F> static F rounded(Operation op, Rounding mode, F a, F b, F c) {
    volatile F x = a, y = b, z = c, r;
    fesetround(environment(mode));
    switch (op) {
    case ADD: r = x + y; break;
    case SUB: r = x - y; break;
    case MUL: r = x * y; break;
    case FMA: r = sizeof(F) == 4 ? (F)fmaf(x, y, z) : (F)fma(x, y, z); break;
    case DIV: r = x / y; break;
    case RCP: r = (F)1 / x; break;
    default: r = sizeof(F) == 4 ? (F)sqrtf(x) : (F)sqrt(x); break;
    }
    fesetround(FE_TONEAREST);
    return r;
}

struct Layout {
    u64 sign, infinity, nan, one;
};
static Layout layout(Type t) {
    switch (t) {
    case F16: return {0x8000, 0x7c00, 0x7fff, 0x3c00};
    case BF16: return {0x8000, 0x7f80, 0x7fff, 0x3f80};
    case F32: return {1u << 31, 0x7f800000, 0x7fffffff, 0x3f800000};
    default: return {1ull << 63, 0x7ff0000000000000, 0x7ff8000000000000, 0x3ff0000000000000};
    }
}
static bool is_nan(Type t, u64 a) { const Layout l = layout(t); return (a & ~l.sign & (l.sign * 2 - 1)) > l.infinity; }
static double value(Type t, u64 a) {
    return t == F64 ? as_f64(a) : t == F32 ? (double)as_f32((u32)a) : widen(half_format(t), (u32)a);
}
static u64 flush(Type t, u32 flags, u64 a) {
    const Layout l = layout(t);
    const u64 smallest = l.infinity & -l.infinity;  // of the normal numbers
    return flags & FTZ && (a & (l.sign - 1)) < smallest ? a & l.sign : a;
}

static u64 extreme(Type t, bool want_max, u32 flags, u64 a, u64 b) {
    const Layout l = layout(t);
    const bool a_nan = is_nan(t, a), b_nan = is_nan(t, b);
    const u64 sign = (a ^ b) & l.sign;
    if ((a_nan && b_nan) || (flags & NAN_WINS && (a_nan || b_nan))) return l.nan;
    if (flags & XORSIGN) a &= ~l.sign, b &= ~l.sign;
    u64 r;
    if (a_nan) r = b;
    else if (b_nan) r = a;
    else if (value(t, a) == value(t, b)) r = (want_max ? !(a & l.sign) : !!(a & l.sign)) ? a : b;  // −0 is below +0
    else r = (value(t, a) < value(t, b)) == want_max ? b : a;
    if (flags & XORSIGN) r = (r & ~l.sign) | sign;
    return r;
}

static u64 clamp(Type t, u32 flags, u64 r) {
    const Layout l = layout(t);
    if (flags & SAT) {
        if (is_nan(t, r) || r & l.sign) return 0;
        return r > l.one ? l.one : r;
    }
    if (flags & RELU && !is_nan(t, r) && r & l.sign) return 0;
    return r;
}

u64 flt(Type t, Operation op, Rounding mode, u32 flags, u64 a, u64 b, u64 c) {
    const Layout l = layout(t);
    a = flush(t, flags, a), b = flush(t, flags, b), c = flush(t, flags, c);
    u64 r;
    switch (op) {
    case NEG: r = is_nan(t, a) ? l.nan : a ^ l.sign; break;
    case ABS: r = is_nan(t, a) ? l.nan : a & ~l.sign; break;
    case COPYSIGN: return (b & ~l.sign) | (a & l.sign);
    case MIN: case MAX: r = extreme(t, op == MAX, flags, a, b); break;
    default:
        if (t == F64) r = bits_of(rounded<double>(op, mode, as_f64(a), as_f64(b), as_f64(c)));
        else if (t == F32) r = bits_of(rounded<float>(op, mode, as_f32((u32)a), as_f32((u32)b), as_f32((u32)c)));
        else r = narrow(half_format(t), mode, arithmetic(op, value(t, a), value(t, b), value(t, c)));
    }
    if (is_nan(t, r)) r = l.nan;
    return clamp(t, flags, flush(t, flags, r));
}

u32 flt2(Type t, Operation op, u32 flags, u32 a, u32 b, u32 c) {
    const u64 low = flt(t, op, RN, flags, a & 0xffff, b & 0xffff, c & 0xffff);
    return (u32)low | (u32)flt(t, op, RN, flags, a >> 16, b >> 16, c >> 16) << 16;
}

bool testp(Type t, Class what, u64 a) {
    const int kind = t == F32 ? fpclassify(as_f32((u32)a)) : fpclassify(as_f64(a));
    switch (what) {
    case FINITE: return kind != FP_NAN && kind != FP_INFINITE;
    case INFINITE: return kind == FP_INFINITE;
    case NUMBER: return kind != FP_NAN;
    case NOTANUMBER: return kind == FP_NAN;
    case NORMAL: return kind == FP_NORMAL || kind == FP_ZERO;  // "as a special case", says the manual
    default: return kind == FP_SUBNORMAL;
    }
}

bool compare_floats(Type t, Compare how, u32 flags, u64 a, u64 b) {
    const double x = value(t, flush(t, flags, a)), y = value(t, flush(t, flags, b));
    const bool unordered = isnan(x) || isnan(y);
    switch (how) {
    case EQ: return x == y;
    case NE: return !unordered && x != y;
    case LT: return x < y;
    case LE: return x <= y;
    case GT: return x > y;
    case GE: return x >= y;
    case EQU: return unordered || x == y;
    case NEU: return x != y;
    case LTU: return unordered || x < y;
    case LEU: return unordered || x <= y;
    case GTU: return unordered || x > y;
    case GEU: return unordered || x >= y;
    case NUM: return !unordered;
    default: return unordered;
    }
}

// ---- conversions ----

static bool is_float(Type t) { return t >= F16; }
static bool is_signed(Type t) { return t >= S8 && t <= S64; }
static int width(Type t) { return is_float(t) ? (t <= BF16 ? 16 : t == F32 ? 32 : 64) : 8 << (t & 3); }
static __int128 integer(Type t, u64 a) {
    const int drop = 64 - width(t);
    return is_signed(t) ? (__int128)((i64)(a << drop) >> drop) : (__int128)(a << drop >> drop);
}
static double to_integral(Rounding mode, double v) {
    switch (mode) {
    case RN: return nearbyint(v);
    case RZ: return trunc(v);
    case RM: return floor(v);
    default: return ceil(v);
    }
}
static u64 clamp_integer(Type to, __int128 v) {
    const int bits = width(to);
    const __int128 top = ((__int128)1 << (is_signed(to) ? bits - 1 : bits)) - 1;
    const __int128 bottom = is_signed(to) ? -top - 1 : 0;
    return (u64)(v > top ? top : v < bottom ? bottom : v);
}
static u64 from_integer(Type to, Rounding mode, Type from, u64 a) {
    const __int128 v = integer(from, a);
    const u64 magnitude = (u64)(v < 0 ? -v : v);
    if (to <= BF16) return round_half(half_format(to), mode, v < 0, magnitude, 0);
    volatile u64 m = magnitude;
    volatile i64 s = (i64)v;
    const bool small = v < 0;  // fits a signed number, whose direction of rounding is its own
    volatile float f;
    volatile double d;
    fesetround(environment(mode));
    if (to == F32) f = small ? (float)s : (float)m;
    else d = small ? (double)s : (double)m;
    fesetround(FE_TONEAREST);
    return to == F32 ? bits_of((float)f) : bits_of((double)d);
}

u64 cvt(Type to, Type from, Rounding mode, bool integral, u32 flags, u64 a) {
    u64 r;
    if (!is_float(from) && !is_float(to)) {
        const __int128 v = integer(from, a);
        r = flags & SAT ? clamp_integer(to, v) : (u64)integer(to, (u64)v);
    } else if (!is_float(from)) {
        r = clamp(to, flags, from_integer(to, mode, from, a));
    } else {
        if (from == F32) a = flush(from, flags, a);
        const double v = value(from, a);
        if (!is_float(to)) {
            if (isnan(v)) r = from != F64 && width(to) < 64 ? 0 : 1ull << (width(to) - 1);
            else {
                const double whole = to_integral(mode, v);
                r = clamp_integer(to, whole >= 0x1p100 ? (__int128)1 << 100 : whole <= -0x1p100 ? -((__int128)1 << 100) : (__int128)whole);
            }
            r = (u64)integer(to, r);
        } else {
            const double w = integral ? to_integral(mode, v) : v;
            if (isnan(w)) r = layout(to).nan;
            else if (to == F64) r = bits_of(w);
            else if (to == F32) {
                volatile double x = w;
                fesetround(environment(mode));
                volatile float f = (float)x;
                fesetround(FE_TONEAREST);
                r = flush(F32, flags, bits_of((float)f));
            } else r = narrow(half_format(to), mode, w);
            r = clamp(to, flags, r);
        }
    }
    return r;
}

u32 cvt2(Type to, Rounding mode, u32 flags, u32 high, u32 low) {
    return (u32)cvt(to, F32, mode, false, flags, low) | (u32)cvt(to, F32, mode, false, flags, high) << 16;
}
