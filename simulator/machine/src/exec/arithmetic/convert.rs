//! Conversions: `cvt` between all types, and `cvt.pack`.
//!
//! The common pairs are vectorised functions of their own. Everything else is one function that reads a number of any
//! type, rounds it exactly, and writes it as any other: what it is to do travels in [`Op::data`].
use super::exact::Value;
use super::float::{Float, Style};
use super::rounding::{BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, F32, F64, Format, Mode, TF32, UE8M0};
use crate::exec::view::half_bits::{narrow_bf16, narrow_f16, widen_bf16, widen_f16};
use crate::exec::view::{Answer, Lanes, Op, Row, Selected, WARP, binary, each3, lane, plainly, ternary, unary};
use ptx::isa::{Form, Refusal, Type};

pub fn cvt(form: &Form) -> Answer {
    let &[to, from] = form.types else { return Err(Refusal::NoSuchForm) };
    if let Some(selected) = integers(form, to, from).or_else(|| floats(form, to, from)) {
        return Ok(selected);
    }
    let conversion = Conversion::of(form, to, from)?;
    let random = form.has("rs");
    if random && !(matches!(to, Type::F16x2 | Type::Bf16x2) && from == Type::F32 && form.widths[3] == 32) {
        return Err(Refusal::NoSuchForm);
    }
    let run = match (halves(to), halves(from)) {
        (None, None) => plainly(|lanes, op| any(lanes, op, Sources::One)),
        (Some(_), None) if form.widths[2] != 0 => plainly(|lanes, op| any(lanes, op, Sources::Two)),
        (Some(_), Some(_)) => plainly(|lanes, op| any(lanes, op, Sources::Pair)),
        _ => return Err(Refusal::NoSuchForm),
    };
    Ok(run.with(conversion.pack(form.widths) | if random { RANDOM } else { 0 }))
}

/// `cvt.pack`: two integers, saturated, side by side; `c` moves up to make room for them.
pub fn pack(form: &Form) -> Answer {
    Ok(match form.types {
        [Type::S16, Type::S32, ..] => {
            binary(|a: i32, b: i32| clamp(a, -0x8000, 0x7fff) << 16 | clamp(b, -0x8000, 0x7fff) & 0xffff)
        }
        [Type::U16, Type::S32, ..] => binary(|a: i32, b: i32| clamp(a, 0, 0xffff) << 16 | clamp(b, 0, 0xffff)),
        [Type::S8, Type::S32, ..] => {
            ternary(|a: i32, b: i32, c: u32| c << 16 | (clamp(a, -128, 127) & 0xff) << 8 | clamp(b, -128, 127) & 0xff)
        }
        [Type::U8, Type::S32, ..] => {
            ternary(|a: i32, b: i32, c: u32| c << 16 | clamp(a, 0, 255) << 8 | clamp(b, 0, 255))
        }
        [Type::S4, Type::S32, ..] => {
            ternary(|a: i32, b: i32, c: u32| c << 8 | (clamp(a, -8, 7) & 15) << 4 | clamp(b, -8, 7) & 15)
        }
        [Type::U4, Type::S32, ..] => ternary(|a: i32, b: i32, c: u32| c << 8 | clamp(a, 0, 15) << 4 | clamp(b, 0, 15)),
        [Type::S2, Type::S32, ..] => {
            each3(|a: i32, b: i32, c: u32| c << 4 | (clamp(a, -2, 1) & 3) << 2 | clamp(b, -2, 1) & 3)
        }
        [Type::U2, Type::S32, ..] => each3(|a: i32, b: i32, c: u32| c << 4 | clamp(a, 0, 3) << 2 | clamp(b, 0, 3)),
        _ => return Err(Refusal::NoSuchForm),
    })
}

#[inline(always)]
fn clamp(x: i32, low: i32, high: i32) -> u32 {
    x.max(low).min(high) as u32
}

/// The integer conversions that compilers emit most: narrower and wider, without `.sat`.
fn integers(form: &Form, to: Type, from: Type) -> Option<Selected> {
    use Type::*;
    if !form.modifiers.is_empty() {
        return None;
    }
    let narrow = |ty: Type| matches!(ty, U8 | S8 | U16 | S16 | U32 | S32 | U64 | S64);
    if !narrow(to) || !narrow(from) {
        return None;
    }
    // A register wider than its type counts only where the type is extended into it.
    let bits = |ty: Type| 8 * ty.bytes() as u8;
    Some(match (from, form.widths[1], to, form.widths[0]) {
        (S32, 32, S64 | U64, 64) => unary(|a: i32| i64::from(a)),
        (U32, 32, S64 | U64, 64) => unary(|a: u32| u64::from(a)),
        (S32 | U32, 32, S32 | U32, 32) => unary(|a: u32| a),
        (S64 | U64, 64, S64 | U64, 64) => unary(|a: u64| a),
        (S64 | U64, 64, S32 | U32, 32) => unary(|a: u64| a as u32),
        (_, 64, U16 | S16, 16) if bits(from) >= 16 => unary(|a: u64| a as u16),
        (_, 32, U16 | S16, 16) if bits(from) >= 16 => unary(|a: u32| a as u16),
        (S16, 16, _, 32) if bits(to) == 32 => unary(|a: i16| i32::from(a)),
        (U16, 16, _, 32) if bits(to) == 32 => unary(|a: u16| u32::from(a)),
        (S16, 16, _, 64) if bits(to) == 64 => unary(|a: i16| i64::from(a)),
        (U16, 16, _, 64) if bits(to) == 64 => unary(|a: u16| u64::from(a)),
        (S8, 16, _, 32) if bits(to) == 32 => unary(|a: u16| i32::from(a as i8)),
        (U8, 16, _, 32) if bits(to) == 32 => unary(|a: u16| u32::from(a as u8)),
        (S8, 32, _, 32) if bits(to) == 32 => unary(|a: u32| i32::from(a as i8)),
        (U8, 32, _, 32) if bits(to) == 32 => unary(|a: u32| a & 0xff),
        (S16, 32, _, 32) if bits(to) == 32 => unary(|a: u32| i32::from(a as i16)),
        (U16, 32, _, 32) if bits(to) == 32 => unary(|a: u32| a & 0xffff),
        _ => return None,
    })
}

/// The common conversions from and to floating-point types.
fn floats(form: &Form, to: Type, from: Type) -> Option<Selected> {
    use Type::*;
    let exact = to.bytes() * 8 == u32::from(form.widths[0]) && from.bytes() * 8 == u32::from(form.widths[1]);
    Some(match (to, from, form.modifiers) {
        (F16x2, F32, ["rn"]) => binary(|a: f32, b: f32| narrow_f16(a) << 16 | narrow_f16(b)),
        (Bf16x2, F32, ["rn"]) => binary(|a: f32, b: f32| narrow_bf16(a) << 16 | narrow_bf16(b)),
        _ if !exact => return None,
        (F32, S32, ["rn"]) => unary(|a: i32| a as f32),
        (F32, U32, ["rn"]) => unary(|a: u32| a as f32),
        (F32, S64, ["rn"]) => unary(|a: i64| a as f32),
        (F32, U64, ["rn"]) => unary(|a: u64| a as f32),
        (F64, S32, ["rn"]) => unary(|a: i32| f64::from(a)),
        (F64, U32, ["rn"]) => unary(|a: u32| f64::from(a)),
        (F64, S64, ["rn"]) => unary(|a: i64| a as f64),
        (F64, U64, ["rn"]) => unary(|a: u64| a as f64),
        (S32, F32, ["rzi"]) => unary(|a: f32| a as i32),
        (U32, F32, ["rzi"]) => unary(|a: f32| a as u32),
        (S32, F32, ["rni"]) => unary(|a: f32| a.round_ties_even() as i32),
        (F64, F32, []) => unary(|a: f32| f64::from(a)),
        (F32, F64, ["rn"]) => unary(narrowed),
        (F32, F32, ["rni"]) => unary(|a: f32| a.round_ties_even().canonical()),
        (F32, F32, ["rzi"]) => unary(|a: f32| a.trunc().canonical()),
        (F32, F32, ["rmi"]) => unary(|a: f32| a.floor().canonical()),
        (F32, F32, ["rpi"]) => unary(|a: f32| a.ceil().canonical()),
        (F64, F64, ["rni"]) => unary(|a: f64| a.round_ties_even().of_sources([a])),
        (F64, F64, ["rzi"]) => unary(|a: f64| a.trunc().of_sources([a])),
        (F64, F64, ["rmi"]) => unary(|a: f64| a.floor().of_sources([a])),
        (F64, F64, ["rpi"]) => unary(|a: f64| a.ceil().of_sources([a])),
        (F32, F16, []) => unary(|a: u16| widen_f16(a.into()).canonical()),
        (F16, F32, ["rn"]) => unary(|a: f32| narrow_f16(a) as u16),
        (F32, Bf16, []) => unary(|a: u16| widen_bf16(a.into())),
        (Bf16, F32, ["rn"]) => unary(|a: f32| narrow_bf16(a) as u16),
        _ => return None,
    })
}

/// The nearest `f32`; a NaN keeps its sign and the front of its payload, as [`Conversion::passed_nan`] has it.
#[inline(always)]
fn narrowed(a: f64) -> f32 {
    let bits = a.to_bits();
    let nan = (bits >> 32) as u32 & 1 << 31 | 0x7fc0_0000 | (bits >> 29) as u32 & 0x3f_ffff;
    if a.is_nan() { f32::from_bits(nan) } else { a as f32 }
}

/// How many numbers a conversion reads: one, two registers (the first becomes the upper half), or a pair in one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sources {
    One,
    Two,
    Pair,
}

/// The type of one element of a pair.
fn halves(ty: Type) -> Option<Type> {
    Some(match ty {
        Type::F16x2 => Type::F16,
        Type::Bf16x2 => Type::Bf16,
        Type::E4m3x2 => Type::E4m3,
        Type::E5m2x2 => Type::E5m2,
        Type::E2m1x2 => Type::E2m1,
        Type::E2m3x2 => Type::E2m3,
        Type::E3m2x2 => Type::E3m2,
        Type::Ue8m0x2 => Type::Ue8m0,
        _ => return None,
    })
}

/// A conversion of one number.
#[derive(Clone, Copy, Debug)]
struct Conversion {
    to: Type,
    from: Type,
    style: Style,
    /// `.rni` and its like between floating-point types: to an integral value.
    integral: bool,
    /// `.satfinite`
    finite: bool,
}

/// The scalar types that `cvt` knows; their places here travel in [`Op::data`].
const TYPES: [Type; 19] = {
    use Type::*;
    [U8, U16, U32, U64, S8, S16, S32, S64, F16, Bf16, Tf32, F32, F64, E4m3, E5m2, E2m1, E2m3, E3m2, Ue8m0]
};

/// In [`Op::data`]: `.rs`, with random bits in `c`.
const RANDOM: u32 = 1 << 29;

impl Conversion {
    fn of(form: &Form, to: Type, from: Type) -> Result<Self, Refusal> {
        let (to, from) = (halves(to).unwrap_or(to), halves(from).unwrap_or(from));
        refuse_if!(!TYPES.contains(&to) || !TYPES.contains(&from) || from == Type::Tf32, Refusal::NoSuchForm);
        let integral = ["rni", "rzi", "rmi", "rpi"].iter().position(|mode| form.has(mode));
        let mut style = Style::of(form);
        if let Some(which) = integral {
            style.mode = [Mode::Nearest, Mode::Zero, Mode::Down, Mode::Up][which];
        }
        Ok(Conversion { to, from, style, integral: integral.is_some(), finite: form.has("satfinite") })
    }
    fn pack(self, widths: [u8; 4]) -> u32 {
        let place = |ty: Type| TYPES.iter().position(|t| *t == ty).unwrap_or(0) as u32;
        self.style.pack()
            | place(self.to) << 11
            | place(self.from) << 16
            | u32::from(self.integral) << 21
            | u32::from(self.finite) << 22
            | u32::from(widths[0] / 16) << 23
            | u32::from(widths[1] / 16) << 26
    }
    fn unpack(data: u32) -> Self {
        Conversion {
            to: TYPES[(data >> 11 & 31) as usize],
            from: TYPES[(data >> 16 & 31) as usize],
            style: Style::unpack(data & 0x7ff),
            integral: data >> 21 & 1 != 0,
            finite: data >> 22 & 1 != 0,
        }
    }
    /// From the encoding of one number to the encoding of the other, extended to 64 bits with its sign.
    fn convert(self, bits: u64) -> u64 {
        match (format(self.from), format(self.to)) {
            (None, None) => {
                let x = integer(bits, self.from);
                let (low, high) = bounds(self.to);
                extended(if self.style.saturate { x.clamp(low, high) } else { x } as u64, self.to)
            }
            (None, Some(to)) => {
                let x = integer(bits, self.from);
                self.encode(to, Value::of_integer(x < 0, x.unsigned_abs() as u64))
            }
            (Some(from), None) => {
                let x = self.source(from, bits);
                let (low, high) = bounds(self.to);
                if x == Value::Nan && (self.from == Type::F64 || self.to.bytes() == 8) {
                    return extended(1 << (8 * self.to.bytes() - 1), self.to);
                }
                x.to_integer(self.style.mode, low, high) as u64
            }
            (Some(from), Some(to)) => {
                if let Some(nan) = self.passed_nan(from, to, bits) {
                    return nan;
                }
                let x = self.source(from, bits);
                self.encode(to, if self.integral { x.integral(self.style.mode) } else { x })
            }
        }
    }
    /// The NaN that becomes of one which is not made the NaN that operations give: to and from `f64` it keeps its sign and the front of its
    /// payload, and becomes quiet; `bf16` to `f32` and `f32` to `tf32` keep the bits they have a place for.
    fn passed_nan(self, from: Format, to: Format, bits: u64) -> Option<u64> {
        let magnitude = bits & (from.sign_bit() - 1);
        if magnitude <= from.infinity() || self.style.saturate {
            return None;
        }
        match (self.from, self.to) {
            (Type::Bf16, Type::F32) => Some(bits << 16),
            (Type::F32, Type::Tf32) if self.style.mode == Mode::NearestAway => Some(bits & !0x1fff),
            (Type::F64, Type::F64 | Type::F32 | Type::F16 | Type::Bf16)
            | (Type::F32 | Type::F16 | Type::Bf16, Type::F64) => {
                let fraction = |format: Format| format.infinity().trailing_zeros();
                let payload = magnitude << (64 - fraction(from)) >> (64 - fraction(to)) | 1 << (fraction(to) - 1);
                let sign = if magnitude == bits { 0 } else { to.sign_bit() };
                Some(sign | to.infinity() | payload)
            }
            _ => None,
        }
    }
    /// As `convert`, from an `f32` under `.rs`: the random bits are added to those that the result has no place for, and a carry goes on
    /// into the magnitude.
    fn convert_randomly(self, bits: u64, random: u32) -> u64 {
        let dropped = (1u32 << if self.to == Type::F16 { 13 } else { 16 }) - 1;
        let magnitude = bits as u32 & 0x7fff_ffff;
        if magnitude >= f32::INFINITY.to_bits() {
            return self.convert(bits);
        }
        let carried = (magnitude + (random & dropped)) & !dropped;
        // A half has no place for larger ones: they become infinite, or the largest.
        let mode = if carried < 65536f32.to_bits() { Mode::Zero } else { Mode::Nearest };
        let exact = Conversion { style: Style { mode, ..self.style }, ..self };
        exact.convert(u64::from(bits as u32 & 1 << 31 | carried))
    }
    fn source(self, from: Format, bits: u64) -> Value {
        let subnormal = bits & from.infinity() == 0;
        let flushes = self.style.flush && self.from == Type::F32;
        from.decode(if flushes && subnormal { bits & from.sign_bit() } else { bits })
    }
    fn encode(self, to: Format, x: Value) -> u64 {
        let x = if self.style.saturate || (self.style.relu && x != Value::Nan) { x.at_least_zero() } else { x };
        let x = if self.style.saturate { x.at_most_one() } else { x };
        let bits = if self.finite { to.encode_finite(x, self.style.mode) } else { to.encode(x, self.style.mode) };
        let subnormal = bits & to.infinity() == 0;
        let bits = if self.style.flush && self.to == Type::F32 && subnormal { bits & to.sign_bit() } else { bits };
        match self.to {
            // The low bits of a NaN too, as other NaNs of 32 bits have them; `.rna` keeps its own.
            Type::Tf32 if x == Value::Nan => F32.nan(),
            Type::Tf32 => bits << 13,
            _ => bits,
        }
    }
}

/// The format of a floating-point type.
fn format(ty: Type) -> Option<Format> {
    Some(match ty {
        Type::F16 => F16,
        Type::Bf16 => BF16,
        Type::Tf32 => TF32,
        Type::F32 => F32,
        Type::F64 => F64,
        Type::E4m3 => E4M3,
        Type::E5m2 => E5M2,
        Type::E2m1 => E2M1,
        Type::E2m3 => E2M3,
        Type::E3m2 => E3M2,
        Type::Ue8m0 => UE8M0,
        _ => return None,
    })
}

/// The low bits as an integer of the type.
fn integer(bits: u64, ty: Type) -> i128 {
    let unused = 128 - 8 * ty.bytes();
    let shifted = u128::from(bits) << unused;
    if ty.is_signed() { (shifted as i128) >> unused } else { (shifted >> unused) as i128 }
}

/// The low bits as the type has them, extended to 64.
fn extended(bits: u64, ty: Type) -> u64 {
    integer(bits, ty) as u64
}

fn bounds(ty: Type) -> (i128, i128) {
    let bits = 8 * ty.bytes();
    if ty.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

fn any(lanes: &mut Lanes, op: &Op, sources: Sources) {
    let conversion = Conversion::unpack(op.data);
    let width = |shift: u32| op.data >> shift & 7;
    let a = read(lanes, op.a, width(26));
    let b = if sources == Sources::Two { read(lanes, op.b, width(26)) } else { a };
    let random = (op.data & RANDOM != 0).then(|| lanes.get::<u32>(op.c));
    let bits = |ty: Type| if ty == Type::E2m1 { 4 } else { 8 * ty.bytes() };
    let (to_bits, from_bits) = (bits(conversion.to), bits(conversion.from));
    let low = |bits: u64| if from_bits == 64 { bits } else { bits & ((1 << from_bits) - 1) };
    let mut d = [0u64; WARP];
    lanes.each(|lane| {
        let (a, b) = (a[lane], b[lane]);
        d[lane] = match sources {
            Sources::One => conversion.convert(low(a)),
            Sources::Two => match &random {
                Some(random) => {
                    let [upper, lower] = [(a, random[lane] >> 16), (b, random[lane])];
                    let [upper, lower] = [upper, lower].map(|(bits, random)| conversion.convert_randomly(bits, random));
                    upper << to_bits | lower
                }
                None => conversion.convert(a) << to_bits | conversion.convert(b),
            },
            Sources::Pair => conversion.convert(low(a >> from_bits)) << to_bits | conversion.convert(low(a)),
        };
    });
    match width(23) {
        1 => lanes.set(op.dst, lane::array(|lane| d[lane] as u16)),
        2 => lanes.set(op.dst, lane::array(|lane| d[lane] as u32)),
        _ => lanes.set(op.dst, d),
    }
}

/// A register of 16, 32 or 64 bits (given in 16s), extended with zeros.
fn read(lanes: &Lanes, row: Row, width: u32) -> [u64; WARP] {
    match width {
        1 => lanes.get::<u16>(row).map(u64::from),
        2 => lanes.get::<u32>(row).map(u64::from),
        _ => lanes.get::<u64>(row),
    }
}
