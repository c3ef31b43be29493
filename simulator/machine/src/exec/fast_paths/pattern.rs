//! The pattern of a full warp's row of addresses, found with the host's vector units.
//!
//! Written with intrinsics: from the plain loop the compiler makes a hundred shuffles (it scalarises what is compared with
//! its own first element), and this stands before every load and store.
#![allow(unsafe_code, reason = "intrinsics of the host, which the caller has chosen by its level")]

use crate::host::Level;

/// How the addresses of 32 lanes relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// Lane i's is lane 0's plus i times the element's size.
    Dense,
    Same,
    /// As these, but each eight lanes by themselves.
    DenseEights,
    SameEights,
    /// None of these.
    Scattered,
    /// Neither dense nor the same; nobody has looked for more.
    Other,
}

/// Lanes of a row of them.
pub(crate) const EIGHT: usize = 8;

/// Places in which patterns stay for the accesses after them in a block.
pub(crate) const PLACES: usize = 4;

/// A vector level's way to see the pattern.
pub(super) trait FindPattern: 'static {
    const LEVEL: Level;

    /// The pattern of a row of 64-bit addresses.
    ///
    /// # Safety
    /// 32 addresses can be read from `row`, and the host has the level's instructions.
    unsafe fn wide<const STRIDE: i64>(row: *const i64) -> Pattern;

    /// The pattern of a row of 32-bit addresses.
    ///
    /// # Safety
    /// As [`wide`](Self::wide).
    unsafe fn narrow<const STRIDE: i32>(row: *const i32) -> Pattern;
}

/// Without vector units.
pub(super) struct Scalar;

impl FindPattern for Scalar {
    const LEVEL: Level = Level::Base;

    #[inline(always)]
    unsafe fn wide<const STRIDE: i64>(row: *const i64) -> Pattern {
        // SAFETY: `row` has 32 values, and lanes go from 0 to 31.
        let at = |lane: i64| unsafe { row.offset(lane as isize).read() };
        pattern((1..32).all(|i| at(i) == at(0).wrapping_add(i * STRIDE)), || (1..32).all(|i| at(i) == at(0)))
    }

    #[inline(always)]
    unsafe fn narrow<const STRIDE: i32>(row: *const i32) -> Pattern {
        // SAFETY: `row` has 32 values, and lanes go from 0 to 31.
        let at = |lane: i32| unsafe { row.offset(lane as isize).read() };
        pattern((1..32).all(|i| at(i) == at(0).wrapping_add(i * STRIDE)), || (1..32).all(|i| at(i) == at(0)))
    }
}

#[inline(always)]
fn pattern(dense: bool, same: impl FnOnce() -> bool) -> Pattern {
    if dense {
        Pattern::Dense
    } else if same() {
        Pattern::Same
    } else {
        Pattern::Other
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) use self::{Scalar as Avx2, Scalar as Avx512};
#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{FindPattern, Level, Pattern, pattern};
    use std::arch::x86_64::*;

    macro_rules! level {
        ($level:ident $wide:ident $narrow:ident) => {
            pub struct $level;

            impl FindPattern for $level {
                const LEVEL: Level = Level::$level;

                #[inline(always)]
                unsafe fn wide<const STRIDE: i64>(row: *const i64) -> Pattern {
                    // SAFETY: `row` has 32 values of 8 bytes, and the version that this is compiled into runs where the host has the
                    // instructions.
                    unsafe { pattern($wide(row, STRIDE), || $wide(row, 0)) }
                }

                #[inline(always)]
                unsafe fn narrow<const STRIDE: i32>(row: *const i32) -> Pattern {
                    // SAFETY: likewise, with values of 4 bytes.
                    unsafe { pattern($narrow(row, STRIDE), || $narrow(row, 0)) }
                }
            }
        };
    }
    level!(Avx2 wide_avx2 narrow_avx2);
    level!(Avx512 wide_avx512 narrow_avx512);

    // Functions of their own, since intrinsics are only inlined into what is compiled for the same instructions.

    /// Returns whether each of 32 values is the first plus its number times `stride`.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn wide_avx2(row: *const i64, stride: i64) -> bool {
        // SAFETY: all reads are inside the 32 values of 8 bytes that `row` has.
        unsafe {
            let first = _mm256_set1_epi64x(*row);
            let mut expected = _mm256_add_epi64(first, _mm256_setr_epi64x(0, stride, 2 * stride, 3 * stride));
            let step = _mm256_set1_epi64x(4 * stride);
            let mut differ = _mm256_setzero_si256();
            for part in 0..8 {
                let have = _mm256_loadu_si256(row.add(4 * part).cast());
                differ = _mm256_or_si256(differ, _mm256_xor_si256(have, expected));
                expected = _mm256_add_epi64(expected, step);
            }
            _mm256_testz_si256(differ, differ) == 1
        }
    }

    /// As [`wide_avx2`].
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn narrow_avx2(row: *const i32, stride: i32) -> bool {
        // SAFETY: all reads are inside the 32 values of 4 bytes that `row` has.
        unsafe {
            let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            let offsets = _mm256_mullo_epi32(lanes, _mm256_set1_epi32(stride));
            let mut expected = _mm256_add_epi32(_mm256_set1_epi32(*row), offsets);
            let step = _mm256_set1_epi32(8 * stride);
            let mut differ = _mm256_setzero_si256();
            for part in 0..4 {
                let have = _mm256_loadu_si256(row.add(8 * part).cast());
                differ = _mm256_or_si256(differ, _mm256_xor_si256(have, expected));
                expected = _mm256_add_epi32(expected, step);
            }
            _mm256_testz_si256(differ, differ) == 1
        }
    }

    /// As [`wide_avx2`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn wide_avx512(row: *const i64, stride: i64) -> bool {
        // SAFETY: all reads are inside the 32 values of 8 bytes that `row` has.
        unsafe {
            let (two, four) = (2 * stride, 4 * stride);
            let offsets =
                _mm512_setr_epi64(0, stride, two, two + stride, four, four + stride, four + two, four + two + stride);
            let mut expected = _mm512_add_epi64(_mm512_set1_epi64(*row), offsets);
            let step = _mm512_set1_epi64(8 * stride);
            let mut differ = 0;
            for part in 0..4 {
                differ |= _mm512_cmpneq_epi64_mask(_mm512_loadu_si512(row.add(8 * part).cast()), expected);
                expected = _mm512_add_epi64(expected, step);
            }
            differ == 0
        }
    }

    /// As [`wide_avx2`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn narrow_avx512(row: *const i32, stride: i32) -> bool {
        // SAFETY: all reads are inside the 32 values of 4 bytes that `row` has.
        unsafe {
            let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let offsets = _mm512_mullo_epi32(lanes, _mm512_set1_epi32(stride));
            let low = _mm512_add_epi32(_mm512_set1_epi32(*row), offsets);
            let high = _mm512_add_epi32(low, _mm512_set1_epi32(16 * stride));
            _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(row.cast()), low)
                | _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(row.add(16).cast()), high)
                == 0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn see<E: FindPattern>() {
        let wide = |f: &dyn Fn(i64) -> i64| {
            let row: [i64; 32] = std::array::from_fn(|lane| f(lane as i64));
            let narrow = row.map(|address| address as i32);
            // SAFETY: rows of 32, at levels that the host has.
            unsafe { [E::wide::<4>(row.as_ptr()), E::narrow::<4>(narrow.as_ptr())] }
        };
        for base in [0, 4096, -64, i64::MAX - 10] {
            assert_eq!(wide(&|lane| base.wrapping_add(4 * lane)), [Pattern::Dense; 2]);
            assert_eq!(wide(&|_| base), [Pattern::Same; 2]);
            for odd in 0..32 {
                let other = |lane: i64, x: i64| if lane == odd { x.wrapping_add(4) } else { x };
                assert_eq!(wide(&|lane| other(lane, base.wrapping_add(4 * lane))), [Pattern::Other; 2]);
                assert_eq!(wide(&|lane| other(lane, base)), [Pattern::Other; 2]);
            }
            assert_eq!(wide(&|lane| base.wrapping_add(8 * lane)), [Pattern::Other; 2]);
        }
    }

    #[test]
    fn all_levels_see_the_same() {
        see::<Scalar>();
        #[cfg(target_arch = "x86_64")]
        {
            if Level::detect() >= Level::Avx2 {
                see::<Avx2>();
            }
            if Level::detect() >= Level::Avx512 {
                see::<Avx512>();
            }
        }
    }
}
