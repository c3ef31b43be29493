//! `min` and `max` of floating-point types: which number wins, and the forms of single and double precision.
use super::float::Float;
use crate::exec::view::{Answer, Lanes, Op, WARP, binary, plainly};
use ptx::isa::{Form, Refusal, Type};

macro_rules! extremes {
    ($($name:ident $choose:ident)*) => { $(
        pub fn $name(form: &Form) -> Answer {
            let is_plain = form.modifiers.is_empty() && form.widths[3] == 0;
            Ok(match form.ty(0) {
                Some(Type::F32) if is_plain => binary(|a: f32, b: f32| $choose(a, b)),
                Some(Type::F64) => binary(|a: f64, b: f64| $choose(a, b)),
                Some(Type::F32) => plainly(|lanes, op| extreme::<f32>(lanes, op, $choose)).with(Extreme::of(form).pack()),
                _ => return Err(Refusal::NoSuchForm),
            })
        }
    )* };
}
extremes! { min smaller max larger }

/// The smaller number; −0 is smaller than +0; a NaN loses against a number.
#[inline(always)]
pub fn smaller<T: Float>(a: T, b: T) -> T {
    let first = a < b || (a == b && a.negative()) || b.is_nan() && !a.is_nan();
    if first { a.passed_on() } else { b.passed_on() }
}

/// The larger number; +0 is larger than −0; a NaN loses against a number.
#[inline(always)]
pub fn larger<T: Float>(a: T, b: T) -> T {
    let first = a > b || (a == b && b.negative()) || b.is_nan() && !a.is_nan();
    if first { a.passed_on() } else { b.passed_on() }
}

/// The modifiers of `min` and `max`.
#[derive(Clone, Copy)]
pub struct Extreme {
    pub flush: bool,
    /// `.NaN`: a NaN wins.
    pub nan: bool,
    /// `.xorsign.abs`
    pub xorsign: bool,
    /// A third source.
    pub third: bool,
}

impl Extreme {
    /// As the form's modifiers say.
    pub fn of(form: &Form) -> Self {
        Extreme {
            flush: form.has("ftz"),
            nan: form.has("NaN"),
            xorsign: form.has("xorsign"),
            third: form.widths[3] != 0,
        }
    }
    /// For [`Selected::with`].
    pub fn pack(self) -> u32 {
        u32::from(self.flush) | u32::from(self.nan) << 1 | u32::from(self.xorsign) << 2 | u32::from(self.third) << 3
    }
    /// From [`Op::data`].
    pub fn unpack(data: u32) -> Self {
        Extreme { flush: data & 1 != 0, nan: data & 2 != 0, xorsign: data & 4 != 0, third: data & 8 != 0 }
    }
    /// The extreme of two numbers in this style.
    pub fn choose<T: Float>(self, a: T, b: T, choose: impl Fn(T, T) -> T) -> T {
        let (a, b) = if self.flush { (a.flushed(), b.flushed()) } else { (a, b) };
        if self.nan && (a.is_nan() || b.is_nan()) {
            return T::nan();
        }
        if !self.xorsign {
            return choose(a, b);
        }
        let sign = (a.bits() ^ b.bits()) & T::FORMAT.sign_bit();
        let chosen = choose(a.magnitude(), b.magnitude());
        if chosen.is_nan() { chosen } else { T::of_bits(chosen.bits() | sign) }
    }
}

fn extreme<T: Float>(lanes: &mut Lanes, op: &Op, choose: fn(T, T) -> T) {
    let style = Extreme::unpack(op.data);
    let (a, b, c) = (lanes.get::<T>(op.a), lanes.get::<T>(op.b), lanes.get::<T>(op.c));
    let mut d = [T::default(); WARP];
    lanes.each(|lane| {
        let two = style.choose(a[lane], b[lane], choose);
        d[lane] = if style.third { style.choose(two, c[lane], choose) } else { two };
    });
    lanes.set(op.dst, d);
}
