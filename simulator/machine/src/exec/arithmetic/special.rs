//! Reciprocals, roots, and the transcendental functions.
//!
//! The `.approx` forms have a stated error on hardware; here they are the correctly rounded value, or within one unit in
//! the last place of it, so inside that error everywhere. The rounded forms of `rcp` and `sqrt` are exact.
use super::exact::Value;
use super::float::{Float, Style, styled};
use super::half::{Halves, each_half};
use super::rounding::Mode;
use crate::exec::view::half_bits::{Brain, Half};
use crate::exec::view::{Answer, Lanes, Op, Selected, each1, plainly, unary};
use ptx::isa::{Form, Refusal, Type};

pub fn rcp(form: &Form) -> Answer {
    rounded_or_not(
        form,
        [
            || unary(|a: f32| (1.0 / a).canonical()),
            || unary(|a: f32| (1.0 / a.flushed()).flushed().canonical()),
            || plainly(|lanes, op| styled::<f32, 1>(lanes, op, |[a], _| Value::of_integer(false, 1).over(a))),
            || unary(|a: f64| (1.0 / a).of_sources([a])),
            || plainly(|lanes, op| styled::<f64, 1>(lanes, op, |[a], _| Value::of_integer(false, 1).over(a))),
            || each1(|a: f64| gross(1.0 / a.flushed())),
        ],
    )
}

/// The NaN that operations give, for any NaN. It looks at the bits: asked whether a root is a number, the compiler asks
/// whether its argument is negative, and takes the NaN that the host's instruction gives for as good as any.
#[inline(always)]
fn canonical_root<T: Float>(root: T) -> T {
    if root.magnitude().bits() > T::FORMAT.infinity() { T::nan() } else { root }
}

pub fn sqrt(form: &Form) -> Answer {
    rounded_or_not(
        form,
        [
            || unary(|a: f32| canonical_root(a.sqrt())),
            || unary(|a: f32| canonical_root(a.flushed().sqrt())),
            || plainly(|lanes, op| styled::<f32, 1>(lanes, op, |[a], _| a.root())),
            || unary(|a: f64| if a.is_nan() { a.passed_on() } else { canonical_root(a.sqrt()) }),
            || plainly(|lanes, op| styled::<f64, 1>(lanes, op, |[a], _| a.root())),
            // `sqrt.approx.ftz.f64` does not exist.
            || unary(|a: f64| if a.is_nan() { a.passed_on() } else { canonical_root(a.sqrt()) }),
        ],
    )
}

pub fn rsqrt(form: &Form) -> Answer {
    Ok(match (form.ty(0), form.has("ftz")) {
        (Some(Type::F32), false) => unary(|a: f32| ((1.0 / f64::from(a).sqrt()) as f32).canonical()),
        (Some(Type::F32), true) => unary(|a: f32| ((1.0 / f64::from(a.flushed()).sqrt()) as f32).flushed().canonical()),
        (Some(Type::F64), false) => unary(|a: f64| (1.0 / a.sqrt()).canonical()),
        (Some(Type::F64), true) => each1(|a: f64| gross(1.0 / a.flushed().sqrt())),
        _ => return Err(Refusal::NoSuchForm),
    })
}

pub fn sin(form: &Form) -> Answer {
    of_single(form, f64::sin)
}

pub fn cos(form: &Form) -> Answer {
    of_single(form, f64::cos)
}

pub fn lg2(form: &Form) -> Answer {
    of_single(form, f64::log2)
}

pub fn ex2(form: &Form) -> Answer {
    of_single_or_half(form, f64::exp2)
}

pub fn tanh(form: &Form) -> Answer {
    of_single_or_half(form, f64::tanh)
}

/// Chooses among `f32`, `f32.ftz`, `f32` in any rounding, `f64`, `f64` in any rounding, `f64.approx.ftz`.
fn rounded_or_not(form: &Form, ways: [fn() -> Selected; 6]) -> Answer {
    let style = Style::of(form);
    let directed = style.mode != Mode::Nearest;
    let way = match form.ty(0) {
        Some(Type::F32) if directed => 2,
        Some(Type::F32) => usize::from(style.flush),
        Some(Type::F64) if directed => 4,
        Some(Type::F64) if form.has("approx") => 5,
        Some(Type::F64) => 3,
        _ => return Err(Refusal::NoSuchForm),
    };
    Ok(ways[way]().with(style.pack()))
}

fn of_single(form: &Form, f: impl Fn(f64) -> f64 + Copy) -> Answer {
    refuse_if!(form.ty(0) != Some(Type::F32), Refusal::NoSuchForm);
    Ok(plainly(move |lanes, op| single(lanes, op, f)).with(Style::of(form).pack()))
}

fn of_single_or_half(form: &Form, f: impl Fn(f64) -> f64 + Copy) -> Answer {
    let selected = match form.ty(0) {
        Some(Type::F16) => plainly(move |lanes, op| half::<Half, u16>(lanes, op, f)),
        Some(Type::F16x2) => plainly(move |lanes, op| half::<Half, u32>(lanes, op, f)),
        Some(Type::Bf16) => plainly(move |lanes, op| half::<Brain, u16>(lanes, op, f)),
        Some(Type::Bf16x2) => plainly(move |lanes, op| half::<Brain, u32>(lanes, op, f)),
        _ => return of_single(form, f),
    };
    Ok(selected.with(Style::of(form).pack()))
}

/// A function of an `f32`, computed in double precision.
fn single(lanes: &mut Lanes, op: &Op, f: impl Fn(f64) -> f64) {
    let style = Style::unpack(op.data);
    let a = lanes.get::<f32>(op.a);
    let mut d = [0f32; 32];
    lanes.each(|lane| {
        let x = if style.flush { a[lane].flushed() } else { a[lane] };
        d[lane] = style.finish((f(x.into()) as f32).canonical());
    });
    lanes.set(op.dst, d);
}

/// A function of a half, computed in double precision.
fn half<T: Float, R: Halves>(lanes: &mut Lanes, op: &Op, f: impl Fn(f64) -> f64) {
    let style = Style::unpack(op.data);
    each_half::<T, R>(lanes, op, |[a, ..]| {
        let x = style.source(0, a).to_f64(Mode::Nearest);
        style.finish(T::rounded(Value::of_f64(f(x)), Mode::Nearest))
    });
}

/// `.approx.ftz.f64`: the upper 32 bits alone, the lower are 0.
fn gross(x: f64) -> f64 {
    let x = x.flushed().canonical();
    match x.is_finite() {
        true => f64::from_bits(x.to_bits().wrapping_add(0x8000_0000) & 0xffff_ffff_0000_0000),
        false => x,
    }
}
