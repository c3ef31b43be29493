//! Exact arithmetic: a number is a sign, an integer and a power of two.
//!
//! Sums, products, quotients and roots are exact down to a *jammed* last bit (1 if anything non-zero lies below it), which
//! lies below every place that a format of [`super::rounding`] rounds at.
use super::rounding::{F32, F64, Mode};

/// A number as the formats can hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Nan,
    /// With its sign: negative or not.
    Infinite(bool),
    Zero(bool),
    Finite(Exact),
}

/// (−1)^negative · significand · 2^exponent, with significand ≠ 0. The last bit of the significand may be jammed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    pub negative: bool,
    pub significand: u128,
    pub exponent: i32,
}

/// `x` in units of 2^quantum: its integer part, and whether the mode rounds it up in magnitude.
pub(super) fn round_integer(x: Exact, quantum: i32, mode: Mode) -> (u128, bool) {
    let shift = quantum - x.exponent;
    if shift <= 0 {
        return (x.significand << -shift, false);
    }
    let (kept, rest, half) = match shift {
        1..=127 => (x.significand >> shift, x.significand & ((1 << shift) - 1), 1 << (shift - 1)),
        // Below half a unit in any case: the significand has at most 127 bits here or the shift is larger than it.
        128 => (0, x.significand, 1 << 127),
        _ => (0, 1, 2),
    };
    let up = match mode {
        Mode::Nearest => rest > half || (rest == half && kept & 1 == 1),
        Mode::NearestAway => rest >= half,
        Mode::Zero => false,
        Mode::Down => x.negative && rest != 0,
        Mode::Up => !x.negative && rest != 0,
    };
    (kept, up)
}

impl Value {
    /// The number of an `f32`.
    #[cfg(test)]
    pub fn of_f32(x: f32) -> Self {
        F32.decode(x.to_bits().into())
    }
    /// The number of an `f64`.
    pub fn of_f64(x: f64) -> Self {
        F64.decode(x.to_bits())
    }
    /// An integer with its sign apart.
    pub fn of_integer(negative: bool, magnitude: u64) -> Self {
        match magnitude {
            0 => Value::Zero(false),
            _ => Value::Finite(Exact { negative, significand: magnitude.into(), exponent: 0 }),
        }
    }
    /// Rounded to an `f32`.
    pub fn to_f32(self, mode: Mode) -> f32 {
        f32::from_bits(F32.encode(self, mode) as u32)
    }
    /// Rounded to an `f64`.
    pub fn to_f64(self, mode: Mode) -> f64 {
        f64::from_bits(F64.encode(self, mode))
    }
    /// Rounded to an integer between `low` and `high`, which bound it also where the value lies beyond; NaN gives 0.
    pub fn to_integer(self, mode: Mode, low: i128, high: i128) -> i128 {
        match self {
            Value::Nan | Value::Zero(_) => 0i128.clamp(low, high),
            Value::Infinite(true) => low,
            Value::Infinite(false) => high,
            Value::Finite(x) => {
                // Beyond every bound, and beyond what the shift below could hold.
                if x.exponent + (128 - x.significand.leading_zeros() as i32) > 100 {
                    return if x.negative { low } else { high };
                }
                let (kept, up) = round_integer(x, 0, mode);
                let magnitude = kept as i128 + i128::from(up);
                (if x.negative { -magnitude } else { magnitude }).clamp(low, high)
            }
        }
    }
    /// Rounded to an integral number; a zero keeps the sign.
    pub fn integral(self, mode: Mode) -> Self {
        match self {
            Value::Finite(x) if x.exponent < 0 => {
                let (kept, up) = round_integer(x, 0, mode);
                match kept + u128::from(up) {
                    0 => Value::Zero(x.negative),
                    significand => Value::Finite(Exact { significand, exponent: 0, ..x }),
                }
            }
            _ => self,
        }
    }
    /// Zero for negative numbers and NaN.
    pub fn at_least_zero(self) -> Self {
        if self == Value::Nan || self.negative() { Value::Zero(false) } else { self }
    }
    /// One for numbers beyond it.
    pub fn at_most_one(self) -> Self {
        let large = match self {
            Value::Infinite(negative) => !negative,
            Value::Finite(x) => !x.negative && x.exponent + 128 - x.significand.leading_zeros() as i32 > 0,
            _ => false,
        };
        if large { Value::of_integer(false, 1) } else { self }
    }
    fn negative(self) -> bool {
        match self {
            Value::Nan => false,
            Value::Infinite(negative) | Value::Zero(negative) => negative,
            Value::Finite(x) => x.negative,
        }
    }
    /// The opposite number.
    pub fn negated(self) -> Self {
        match self {
            Value::Nan => Value::Nan,
            Value::Infinite(negative) => Value::Infinite(!negative),
            Value::Zero(negative) => Value::Zero(!negative),
            Value::Finite(x) => Value::Finite(Exact { negative: !x.negative, ..x }),
        }
    }
    /// The sum. `mode` decides only the sign of an exact zero.
    pub fn plus(self, other: Self, mode: Mode) -> Self {
        use Value::*;
        let zero = Zero(mode == Mode::Down);
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite(a), Infinite(b)) if a != b => Nan,
            (Infinite(_), _) => self,
            (_, Infinite(_)) => other,
            (Zero(a), Zero(b)) if a != b => zero,
            (Zero(_), _) => other,
            (_, Zero(_)) => self,
            (Finite(a), Finite(b)) => add(a, b).map_or(zero, Finite),
        }
    }
    /// The product of two numbers with at most 63 significant bits each.
    pub fn times(self, other: Self) -> Self {
        use Value::*;
        let negative = self.negative() ^ other.negative();
        match (self, other) {
            (Nan, _) | (_, Nan) | (Infinite(_), Zero(_)) | (Zero(_), Infinite(_)) => Nan,
            (Infinite(_), _) | (_, Infinite(_)) => Infinite(negative),
            (Zero(_), _) | (_, Zero(_)) => Zero(negative),
            (Finite(a), Finite(b)) => Finite(Exact {
                negative,
                significand: a.significand * b.significand,
                exponent: a.exponent + b.exponent,
            }),
        }
    }
    /// The quotient of two numbers with at most 63 significant bits each.
    pub fn over(self, other: Self) -> Self {
        use Value::*;
        let negative = self.negative() ^ other.negative();
        match (self, other) {
            (Nan, _) | (_, Nan) | (Infinite(_), Infinite(_)) | (Zero(_), Zero(_)) => Nan,
            (Infinite(_), _) | (_, Zero(_)) => Infinite(negative),
            (Zero(_), _) | (_, Infinite(_)) => Zero(negative),
            (Finite(a), Finite(b)) => {
                let up = a.significand.leading_zeros() as i32 - 1;
                let numerator = a.significand << up;
                let (quotient, rest) = (numerator / b.significand, numerator % b.significand);
                // At least 64 bits of quotient, so that the jammed bit lies below every rounding position.
                Finite(Exact {
                    negative,
                    significand: quotient << 1 | u128::from(rest != 0),
                    exponent: a.exponent - up - b.exponent - 1,
                })
            }
        }
    }
    /// The square root.
    pub fn root(self) -> Self {
        use Value::*;
        match self {
            Nan | Infinite(true) => Nan,
            Infinite(false) | Zero(_) => self,
            Finite(x) if x.negative => Nan,
            Finite(x) => {
                let up = x.significand.leading_zeros() as i32 - 2;
                let up = up - ((x.exponent - up) & 1);
                let (scaled, exponent) = (x.significand << up, x.exponent - up);
                let root = scaled.isqrt();
                let jam = u128::from(root * root != scaled);
                Finite(Exact { negative: false, significand: root << 1 | jam, exponent: exponent / 2 - 1 })
            }
        }
    }
}

/// The sum of two numbers with at most 120 significant bits; `None` where it is zero.
fn add(a: Exact, b: Exact) -> Option<Exact> {
    let normal = |x: Exact| {
        let up = x.significand.leading_zeros() as i32 - 3;
        Exact { significand: x.significand << up, exponent: x.exponent - up, ..x }
    };
    let (a, b) = (normal(a), normal(b));
    let (large, small) = if (a.exponent, a.significand) >= (b.exponent, b.significand) { (a, b) } else { (b, a) };
    let down = (large.exponent - small.exponent) as u32;
    // Only a shift by more than the spare low bits loses anything, and then no cancellation reaches the jammed bit.
    let shifted = match down {
        0..=126 => small.significand >> down | u128::from(small.significand & ((1 << down) - 1) != 0),
        _ => 1,
    };
    let significand =
        if large.negative == small.negative { large.significand + shifted } else { large.significand - shifted };
    (significand != 0).then_some(Exact { negative: large.negative, significand, exponent: large.exponent })
}

#[cfg(test)]
mod tests {
    use super::super::rounding::{BF16, E4M3, E5M2, F16, TF32};
    use super::*;
    use proptest::prelude::*;

    const DIRECTED: [Mode; 3] = [Mode::Zero, Mode::Down, Mode::Up];

    fn same32(got: f32, want: f32) {
        assert!(
            got == want && got.is_sign_negative() == want.is_sign_negative() || got.is_nan() && want.is_nan(),
            "{got:e} {want:e}"
        );
    }
    fn same64(got: f64, want: f64) {
        assert!(
            got == want && got.is_sign_negative() == want.is_sign_negative() || got.is_nan() && want.is_nan(),
            "{got:e} {want:e}"
        );
    }
    /// The result that `mode` must give for a value of which `nearest` is the rounding and `exact` the comparison with it.
    fn directed(nearest: f64, exact: std::cmp::Ordering, mode: Mode) -> f64 {
        use std::cmp::Ordering::*;
        match (mode, exact) {
            (_, Equal) => nearest,
            (Mode::Down, Less) => nearest.next_down(),
            (Mode::Up, Greater) => nearest.next_up(),
            (Mode::Zero, Less) if nearest > 0.0 => nearest.next_down(),
            (Mode::Zero, Greater) if nearest < 0.0 => nearest.next_up(),
            _ => nearest,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn nearest_is_the_host_f32(a: u32, b: u32, c: u32) {
            let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
            let (vx, vy, vz) = (Value::of_f32(x), Value::of_f32(y), Value::of_f32(z));
            same32(vx.plus(vy, Mode::Nearest).to_f32(Mode::Nearest), x + y);
            same32(vx.times(vy).to_f32(Mode::Nearest), x * y);
            same32(vx.over(vy).to_f32(Mode::Nearest), x / y);
            same32(vx.root().to_f32(Mode::Nearest), x.sqrt());
            same32(vx.times(vy).plus(vz, Mode::Nearest).to_f32(Mode::Nearest), x.mul_add(y, z));
        }

        #[test]
        fn nearest_is_the_host_f64(a: u64, b: u64, c: u64) {
            let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
            let (vx, vy, vz) = (Value::of_f64(x), Value::of_f64(y), Value::of_f64(z));
            same64(vx.plus(vy, Mode::Nearest).to_f64(Mode::Nearest), x + y);
            same64(vx.times(vy).to_f64(Mode::Nearest), x * y);
            same64(vx.over(vy).to_f64(Mode::Nearest), x / y);
            same64(vx.root().to_f64(Mode::Nearest), x.sqrt());
            same64(vx.times(vy).plus(vz, Mode::Nearest).to_f64(Mode::Nearest), x.mul_add(y, z));
        }

        #[test]
        fn close_exponents_cancel_exactly(a in -1000.0f64..1000.0, b in -1000.0f64..1000.0, c in -1e6f64..1e6) {
            let (va, vb, vc) = (Value::of_f64(a), Value::of_f64(b), Value::of_f64(c));
            same64(va.times(vb).plus(vc, Mode::Nearest).to_f64(Mode::Nearest), a.mul_add(b, c));
            same64(va.times(vb).plus(Value::of_f64(-(a * b)), Mode::Nearest).to_f64(Mode::Nearest), a.mul_add(b, -(a * b)));
            same32(va.to_f32(Mode::Nearest), a as f32);
        }

        #[test]
        fn directed_brackets(a in -1e3f64..1e3, b in 1e-3f64..1e3) {
            for mode in DIRECTED {
                let product = a * b;
                let error = a.mul_add(b, -product);
                same64(Value::of_f64(a).times(Value::of_f64(b)).to_f64(mode), directed(product, error.partial_cmp(&0.0).unwrap(), mode));
                let quotient = a / b;
                let rest = (-quotient).mul_add(b, a);
                if rest != 0.0 {
                    same64(Value::of_f64(a).over(Value::of_f64(b)).to_f64(mode), directed(quotient, rest.partial_cmp(&0.0).unwrap(), mode));
                }
                let root = b.sqrt();
                let rest = (-root).mul_add(root, b);
                if rest != 0.0 {
                    same64(Value::of_f64(b).root().to_f64(mode), directed(root, rest.partial_cmp(&0.0).unwrap(), mode));
                }
            }
        }

        #[test]
        fn small_formats_agree_with_the_half_crate(bits: u32, wide: u64) {
            let x = f32::from_bits(bits);
            if !x.is_nan() {
                assert_eq!(F16.encode(Value::of_f32(x), Mode::Nearest) as u16, half::f16::from_f32(x).to_bits());
                assert_eq!(BF16.encode(Value::of_f32(x), Mode::Nearest) as u16, half::bf16::from_f32(x).to_bits());
            }
            let y = f64::from_bits(wide);
            if !y.is_nan() {
                assert_eq!(F16.encode(Value::of_f64(y), Mode::Nearest) as u16, half::f16::from_f64(y).to_bits());
            }
        }

        #[test]
        fn integers_round_as_rust_rounds(x in -1e6f64..1e6, bits: u64) {
            let (low, high) = (i128::from(i64::MIN), i128::from(i64::MAX));
            for y in [x, f64::from_bits(bits)] {
                let v = Value::of_f64(y);
                assert_eq!(v.to_integer(Mode::Nearest, low, high), i128::from(y.round_ties_even() as i64));
                assert_eq!(v.to_integer(Mode::Zero, low, high), i128::from(y as i64));
                assert_eq!(v.to_integer(Mode::Down, low, high), i128::from(y.floor() as i64));
                assert_eq!(v.to_integer(Mode::Up, low, high), i128::from(y.ceil() as i64));
            }
        }
    }

    #[test]
    fn every_small_encoding_survives_a_round_trip() {
        for (format, bits) in [(F16, 16), (BF16, 16), (TF32, 19), (E4M3, 8), (E5M2, 8)] {
            for encoding in 0..1u64 << bits {
                let value = format.decode(encoding);
                if value != Value::Nan {
                    assert_eq!(format.encode(value, Mode::Nearest), encoding, "{format:?} {encoding:#x}");
                }
            }
        }
    }

    #[test]
    fn overflow_and_underflow_follow_the_mode() {
        let (max, min) = (Value::of_f32(f32::MAX), Value::of_f32(f32::from_bits(1)));
        let twice = max.plus(max, Mode::Nearest);
        assert_eq!(twice.to_f32(Mode::Nearest), f32::INFINITY);
        assert_eq!(twice.to_f32(Mode::Zero), f32::MAX);
        assert_eq!(twice.to_f32(Mode::Down), f32::MAX);
        assert_eq!(twice.negated().to_f32(Mode::Down), f32::NEG_INFINITY);
        let tiny = min.times(min);
        assert_eq!(tiny.to_f32(Mode::Up).to_bits(), 1);
        assert_eq!(tiny.to_f32(Mode::Nearest).to_bits(), 0);
        assert_eq!(tiny.negated().to_f32(Mode::Nearest).to_bits(), 0x8000_0000);
        let one = Value::of_f32(1.0);
        assert_eq!(one.plus(one.negated(), Mode::Down).to_f32(Mode::Down).to_bits(), 0x8000_0000);
        assert_eq!(E4M3.encode_finite(Value::of_f32(1e9), Mode::Nearest), 0x7e);
        assert_eq!(E4M3.encode_finite(Value::of_f32(f32::NEG_INFINITY), Mode::Nearest), 0xfe);
        assert_eq!(E4M3.encode_finite(Value::Nan, Mode::Nearest), 0x7f);
        assert_eq!(E5M2.max(), 0x7b);
    }
}
