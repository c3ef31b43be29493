//! Numbers of 16 bits in single precision and back, and their arithmetic on bits, rounded once and free of branches, so
//! that loops over it become vector instructions.
//!
//! Sums and products of two `f16` are exact or harmlessly rounded in single precision (24 ≥ 2·11 + 2 bits). Where a second
//! rounding could show (fused operations, and `bf16` products near zero) the first one rounds to odd: it keeps in the
//! last bit whether anything was lost, which is all that the second needs to know.

use std::cmp::Ordering;

/// An `f16`, by its bits.
#[derive(Clone, Copy, Default)]
pub struct Half(pub u16);

/// A `bf16`, by its bits.
#[derive(Clone, Copy, Default)]
pub struct Brain(pub u16);

macro_rules! widened {
    ($($t:ty, $widen:ident;)*) => { $(
        impl $t {
            /// The same number in single precision.
            #[inline(always)]
            pub fn widened(self) -> f32 {
                $widen(self.0.into())
            }
        }
        impl PartialEq for $t {
            fn eq(&self, other: &Self) -> bool {
                self.widened() == other.widened()
            }
        }
        impl PartialOrd for $t {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                self.widened().partial_cmp(&other.widened())
            }
        }
    )* };
}
widened!(Half, widen_f16; Brain, widen_bf16;);

/// The sign of a half.
pub const SIGN: u32 = 0x8000;

/// An `f16` as an `f32`; its bits are the low 16.
#[inline(always)]
pub fn widen_f16(bits: u32) -> f32 {
    let sign = (bits & SIGN) << 16;
    let magnitude = (bits & 0x7fff) << 13;
    // Scaling by 2^112 corrects the exponent's bias, of subnormal numbers too.
    let scaled = (f32::from_bits(magnitude) * f32::from_bits(0x7780_0000)).to_bits();
    f32::from_bits(sign | if bits & 0x7c00 == 0x7c00 { magnitude | 0x7f80_0000 } else { scaled })
}

/// An `f32` rounded to the nearest `f16`.
#[inline(always)]
pub fn narrow_f16(x: f32) -> u32 {
    let bits = x.to_bits();
    let sign = bits >> 16 & SIGN;
    let magnitude = bits & 0x7fff_ffff;
    let normal = magnitude.wrapping_add(0xfff + (magnitude >> 13 & 1)).wrapping_sub(112 << 23) >> 13;
    // The sum with 1/2 has the last place of an f16 subnormal as its own.
    let small = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let rounded = if magnitude < 0x3880_0000 { small } else { normal };
    let rounded = if magnitude >= 0x4780_0000 { 0x7c00 } else { rounded };
    if magnitude > 0x7f80_0000 { 0x7fff } else { sign | rounded }
}

#[inline(always)]
pub fn widen_bf16(bits: u32) -> f32 {
    f32::from_bits(bits << 16)
}

/// An `f32` rounded to the nearest `bf16`.
#[inline(always)]
pub fn narrow_bf16(x: f32) -> u32 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    if x.is_nan() { 0x7fff } else { rounded }
}

/// An `f64` rounded to odd in single precision.
#[inline(always)]
fn odd_f32(x: f64) -> f32 {
    let near = x as f32;
    let lost = x - f64::from(near);
    let bits = near.to_bits();
    let outwards = (lost > 0.0) != near.is_sign_negative();
    let odd = if outwards { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    f32::from_bits(if lost.abs() > 0.0 && bits & 1 == 0 { odd } else { bits })
}

/// The sum rounded to odd: what the rounding lost is exact (Knuth's two-sum).
macro_rules! odd_sum {
    ($name:ident, $t:ty) => {
        #[inline(always)]
        fn $name(a: $t, b: $t) -> $t {
            let sum = a + b;
            let of_b = sum - a;
            let lost = (a - (sum - of_b)) + (b - of_b);
            let bits = sum.to_bits();
            let outwards = (lost > 0.0) != sum.is_sign_negative();
            let odd = if outwards { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
            <$t>::from_bits(if lost.abs() > 0.0 && bits & 1 == 0 { odd } else { bits })
        }
    };
}
odd_sum!(odd_sum_f32, f32);
odd_sum!(odd_sum_f64, f64);

/// The sum of two `f16`.
#[inline(always)]
pub fn add_f16(a: u32, b: u32) -> u32 {
    narrow_f16(widen_f16(a) + widen_f16(b))
}
/// The product of two `f16`.
#[inline(always)]
pub fn mul_f16(a: u32, b: u32) -> u32 {
    narrow_f16(widen_f16(a) * widen_f16(b))
}
/// The fused product and sum of `f16`.
#[inline(always)]
pub fn fma_f16(a: u32, b: u32, c: u32) -> u32 {
    narrow_f16(odd_sum_f32(widen_f16(a) * widen_f16(b), widen_f16(c)))
}
/// The sum of two `bf16`.
#[inline(always)]
pub fn add_bf16(a: u32, b: u32) -> u32 {
    narrow_bf16(widen_bf16(a) + widen_bf16(b))
}
/// The product of two `bf16`.
#[inline(always)]
pub fn mul_bf16(a: u32, b: u32) -> u32 {
    narrow_bf16(odd_f32(f64::from(widen_bf16(a)) * f64::from(widen_bf16(b))))
}
/// The fused product and sum of `bf16`.
#[inline(always)]
pub fn fma_bf16(a: u32, b: u32, c: u32) -> u32 {
    let product = f64::from(widen_bf16(a)) * f64::from(widen_bf16(b));
    narrow_bf16(odd_f32(odd_sum_f64(product, f64::from(widen_bf16(c)))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::arithmetic::exact::Value;
    use crate::exec::arithmetic::float::Float;
    use crate::exec::arithmetic::rounding::{BF16, F16, Mode};
    use ::half::f16;
    use proptest::prelude::*;

    /// One operation in exact arithmetic, as bits.
    fn exact<T: Float>(sources: [u32; 3], f: impl Fn([Value; 3]) -> Value) -> u32 {
        T::rounded(f(sources.map(|x| T::of_bits(x.into()).value())), Mode::Nearest).bits() as u32
    }

    #[test]
    fn every_f16_widens_and_narrows() {
        for bits in 0..=0xffffu32 {
            let reference = f16::from_bits(bits as u16);
            let wide = widen_f16(bits);
            assert!(
                wide == reference.to_f32() && wide.is_sign_negative() == reference.is_sign_negative()
                    || wide.is_nan() && reference.is_nan()
            );
            if !wide.is_nan() {
                assert_eq!(narrow_f16(wide), bits);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn narrowing_rounds_to_nearest(bits: u32, small in -70000.0f32..70000.0) {
            for x in [f32::from_bits(bits), small, small * 1e-9] {
                prop_assert_eq!(narrow_f16(x), F16.encode(Value::of_f32(x), Mode::Nearest) as u32);
                prop_assert_eq!(narrow_bf16(x), BF16.encode(Value::of_f32(x), Mode::Nearest) as u32);
            }
        }

        #[test]
        fn halves_round_once(a: u16, b: u16, c: u16) {
            let (a, b, c) = (u32::from(a), u32::from(b), u32::from(c));
            let near = Mode::Nearest;
            prop_assert_eq!(add_f16(a, b), exact::<Half>([a, b, 0], |[a, b, _]| a.plus(b, near)));
            prop_assert_eq!(mul_f16(a, b), exact::<Half>([a, b, 0], |[a, b, _]| a.times(b)));
            prop_assert_eq!(fma_f16(a, b, c), exact::<Half>([a, b, c], |[a, b, c]| a.times(b).plus(c, near)));
            prop_assert_eq!(add_bf16(a, b), exact::<Brain>([a, b, 0], |[a, b, _]| a.plus(b, near)));
            prop_assert_eq!(mul_bf16(a, b), exact::<Brain>([a, b, 0], |[a, b, _]| a.times(b)));
            prop_assert_eq!(fma_bf16(a, b, c), exact::<Brain>([a, b, c], |[a, b, c]| a.times(b).plus(c, near)));
        }

        #[test]
        fn products_near_zero_round_once(a in 0u16..0x2000, b in 0u16..0x2000, c in 0u16..4) {
            let (a, b, c) = (u32::from(a), u32::from(b), u32::from(c));
            let near = Mode::Nearest;
            prop_assert_eq!(fma_f16(a, b, c), exact::<Half>([a, b, c], |[a, b, c]| a.times(b).plus(c, near)));
            prop_assert_eq!(fma_bf16(a, b, c), exact::<Brain>([a, b, c], |[a, b, c]| a.times(b).plus(c, near)));
            prop_assert_eq!(mul_bf16(a, b), exact::<Brain>([a, b, 0], |[a, b, _]| a.times(b)));
        }
    }
}
