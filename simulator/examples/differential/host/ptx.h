// PTX's instructions as C++ functions over the registers' bits, from the formulas of the PTX manual.
#pragma once
#include "launch.h"

// Types of operands: integers first, then floats.
enum Type { U8, U16, U32, U64, S8, S16, S32, S64, F16, BF16, F32, F64 };
enum Rounding { RN, RZ, RM, RP };
enum Operation { ADD, SUB, MUL, FMA, DIV, RCP, SQRT, MIN, MAX, NEG, ABS, COPYSIGN };
// Modifiers of floats.
enum { FTZ = 1, SAT = 2, NAN_WINS = 4, XORSIGN = 8, RELU = 16 };
enum Compare { EQ, NE, LT, LE, GT, GE, EQU, NEU, LTU, LEU, GTU, GEU, NUM, NAN_ };
enum Class { FINITE, INFINITE, NUMBER, NOTANUMBER, NORMAL, SUBNORMAL };

u64 flt(Type t, Operation op, Rounding mode, u32 flags, u64 a, u64 b = 0, u64 c = 0);
// Two halves, low and high.
u32 flt2(Type t, Operation op, u32 flags, u32 a, u32 b = 0, u32 c = 0);
bool testp(Type t, Class what, u64 a);
bool cmp(Type t, Compare how, u32 flags, u64 a, u64 b);
// `integral`: the rounding is to an integer.
u64 cvt(Type to, Type from, Rounding mode, bool integral, u32 flags, u64 a);
u32 cvt2(Type to, Rounding mode, u32 flags, u32 high, u32 low);

u64 add(Type t, u64 a, u64 b);
u64 sub(Type t, u64 a, u64 b);
u64 mul_lo(Type t, u64 a, u64 b);
u64 mul_hi(Type t, u64 a, u64 b);
u64 mul_wide(Type t, u64 a, u64 b);
u64 quotient(Type t, u64 a, u64 b);
u64 remainder_(Type t, u64 a, u64 b);
u64 min_(Type t, u64 a, u64 b);
u64 max_(Type t, u64 a, u64 b);
u64 abs_(Type t, u64 a);
u64 neg(Type t, u64 a);
u64 sad(Type t, u64 a, u64 b, u64 c);
u64 shl(u32 bits, u64 a, u32 b);
u64 shr(Type t, u64 a, u32 b);
u32 add_sat(u32 a, u32 b);
u32 sub_sat(u32 a, u32 b);
u32 mad_hi_sat(u32 a, u32 b, u32 c);
u32 mul24(bool is_signed, bool high, u32 a, u32 b);
u64 bfe(Type t, u64 a, u32 b, u32 c);
u64 bfi(u32 bits, u64 a, u64 b, u32 c, u32 d);
u32 bfind(Type t, bool shift_amount, u64 a);
u64 brev(u32 bits, u64 a);
u32 clz(u32 bits, u64 a);
u32 popc(u64 a);
u32 fns(u32 a, u32 base, u32 offset);
u32 bmsk(bool clamp, u32 a, u32 b);
u32 szext(bool clamp, bool is_signed, u32 a, u32 b);
u32 dp4a(bool a_signed, bool b_signed, u32 a, u32 b, u32 c);
u32 dp2a(bool high, bool a_signed, bool b_signed, u32 a, u32 b, u32 c);
u32 lop3(u32 table, u32 a, u32 b, u32 c);
enum Prmt { INDEX, F4E, B4E, RC8, ECL, ECR, RC16 };
u32 prmt(Prmt mode, u32 a, u32 b, u32 c);
u32 shf(bool left, bool wrap, u32 a, u32 b, u32 c);
u32 vabsdiff4(bool is_signed, bool accumulate, u32 a, u32 b, u32 c);
// Applies `add`, `min_` or `max_` to two halves.
u32 halves(u64 (*f)(Type, u64, u64), Type t, bool relu, u32 a, u32 b);

// Sums with the flag. A subtraction adds the complement and leaves "no borrow", as a card does.
u64 add_cc(u32 bits, bool reads, bool writes, u64 a, u64 b, bool &flag);
u64 sub_cc(u32 bits, bool reads, bool writes, u64 a, u64 b, bool &flag);
u64 mad_cc(Type t, bool high, bool reads, bool writes, u64 a, u64 b, u64 c, bool &flag);

enum Shuffle { UP, DOWN, BFLY, IDX };
u32 shfl(Shuffle mode, u32 mask, u32 a, u32 b, u32 c, bool *in_range = 0);
u32 ballot(u32 mask, bool p);
bool vote_all(u32 mask, bool p);
bool vote_any(u32 mask, bool p);
bool vote_uni(u32 mask, bool p);
u32 match_any(u32 mask, u64 value);
u32 match_all(u32 mask, u64 value, bool *all = 0);
enum Reduction { R_ADD, R_MIN, R_MAX, R_AND, R_OR, R_XOR };
u32 redux(Reduction op, Type t, u32 mask, u32 value);

// Loads `bytes` bytes and extends them by the type.
u64 load(Type t, const void *from);
void store(Type t, void *to, u64 value);
void reduce(Reduction op, Type t, void *at, u64 value);
