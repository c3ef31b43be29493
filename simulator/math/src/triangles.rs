//! Level 3 with triangles: products of which one is written, and solves with one.
use crate::device::{Kernels, launch};
use crate::failure::{Failure, Outcome};
use crate::handle::{Element, Handle, kind, state};
use crate::layout::{Matrix, Product, Scalar};
use crate::product::{
    Batch, Columns, GRID_MOST, NONE, Types, check, gemm_types, launch_gemm, operated, product, triangle,
};
use std::ffi::{c_int, c_void};

/// Threads of a block of `trsm`, and the rows of A that it solves at once: a product takes them out of the others.
const TRSM_THREADS: u32 = 128;
const SOLVED: i64 = 32;
/// The bit of `Epilogue` in `blas.cu` that makes the diagonal real.
const HERMITIAN: c_int = 1 << 16;

/// `cublasFillMode_t`
fn filled(mode: c_int) -> Result<i32, Failure> {
    match mode {
        0 => Ok(triangle::LOWER),
        1 => Ok(triangle::UPPER),
        _ => Err(Failure::Invalid),
    }
}

/// The factors of `syrk` and `herk`, and their types, which are real where the product is one of `herk`.
#[derive(Clone, Copy, Debug)]
pub struct Factors(pub [(*const c_void, c_int); 2]);

impl Factors {
    /// Those whose types are A and B.
    pub fn of<A: Element, B: Element>(alpha: *const A, beta: *const B) -> Factors {
        Factors([(alpha.cast(), A::KIND), (beta.cast(), B::KIND)])
    }
}

/// `syrk`, and `syrkx` where B is another matrix: one triangle of C = α·op(A)·op(B)ᵀ + βC. `herk` and `herkx` take the conjugate of op(B)ᵀ and
/// leave a real diagonal.
pub unsafe fn syrk<T: Element>(
    handle: Handle,
    is_hermitian: bool,
    fill: c_int,
    operation: c_int,
    [n, k]: [i64; 2],
    Factors(factors): Factors,
    [a, b, c]: [Columns; 3],
) -> Outcome {
    let state = state(handle)?;
    let rows = if operation == 0 { n } else { k };
    check(&[n, k], &[(a.1, rows), (b.1, rows), (c.1, n)])?;
    let is_complex = matches!(T::KIND, kind::C32 | kind::C64);
    refuse_if!(is_complex && operation == if is_hermitian { 1 } else { 2 }, Failure::Invalid);
    let (a, b) = (operated(a, operation)?, operated(b, operation)?);
    let conjugated = b.conjugated ^ c_int::from(is_hermitian);
    let turned = Matrix { row: b.col, col: b.row, conjugated, ..b };
    unsafe {
        let [alpha, beta] = factors.map(|(at, kind)| state.scalar(at, kind));
        let (alpha, beta, triangle) = (alpha?, beta?, filled(fill)?);
        // Then C stays as it is, imaginary parts of its diagonal too.
        let is_known =
            |factor: Scalar, value: f64| factor.at.is_null() && (factor.value, factor.imaginary) == (value, 0.0);
        if is_known(beta, 1.0) && (k == 0 || is_known(alpha, 0.0)) {
            return Ok(());
        }
        let given = product(a, turned, operated(c, 0)?, [n, n, k], alpha, beta);
        let epilogue = if is_hermitian { HERMITIAN } else { 0 };
        let given = Product { triangle, epilogue, ..given };
        launch_gemm(gemm_types(T::KIND, T::KIND, T::KIND, Types::all::<T>().3)?.0, state.stream(), &given)
    }
}

/// The choices of a triangular solve: side, fill mode, operation, whether the diagonal is ones.
#[derive(Clone, Copy, Debug)]
pub struct Solve(pub c_int, pub c_int, pub c_int, pub c_int);

/// `trsm`: B becomes the X of op(A)·X = αB, or of X·op(A) = αB, which is op(A)ᵀ·Xᵀ = αBᵀ.
///
/// # Safety
/// The caller's matrices; the factor is where the pointer mode says.
pub unsafe fn trsm<T: Element>(
    handle: Handle,
    Solve(side, fill, operation, diagonal): Solve,
    [m, n]: [i64; 2],
    alpha: *const c_void,
    [a, b]: [Columns; 2],
    Batch(batch, is_list): Batch,
) -> Outcome {
    let state = state(handle)?;
    let is_left = side == 0;
    let order = if is_left { m } else { n };
    check(&[m, n, batch], &[(a.1, order), (b.1, m)])?;
    refuse_if!(!(0..=1).contains(&side) || !(0..=1).contains(&diagonal), Failure::Invalid);
    let (matrix, d) = (operated(a, operation)?, operated(b, 0)?);
    let turned = |matrix: Matrix| Matrix { row: matrix.col, col: matrix.row, ..matrix };
    let (matrix, d, others) = if is_left { (matrix, d, n) } else { (turned(matrix), turned(d), m) };
    let is_turned = (operation != 0) == is_left;
    let triangle = match filled(fill)? {
        triangle::LOWER if is_turned => triangle::UPPER,
        triangle::UPPER if is_turned => triangle::LOWER,
        own => own,
    };
    let alpha = unsafe { state.scalar(alpha, T::KIND)? };
    let given = product(matrix, NONE, d, [order, others, 0], alpha, Scalar::known(0.0));
    let given = Product { batch, lists: c_int::from(is_list), triangle, unit: diagonal, ..given };
    // In parts where the addresses are known. Where the factor is 0, nothing of A is read.
    let at_once = is_list || !alpha.at.is_null() || alpha.value == 0.0;
    let solved = if at_once { order } else { SOLVED.min(order) };
    let mut done = 0;
    while done < order {
        let rows = solved.min(order - done);
        let rest = order - done - rows;
        // Rows that are solved now, and those that need them.
        let (first, others_first) = if triangle == triangle::LOWER { (done, done + rows) } else { (rest, 0) };
        let factor = if done == 0 { alpha } else { Scalar::known(1.0) };
        let (a, d) = (part::<T>(matrix, first, first), part::<T>(d, first, 0));
        // SAFETY: the caller gives pointers as the interface asks, and the struct of this kernel.
        unsafe {
            let part = Product { a, d, m: rows, alpha: factor, ..given };
            let grid = [(others as u64).div_ceil(u64::from(TRSM_THREADS)) as i64, batch.min(GRID_MOST), 1];
            launch(Kernels::Blas, &format!("trsm_{}", T::NAME), grid, TRSM_THREADS, state.stream(), &part)?;
        }
        if rest > 0 {
            let (a, left) = (part::<T>(matrix, others_first, first), part::<T>(given.d, others_first, 0));
            let taken = product(a, d, left, [rest, others, rows], Scalar::known(-1.0), factor);
            let name = gemm_types(T::KIND, T::KIND, T::KIND, Types::all::<T>().3)?.0;
            unsafe { launch_gemm(name, state.stream(), &Product { batch, ..taken })? };
        }
        done += rows;
    }
    Ok(())
}

/// A matrix from one of its elements on.
fn part<T>(matrix: Matrix, row: i64, col: i64) -> Matrix {
    let bytes = (row * matrix.row + col * matrix.col) as isize * size_of::<T>() as isize;
    Matrix { at: matrix.at.wrapping_byte_offset(bytes), ..matrix }
}
