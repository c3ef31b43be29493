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

/// Names and words of results.
const RESULTS: [(c_int, &CStr, &CStr); 10] = [
    (0, c"CUBLAS_STATUS_SUCCESS", c"success"),
    (1, c"CUBLAS_STATUS_NOT_INITIALIZED", c"the library was not initialized"),
    (3, c"CUBLAS_STATUS_ALLOC_FAILED", c"the resource allocation failed"),
    (7, c"CUBLAS_STATUS_INVALID_VALUE", c"an unsupported value or parameter was passed to the function"),
    (8, c"CUBLAS_STATUS_ARCH_MISMATCH", c"the function requires a feature absent from the device architecture"),
    (11, c"CUBLAS_STATUS_MAPPING_ERROR", c"an access to GPU memory space failed"),
    (13, c"CUBLAS_STATUS_EXECUTION_FAILED", c"the GPU program failed to execute"),
    (14, c"CUBLAS_STATUS_INTERNAL_ERROR", c"an internal operation failed"),
    (15, c"CUBLAS_STATUS_NOT_SUPPORTED", c"the functionality requested is not supported"),
    (16, c"CUBLAS_STATUS_LICENSE_ERROR", c"the functionality requested requires a license"),
];

/// The name of a result, or its words.
pub(crate) fn words(status: c_int, is_name: bool) -> *const c_char {
    let found = RESULTS.iter().find(|(number, ..)| *number == status);
    let unknown = (status, c"CUBLAS_STATUS_UNKNOWN", c"unknown status");
    let (_, name, words) = found.unwrap_or(&unknown);
    if is_name { name.as_ptr() } else { words.as_ptr() }
}

/// `cublasGetStatusName`
#[unsafe(no_mangle)]
pub extern "C" fn cublasGetStatusName(status: c_int) -> *const c_char {
    words(status, true)
}

/// `cublasGetStatusString`
#[unsafe(no_mangle)]
pub extern "C" fn cublasGetStatusString(status: c_int) -> *const c_char {
    words(status, false)
}

/// `cublasGetCudartVersion`
#[unsafe(no_mangle)]
pub extern "C" fn cublasGetCudartVersion() -> usize {
    if version() >= 130_000 { 13000 } else { 12090 }
}

/// `cublasXerbla`: says which argument a routine found wrong. Nothing here calls it.
#[unsafe(no_mangle)]
pub extern "C" fn cublasXerbla(_name: *const c_char, _argument: c_int) {}

exports! {
    "cublasCreate_v2" (handle: *mut Handle) => create(handle);
    "cublasDestroy_v2" (handle: Handle) => destroy(handle);
    "cublasGetVersion_v2" (handle: Handle, to: *mut c_int) => { let _ = handle; out(to, version()) };
    "cublasGetProperty" (which: c_int, to: *mut c_int) => out(to, property(version(), which)?);
    "cublasSetStream_v2" (handle: Handle, stream: Raw) => change(handle, |state| state.stream = stream as usize);
    "cublasGetStream_v2" (handle: Handle, to: *mut Raw) => out(to, state(handle)?.stream());
    "cublasSetPointerMode_v2" (handle: Handle, mode: c_int) => if matches!(mode, 0 | 1) { change(handle, |state| state.pointer_mode = mode) } else { Err(Failure::Invalid) };
    "cublasGetPointerMode_v2" (handle: Handle, to: *mut c_int) => out(to, state(handle)?.pointer_mode);
    "cublasSetMathMode" (handle: Handle, mode: c_int) => change(handle, |state| state.math_mode = mode);
    "cublasGetMathMode" (handle: Handle, to: *mut c_int) => out(to, state(handle)?.math_mode);
    "cublasSetAtomicsMode" (handle: Handle, mode: c_int) => change(handle, |state| state.atomics_mode = mode);
    "cublasGetAtomicsMode" (handle: Handle, to: *mut c_int) => out(to, state(handle)?.atomics_mode);
    "cublasSetSmCountTarget" (handle: Handle, count: c_int) => change(handle, |state| state.multiprocessors = count);
    "cublasGetSmCountTarget" (handle: Handle, to: *mut c_int) => out(to, state(handle)?.multiprocessors);
    "cublasSetEnvironmentMode" (handle: Handle, mode: c_int) => change(handle, |state| state.environment_mode = mode);
    "cublasGetEnvironmentMode" (handle: Handle, to: *mut c_int) => out(to, state(handle)?.environment_mode);
    // No kernel here needs memory beside the handle's own.
    "cublasSetWorkspace_v2" (handle: Handle, workspace: Raw, bytes: usize) => { let _ = (workspace, bytes); state(handle).map(|_| ()) };
    "cublasLoggerConfigure" (is_on: c_int, to_stdout: c_int, to_stderr: c_int, file: *const c_char) => { let _ = (is_on, to_stdout, to_stderr, file); Ok(()) };
    "cublasSetLoggerCallback" (callback: Raw) => { let _ = callback; Ok(()) };
}

exports_sized! {
    "cublasSetVector" (n: I, bytes: I, x: *const c_void, incx: I, y: Raw, incy: I) => copy_vector(true, n.into(), bytes.into(), Vector(x, incx.into()), Vector(y, incy.into()), None);
    "cublasGetVector" (n: I, bytes: I, x: *const c_void, incx: I, y: Raw, incy: I) => copy_vector(false, n.into(), bytes.into(), Vector(x, incx.into()), Vector(y, incy.into()), None);
    "cublasSetVectorAsync" (n: I, bytes: I, x: *const c_void, incx: I, y: Raw, incy: I, stream: Raw) => copy_vector(true, n.into(), bytes.into(), Vector(x, incx.into()), Vector(y, incy.into()), Some(stream));
    "cublasGetVectorAsync" (n: I, bytes: I, x: *const c_void, incx: I, y: Raw, incy: I, stream: Raw) => copy_vector(false, n.into(), bytes.into(), Vector(x, incx.into()), Vector(y, incy.into()), Some(stream));
    "cublasSetMatrix" (rows: I, columns: I, bytes: I, a: *const c_void, lda: I, b: Raw, ldb: I) => copy_matrix(true, [rows.into(), columns.into(), bytes.into()], (a, lda.into()), (b, ldb.into()), None);
    "cublasGetMatrix" (rows: I, columns: I, bytes: I, a: *const c_void, lda: I, b: Raw, ldb: I) => copy_matrix(false, [rows.into(), columns.into(), bytes.into()], (a, lda.into()), (b, ldb.into()), None);
    "cublasSetMatrixAsync" (rows: I, columns: I, bytes: I, a: *const c_void, lda: I, b: Raw, ldb: I, stream: Raw) => copy_matrix(true, [rows.into(), columns.into(), bytes.into()], (a, lda.into()), (b, ldb.into()), Some(stream));
    "cublasGetMatrixAsync" (rows: I, columns: I, bytes: I, a: *const c_void, lda: I, b: Raw, ldb: I, stream: Raw) => copy_matrix(false, [rows.into(), columns.into(), bytes.into()], (a, lda.into()), (b, ldb.into()), Some(stream));
    // Level 1 with types as arguments.
    "cublasAxpyEx" (handle: Handle, n: I, alpha: *const c_void, alpha_kind: c_int, x: *const c_void, x_kind: c_int, incx: I, y: Raw, y_kind: c_int, incy: I, computed: c_int) => elementwise_of_types(handle, "axpy", n.into(), (alpha, alpha_kind), [x_kind, y_kind, computed], Vector(x, incx.into()), Vector(y, incy.into()));
    "cublasScalEx" (handle: Handle, n: I, alpha: *const c_void, alpha_kind: c_int, x: Raw, x_kind: c_int, incx: I, computed: c_int) => if incx > 0 { elementwise_of_types(handle, "scal", n.into(), (alpha, alpha_kind), [x_kind, x_kind, computed], Vector(x, incx.into()), Vector(x, 0)) } else { Ok(()) };
    // Products with types as arguments. The algorithm is the library's choice, and here there is one.
    "cublasGemmEx" (handle: Handle, ta: c_int, tb: c_int, m: I, n: I, k: I, alpha: *const c_void, a: *const c_void, a_kind: c_int, lda: I, b: *const c_void, b_kind: c_int, ldb: I, beta: *const c_void, c: Raw, c_kind: c_int, ldc: I, computed: c_int, algorithm: c_int) => { let _ = algorithm; gemm(handle, Types(a_kind, b_kind, c_kind, computed), [ta, tb], [m.into(), n.into(), k.into()], [alpha, beta], [Columns(a, lda.into(), 0), Columns(b, ldb.into(), 0), Columns(c, ldc.into(), 0)], ONE) };
    "cublasGemmBatchedEx" (handle: Handle, ta: c_int, tb: c_int, m: I, n: I, k: I, alpha: *const c_void, a: *const c_void, a_kind: c_int, lda: I, b: *const c_void, b_kind: c_int, ldb: I, beta: *const c_void, c: Raw, c_kind: c_int, ldc: I, batch: I, computed: c_int, algorithm: c_int) => { let _ = algorithm; gemm(handle, Types(a_kind, b_kind, c_kind, computed), [ta, tb], [m.into(), n.into(), k.into()], [alpha, beta], [Columns(a, lda.into(), 0), Columns(b, ldb.into(), 0), Columns(c, ldc.into(), 0)], Batch(batch.into(), true)) };
    "cublasGemmStridedBatchedEx" (handle: Handle, ta: c_int, tb: c_int, m: I, n: I, k: I, alpha: *const c_void, a: *const c_void, a_kind: c_int, lda: I, to_a: i64, b: *const c_void, b_kind: c_int, ldb: I, to_b: i64, beta: *const c_void, c: Raw, c_kind: c_int, ldc: I, to_c: i64, batch: I, computed: c_int, algorithm: c_int) => { let _ = algorithm; gemm(handle, Types(a_kind, b_kind, c_kind, computed), [ta, tb], [m.into(), n.into(), k.into()], [alpha, beta], [Columns(a, lda.into(), to_a), Columns(b, ldb.into(), to_b), Columns(c, ldc.into(), to_c)], Batch(batch.into(), false)) };
    "cublasGemmGroupedBatchedEx" (handle: Handle, ta: *const c_int, tb: *const c_int, m: *const I, n: *const I, k: *const I, alpha: *const c_void, a: *const c_void, a_kind: c_int, lda: *const I, b: *const c_void, b_kind: c_int, ldb: *const I, beta: *const c_void, c: *const c_void, c_kind: c_int, ldc: *const I, count: I, members: *const I, computed: c_int) => gemm_grouped(handle, Types(a_kind, b_kind, c_kind, computed), Groups { operations: [ta, tb], sizes: [m, n, k], leading: [lda, ldb, ldc], factors: [alpha, beta], matrices: [a, b, c], count: count.into(), members });
    "cublasSgemmEx" (handle: Handle, ta: c_int, tb: c_int, m: I, n: I, k: I, alpha: *const f32, a: *const c_void, a_kind: c_int, lda: I, b: *const c_void, b_kind: c_int, ldb: I, beta: *const f32, c: Raw, c_kind: c_int, ldc: I) => gemm(handle, Types(a_kind, b_kind, c_kind, 68), [ta, tb], [m.into(), n.into(), k.into()], [alpha.cast(), beta.cast()], [Columns(a, lda.into(), 0), Columns(b, ldb.into(), 0), Columns(c, ldc.into(), 0)], ONE);
}

exports_typed! {
    "cublas" ["S" f32, "D" f64, "C" C32, "Z" C64] "axpy_v2" (handle: Handle, n: I, alpha: *const T, x: *const T, incx: I, y: *mut T, incy: I) => if alpha.is_null() { Err(Failure::Invalid) } else { elementwise(handle, "axpy", n.into(), (alpha.cast(), kind_of::<T>()), kind_of::<T>(), Vector(x.cast(), incx.into()), Vector(y.cast(), incy.into())) };
    "cublas" ["S" f32, "D" f64, "C" C32, "Z" C64] "scal_v2" (handle: Handle, n: I, alpha: *const T, x: *mut T, incx: I) => if alpha.is_null() { Err(Failure::Invalid) } else if incx <= 0 { Ok(()) } else { elementwise(handle, "scal", n.into(), (alpha.cast(), kind_of::<T>()), kind_of::<T>(), Vector(x.cast(), incx.into()), Vector(x.cast(), 0)) };
    "cublas" ["Cs" C32, "Zd" C64] "scal_v2" (handle: Handle, n: I, alpha: *const Part<T>, x: *mut T, incx: I) => if alpha.is_null() { Err(Failure::Invalid) } else if incx <= 0 { Ok(()) } else { elementwise(handle, "scal_real", n.into(), (alpha.cast(), kind_of::<Part<T>>()), kind_of::<T>(), Vector(x.cast(), incx.into()), Vector(x.cast(), 0)) };
    "cublas" ["S" f32, "D" f64, "C" C32, "Z" C64] "copy_v2" (handle: Handle, n: I, x: *const T, incx: I, y: *mut T, incy: I) => elementwise(handle, "copy", n.into(), (null(), 0), kind_of::<T>(), Vector(x.cast(), incx.into()), Vector(y.cast(), incy.into()));
    "cublas" ["S" f32, "D" f64, "C" C32, "Z" C64] "swap_v2" (handle: Handle, n: I, x: *mut T, incx: I, y: *mut T, incy: I) => elementwise(handle, "swap", n.into(), (null(), 0), kind_of::<T>(), Vector(x.cast(), incx.into()), Vector(y.cast(), incy.into()));
    "cublas" ["S" f32, "D" f64] "dot_v2" (handle: Handle, n: I, x: *const T, incx: I, y: *const T, incy: I, to: *mut T) => reduce::<T>(handle, "dot", n.into(), Vector(x.cast(), incx.into()), Some(Vector(y.cast(), incy.into())), Answer(to.cast(), size_of::<T>()));
    "cublas" ["C" C32, "Z" C64] "dotu_v2" (handle: Handle, n: I, x: *const T, incx: I, y: *const T, incy: I, to: *mut T) => reduce::<T>(handle, "dot", n.into(), Vector(x.cast(), incx.into()), Some(Vector(y.cast(), incy.into())), Answer(to.cast(), size_of::<T>()));
    "cublas" ["C" C32, "Z" C64] "dotc_v2" (handle: Handle, n: I, x: *const T, incx: I, y: *const T, incy: I, to: *mut T) => reduce::<T>(handle, "dotc", n.into(), Vector(x.cast(), incx.into()), Some(Vector(y.cast(), incy.into())), Answer(to.cast(), size_of::<T>()));
    "cublas" ["S" f32, "D" f64, "Sc" C32, "Dz" C64] "nrm2_v2" (handle: Handle, n: I, x: *const T, incx: I, to: *mut Part<T>) => reduce::<T>(handle, "nrm2", n.into(), Vector(x.cast(), incx.into()), None, Answer(to.cast(), size_of::<Part<T>>()));
    "cublas" ["S" f32, "D" f64, "Sc" C32, "Dz" C64] "asum_v2" (handle: Handle, n: I, x: *const T, incx: I, to: *mut Part<T>) => reduce::<T>(handle, "asum", n.into(), Vector(x.cast(), incx.into()), None, Answer(to.cast(), size_of::<Part<T>>()));
    "cublasI" ["s" f32, "d" f64, "c" C32, "z" C64] "amax_v2" (handle: Handle, n: I, x: *const T, incx: I, to: *mut I) => reduce::<T>(handle, "iamax", n.into(), Vector(x.cast(), incx.into()), None, Answer(to.cast(), size_of::<I>()));
    "cublasI" ["s" f32, "d" f64, "c" C32, "z" C64] "amin_v2" (handle: Handle, n: I, x: *const T, incx: I, to: *mut I) => reduce::<T>(handle, "iamin", n.into(), Vector(x.cast(), incx.into()), None, Answer(to.cast(), size_of::<I>()));
    "cublas" ["S" f32, "D" f64, "C" C32, "Z" C64] "gemv_v2" (handle: Handle, operation: c_int, m: I, n: I, alpha: *const T, a: *const T, lda: I, x: *const T, incx: I, beta: *const T, y: *mut T, incy: I) => gemv::<T>(handle, operation, [m.into(), n.into()], [alpha.cast(), beta.cast()], Columns(a.cast(), lda.into(), 0), [(Vector(x.cast(), incx.into()), 0), (Vector(y.cast(), incy.into()), 0)], ONE);
    "cublas" ["S" f32, "D" f64, "C" C32, "Z" C64] "gemvBatched" (handle: Handle, operation: c_int, m: I, n: I, alpha: *const T, a: *const *const T, lda: I, x: *const *const T, incx: I, beta: *const T, y: *const *mut T, incy: I, batch: I) => gemv::<T>(handle, operation, [m.into(), n.into()], [alpha.cast(), beta.cast()], Columns(a.cast(), lda.into(), 0), [(Vector(x.cast(), incx.into()), 0), (Vector(y.cast(), incy.into()), 0)], Batch(batch.into(), true));
    "cublas" ["S" f32, "D" f64, "C" C32, "Z" C64] "gemvStridedBatched" (handle: Handle, operation: c_int, m: I, n: I, alpha: *const T, a: *const T, lda: I, to_a: i64, x: *const T, incx: I, to_x: i64, beta: *const T, y: *mut T, incy: I, to_y: i64, batch: I) => gemv::<T>(handle, operation, [m.into(), n.into()], [alpha.cast(), beta.cast()], Columns(a.cast(), lda.into(), to_a), [(Vector(x.cast(), incx.into()), to_x), (Vector(y.cast(), incy.into()), to_y)], Batch(batch.into(), false));
    "cublas" ["S" f32, "D" f64] "ger_v2" (handle: Handle, m: I, n: I, alpha: *const T, x: *const T, incx: I, y: *const T, incy: I, a: *mut T, lda: I) => ger::<T>(handle, false, [m.into(), n.into()], alpha.cast(), Vector(x.cast(), incx.into()), Vector(y.cast(), incy.into()), Columns(a.cast(), lda.into(), 0));
    "cublas" ["C" C32, "Z" C64] "geru_v2" (handle: Handle, m: I, n: I, alpha: *const T, x: *const T, incx: I, y: *const T, incy: I, a: *mut T, lda: I) => ger::<T>(handle, false, [m.into(), n.into()], alpha.cast(), Vector(x.cast(), incx.into()), Vector(y.cast(), incy.into()), Columns(a.cast(), lda.into(), 0));
    "cublas" ["C" C32, "Z" C64] "gerc_v2" (handle: Handle, m: I, n: I, alpha: *const T, x: *const T, incx: I, y: *const T, incy: I, a: *mut T, lda: I) => ger::<T>(handle, true, [m.into(), n.into()], alpha.cast(), Vector(x.cast(), incx.into()), Vector(y.cast(), incy.into()), Columns(a.cast(), lda.into(), 0));
    "cublas" ["S" f32, "D" f64, "C" C32, "Z" C64] "gemm_v2" (handle: Handle, ta: c_int, tb: c_int, m: I, n: I, k: I, alpha: *const T, a: *const T, lda: I, b: *const T, ldb: I, beta: *const T, c: *mut T, ldc: I) => gemm(handle, Types::all::<T>(), [ta, tb], [m.into(), n.into(), k.into()], [alpha.cast(), beta.cast()], [Columns(a.cast(), lda.into(), 0), Columns(b.cast(), ldb.into(), 0), Columns(c.cast(), ldc.into(), 0)], ONE);
    "cublas" ["H" Half] "gemm" (handle: Handle, ta: c_int, tb: c_int, m: I, n: I, k: I, alpha: *const T, a: *const T, lda: I, b: *const T, ldb: I, beta: *const T, c: *mut T, ldc: I) => gemm(handle, Types::all::<T>(), [ta, tb], [m.into(), n.into(), k.into()], [alpha.cast(), beta.cast()], [Columns(a.cast(), lda.into(), 0), Columns(b.cast(), ldb.into(), 0), Columns(c.cast(), ldc.into(), 0)], ONE);
    "cublas" ["S" f32, "D" f64, "C" C32, "Z" C64, "H" Half] "gemmBatched" (handle: Handle, ta: c_int, tb: c_int, m: I, n: I, k: I, alpha: *const T, a: *const *const T, lda: I, b: *const *const T, ldb: I, beta: *const T, c: *const *mut T, ldc: I, batch: I) => gemm(handle, Types::all::<T>(), [ta, tb], [m.into(), n.into(), k.into()], [alpha.cast(), beta.cast()], [Columns(a.cast(), lda.into(), 0), Columns(b.cast(), ldb.into(), 0), Columns(c.cast(), ldc.into(), 0)], Batch(batch.into(), true));
    "cublas" ["S" f32, "D" f64, "C" C32, "Z" C64, "H" Half] "gemmStridedBatched" (handle: Handle, ta: c_int, tb: c_int, m: I, n: I, k: I, alpha: *const T, a: *const T, lda: I, to_a: i64, b: *const T, ldb: I, to_b: i64, beta: *const T, c: *mut T, ldc: I, to_c: i64, batch: I) => gemm(handle, Types::all::<T>(), [ta, tb], [m.into(), n.into(), k.into()], [alpha.cast(), beta.cast()], [Columns(a.cast(), lda.into(), to_a), Columns(b.cast(), ldb.into(), to_b), Columns(c.cast(), ldc.into(), to_c)], Batch(batch.into(), false));
    "cublas" ["S" f32, "D" f64] "gemmGroupedBatched" (handle: Handle, ta: *const c_int, tb: *const c_int, m: *const I, n: *const I, k: *const I, alpha: *const T, a: *const *const T, lda: *const I, b: *const *const T, ldb: *const I, beta: *const T, c: *const *mut T, ldc: *const I, count: I, members: *const I) => gemm_grouped(handle, Types::all::<T>(), Groups { operations: [ta, tb], sizes: [m, n, k], leading: [lda, ldb, ldc], factors: [alpha.cast(), beta.cast()], matrices: [a.cast(), b.cast(), c.cast()], count: count.into(), members });
    "cublas" ["S" f32, "D" f64, "C" C32, "Z" C64] "syrk_v2" (handle: Handle, fill: c_int, operation: c_int, n: I, k: I, alpha: *const T, a: *const T, lda: I, beta: *const T, c: *mut T, ldc: I) => { let a = Columns(a.cast(), lda.into(), 0); syrk::<T>(handle, false, fill, operation, [n.into(), k.into()], Factors::of(alpha, beta), [a, a, Columns(c.cast(), ldc.into(), 0)]) };
    "cublas" ["C" C32, "Z" C64] "herk_v2" (handle: Handle, fill: c_int, operation: c_int, n: I, k: I, alpha: *const Part<T>, a: *const T, lda: I, beta: *const Part<T>, c: *mut T, ldc: I) => { let a = Columns(a.cast(), lda.into(), 0); syrk::<T>(handle, true, fill, operation, [n.into(), k.into()], Factors::of(alpha, beta), [a, a, Columns(c.cast(), ldc.into(), 0)]) };
    "cublas" ["S" f32, "D" f64, "C" C32, "Z" C64] "syrkx" (handle: Handle, fill: c_int, operation: c_int, n: I, k: I, alpha: *const T, a: *const T, lda: I, b: *const T, ldb: I, beta: *const T, c: *mut T, ldc: I) => syrk::<T>(handle, false, fill, operation, [n.into(), k.into()], Factors::of(alpha, beta), [Columns(a.cast(), lda.into(), 0), Columns(b.cast(), ldb.into(), 0), Columns(c.cast(), ldc.into(), 0)]);
    "cublas" ["C" C32, "Z" C64] "herkx" (handle: Handle, fill: c_int, operation: c_int, n: I, k: I, alpha: *const T, a: *const T, lda: I, b: *const T, ldb: I, beta: *const Part<T>, c: *mut T, ldc: I) => syrk::<T>(handle, true, fill, operation, [n.into(), k.into()], Factors::of(alpha, beta), [Columns(a.cast(), lda.into(), 0), Columns(b.cast(), ldb.into(), 0), Columns(c.cast(), ldc.into(), 0)]);
    "cublas" ["S" f32, "D" f64, "C" C32, "Z" C64] "geam" (handle: Handle, ta: c_int, tb: c_int, m: I, n: I, alpha: *const T, a: *const T, lda: I, beta: *const T, b: *const T, ldb: I, c: *mut T, ldc: I) => geam::<T>(handle, [ta, tb], [m.into(), n.into()], [alpha.cast(), beta.cast()], [Columns(a.cast(), lda.into(), 0), Columns(b.cast(), ldb.into(), 0), Columns(c.cast(), ldc.into(), 0)]);
    "cublas" ["S" f32, "D" f64, "C" C32, "Z" C64] "dgmm" (handle: Handle, side: c_int, m: I, n: I, a: *const T, lda: I, x: *const T, incx: I, c: *mut T, ldc: I) => dgmm::<T>(handle, side, [m.into(), n.into()], [Columns(a.cast(), lda.into(), 0), Columns(c.cast(), ldc.into(), 0)], Vector(x.cast(), incx.into()));
    "cublas" ["S" f32, "D" f64, "C" C32, "Z" C64] "trsm_v2" (handle: Handle, side: c_int, fill: c_int, operation: c_int, diagonal: c_int, m: I, n: I, alpha: *const T, a: *const T, lda: I, b: *mut T, ldb: I) => trsm::<T>(handle, Solve(side, fill, operation, diagonal), [m.into(), n.into()], alpha.cast(), [Columns(a.cast(), lda.into(), 0), Columns(b.cast(), ldb.into(), 0)], ONE);
    "cublas" ["S" f32, "D" f64, "C" C32, "Z" C64] "trsmBatched" (handle: Handle, side: c_int, fill: c_int, operation: c_int, diagonal: c_int, m: I, n: I, alpha: *const T, a: *const *const T, lda: I, b: *const *mut T, ldb: I, batch: I) => trsm::<T>(handle, Solve(side, fill, operation, diagonal), [m.into(), n.into()], alpha.cast(), [Columns(a.cast(), lda.into(), 0), Columns(b.cast(), ldb.into(), 0)], Batch(batch.into(), true));
}

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
