//! Handles: numbers that stand for what a library remembers between calls. They are looked up, never followed.
use crate::device::{Kernels, enter, module};
use crate::failure::{Failure, Outcome};
use crate::layout::{Raw, Scalar};
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A handle of cuBLAS or cublasLt.
pub type Handle = *mut c_void;

/// Blocks of a reduction at the most. Each leaves one partial sum.
pub const PARTIAL_SUMS: i64 = 256;
/// Bytes of one at the most; `Sum<Complex<double>>` in `blas.cu`.
const PARTIAL_BYTES: usize = 48;
/// Bytes of an answer at the most: a complex number of two `double`.
const ANSWER_BYTES: usize = 16;

/// All that a handle of cuBLAS remembers.
#[derive(Clone, Copy, Debug, Default)]
pub struct State {
    /// The stream, by its handle as a number.
    pub stream: usize,
    /// 0: scalars are on the host, 1: on the device.
    pub pointer_mode: c_int,
    /// Kept for the caller: sums are taken in the type that was asked for, in any mode.
    pub math_mode: c_int,
    /// Kept for the caller: no kernel here adds by atomics.
    pub atomics_mode: c_int,
    /// Kept for the caller.
    pub multiprocessors: c_int,
    /// Kept for cuSOLVER, which sets it before its factorisations. No header has it, and NVIDIA's functions of this name only keep it too.
    pub environment_mode: c_int,
    /// Memory of the device for partial sums, then an answer.
    pub scratch: u64,
}

impl State {
    /// The stream.
    pub fn stream(&self) -> Raw {
        self.stream as Raw
    }

    /// Where an answer for the host waits.
    pub fn answer(&self) -> u64 {
        self.scratch + PARTIAL_SUMS as u64 * PARTIAL_BYTES as u64
    }

    /// A factor of the caller's, of this `cudaDataType`.
    ///
    /// # Safety
    /// It is where the pointer mode says.
    pub unsafe fn scalar(&self, at: *const c_void, kind: c_int) -> Result<Scalar, Failure> {
        unsafe { scalar(at, kind, self.pointer_mode != 0) }
    }
}

/// A factor of the caller's.
///
/// # Safety
/// It is a value of the type, on the device if so said.
pub unsafe fn scalar(at: *const c_void, kind: c_int, is_on_device: bool) -> Result<Scalar, Failure> {
    refuse_if!(at.is_null(), Failure::Invalid);
    if is_on_device {
        return Ok(Scalar { at, kind, ..Scalar::known(0.0) });
    }
    // SAFETY: the caller gives pointers as the interface asks; an address of a value of another size is the caller's error.
    let value = unsafe {
        match kind {
            kind::F32 => f64::from(at.cast::<f32>().read_unaligned()),
            kind::F64 => at.cast::<f64>().read_unaligned(),
            kind::S32 => f64::from(at.cast::<i32>().read_unaligned()),
            kind::S64 => at.cast::<i64>().read_unaligned() as f64,
            kind::BF16 => f64::from(f32::from_bits(u32::from(at.cast::<u16>().read_unaligned()) << 16)),
            kind::F16 => half(at.cast::<u16>().read_unaligned()),
            kind::C32 => {
                let Complex(re, im) = at.cast::<Complex<f32>>().read_unaligned();
                return Ok(Scalar { imaginary: im.into(), ..Scalar::known(re.into()) });
            }
            kind::C64 => {
                let Complex(re, im) = at.cast::<Complex<f64>>().read_unaligned();
                return Ok(Scalar { imaginary: im, ..Scalar::known(re) });
            }
            _ => return Err(Failure::Lacking(format!("with a factor of cudaDataType {kind}"))),
        }
    };
    Ok(Scalar::known(value))
}

/// The value of a half.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// Numbers of `cudaDataType`: as kernels' names end, and the bytes of an element.
macro_rules! kinds {
    ($($kind:ident = $number:literal, $name:literal, $bytes:literal;)*) => {
        /// Numbers of `cudaDataType`.
        #[allow(missing_docs, reason = "the names say all")]
        pub mod kind {
            use std::ffi::c_int;
            $(pub const $kind: c_int = $number;)*

            /// As kernels' names end.
            pub fn name(kind: c_int) -> Option<&'static str> {
                match kind {
                    $($kind => Some($name),)*
                    _ => None,
                }
            }

            /// Bytes of an element.
            pub fn bytes(kind: c_int) -> usize {
                match kind {
                    $($kind => $bytes,)*
                    _ => 2,
                }
            }
        }
    };
}

kinds! {
    F32 = 0, "f32", 4; F64 = 1, "f64", 8; F16 = 2, "f16", 2; S8 = 3, "s8", 1;
    C32 = 4, "c32", 8; C64 = 5, "c64", 16; S32 = 10, "s32", 4; BF16 = 14, "bf16", 2; S64 = 24, "s64", 8;
}

/// A type for which functions exist under names of their own.
pub trait Element: Copy {
    /// Its `cudaDataType`.
    const KIND: c_int;
    /// As kernels' names end.
    const NAME: &'static str;
    /// The type of its size: its own, or that of the parts of a complex number.
    type Part: Element;
}

/// `cuComplex` and `cuDoubleComplex`: the real and the imaginary part.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Complex<R>(pub R, pub R);

/// Types of elements, the names of their kinds, and the types of their parts.
macro_rules! elements {
    ($($type:ty, $kind:ident, $name:literal, $part:ty;)*) => { $(
        impl Element for $type {
            const KIND: c_int = kind::$kind;
            const NAME: &'static str = $name;
            type Part = $part;
        }
    )* };
}
elements! {
    Complex<f32>, C32, "c32", f32; Complex<f64>, C64, "c64", f64;
    f32, F32, "f32", f32; f64, F64, "f64", f64; Half, F16, "f16", Half;
}

/// `__half`
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Half(pub u16);

fn states() -> MutexGuard<'static, (usize, BTreeMap<usize, State>)> {
    static STATES: Mutex<(usize, BTreeMap<usize, State>)> = Mutex::new((0, BTreeMap::new()));
    STATES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a handle in the current context.
///
/// # Safety
/// `to` is null or the caller's place for a handle.
pub unsafe fn create(to: *mut Handle) -> Outcome {
    refuse_if!(to.is_null(), Failure::Invalid);
    // Kernels are loaded here, because a stream that is being captured admits no loading.
    module(Kernels::Blas)?;
    let (driver, _) = enter()?;
    let mut scratch = 0;
    // SAFETY: a place for an address.
    unsafe { driver.cuMemAlloc_v2(&mut scratch, PARTIAL_SUMS as usize * PARTIAL_BYTES + ANSWER_BYTES) }
        .map_err(|_| Failure::Memory)?;
    // SAFETY: the caller's place for a handle.
    unsafe { insert(to, State { scratch, ..State::default() }) }
}

/// Makes a handle of that state.
///
/// # Safety
/// As for [`create`].
pub unsafe fn insert(to: *mut Handle, state: State) -> Outcome {
    let mut states = states();
    states.0 += 1;
    let number = states.0;
    states.1.insert(number, state);
    // SAFETY: the caller's place.
    unsafe { out(to, number as Handle) }
}

/// Ends a handle, after the work in its stream.
pub fn destroy(handle: Handle) -> Outcome {
    let state = states().1.remove(&(handle as usize)).ok_or(Failure::NotInitialized)?;
    let (driver, _) = enter()?;
    // SAFETY: memory of the handle, to which no call leads any more. After a reset of the device it is gone already.
    let _ = unsafe { driver.cuMemFree_v2(state.scratch) };
    Ok(())
}

/// The state of a handle.
pub fn state(handle: Handle) -> Result<State, Failure> {
    states().1.get(&(handle as usize)).copied().ok_or(Failure::NotInitialized)
}

/// Changes the state of a handle.
pub fn change(handle: Handle, change: impl FnOnce(&mut State)) -> Outcome {
    states().1.get_mut(&(handle as usize)).map(change).ok_or(Failure::NotInitialized)
}

/// Writes an answer where the caller wants it.
///
/// # Safety
/// `to` is null or the caller's place for a `T`.
pub unsafe fn out<T>(to: *mut T, value: T) -> Outcome {
    unsafe { cuda::out(to, value, Failure::Invalid) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn halves_are_read_as_they_are() {
        for (bits, value) in [(0x3c00, 1.0), (0xc248, -3.140_625), (0x0001, 2f64.powi(-24)), (0x7bff, 65504.0)] {
            assert_eq!(super::half(bits), value);
        }
        assert_eq!(super::half(0xfc00), f64::NEG_INFINITY);
        assert!(super::half(0x7e00).is_nan());
    }
}
