//! Integer arithmetic: sums, products, quotients, extremes, carries, dot products.
//!
//! Signed and unsigned forms share one function where two's complement makes them the same.
use super::{carry, extreme, float, half};
use crate::exec::view::{Answer, binary, each2, each3, ternary, unary};
use ptx::isa::{Form, Refusal, Type};

/// Runs the body with `$t` the unsigned (or as named, the signed) integer of the form's first type.
macro_rules! by_type {
    ($form:expr, $t:ident => $body:expr) => {
        by_type!($form, $t => $body; U16: u16, U32: u32, U64: u64, S16: i16, S32: i32, S64: i64)
    };
    ($form:expr, $t:ident => $body:expr; $($($ty:ident)|+: $own:ty),*) => {
        Ok(match $form.ty(0) {
            $(Some($(Type::$ty)|+) => {
                type $t = $own;
                $body
            })*
            _ => return Err(Refusal::NoSuchForm),
        })
    };
}

/// As `by_type`, for what depends on the width alone.
macro_rules! by_width {
    ($form:expr, $t:ident => $body:expr) => {
        $crate::exec::arithmetic::integer::by_type!($form, $t => $body;
            U16 | S16 | B16: u16, U32 | S32 | B32: u32, U64 | S64 | B64: u64)
    };
}
pub(super) use {by_type, by_width};

/// Returns whether the form is a pair of 16-bit integers.
fn is_pair(form: &Form) -> bool {
    matches!(form.ty(0), Some(Type::U16x2 | Type::S16x2))
}

fn is_half(form: &Form) -> bool {
    matches!(form.types.last(), Some(Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2))
}

fn is_float(form: &Form) -> bool {
    form.ty(0).is_some_and(Type::is_float)
}

pub fn add(form: &Form) -> Answer {
    match form {
        _ if is_half(form) => half::add(form),
        _ if is_float(form) => float::add(form),
        _ if is_pair(form) => Ok(binary(|a: u32, b: u32| pairwise(a, b, u16::wrapping_add))),
        _ if form.has("cc") => carry::add(form, false),
        _ if form.has("sat") => Ok(binary(i32::saturating_add)),
        _ => by_width!(form, T => binary(T::wrapping_add)),
    }
}

pub fn sub(form: &Form) -> Answer {
    match form {
        _ if is_half(form) => half::sub(form),
        _ if is_float(form) => float::sub(form),
        _ if form.has("cc") => carry::sub(form, false),
        _ if form.has("sat") => Ok(binary(i32::saturating_sub)),
        _ => by_width!(form, T => binary(T::wrapping_sub)),
    }
}

pub fn addc(form: &Form) -> Answer {
    carry::add(form, true)
}

pub fn subc(form: &Form) -> Answer {
    carry::sub(form, true)
}

pub fn mul(form: &Form) -> Answer {
    use Type::*;
    match form {
        _ if is_half(form) => half::mul(form),
        _ if is_float(form) => float::mul(form),
        _ if form.has("lo") => by_width!(form, T => binary(T::wrapping_mul)),
        _ if form.has("wide") => Ok(match form.ty(0) {
            Some(U16) => binary(|a: u16, b: u16| u32::from(a) * u32::from(b)),
            Some(S16) => binary(|a: i16, b: i16| i32::from(a) * i32::from(b)),
            Some(U32) => binary(|a: u32, b: u32| u64::from(a) * u64::from(b)),
            Some(S32) => binary(|a: i32, b: i32| i64::from(a) * i64::from(b)),
            _ => return Err(Refusal::NoSuchForm),
        }),
        _ if form.has("hi") => match form.ty(0) {
            Some(U64) => Ok(each2(|a: u64, b: u64| a.high(b))),
            Some(S64) => Ok(each2(|a: i64, b: i64| a.high(b))),
            _ => by_type!(form, T => binary(|a: T, b: T| a.high(b))),
        },
        _ => Err(Refusal::NoSuchForm),
    }
}

pub fn mad(form: &Form) -> Answer {
    use Type::*;
    match form {
        _ if is_float(form) => float::fma(form),
        _ if form.has("cc") => carry::mad(form, false),
        _ if form.has("lo") => by_width!(form, T => ternary(|a: T, b: T, c: T| a.wrapping_mul(b).wrapping_add(c))),
        _ if form.has("wide") => Ok(match form.ty(0) {
            Some(U16) => ternary(|a: u16, b: u16, c: u32| (u32::from(a) * u32::from(b)).wrapping_add(c)),
            Some(S16) => ternary(|a: i16, b: i16, c: i32| (i32::from(a) * i32::from(b)).wrapping_add(c)),
            Some(U32) => ternary(|a: u32, b: u32, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c)),
            Some(S32) => ternary(|a: i32, b: i32, c: i64| (i64::from(a) * i64::from(b)).wrapping_add(c)),
            _ => return Err(Refusal::NoSuchForm),
        }),
        _ if form.has("hi") && form.has("sat") => Ok(each3(|a: i32, b: i32, c: i32| a.high(b).saturating_add(c))),
        _ if form.has("hi") => by_type!(form, T => each3(|a: T, b: T, c: T| a.high(b).wrapping_add(c))),
        _ => Err(Refusal::NoSuchForm),
    }
}

pub fn madc(form: &Form) -> Answer {
    carry::mad(form, true)
}

pub fn mul24(form: &Form) -> Answer {
    Ok(match (form.ty(0), form.has("hi")) {
        (Some(Type::U32), false) => each2(|a: u32, b: u32| product24(a, b) as u32),
        (Some(Type::U32), true) => each2(|a: u32, b: u32| (product24(a, b) >> 16) as u32),
        (Some(Type::S32), false) => each2(|a: i32, b: i32| product24_signed(a, b) as i32),
        (Some(Type::S32), true) => each2(|a: i32, b: i32| (product24_signed(a, b) >> 16) as i32),
        _ => return Err(Refusal::NoSuchForm),
    })
}

pub fn mad24(form: &Form) -> Answer {
    Ok(match (form.ty(0), form.has("hi")) {
        (Some(Type::U32), false) => each3(|a: u32, b: u32, c: u32| (product24(a, b) as u32).wrapping_add(c)),
        (Some(Type::U32), true) => each3(|a: u32, b: u32, c: u32| ((product24(a, b) >> 16) as u32).wrapping_add(c)),
        (Some(Type::S32), false) => each3(|a: i32, b: i32, c: i32| (product24_signed(a, b) as i32).wrapping_add(c)),
        (Some(Type::S32), true) if form.has("sat") => {
            each3(|a: i32, b: i32, c: i32| ((product24_signed(a, b) >> 16) as i32).saturating_add(c))
        }
        (Some(Type::S32), true) => {
            each3(|a: i32, b: i32, c: i32| ((product24_signed(a, b) >> 16) as i32).wrapping_add(c))
        }
        _ => return Err(Refusal::NoSuchForm),
    })
}

pub fn sad(form: &Form) -> Answer {
    by_type!(form, T => each3(|a: T, b: T, c: T| if a < b { b.wrapping_sub(a) } else { a.wrapping_sub(b) }.wrapping_add(c)))
}

pub fn div(form: &Form) -> Answer {
    match form {
        _ if is_float(form) => float::div(form),
        _ => by_type!(form, T => each2(|a: T, b: T| if b == 0 { !0 } else { a.wrapping_div(b) })),
    }
}

pub fn rem(form: &Form) -> Answer {
    by_type!(form, T => each2(|a: T, b: T| if b == 0 { !0 } else { a.wrapping_rem(b) }))
}

pub fn abs(form: &Form) -> Answer {
    Ok(match form.ty(0) {
        _ if is_half(form) => return half::abs(form),
        _ if is_float(form) => return float::abs(form),
        Some(Type::S16) => unary(i16::wrapping_abs),
        Some(Type::S32) => unary(i32::wrapping_abs),
        Some(Type::S64) => unary(i64::wrapping_abs),
        _ => return Err(Refusal::NoSuchForm),
    })
}

pub fn neg(form: &Form) -> Answer {
    match form {
        _ if is_half(form) => half::neg(form),
        _ if is_float(form) => float::neg(form),
        _ => by_width!(form, T => unary(|a: T| a.wrapping_neg())),
    }
}

/// `min` and `max`: the functions that have these names of floating-point types, of integers and of parts of registers.
macro_rules! extremes {
    ($($name:ident)*) => { $(
        pub fn $name(form: &Form) -> Answer {
            choose(form, half::$name, extreme::$name, [
                |form| by_type!(form, T => binary(|a: T, b: T| a.$name(b))),
                |_| Ok(binary(|a: u32, b: u32| pairwise(a, b, u16::$name))),
                |_| Ok(binary(|a: u32, b: u32| pairwise(a, b, |a, b| (a as i16).$name(b as i16) as u16))),
                |_| Ok(binary(|a: u32, b: u32| pairwise(a, b, |a, b| (a as i16).$name(b as i16).max(0) as u16))),
                |_| Ok(binary(|a: i32, b: i32| a.$name(b).max(0))),
            ])
        }
    )* };
}
extremes! { min max }

pub fn dp4a(form: &Form) -> Answer {
    let signed = |index| form.ty(index).is_some_and(Type::is_signed);
    Ok(match (signed(0), signed(1)) {
        (false, false) => ternary(|a: u32, b: u32, c: u32| dot4::<false, false>(a, b, c)),
        (false, true) => ternary(|a: u32, b: u32, c: u32| dot4::<false, true>(a, b, c)),
        (true, false) => ternary(|a: u32, b: u32, c: u32| dot4::<true, false>(a, b, c)),
        (true, true) => ternary(|a: u32, b: u32, c: u32| dot4::<true, true>(a, b, c)),
    })
}

pub fn dp2a(form: &Form) -> Answer {
    let signed = |index| form.ty(index).is_some_and(Type::is_signed);
    Ok(match (signed(0), signed(1), form.has("hi")) {
        (false, false, false) => each3(dot2::<false, false, 0>),
        (false, true, false) => each3(dot2::<false, true, 0>),
        (true, false, false) => each3(dot2::<true, false, 0>),
        (true, true, false) => each3(dot2::<true, true, 0>),
        (false, false, true) => each3(dot2::<false, false, 2>),
        (false, true, true) => each3(dot2::<false, true, 2>),
        (true, false, true) => each3(dot2::<true, false, 2>),
        (true, true, true) => each3(dot2::<true, true, 2>),
    })
}

/// Chooses among the forms of `min` and `max`: plain, `.u16x2`, `.s16x2`, `.relu.s16x2`, `.relu.s32`.
fn choose(form: &Form, half: fn(&Form) -> Answer, float: fn(&Form) -> Answer, of: [fn(&Form) -> Answer; 5]) -> Answer {
    let chosen = match (form.ty(0), form.has("relu")) {
        _ if is_half(form) => half,
        _ if is_float(form) => float,
        (Some(Type::U16x2), false) => of[1],
        (Some(Type::S16x2), false) => of[2],
        (Some(Type::S16x2), true) => of[3],
        (Some(Type::S32), true) => of[4],
        (_, true) => return Err(Refusal::NoSuchForm),
        _ => of[0],
    };
    chosen(form)
}

/// The upper half of a product.
pub(super) trait High {
    /// Bits beyond the type's width of the whole product.
    fn high(self, other: Self) -> Self;
}
macro_rules! high {
    ($($t:ty, $wide:ty;)*) => { $(
        impl High for $t {
            #[inline(always)]
            fn high(self, other: Self) -> Self {
                ((self as $wide * other as $wide) >> <$t>::BITS) as $t
            }
        }
    )* };
}
high!(u16, u32; u32, u64; u64, u128; i16, i32; i32, i64; i64, i128;);

#[inline(always)]
fn pairwise(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

#[inline(always)]
fn product24(a: u32, b: u32) -> u64 {
    u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)
}

#[inline(always)]
fn product24_signed(a: i32, b: i32) -> i64 {
    i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)
}

#[inline(always)]
fn byte<const SIGNED: bool>(x: u32, index: u32) -> u32 {
    let byte = (x >> (8 * index)) as u8;
    if SIGNED { byte as i8 as u32 } else { byte.into() }
}

#[inline(always)]
fn dot4<const A: bool, const B: bool>(a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(c, |sum, i| sum.wrapping_add(byte::<A>(a, i).wrapping_mul(byte::<B>(b, i))))
}

fn dot2<const A: bool, const B: bool, const FROM: u32>(a: u32, b: u32, c: u32) -> u32 {
    (0..2).fold(c, |sum, i| {
        let half = (a >> (16 * i)) as u16;
        let half = if A { half as i16 as u32 } else { half.into() };
        sum.wrapping_add(half.wrapping_mul(byte::<B>(b, FROM + i)))
    })
}
