//! Arithmetic of `f16` and `bf16`, alone and in pairs: the forms of `add`, `sub`, `mul`, `fma`, `abs`, `neg`, `min`, `max`.
use super::exact::Value;
use super::extreme::{Extreme, larger, smaller};
use super::float::{Float, Style};
use super::rounding::{BF16, F16, Format, Mode};
use crate::exec::view::half_bits::{Brain, Half, SIGN, add_bf16, add_f16, fma_bf16, fma_f16, mul_bf16, mul_f16};
use crate::exec::view::{Answer, Lanes, Op, Selected, WARP, binary, lane, plainly, ternary, unary, whole_of_each};
use ptx::isa::{Form, Refusal, Type};

macro_rules! float {
    ($($t:ty, $format:expr;)*) => { $(
        impl Float for $t {
            const FORMAT: Format = $format;
            #[inline(always)]
            fn bits(self) -> u64 {
                self.0.into()
            }
            #[inline(always)]
            fn of_bits(bits: u64) -> Self {
                Self(bits as u16)
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self.widened().is_nan()
            }
        }
    )* };
}
float!(Half, F16; Brain, BF16;);

/// The usual style of `f16`, `f16x2`, `bf16`, `bf16x2`.
macro_rules! usual {
    ($lift:ident, $alone:ident, $pair:ident, ($($x:ident),*), $f16:expr, $bf16:expr) => {
        [
            || $lift(#[inline(always)] |$($x: u16),*| $alone($($x),*, $f16)),
            || $lift(#[inline(always)] |$($x: u32),*| $pair($($x),*, $f16)),
            || $lift(#[inline(always)] |$($x: u16),*| $alone($($x),*, $bf16)),
            || $lift(#[inline(always)] |$($x: u32),*| $pair($($x),*, $bf16)),
        ]
    };
}

/// `add`; also the mixed form that adds a half to an `f32`.
pub fn add(form: &Form) -> Answer {
    let usual = usual!(binary, alone2, pair2, (a, b), add_f16, add_bf16);
    arithmetic(form, usual, || plainly(|lanes, op| any(lanes, op, |[a, b, _], mode| a.plus(b, mode))))
}

pub fn sub(form: &Form) -> Answer {
    let usual = usual!(binary, alone2, pair2, (a, b), |a, b| add_f16(a, b ^ SIGN), |a, b| add_bf16(a, b ^ SIGN));
    arithmetic(form, usual, || plainly(|lanes, op| any(lanes, op, |[a, b, _], mode| a.plus(b.negated(), mode))))
}

pub fn mul(form: &Form) -> Answer {
    let usual = usual!(binary, alone2, pair2, (a, b), mul_f16, mul_bf16);
    arithmetic(form, usual, || plainly(|lanes, op| any(lanes, op, |[a, b, _], _| a.times(b))))
}

pub fn fma(form: &Form) -> Answer {
    let style = Style::of(form);
    if style.subtracts() && !style.flush && !style.saturate {
        macro_rules! signed {
            ($t:ty, $all:ident, $sign:literal, $fma:ident) => {
                whole_of_each(|lanes, op| {
                    let [product, addend] = [1, 2].map(|bit| if op.data & bit != 0 { $sign } else { 0 });
                    lanes.map3(
                        op,
                        #[inline(always)]
                        |a: $t, b: $t, c: $t| $all(a ^ product, b, c ^ addend, $fma),
                    );
                })
            };
        }
        let data = u32::from(style.minus_product) | u32::from(style.minus_addend) << 1;
        let selected = match Layout::of(form)? {
            Layout::F16 => signed!(u16, alone3, 0x8000, fma_f16),
            Layout::F16x2 => signed!(u32, pair3, 0x8000_8000, fma_f16),
            Layout::Bf16 => signed!(u16, alone3, 0x8000, fma_bf16),
            Layout::Bf16x2 => signed!(u32, pair3, 0x8000_8000, fma_bf16),
            Layout::MixedF16 | Layout::MixedBf16 => return Err(Refusal::NoSuchForm),
        };
        return Ok(selected.with(data));
    }
    let usual = usual!(ternary, alone3, pair3, (a, b, c), fma_f16, fma_bf16);
    arithmetic(form, usual, || plainly(|lanes, op| any(lanes, op, |[a, b, c], mode| a.times(b).plus(c, mode))))
}

pub fn abs(form: &Form) -> Answer {
    Ok(if is_brain(form) { signed::<0x7f80, false>(form) } else { signed::<0x7c00, false>(form) })
}

pub fn neg(form: &Form) -> Answer {
    Ok(if is_brain(form) { signed::<0x7f80, true>(form) } else { signed::<0x7c00, true>(form) })
}

/// `abs`, or `neg`; what lies above infinity becomes the NaN that operations give.
fn signed<const INFINITY: u32, const FLIP: bool>(form: &Form) -> Selected {
    #[inline(always)]
    fn of<const INFINITY: u32, const FLIP: bool>(bits: u32) -> u32 {
        let magnitude = bits & 0x7fff;
        if magnitude > INFINITY {
            0x7fff
        } else if FLIP {
            bits ^ 0x8000
        } else {
            magnitude
        }
    }
    match (is_pair(form), form.has("ftz")) {
        (false, false) => unary(|a: u16| of::<INFINITY, FLIP>(a.into()) as u16),
        (true, false) => unary(|a: u32| pair1(a, of::<INFINITY, FLIP>)),
        (false, true) => unary(|a: u16| of::<INFINITY, FLIP>(flush(a.into())) as u16),
        (true, true) => unary(|a: u32| pair1(a, |half| of::<INFINITY, FLIP>(flush(half)))),
    }
}

macro_rules! choose {
    ($form:ident, $chosen:ident) => {
        match $form.ty(0) {
            Some(Type::F16) => plainly(|lanes, op| extreme::<Half, u16>(lanes, op, $chosen)),
            Some(Type::F16x2) => plainly(|lanes, op| extreme::<Half, u32>(lanes, op, $chosen)),
            Some(Type::Bf16) => plainly(|lanes, op| extreme::<Brain, u16>(lanes, op, $chosen)),
            Some(Type::Bf16x2) => plainly(|lanes, op| extreme::<Brain, u32>(lanes, op, $chosen)),
            _ => return Err(Refusal::NoSuchForm),
        }
        .with(Extreme::of($form).pack())
    };
}

pub fn min(form: &Form) -> Answer {
    Ok(choose!(form, smaller))
}

pub fn max(form: &Form) -> Answer {
    Ok(choose!(form, larger))
}

/// Chooses among `f16`, `f16x2`, `bf16`, `bf16x2` in the usual style, and any style (and mixed types).
fn arithmetic(form: &Form, usual: [fn() -> Selected; 4], any: fn() -> Selected) -> Answer {
    let style = Style::of(form);
    let layout = Layout::of(form)?;
    refuse_if!(style.mode != Mode::Nearest && !layout.mixed(), Refusal::NoSuchForm);
    if layout.mixed() || style.flush || style.saturate || style.relu {
        let fused = u32::from(form.widths[3] != 0);
        return Ok(any().with(style.pack() | (layout as u32) << 16 | fused << 31));
    }
    Ok(usual[layout as usize]())
}

/// How halves lie in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    /// Factors and first summand `f16` or `bf16`, the last source and the result `f32`.
    MixedF16,
    MixedBf16,
}

impl Layout {
    const ALL: [Layout; 6] =
        [Layout::F16, Layout::F16x2, Layout::Bf16, Layout::Bf16x2, Layout::MixedF16, Layout::MixedBf16];
    fn of(form: &Form) -> Result<Self, Refusal> {
        Ok(match (form.ty(0), form.ty(1)) {
            (Some(Type::F32), Some(Type::F16)) => Layout::MixedF16,
            (Some(Type::F32), Some(Type::Bf16)) => Layout::MixedBf16,
            (Some(Type::F16), _) => Layout::F16,
            (Some(Type::F16x2), _) => Layout::F16x2,
            (Some(Type::Bf16), _) => Layout::Bf16,
            (Some(Type::Bf16x2), _) => Layout::Bf16x2,
            _ => return Err(Refusal::NoSuchForm),
        })
    }
    fn mixed(self) -> bool {
        matches!(self, Layout::MixedF16 | Layout::MixedBf16)
    }
}

/// Any style and layout: exactly, then rounded. `f` gets the sources that it has.
fn any(lanes: &mut Lanes, op: &Op, f: fn([Value; 3], Mode) -> Value) {
    match Layout::ALL[(op.data >> 16 & 7) as usize] {
        Layout::F16 => by_half::<Half, u16>(lanes, op, f),
        Layout::F16x2 => by_half::<Half, u32>(lanes, op, f),
        Layout::Bf16 => by_half::<Brain, u16>(lanes, op, f),
        Layout::Bf16x2 => by_half::<Brain, u32>(lanes, op, f),
        Layout::MixedF16 => mixed::<Half>(lanes, op, f),
        Layout::MixedBf16 => mixed::<Brain>(lanes, op, f),
    }
}

/// A register that holds one half or two: `u16` or `u32`.
pub trait Halves: crate::exec::view::lane::Lane {
    /// Where its halves begin.
    const SHIFTS: &'static [u32];
    /// The half that begins at a bit.
    fn half(self, shift: u32) -> u64;
    /// The register with a half put where there are zeros.
    fn with(self, bits: u64, shift: u32) -> Self;
}
impl Halves for u16 {
    const SHIFTS: &'static [u32] = &[0];
    fn half(self, _: u32) -> u64 {
        self.into()
    }
    fn with(self, bits: u64, _: u32) -> Self {
        bits as u16
    }
}
impl Halves for u32 {
    const SHIFTS: &'static [u32] = &[0, 16];
    fn half(self, shift: u32) -> u64 {
        (self >> shift & 0xffff).into()
    }
    fn with(self, bits: u64, shift: u32) -> Self {
        self | (bits as u32) << shift
    }
}

fn by_half<T: Float, R: Halves>(lanes: &mut Lanes, op: &Op, f: fn([Value; 3], Mode) -> Value) {
    let style = Style::unpack(op.data & 0xffff);
    each_half::<T, R>(lanes, op, |s| style.result(f(std::array::from_fn(|i| style.source(i, s[i])), style.mode)));
}

fn extreme<T: Float, R: Halves>(lanes: &mut Lanes, op: &Op, choose: fn(T, T) -> T) {
    let style = Extreme::unpack(op.data);
    each_half::<T, R>(lanes, op, |[a, b, c]| {
        let two = style.choose(a, b, choose);
        if style.third { style.choose(two, c, choose) } else { two }
    });
}

/// `d = f(a, b, c)` for each half of each active lane.
pub fn each_half<T: Float, R: Halves>(lanes: &mut Lanes, op: &Op, f: impl Fn([T; 3]) -> T) {
    let sources = [op.a, op.b, op.c].map(|row| lanes.get::<R>(row));
    let mut d = [R::default(); WARP];
    lanes.each(|lane| {
        for &shift in R::SHIFTS {
            let result = f(lane::array(|i| T::of_bits(sources[i][lane].half(shift))));
            d[lane] = d[lane].with(result.bits(), shift);
        }
    });
    lanes.set(op.dst, d);
}

/// `add.f32.f16 d, a, c` and `fma.f32.f16 d, a, b, c`: the last source is an `f32`.
fn mixed<T: Float>(lanes: &mut Lanes, op: &Op, f: fn([Value; 3], Mode) -> Value) {
    let style = Style::unpack(op.data & 0xffff);
    let (a, b, wide_b, c) =
        (lanes.get::<T>(op.a), lanes.get::<T>(op.b), lanes.get::<f32>(op.b), lanes.get::<f32>(op.c));
    let fused = op.data >> 31 != 0;
    let mut d = [0f32; WARP];
    lanes.each(|lane| {
        let second = if fused { b[lane].value() } else { wide_b[lane].value() };
        d[lane] = style.result(f([a[lane].value(), second, c[lane].value()], style.mode));
    });
    lanes.set(op.dst, d);
}

#[inline(always)]
fn alone2(a: u16, b: u16, f: impl Fn(u32, u32) -> u32) -> u16 {
    f(a.into(), b.into()) as u16
}
#[inline(always)]
fn alone3(a: u16, b: u16, c: u16, f: impl Fn(u32, u32, u32) -> u32) -> u16 {
    f(a.into(), b.into(), c.into()) as u16
}
#[inline(always)]
fn pair1(a: u32, f: impl Fn(u32) -> u32) -> u32 {
    f(a & 0xffff) | f(a >> 16) << 16
}
#[inline(always)]
fn pair2(a: u32, b: u32, f: impl Fn(u32, u32) -> u32) -> u32 {
    f(a & 0xffff, b & 0xffff) | f(a >> 16, b >> 16) << 16
}
#[inline(always)]
fn pair3(a: u32, b: u32, c: u32, f: impl Fn(u32, u32, u32) -> u32) -> u32 {
    f(a & 0xffff, b & 0xffff, c & 0xffff) | f(a >> 16, b >> 16, c >> 16) << 16
}

/// A subnormal `f16` becomes zero.
#[inline(always)]
fn flush(a: u32) -> u32 {
    if a & 0x7c00 == 0 { a & SIGN } else { a }
}

fn is_pair(form: &Form) -> bool {
    matches!(form.ty(0), Some(Type::F16x2 | Type::Bf16x2))
}

fn is_brain(form: &Form) -> bool {
    matches!(form.ty(0), Some(Type::Bf16 | Type::Bf16x2))
}
