//! Floating-point formats, and the one rounding into them, for every format and every rounding mode that PTX has.
//!
//! The host rounds to nearest in binary32 and binary64 only. Everything else (directed rounding, half types, 8-bit
//! floats, TF32, fused operations of small types) is computed exactly ([`super::exact`]) and rounded here. Slower than the
//! host's own arithmetic by a factor of ten, and used only where that cannot serve.
use super::exact::{Exact, Value, round_integer};

/// A binary floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits of the significand with the hidden one.
    pub precision: u32,
    /// Bits of the exponent field.
    pub exponent_bits: u32,
    /// The meaning of the topmost exponent.
    pub top: Top,
}

/// The meaning of encodings with the largest exponent field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Top {
    /// Infinities and NaNs, as IEEE 754 has it.
    Ieee,
    /// Finite numbers, but for all-ones, which is NaN; no infinities (`e4m3`).
    OneNan,
    /// Finite numbers alone (`e2m1`).
    Finite,
    /// All-ones is NaN, all else a power of two: there is no sign and no zero (`ue8m0`).
    Power,
}

pub const F64: Format = Format { precision: 53, exponent_bits: 11, top: Top::Ieee };
pub const F32: Format = Format { precision: 24, exponent_bits: 8, top: Top::Ieee };
pub const F16: Format = Format { precision: 11, exponent_bits: 5, top: Top::Ieee };
pub const BF16: Format = Format { precision: 8, exponent_bits: 8, top: Top::Ieee };
/// TF32's value set; its encoding is an F32's with 13 zero bits at the low end, so shift a result left by 13.
pub const TF32: Format = Format { precision: 11, exponent_bits: 8, top: Top::Ieee };
pub const E4M3: Format = Format { precision: 4, exponent_bits: 4, top: Top::OneNan };
pub const E5M2: Format = Format { precision: 3, exponent_bits: 5, top: Top::Ieee };
pub const E2M1: Format = Format { precision: 2, exponent_bits: 2, top: Top::Finite };
pub const E2M3: Format = Format { precision: 4, exponent_bits: 2, top: Top::Finite };
pub const E3M2: Format = Format { precision: 3, exponent_bits: 3, top: Top::Finite };
pub const UE8M0: Format = Format { precision: 1, exponent_bits: 8, top: Top::Power };

/// How a value between two representable ones is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `.rn`: to nearest, ties to even.
    Nearest,
    /// `.rna`: to nearest, ties away from zero.
    NearestAway,
    /// `.rz`
    Zero,
    /// `.rm`: towards −∞.
    Down,
    /// `.rp`: towards +∞.
    Up,
}

impl Format {
    const fn emin(self) -> i32 {
        2 - (1 << (self.exponent_bits - 1))
    }
    const fn fraction_bits(self) -> u32 {
        self.precision - 1
    }
    pub const fn sign_bit(self) -> u64 {
        1 << (self.fraction_bits() + self.exponent_bits)
    }
    /// All bits of the exponent field set, fraction zero.
    pub const fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits()
    }
    /// Largest finite number.
    pub const fn max(self) -> u64 {
        match self.top {
            Top::Ieee => self.infinity() - 1,
            Top::OneNan | Top::Power => self.sign_bit() - 2,
            Top::Finite => self.sign_bit() - 1,
        }
    }
    /// The NaN that the hardware makes: all ones but the sign for types up to 32 bits, which is the largest number of formats without a
    /// NaN; for F64 the negative quiet one.
    pub const fn nan(self) -> u64 {
        if self.precision == 53 { 0xfff8_0000_0000_0000 } else { self.sign_bit() - 1 }
    }
    /// The number that an encoding stands for.
    pub const fn decode(self, bits: u64) -> Value {
        let negative = bits & self.sign_bit() != 0;
        let magnitude = bits & (self.sign_bit() - 1);
        let fraction = magnitude & ((1 << self.fraction_bits()) - 1);
        let biased = (magnitude >> self.fraction_bits()) as i32;
        match self.top {
            Top::Ieee if magnitude == self.infinity() => return Value::Infinite(negative),
            Top::Ieee if magnitude > self.infinity() => return Value::Nan,
            Top::OneNan | Top::Power if magnitude == self.sign_bit() - 1 => return Value::Nan,
            Top::Power => {
                return Value::Finite(Exact { negative: false, significand: 1, exponent: magnitude as i32 - 127 });
            }
            _ => {}
        }
        if magnitude == 0 {
            return Value::Zero(negative);
        }
        let (significand, field) =
            if biased == 0 { (fraction, 1) } else { (fraction | 1 << self.fraction_bits(), biased) };
        let exponent = self.emin() + field - 1 - self.fraction_bits() as i32;
        Value::Finite(Exact { negative, significand: significand as u128, exponent })
    }
    /// The encoding nearest to `value` under `mode`; an overflow becomes infinity or the largest finite number as the
    /// mode says (and NaN in a format without infinities).
    pub fn encode(self, value: Value, mode: Mode) -> u64 {
        let sign = |negative: bool| if negative { self.sign_bit() } else { 0 };
        let overflow = match self.top {
            Top::Ieee => self.infinity(),
            Top::OneNan | Top::Finite | Top::Power => self.nan(),
        };
        match value {
            _ if self.top == Top::Power => power_of_two(value, mode),
            Value::Nan => self.nan(),
            Value::Infinite(negative) => sign(negative) | overflow,
            Value::Zero(negative) => sign(negative),
            Value::Finite(x) => {
                let magnitude = self.round(x, mode);
                if magnitude <= self.max() {
                    return sign(x.negative) | magnitude;
                }
                let stays = match mode {
                    Mode::Nearest | Mode::NearestAway => false,
                    Mode::Zero => true,
                    Mode::Down => !x.negative,
                    Mode::Up => x.negative,
                };
                sign(x.negative) | if stays { self.max() } else { overflow }
            }
        }
    }
    /// As `encode`, but everything finite or infinite beyond the largest finite number becomes that number (`.satfinite`).
    pub fn encode_finite(self, value: Value, mode: Mode) -> u64 {
        match value {
            Value::Infinite(_) | Value::Finite(_) if self.top == Top::Power => {
                power_of_two(value, mode).min(self.max())
            }
            Value::Infinite(negative) => self.max() | if negative { self.sign_bit() } else { 0 },
            Value::Finite(x) => self.round(x, mode).min(self.max()) | if x.negative { self.sign_bit() } else { 0 },
            other => self.encode(other, mode),
        }
    }
    /// Magnitude bits of the rounded value; larger than `max()` where it overflows.
    fn round(self, x: Exact, mode: Mode) -> u64 {
        let length = 128 - x.significand.leading_zeros() as i32;
        let leading = x.exponent + length - 1;
        let quantum = leading.max(self.emin()) - self.fraction_bits() as i32;
        let (kept, up) = round_integer(x, quantum, mode);
        let kept = kept + u128::from(up);
        let field = quantum + self.fraction_bits() as i32 - self.emin();
        // Far beyond the format: any magnitude above `max()` says so.
        if field >= 1 << self.exponent_bits {
            return self.sign_bit() - 1 + u64::from(self.top != Top::Ieee);
        }
        // A hidden bit adds one to the exponent field, and a carry out of the significand does the same: both right.
        ((field as u64) << self.fraction_bits()) + kept as u64
    }
}

/// The exponent of a magnitude as `ue8m0` has it, rounded down, or up under `.rp`; all ones beyond the largest.
fn power_of_two(value: Value, mode: Mode) -> u64 {
    match value {
        Value::Zero(_) => 0,
        Value::Nan | Value::Infinite(_) => 0xff,
        Value::Finite(x) => {
            let up = mode == Mode::Up && !x.significand.is_power_of_two();
            (x.exponent + 127 + x.significand.ilog2() as i32 + i32::from(up)).clamp(0, 0xff) as u64
        }
    }
}
