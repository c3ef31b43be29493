// Integers, bits, the carry flag, memory and warp operations.
#include "ptx.h"

static bool is_signed(Type t) { return t >= S8 && t <= S64; }
static u32 width(Type t) { return t >= F16 ? (t <= BF16 ? 16 : t == F32 ? 32 : 64) : 8 << (t & 3); }
static u64 mask(u32 bits) { return bits == 64 ? ~0ull : (1ull << bits) - 1; }
static __int128 value(Type t, u64 a) {
    const u32 drop = 64 - width(t);
    return is_signed(t) ? (__int128)((i64)(a << drop) >> drop) : (__int128)(a << drop >> drop);
}
static u64 cut(Type t, __int128 v) { return (u64)v & mask(width(t)); }
// The full product, whose 128 bits an unsigned one of 64 bits needs.
static unsigned __int128 product(Type t, u64 a, u64 b) { return (unsigned __int128)value(t, a) * (unsigned __int128)value(t, b); }

u64 add(Type t, u64 a, u64 b) { return cut(t, value(t, a) + value(t, b)); }
u64 sub(Type t, u64 a, u64 b) { return cut(t, value(t, a) - value(t, b)); }
u64 mul_lo(Type t, u64 a, u64 b) { return cut(t, (__int128)product(t, a, b)); }
u64 mul_hi(Type t, u64 a, u64 b) { return cut(t, (__int128)(product(t, a, b) >> width(t))); }
u64 mul_wide(Type t, u64 a, u64 b) { return (u64)product(t, a, b) & mask(2 * width(t)); }
u64 quotient(Type t, u64 a, u64 b) { return cut(t, value(t, a) / value(t, b)); }
u64 remainder_(Type t, u64 a, u64 b) { return cut(t, value(t, a) % value(t, b)); }
u64 min_(Type t, u64 a, u64 b) { return value(t, a) < value(t, b) ? a : b; }
u64 max_(Type t, u64 a, u64 b) { return value(t, a) > value(t, b) ? a : b; }
u64 abs_(Type t, u64 a) { return cut(t, value(t, a) < 0 ? -value(t, a) : value(t, a)); }
u64 neg(Type t, u64 a) { return cut(t, -value(t, a)); }
u64 sad(Type t, u64 a, u64 b, u64 c) {
    const __int128 d = value(t, a) - value(t, b);
    return cut(t, value(t, c) + (d < 0 ? -d : d));
}
u64 shl(u32 bits, u64 a, u32 b) { return b >= bits ? 0 : a << b & mask(bits); }
u64 shr(Type t, u64 a, u32 b) {
    const u32 by = b >= width(t) ? width(t) : b;
    return cut(t, value(t, a) >> by);
}
static u32 saturate(i64 v) { return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? (u32)INT32_MIN : (u32)v; }
u32 add_sat(u32 a, u32 b) { return saturate((i64)(i32)a + (i32)b); }
u32 sub_sat(u32 a, u32 b) { return saturate((i64)(i32)a - (i32)b); }
u32 mad_hi_sat(u32 a, u32 b, u32 c) { return saturate(((i64)(i32)a * (i32)b >> 32) + (i32)c); }
u32 mul24(bool is_signed, bool high, u32 a, u32 b) {
    const i64 x = is_signed ? (i64)((i32)(a << 8) >> 8) : a & 0xffffff;
    const i64 y = is_signed ? (i64)((i32)(b << 8) >> 8) : b & 0xffffff;
    const i64 p = x * y;
    return (u32)(high ? p >> 16 : p);
}
u64 bfe(Type t, u64 a, u32 b, u32 c) {
    const u32 top = width(t) - 1, position = b & 0xff, length = c & 0xff;
    bool sign = false;
    if (is_signed(t) && length) sign = a >> (position + length - 1 < top ? position + length - 1 : top) & 1;
    u64 d = 0;
    for (u32 i = 0; i <= top; ++i) d |= (u64)(i < length && position + i <= top ? a >> (position + i) & 1 : sign) << i;
    return d;
}
u64 bfi(u32 bits, u64 a, u64 b, u32 c, u32 d) {
    const u32 position = c & 0xff, length = d & 0xff;
    for (u32 i = 0; i < length && position + i < bits; ++i) {
        const u64 bit = 1ull << (position + i);
        b = (b & ~bit) | (a >> i & 1 ? bit : 0);
    }
    return b;
}
u32 bfind(Type t, bool shift_amount, u64 a) {
    if (value(t, a) < 0) a = ~a;
    for (i32 i = width(t) - 1; i >= 0; --i)
        if (a >> i & 1) return shift_amount ? width(t) - 1 - i : i;
    return ~0u;
}
u64 brev(u32 bits, u64 a) {
    u64 d = 0;
    for (u32 i = 0; i < bits; ++i) d |= (a >> i & 1) << (bits - 1 - i);
    return d;
}
u32 clz(u32 bits, u64 a) {
    u32 n = 0;
    while (n < bits && !(a >> (bits - 1 - n) & 1)) ++n;
    return n;
}
u32 popc(u64 a) {
    u32 n = 0;
    for (; a; a &= a - 1) ++n;
    return n;
}
u32 fns(u32 a, u32 base, u32 offset) {
    // The manual leaves it open.
    if (offset == 0x80000000) return 0;
    if (offset == 0) return a >> base & 1 ? base : ~0u;
    const i32 step = (i32)offset > 0 ? 1 : -1;
    u32 count = (step > 0 ? offset : -offset) - 1;
    for (i32 at = base; at >= 0 && at < 32; at += step)
        if (a >> at & 1 && count-- == 0) return at;
    return ~0u;
}
u32 bmsk(bool clamp, u32 a, u32 b) {
    const u32 a1 = a & 31, sum = a1 + (b & 31);
    u32 mask0 = ~0u << a1, mask1 = sum >= 32 ? 0 : ~0u << sum;
    if (clamp && a >= 32) mask0 = mask1 = 0;
    if (clamp && b >= 32) mask1 = 0;
    return mask0 & ~mask1;
}
u32 szext(bool clamp, bool is_signed, u32 a, u32 b) {
    const u32 b1 = b & 31;
    const bool too_large = clamp && b >= 32;
    const u32 m = too_large ? 0 : ~0u << b1;
    const bool sign = is_signed && b1 != 0 && !too_large && a >> (b1 - 1) & 1;
    return (a & ~m) | (sign ? m : 0);
}
static i64 byte(bool is_signed, u32 a, u32 i) { return is_signed ? (i8)(a >> 8 * i) : (u8)(a >> 8 * i); }
u32 dp4a(bool a_signed, bool b_signed, u32 a, u32 b, u32 c) {
    for (u32 i = 0; i < 4; ++i) c += (u32)(byte(a_signed, a, i) * byte(b_signed, b, i));
    return c;
}
u32 dp2a(bool high, bool a_signed, bool b_signed, u32 a, u32 b, u32 c) {
    for (u32 i = 0; i < 2; ++i) {
        const i64 x = a_signed ? (i16)(a >> 16 * i) : (u16)(a >> 16 * i);
        c += (u32)(x * byte(b_signed, b, i + 2 * high));
    }
    return c;
}
u32 lop3(u32 table, u32 a, u32 b, u32 c) {
    u32 d = 0;
    for (u32 i = 0; i < 32; ++i) {
        const u32 row = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
        d |= (table >> row & 1) << i;
    }
    return d;
}
u32 prmt(Prmt mode, u32 a, u32 b, u32 c) {
    // The manual's table, from the highest byte to the lowest.
    static const u8 picks[][4][4] = {
        {},
        {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}},
        {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}},
        {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}},
        {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}},
        {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}},
        {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}},
    };
    u32 d = 0;
    for (u32 i = 0; i < 4; ++i) {
        const u32 pick = mode == INDEX ? c >> 4 * i & 15 : picks[mode][c & 3][3 - i];
        u32 value = ((pick & 4 ? b : a) >> 8 * (pick & 3)) & 0xff;
        if (pick & 8) value = value & 0x80 ? 0xff : 0;
        d |= value << 8 * i;
    }
    return d;
}
u32 shf(bool left, bool wrap, u32 a, u32 b, u32 c) {
    const u32 n = wrap ? c & 31 : c > 32 ? 32 : c;
    const u64 pair = (u64)b << 32 | a;
    return left ? (u32)((unsigned __int128)pair << n >> 32) : (u32)(pair >> n);
}
u32 vabsdiff4(bool is_signed, bool accumulate, u32 a, u32 b, u32 c) {
    u32 d = 0;
    for (u32 i = 0; i < 4; ++i) {
        const i64 x = byte(is_signed, a, i) - byte(is_signed, b, i), distance = x < 0 ? -x : x;
        if (accumulate) c += (u32)distance;
        else d |= (u32)(distance & 0xff) << 8 * i;
    }
    return accumulate ? c : d;
}
u32 halves(u64 (*f)(Type, u64, u64), Type t, bool relu, u32 a, u32 b) {
    u32 d = 0;
    for (u32 i = 0; i < 2; ++i) {
        u32 r = (u32)f(t, a >> 16 * i & 0xffff, b >> 16 * i & 0xffff);
        if (relu && r & 0x8000) r = 0;
        d |= r << 16 * i;
    }
    return d;
}
bool compare_floats(Type t, Compare how, u32 flags, u64 a, u64 b);
bool cmp(Type t, Compare how, u32 flags, u64 a, u64 b) {
    if (t >= F16) return compare_floats(t, how, flags, a, b);
    const __int128 x = value(t, a), y = value(t, b);
    switch (how) {
    case EQ: return x == y;
    case NE: return x != y;
    case LT: return x < y;
    case LE: return x <= y;
    case GT: return x > y;
    default: return x >= y;
    }
}

u64 add_cc(u32 bits, bool reads, bool writes, u64 a, u64 b, bool &flag) {
    const unsigned __int128 sum = (unsigned __int128)a + b + (reads && flag);
    if (writes) flag = sum >> bits & 1;
    return (u64)sum & mask(bits);
}
u64 sub_cc(u32 bits, bool reads, bool writes, u64 a, u64 b, bool &flag) {
    const unsigned __int128 sum = (unsigned __int128)a + (~b & mask(bits)) + (reads ? flag : 1);
    if (writes) flag = sum >> bits & 1;
    return (u64)sum & mask(bits);
}
u64 mad_cc(Type t, bool high, bool reads, bool writes, u64 a, u64 b, u64 c, bool &flag) {
    return add_cc(width(t), reads, writes, high ? mul_hi(t, a, b) : mul_lo(t, a, b), c, flag);
}

static u32 lane() { return threadIdx.x & 31; }
u32 shfl(Shuffle mode, u32 mask, u32 a, u32 b, u32 c, bool *in_range) {
    const u64 *seen = meet_lanes(mask, a);
    const u32 bval = b & 31, cval = c & 31, segment = c >> 8 & 31;
    const i32 most = (lane() & segment) | (cval & ~segment), least = lane() & segment;
    i32 from;
    bool p;
    switch (mode) {
    case UP: from = (i32)lane() - (i32)bval, p = from >= most; break;
    case DOWN: from = lane() + bval, p = from <= most; break;
    case BFLY: from = lane() ^ bval, p = from <= most; break;
    default: from = least | (bval & ~segment), p = from <= most; break;
    }
    if (!p) from = lane();
    if (in_range) *in_range = p;
    return (u32)seen[from];
}
u32 ballot(u32 mask, bool p) {
    const u64 *seen = meet_lanes(mask, p);
    u32 d = 0;
    for (u32 i = 0; i < 32; ++i) d |= (u32)(seen[i] & 1) << i;
    return d;
}
bool vote_all(u32 mask, bool p) { return ballot(mask, p) == mask; }
bool vote_any(u32 mask, bool p) { return ballot(mask, p) != 0; }
bool vote_uni(u32 mask, bool p) { const u32 d = ballot(mask, p); return d == 0 || d == mask; }
u32 match_any(u32 mask, u64 value) {
    const u64 *seen = meet_lanes(mask, value);
    u32 d = 0;
    for (u32 i = 0; i < 32; ++i) d |= (u32)(mask >> i & 1 && seen[i] == value) << i;
    return d;
}
u32 match_all(u32 mask, u64 value, bool *all) {
    const bool same = match_any(mask, value) == mask;
    if (all) *all = same;
    return same ? mask : 0;
}
static u64 combine(Reduction op, Type t, u64 a, u64 b) {
    switch (op) {
    case R_ADD: return add(t, a, b);
    case R_MIN: return min_(t, a, b);
    case R_MAX: return max_(t, a, b);
    case R_AND: return a & b;
    case R_OR: return a | b;
    default: return a ^ b;
    }
}
u32 redux(Reduction op, Type t, u32 mask, u32 value) {
    const u64 *seen = meet_lanes(mask, value);
    bool any = false;
    u64 d = 0;
    for (u32 i = 0; i < 32; ++i)
        if (mask >> i & 1) d = any ? combine(op, t, d, seen[i]) : seen[i], any = true;
    return (u32)d;
}

u64 load(Type t, const void *from) {
    u64 raw = 0;
    memcpy(&raw, from, width(t) / 8);
    return t >= F16 ? raw : (u64)value(t, raw);
}
void store(Type t, void *to, u64 value) { memcpy(to, &value, width(t) / 8); }
void reduce(Reduction op, Type t, void *at, u64 value) { store(t, at, combine(op, t, load(t, at) & mask(width(t)), value)); }
