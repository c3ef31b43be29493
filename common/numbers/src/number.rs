//! The two element types of the labs and what is known of their arithmetic.
//!
//! Everything that depends on the type (its name in a kernel's symbol, its size, its rounding) is asked here, so that
//! adding a type is one variant, one `impl`, and its name in `loops.rs`.

use serde::{Deserialize, Serialize};
use std::fmt::{Debug, Display};
use std::ops::{Add, Mul};

/// Element type of a run, as `--dtype` and kernel names spell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// 32-bit IEEE 754 binary floating point, CUDA's `float`.
    F32,
    /// 64-bit IEEE 754 binary floating point, CUDA's `double`.
    F64,
}

impl Dtype {
    /// Size of one element in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Dtype::F32 => 4,
            Dtype::F64 => 8,
        }
    }

    /// Largest relative error of one rounding to nearest: 2⁻²⁴ and 2⁻⁵³.
    pub const fn unit_roundoff(self) -> f64 {
        match self {
            Dtype::F32 => f32::EPSILON as f64 / 2.0,
            Dtype::F64 => f64::EPSILON / 2.0,
        }
    }

    /// The name in kernel symbols, reports and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Dtype::F32 => "f32",
            Dtype::F64 => "f64",
        }
    }
}

impl Display for Dtype {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// A type that matrices hold.
pub trait Number:
    Add<Output = Self> + Mul<Output = Self> + Copy + Default + PartialEq + Debug + Display + Send + Sync + Unpin + 'static
{
    /// The type's name as data.
    const DTYPE: Dtype;
    /// The value that outputs hold before a launch, so that an element nobody wrote can never pass a check.
    const POISON: Self;

    /// Rounds to nearest.
    fn from_f64(value: f64) -> Self;
    /// Exact.
    fn to_f64(self) -> f64;
    /// The bits as one integer: equality of bits tells −0 from 0, and two NaNs by their payload.
    fn bits(self) -> u64;
    /// A uniform value in [−1, 1) from 64 random bits; exact in this type, never a denormal.
    fn uniform(random_bits: u64) -> Self;
}

impl Number for f32 {
    const DTYPE: Dtype = Dtype::F32;
    const POISON: Self = f32::NAN;

    #[inline]
    fn from_f64(value: f64) -> Self {
        value as f32
    }
    #[inline]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline]
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
    #[inline]
    fn uniform(random_bits: u64) -> Self {
        // 24 bits are as many as the significand holds: each value is exact, and so are the f64 references built on it.
        (random_bits >> 40) as f32 * (1.0 / (1u32 << 23) as f32) - 1.0
    }
}

impl Number for f64 {
    const DTYPE: Dtype = Dtype::F64;
    const POISON: Self = f64::NAN;

    #[inline]
    fn from_f64(value: f64) -> Self {
        value
    }
    #[inline]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline]
    fn bits(self) -> u64 {
        self.to_bits()
    }
    #[inline]
    fn uniform(random_bits: u64) -> Self {
        (random_bits >> 11) as f64 * (1.0 / (1u64 << 52) as f64) - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_covers_its_range_and_no_more() {
        assert_eq!(f32::uniform(0), -1.0);
        assert_eq!(f64::uniform(0), -1.0);
        assert!(f32::uniform(u64::MAX) < 1.0 && f32::uniform(u64::MAX) > 0.999_999);
        assert!(f64::uniform(u64::MAX) < 1.0 && f64::uniform(u64::MAX) > 0.999_999);
    }

    #[test]
    fn unit_roundoff_is_half_an_ulp_of_one() {
        assert_eq!(Dtype::F32.unit_roundoff(), 2f64.powi(-24));
        assert_eq!(Dtype::F64.unit_roundoff(), 2f64.powi(-53));
    }
}
