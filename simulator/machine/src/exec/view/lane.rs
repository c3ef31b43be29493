//! The lanes of a warp and what one of them holds.
use super::half_bits::{Brain, Half};

/// Lanes of a warp.
pub const WARP: usize = 32;

/// A value per lane.
pub type Lane32<T> = [T; WARP];

/// An array by a function of the index, in the vector instructions of the version that asks for it. The standard library's own is a function of
/// its own, compiled without them.
#[inline(always)]
pub fn array<T: Copy + Default, const N: usize>(mut f: impl FnMut(usize) -> T) -> [T; N] {
    let mut values = [T::default(); N];
    for (index, value) in values.iter_mut().enumerate() {
        *value = f(index);
    }
    values
}

/// A type that a register row may be read as: any bits are a value of it.
///
/// # Safety
/// Implementors are plain data, of at most 16 bytes, valid for every bit pattern.
#[allow(unsafe_code)]
pub unsafe trait Lane: Copy + Default + 'static {}

macro_rules! lane {
    ($($t:ty)*) => { $(
        // SAFETY: plain numbers: every bit pattern is a value.
        #[allow(unsafe_code)]
        unsafe impl Lane for $t {}
    )* };
}
lane!(u8 i8 u16 i16 u32 i32 u64 i64 u128 f32 f64 Half Brain);

/// A register of 32 or 64 bits.
pub(crate) trait Register: Lane {
    fn wide(self) -> u64;
    fn narrow(bits: u64) -> Self;
}
impl Register for u32 {
    fn wide(self) -> u64 {
        self.into()
    }
    fn narrow(bits: u64) -> Self {
        bits as u32
    }
}
impl Register for u64 {
    fn wide(self) -> u64 {
        self
    }
    fn narrow(bits: u64) -> Self {
        bits
    }
}

/// 64 bytes of registers: what rows are aligned to.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Line(pub [u8; 64]);
