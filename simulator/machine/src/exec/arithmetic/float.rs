//! Floating-point arithmetic of single and double precision: what both share with the half types, and the forms of
//! `add`, `sub`, `mul`, `fma`, `div`, `abs`, `neg`, `min`, `max`, `copysign`, `testp`.
//!
//! Rounding to nearest is the host's; NaN results are the hardware's: 0x7fffffff, and in double precision the last source
//! that is one, quiet, else 0xfff8000000000000 (seen on an H200: `docs/measurements/contraction.md`). Directed rounding and `.sat` go through [`super::rounding`].
use super::exact::Value;
use super::rounding::{F32, F64, Format, Mode};
use crate::exec::view::{
    Answer, Lane, Lanes, Op, Selected, WARP, binary, each2, lane, plainly, ternary, unary, whole_of_each,
};
use ptx::isa::contraction::{MINUS_ADDEND, MINUS_PRODUCT};
use ptx::isa::{Form, Refusal, Type};

/// A floating-point type of registers.
pub trait Float: Lane + PartialOrd {
    const FORMAT: Format;
    /// The encoding, in the low bits.
    fn bits(self) -> u64;
    fn of_bits(bits: u64) -> Self;
    fn is_nan(self) -> bool;

    /// The number that it encodes.
    fn value(self) -> Value {
        Self::FORMAT.decode(self.bits())
    }
    /// The number rounded to this type.
    fn rounded(value: Value, mode: Mode) -> Self {
        Self::of_bits(Self::FORMAT.encode(value, mode))
    }
    /// The NaN that operations give.
    #[inline(always)]
    fn nan() -> Self {
        Self::of_bits(Self::FORMAT.nan())
    }
    /// `.ftz`: a subnormal number becomes a zero of its sign.
    #[inline(always)]
    fn flushed(self) -> Self {
        let exponent = Self::FORMAT.infinity();
        let sign = Self::FORMAT.sign_bit();
        let bits = self.bits();
        Self::of_bits(if bits & exponent == 0 { bits & sign } else { bits })
    }
    /// A NaN of any kind becomes the one that operations give.
    #[inline(always)]
    fn canonical(self) -> Self {
        if self.is_nan() { Self::nan() } else { self }
    }
    /// A NaN that an operation passes on.
    #[inline(always)]
    fn passed_on(self) -> Self {
        self.canonical()
    }
    /// The result of an operation on `sources`, of which the last NaN is passed on.
    #[inline(always)]
    fn of_sources<const N: usize>(self, _sources: [Self; N]) -> Self {
        self.canonical()
    }
    /// Returns whether the sign bit is set.
    #[inline(always)]
    fn negative(self) -> bool {
        self.bits() & Self::FORMAT.sign_bit() != 0
    }
    /// Without its sign.
    #[inline(always)]
    fn magnitude(self) -> Self {
        Self::of_bits(self.bits() & (Self::FORMAT.sign_bit() - 1))
    }
}

impl Float for f32 {
    const FORMAT: Format = F32;
    #[inline(always)]
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
    #[inline(always)]
    fn of_bits(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        f32::is_nan(self)
    }
}

impl Float for f64 {
    const FORMAT: Format = F64;
    #[inline(always)]
    fn bits(self) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    fn of_bits(bits: u64) -> Self {
        f64::from_bits(bits)
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        f64::is_nan(self)
    }
    #[inline(always)]
    fn passed_on(self) -> Self {
        if self.is_nan() { Self::from_bits(self.to_bits() | 1 << 51) } else { self }
    }
    #[inline(always)]
    fn of_sources<const N: usize>(self, sources: [Self; N]) -> Self {
        let nan = sources.into_iter().fold(Self::nan(), |nan, source| if source.is_nan() { source } else { nan });
        if self.is_nan() { nan.passed_on() } else { self }
    }
}

/// Rounding and the other modifiers of a form; travels in [`Op::data`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub mode: Mode,
    /// `.ftz`
    pub flush: bool,
    /// `.sat`
    pub saturate: bool,
    /// `.relu`
    pub relu: bool,
    /// An `fma` subtracts its product, or its addend.
    pub minus_product: bool,
    pub minus_addend: bool,
}

impl Style {
    /// As the form's modifiers say; to nearest where they say nothing.
    pub fn of(form: &Form) -> Self {
        let mode = match () {
            _ if form.has("rz") => Mode::Zero,
            _ if form.has("rm") => Mode::Down,
            _ if form.has("rp") => Mode::Up,
            _ if form.has("rna") => Mode::NearestAway,
            _ => Mode::Nearest,
        };
        Style {
            mode,
            flush: form.has("ftz"),
            saturate: form.has("sat"),
            relu: form.has("relu"),
            minus_product: form.has(MINUS_PRODUCT),
            minus_addend: form.has(MINUS_ADDEND),
        }
    }
    /// For [`Selected::with`].
    pub fn pack(self) -> u32 {
        let flags = [self.flush, self.saturate, self.relu, self.minus_product, self.minus_addend];
        flags.iter().zip(8..).fold(self.mode as u32, |packed, (&flag, bit)| packed | u32::from(flag) << bit)
    }
    /// From [`Op::data`].
    pub fn unpack(data: u32) -> Self {
        let mode = match data & 0xff {
            0 => Mode::Nearest,
            1 => Mode::NearestAway,
            2 => Mode::Zero,
            3 => Mode::Down,
            _ => Mode::Up,
        };
        let [flush, saturate, relu, minus_product, minus_addend] = [8, 9, 10, 11, 12].map(|bit| data >> bit & 1 != 0);
        Style { mode, flush, saturate, relu, minus_product, minus_addend }
    }
    /// The number that a source stands for, by its index.
    pub fn source<T: Float>(self, index: usize, x: T) -> Value {
        let x = if self.flush { x.flushed() } else { x }.value();
        let negated = index == 0 && self.minus_product || index == 2 && self.minus_addend;
        if negated { x.negated() } else { x }
    }
    /// Returns whether an `fma` subtracts something.
    pub fn subtracts(self) -> bool {
        self.minus_product || self.minus_addend
    }
    /// An exact result, rounded and finished.
    pub fn result<T: Float>(self, exact: Value) -> T {
        self.finish(T::rounded(exact, self.mode))
    }
    /// Flushes, saturates, rectifies.
    pub fn finish<T: Float>(self, x: T) -> T {
        let zero = T::of_bits(0);
        let x = if self.flush { x.flushed() } else { x };
        if self.saturate {
            let one = T::rounded(Value::of_integer(false, 1), Mode::Nearest);
            return match x {
                _ if x > one => one,
                _ if x > zero => x,
                _ => zero,
            };
        }
        if self.relu && !x.is_nan() && x.negative() { zero } else { x }
    }
}

/// `add` of `f32`, `f64`, `f32x2`
pub fn add(form: &Form) -> Answer {
    pick_or_pair(
        form,
        [
            || binary(|a: f32, b: f32| (a + b).canonical()),
            || binary(|a: f32, b: f32| (a.flushed() + b.flushed()).flushed().canonical()),
            || plainly(|lanes, op| styled::<f32, 2>(lanes, op, |[a, b], mode| a.plus(b, mode))),
            || binary(|a: f64, b: f64| (a + b).of_sources([a, b])),
            || plainly(|lanes, op| styled::<f64, 2>(lanes, op, |[a, b], mode| a.plus(b, mode))),
        ],
        || plainly(|lanes, op| pairs::<2>(lanes, op, |[a, b], mode| a.plus(b, mode))),
    )
}

pub fn sub(form: &Form) -> Answer {
    pick_or_pair(
        form,
        [
            || binary(|a: f32, b: f32| (a - b).canonical()),
            || binary(|a: f32, b: f32| (a.flushed() - b.flushed()).flushed().canonical()),
            || plainly(|lanes, op| styled::<f32, 2>(lanes, op, |[a, b], mode| a.plus(b.negated(), mode))),
            || binary(|a: f64, b: f64| (a - b).of_sources([a, b])),
            || plainly(|lanes, op| styled::<f64, 2>(lanes, op, |[a, b], mode| a.plus(b.negated(), mode))),
        ],
        || plainly(|lanes, op| pairs::<2>(lanes, op, |[a, b], mode| a.plus(b.negated(), mode))),
    )
}

pub fn mul(form: &Form) -> Answer {
    pick_or_pair(
        form,
        [
            || binary(|a: f32, b: f32| (a * b).canonical()),
            || binary(|a: f32, b: f32| (a.flushed() * b.flushed()).flushed().canonical()),
            || plainly(|lanes, op| styled::<f32, 2>(lanes, op, |[a, b], _| a.times(b))),
            || binary(|a: f64, b: f64| (a * b).of_sources([a, b])),
            || plainly(|lanes, op| styled::<f64, 2>(lanes, op, |[a, b], _| a.times(b))),
        ],
        || plainly(|lanes, op| pairs::<2>(lanes, op, |[a, b], _| a.times(b))),
    )
}

/// `fma`, and `mad` of floating-point types, which is the same from sm_20 on.
pub fn fma(form: &Form) -> Answer {
    match form.ty(0) {
        Some(Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2) => return super::half::fma(form),
        _ if form.types.len() > 1 => return super::half::fma(form),
        _ => {}
    }
    if Style::of(form).subtracts() {
        return pick_or_pair(
            form,
            [
                || whole_of_each(|lanes, op| lanes.map3(op, signed(op.data, |a: f32, b, c| a.mul_add(b, c)))),
                || {
                    whole_of_each(|lanes, op| {
                        let fused = |a: f32, b: f32, c: f32| a.flushed().mul_add(b.flushed(), c.flushed()).flushed();
                        lanes.map3(op, signed(op.data, fused));
                    })
                },
                || plainly(|lanes, op| styled::<f32, 3>(lanes, op, |[a, b, c], mode| a.times(b).plus(c, mode))),
                || whole_of_each(|lanes, op| lanes.map3(op, signed(op.data, |a: f64, b, c| a.mul_add(b, c)))),
                || plainly(|lanes, op| styled::<f64, 3>(lanes, op, |[a, b, c], mode| a.times(b).plus(c, mode))),
            ],
            || plainly(|lanes, op| pairs::<3>(lanes, op, |[a, b, c], mode| a.times(b).plus(c, mode))),
        );
    }
    pick_or_pair(
        form,
        [
            || ternary(|a: f32, b: f32, c: f32| a.mul_add(b, c).canonical()),
            || ternary(|a: f32, b: f32, c: f32| a.flushed().mul_add(b.flushed(), c.flushed()).flushed().canonical()),
            || plainly(|lanes, op| styled::<f32, 3>(lanes, op, |[a, b, c], mode| a.times(b).plus(c, mode))),
            || ternary(|a: f64, b: f64, c: f64| a.mul_add(b, c).of_sources([a, b, c])),
            || plainly(|lanes, op| styled::<f64, 3>(lanes, op, |[a, b, c], mode| a.times(b).plus(c, mode))),
        ],
        || plainly(|lanes, op| pairs::<3>(lanes, op, |[a, b, c], mode| a.times(b).plus(c, mode))),
    )
}

/// A fused product and sum of which one may be subtracted.
#[inline(always)]
fn signed<T: Float>(data: u32, fused: impl Fn(T, T, T) -> T) -> impl Fn(T, T, T) -> T {
    let [product, addend] = [11, 12].map(|bit| if data >> bit & 1 != 0 { T::FORMAT.sign_bit() } else { 0 });
    #[inline(always)]
    move |a, b, c| fused(T::of_bits(a.bits() ^ product), b, T::of_bits(c.bits() ^ addend)).of_sources([a, b, c])
}

/// `div`: `.approx` and `.full` may err by 2 units in the last place, and are rounded correctly here; `.approx` gives 0
/// for divisors above 2^126, as the manual says.
pub fn div(form: &Form) -> Answer {
    if form.has("approx") {
        return Ok(match form.has("ftz") {
            false => binary(|a: f32, b: f32| quotient(a, b)),
            true => binary(|a: f32, b: f32| quotient(a.flushed(), b.flushed()).flushed()),
        });
    }
    pick(
        form,
        [
            || binary(|a: f32, b: f32| (a / b).canonical()),
            || binary(|a: f32, b: f32| (a.flushed() / b.flushed()).flushed().canonical()),
            || plainly(|lanes, op| styled::<f32, 2>(lanes, op, |[a, b], _| a.over(b))),
            || binary(|a: f64, b: f64| (a / b).of_sources([b, a])),
            || plainly(|lanes, op| styled_of::<f64, 2>(lanes, op, |[a, b], _| a.over(b), |[a, b]| [b, a])),
        ],
    )
}

pub fn abs(form: &Form) -> Answer {
    Ok(match (form.ty(0), form.has("ftz")) {
        (Some(Type::F32), false) => unary(|a: f32| a.abs().canonical()),
        (Some(Type::F32), true) => unary(|a: f32| a.flushed().abs().canonical()),
        (Some(Type::F64), _) => unary(|a: f64| if a.is_nan() { a.passed_on() } else { a.abs() }),
        _ => return Err(Refusal::NoSuchForm),
    })
}

pub fn neg(form: &Form) -> Answer {
    Ok(match (form.ty(0), form.has("ftz")) {
        (Some(Type::F32), false) => unary(|a: f32| (-a).canonical()),
        (Some(Type::F32), true) => unary(|a: f32| (-a.flushed()).canonical()),
        (Some(Type::F64), _) => unary(|a: f64| if a.is_nan() { a.passed_on() } else { -a }),
        _ => return Err(Refusal::NoSuchForm),
    })
}

/// `copysign`: the second source with the sign of the first.
pub fn copysign(form: &Form) -> Answer {
    Ok(match form.ty(0) {
        Some(Type::F32) => each2(|a: f32, b: f32| b.copysign(a)),
        Some(Type::F64) => each2(|a: f64, b: f64| b.copysign(a)),
        _ => return Err(Refusal::NoSuchForm),
    })
}

pub fn testp(form: &Form) -> Answer {
    use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal, Zero};
    let classes = match form.modifiers.first() {
        Some(&"finite") => !(1 << Nan as u32 | 1 << Infinite as u32),
        Some(&"infinite") => 1 << Infinite as u32,
        Some(&"number") => !(1 << Nan as u32),
        Some(&"notanumber") => 1 << Nan as u32,
        // The manual: "as a special case, positive and negative zero are considered normal numbers".
        Some(&"normal") => 1 << Normal as u32 | 1 << Zero as u32,
        Some(&"subnormal") => 1 << Subnormal as u32,
        _ => return Err(Refusal::NoSuchForm),
    };
    let selected = match form.ty(0) {
        Some(Type::F32) => plainly(|lanes, op| {
            let a = lanes.get::<f32>(op.a);
            let bits = lanes.pack(|lane| op.data >> a[lane].classify() as u32 & 1 != 0);
            lanes.set_predicate(op.dst, bits);
        }),
        Some(Type::F64) => plainly(|lanes, op| {
            let a = lanes.get::<f64>(op.a);
            let bits = lanes.pack(|lane| op.data >> a[lane].classify() as u32 & 1 != 0);
            lanes.set_predicate(op.dst, bits);
        }),
        _ => return Err(Refusal::NoSuchForm),
    };
    Ok(selected.with(classes))
}

/// Chooses among the ways to compute: `f32`, `f32.ftz`, `f32` in any style, `f64`, `f64` in any style.
fn pick(form: &Form, ways: [fn() -> Selected; 5]) -> Answer {
    let style = Style::of(form);
    let usual = style.mode == Mode::Nearest && !style.saturate;
    let way = match form.ty(0) {
        Some(Type::F32) if usual => usize::from(style.flush),
        Some(Type::F32) => 2,
        Some(Type::F64) if usual => 3,
        Some(Type::F64) => 4,
        _ => return Err(Refusal::NoSuchForm),
    };
    Ok(ways[way]().with(style.pack()))
}

/// As `pick`, with the form for pairs of `f32`.
fn pick_or_pair(form: &Form, ways: [fn() -> Selected; 5], pair: fn() -> Selected) -> Answer {
    match form.ty(0) {
        Some(Type::F32x2) => Ok(pair().with(Style::of(form).pack())),
        _ => pick(form, ways),
    }
}

/// `d = f(a, …)` exactly, then rounded in the op's style.
pub fn styled<T: Float, const N: usize>(lanes: &mut Lanes, op: &Op, f: fn([Value; N], Mode) -> Value) {
    styled_of::<T, N>(lanes, op, f, |sources| sources);
}

/// As `styled`, where another source's NaN may come last.
fn styled_of<T: Float, const N: usize>(
    lanes: &mut Lanes,
    op: &Op,
    f: fn([Value; N], Mode) -> Value,
    order: fn([T; N]) -> [T; N],
) {
    let style = Style::unpack(op.data);
    let rows = [op.a, op.b, op.c];
    let sources: [_; N] = lane::array(|i| lanes.get::<T>(rows[i]));
    let mut d = [T::default(); WARP];
    lanes.each(|lane| {
        let exact = f(std::array::from_fn(|i| style.source(i, sources[i][lane])), style.mode);
        d[lane] = style.result::<T>(exact).of_sources(order(sources.map(|source| source[lane])));
    });
    lanes.set(op.dst, d);
}

/// As `styled`, for a pair of `f32` in 64 bits.
fn pairs<const N: usize>(lanes: &mut Lanes, op: &Op, f: fn([Value; N], Mode) -> Value) {
    let style = Style::unpack(op.data);
    let rows = [op.a, op.b, op.c];
    let sources: [_; N] = lane::array(|i| lanes.get::<u64>(rows[i]));
    let mut d = [0u64; WARP];
    lanes.each(|lane| {
        let half = |shift: u32| {
            let source = |i: usize| style.source(i, f32::from_bits((sources[i][lane] >> shift) as u32));
            style.result::<f32>(f(std::array::from_fn(source), style.mode)).bits() << shift
        };
        d[lane] = half(0) | half(32);
    });
    lanes.set(op.dst, d);
}

/// `div.approx`
#[inline(always)]
fn quotient(a: f32, b: f32) -> f32 {
    let huge = b.abs() > f32::from_bits(0x7e80_0000) && b.is_finite();
    // a · (1/b) with 1/b flushed: an infinite a then gives NaN.
    (if huge { a * 0.0f32.copysign(b) } else { a / b }).canonical()
}
