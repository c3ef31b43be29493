//! Level 1: operations on vectors, and copies of vectors and matrices between host and device.
use crate::device::{Kernels, enter, launch, read_back};
use crate::failure::{Failure, Outcome};
use crate::handle::{Element, Handle, PARTIAL_SUMS, State, kind, state};
use crate::layout::{Raw, Scalar, Vectors};
use cuda::layout::{Copy2d, Copy2dSide};
use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};

/// Threads of a block.
const THREADS: u32 = 256;

/// A vector of the caller's: the address of its first word in memory, and the increment.
#[derive(Clone, Copy, Debug)]
pub struct Vector(pub *const c_void, pub i64);

impl Vector {
    /// The address of element 0: with a negative increment the last one in memory.
    pub fn first(self, n: i64, bytes: usize) -> Raw {
        let Vector(at, step) = self;
        at.cast_mut().wrapping_byte_offset(if step < 0 { ((1 - n) * step) as isize * bytes as isize } else { 0 })
    }
}

fn blocks(n: i64) -> i64 {
    (n as u64).div_ceil(u64::from(THREADS)) as i64
}

fn vectors(n: i64, kind: c_int, alpha: Scalar, x: Vector, y: Vector) -> Vectors {
    let (from, to) = (x.first(n, kind::bytes(kind)), y.first(n, kind::bytes(kind)));
    Vectors { n, alpha, x: from, x_step: x.1, y: to, y_step: y.1, partial: 0, result: 0, is_wide: 0 }
}

/// An operation that has a thread for each element: `axpy`, `scal`, `scal_real`, `copy`, `swap`.
///
/// # Safety
/// The caller's vectors; where `alpha` is not null, a factor of type `alpha_kind`.
pub unsafe fn elementwise(
    handle: Handle,
    name: &str,
    n: i64,
    (alpha, alpha_kind): (*const c_void, c_int),
    kind: c_int,
    x: Vector,
    y: Vector,
) -> Outcome {
    let state = state(handle)?;
    if n <= 0 {
        return Ok(());
    }
    let alpha = match alpha.is_null() {
        true => Scalar::known(0.0),
        false => unsafe { state.scalar(alpha, alpha_kind)? },
    };
    let given = vectors(n, kind, alpha, x, y);
    let type_name = kind::name(kind).ok_or_else(|| Failure::Lacking(format!("for cudaDataType {kind}")))?;
    // SAFETY: the struct of these kernels.
    unsafe { launch(Kernels::Blas, &format!("{name}_{type_name}"), [blocks(n), 1, 1], THREADS, state.stream(), &given) }
}

/// `axpy` or `scal` whose types are arguments: half types are multiplied and added in f32, others in their own.
///
/// # Safety
/// As in [`elementwise`].
pub unsafe fn elementwise_of_types(
    handle: Handle,
    name: &str,
    n: i64,
    (alpha, alpha_kind): (*const c_void, c_int),
    kinds: [c_int; 3],
    x: Vector,
    y: Vector,
) -> Outcome {
    let [x_kind, y_kind, computed] = kinds;
    let wanted = match x_kind {
        kind::F16 | kind::BF16 => Some(kind::F32),
        kind::F32 | kind::F64 => Some(x_kind),
        kind::C32 | kind::C64 if alpha_kind == x_kind => Some(x_kind),
        _ => None,
    };
    if x_kind != y_kind || wanted != Some(computed) {
        return Err(Failure::Lacking(format!("for cudaDataType {x_kind} and {y_kind}, computed in {computed}")));
    }
    refuse_if!(alpha.is_null(), Failure::Invalid);
    unsafe { elementwise(handle, name, n, (alpha, alpha_kind), x_kind, x, y) }
}

/// An answer that the caller wants: where, and how long it is.
#[derive(Clone, Copy, Debug)]
pub struct Answer(pub *mut c_void, pub usize);

/// A reduction: `dot` and `dotc`, which have two vectors, `asum`, `nrm2`, `iamax`, `iamin`.
///
/// # Safety
/// The caller's vectors, and place for the answer, by the handle's pointer mode on the host or the device.
pub unsafe fn reduce<T: Element>(
    handle: Handle,
    name: &str,
    n: i64,
    x: Vector,
    y: Option<Vector>,
    answer: Answer,
) -> Outcome {
    let state = state(handle)?;
    let Answer(to, answer_bytes) = answer;
    refuse_if!(to.is_null(), Failure::Invalid);
    if n <= 0 || (y.is_none() && x.1 <= 0) {
        return unsafe { nothing(&state, answer) };
    }
    let is_on_host = state.pointer_mode == 0;
    let mut given = vectors(n, T::KIND, Scalar::known(0.0), x, y.unwrap_or(Vector(null(), 0)));
    given.partial = state.scratch;
    given.result = if is_on_host { state.answer() } else { to as u64 };
    // The kernels of `iamax` and `iamin` alone ask for it.
    given.is_wide = c_int::from(answer_bytes == 8);
    let partial_sums = blocks(n).min(PARTIAL_SUMS);
    // SAFETY: the struct of these kernels; the handle's memory has room for so many sums and the answer.
    unsafe {
        let first = format!("{name}_{}", T::NAME);
        launch(Kernels::Blas, &first, [partial_sums, 1, 1], THREADS, state.stream(), &given)?;
        given.n = partial_sums;
        let last = format!("{name}_end_{}", T::NAME);
        launch(Kernels::Blas, &last, [1, 1, 1], THREADS, state.stream(), &given)?;
        if is_on_host {
            read_back(to, given.result, answer_bytes, state.stream())?;
        }
    }
    Ok(())
}

/// The answer for no elements: zero bytes.
unsafe fn nothing(state: &State, Answer(to, bytes): Answer) -> Outcome {
    let (driver, _) = enter()?;
    // SAFETY: the caller's place, by the pointer mode.
    unsafe {
        if state.pointer_mode == 0 {
            to.cast::<u8>().write_bytes(0, bytes);
            return Ok(());
        }
        driver.cuMemsetD8Async(to as u64, 0, bytes, state.stream())
    }
}

/// One side of a copy: an address, and the bytes from one row to the next.
#[derive(Clone, Copy, Debug)]
pub struct Rows(pub *const c_void, pub i64);

/// `cublasSetMatrix` and its kin: rows between host and device, at once or in a stream.
pub unsafe fn copy_rows(
    to_device: bool,
    from: Rows,
    to: Rows,
    (width, height): (i64, i64),
    stream: Option<Raw>,
) -> Outcome {
    let (driver, _) = enter()?;
    let size = |value: i64| usize::try_from(value).map_err(|_| Failure::Invalid);
    let side = |Rows(at, pitch): Rows, is_host: bool| -> Result<Copy2dSide, Failure> {
        let (kind, pitch) = (if is_host { 1 } else { 2 }, size(pitch)?);
        Ok(Copy2dSide { x_bytes: 0, y: 0, kind, host: at, device: at as u64, array: null_mut(), pitch })
    };
    let copy = Copy2d {
        from: side(from, to_device)?,
        to: side(to, !to_device)?,
        width_bytes: size(width)?,
        height: size(height)?,
    };
    if copy.width_bytes == 0 || copy.height == 0 {
        return Ok(());
    }
    unsafe {
        match stream {
            Some(stream) => driver.cuMemcpy2DAsync_v2(&copy, stream),
            None => driver.cuMemcpy2D_v2(&copy),
        }
    }
}
