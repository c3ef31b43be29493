//! The exported functions of cuBLAS. A size is an `I`, which is 32 bits wide, and 64 in the function of the same name with `_64`; an element
//! is a `T` in functions that exist for several types.
use crate::device::enter;
use crate::failure::{Failure, call};
use crate::handle::{Complex, Element, Half, Handle, change, create, destroy, out, state};
use crate::layout::Raw;
use crate::product::{Batch, Columns, Groups, ONE, Types, dgmm, geam, gemm, gemm_grouped, gemv, ger};
use crate::triangles::{Factors, Solve, syrk, trsm};
use crate::vector::{Answer, Rows, Vector, copy_rows, elementwise, elementwise_of_types, reduce};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null;

type C32 = Complex<f32>;
type C64 = Complex<f64>;

/// The type of an element's size.
type Part<T> = <T as Element>::Part;

/// Exports functions that have one name.
macro_rules! exports {
    ($($name:literal $arguments:tt => $body:expr;)*) => { $(export! { [$name] f32, c_int, $arguments, $body })* };
}

/// Exports functions for sizes of 32 and of 64 bits.
macro_rules! exports_sized {
    ($($name:literal $arguments:tt => $body:expr;)*) => { $(
        export! { [$name] f32, c_int, $arguments, $body }
        export! { [$name, "_64"] f32, i64, $arguments, $body }
    )* };
}

/// Exports functions for several types, each for sizes of 32 and of 64 bits.
macro_rules! exports_typed {
    ($($before:literal [$($letter:literal $type:ty),*] $after:literal $arguments:tt => $body:expr;)*) => { $($(
        export! { [$before, $letter, $after] $type, c_int, $arguments, $body }
        export! { [$before, $letter, $after, "_64"] $type, i64, $arguments, $body }
    )*)* };
}

macro_rules! export {
    ([$($part:literal),*] $type:ty, $size:ty, ($($argument:ident: $kind:ty),*), $body:expr) => {
        const _: () = {
            #[allow(dead_code, reason = "not every function has an element")]
            type T = $type;
            #[allow(dead_code, reason = "not every function has a size")]
            type I = $size;
            #[unsafe(export_name = concat!($($part),*))]
            unsafe extern "C" fn exported($($argument: $kind),*) -> c_int {
                // SAFETY: the caller keeps the promises that the interface asks of it; what can be checked is checked.
                #[allow(unused_unsafe, reason = "some need none")]
                call(concat!($($part),*), Failure::of_cublas, || unsafe { $body })
            }
        };
    };
}

/// The version of an interface whose file is called `libcublas.so.12` or `.13`, as the loader was told of this library.
pub fn version() -> c_int {
    let mut about: libc::Dl_info = libc::Dl_info {
        dli_fname: null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: an address in this library, and room for the answer.
    let found = unsafe { libc::dladdr(version as *const c_void, &mut about) };
    // SAFETY: the loader's text, which lives as long as this library.
    let is_13 = found != 0
        && !about.dli_fname.is_null()
        && unsafe { CStr::from_ptr(about.dli_fname) }.to_bytes().ends_with(b".13");
    if is_13 { 130_000 } else { 120_901 }
}

/// `cublasGetProperty`: 0 major, 1 minor, 2 patch.
pub(crate) fn property(version: c_int, which: c_int) -> Result<c_int, Failure> {
    match which {
        0 => Ok(version / 10000),
        1 => Ok(version / 100 % 100),
        2 => Ok(version % 100),
        _ => Err(Failure::Invalid),
    }
}

/// A table's rows as a list.
macro_rules! list {
    ($($row:expr;)*) => { &[$($row),*] };
}
pub(crate) use list;

/// Names and words of results.
const RESULTS: &[(c_int, &CStr, &CStr)] = cuda::cublas_results!(list);

/// The name of a result, or its words.
pub(crate) fn words(status: c_int, is_name: bool) -> *const c_char {
    let found = RESULTS.iter().find(|(number, ..)| *number == status);
    let unknown = (status, c"CUBLAS_STATUS_UNKNOWN", c"unknown status");
    let (_, name, words) = found.unwrap_or(&unknown);
    if is_name { name.as_ptr() } else { words.as_ptr() }
}

/// The version of the runtime that the library was made with.
pub(crate) fn runtime_version() -> usize {
    if version() >= 130_000 { 13000 } else { 12090 }
}

cuda::c_functions! {
    cublasGetStatusName(status: c_int) -> *const c_char => words(status, true);
    cublasGetStatusString(status: c_int) -> *const c_char => words(status, false);
    cublasGetCudartVersion() -> usize => runtime_version();
    // It says which argument a routine found wrong. Nothing here calls it.
    cublasXerbla(_name: *const c_char, _argument: c_int) => {};
}

cuda::cublas!(exports);

cuda::cublas_sized!(exports_sized);

cuda::cublas_typed!(exports_typed);

const fn kind_of<T: Element>() -> c_int {
    T::KIND
}

/// A vector between host and device, as rows of one element; in one piece where its elements are neighbours on both sides.
unsafe fn copy_vector(
    to_device: bool,
    n: i64,
    bytes: i64,
    Vector(x, incx): Vector,
    Vector(y, incy): Vector,
    stream: Option<Raw>,
) -> crate::failure::Outcome {
    refuse_if!(n < 0 || bytes <= 0 || incx <= 0 || incy <= 0, Failure::Invalid);
    let size = if incx == 1 && incy == 1 { (n * bytes, 1) } else { (bytes, n) };
    let (from, to) = (Rows(x, (incx * bytes).max(size.0)), Rows(y, (incy * bytes).max(size.0)));
    unsafe { copy_rows(to_device, from, to, size, stream) }
}

/// A column-major matrix between host and device.
unsafe fn copy_matrix(
    to_device: bool,
    [rows, columns, bytes]: [i64; 3],
    (a, lda): (*const c_void, i64),
    (b, ldb): (Raw, i64),
    stream: Option<Raw>,
) -> crate::failure::Outcome {
    refuse_if!(rows < 0 || columns < 0 || bytes <= 0 || lda < rows.max(1) || ldb < rows.max(1), Failure::Invalid);
    enter()?;
    unsafe { copy_rows(to_device, Rows(a, lda * bytes), Rows(b, ldb * bytes), (rows * bytes, columns), stream) }
}
