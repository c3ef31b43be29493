//! Levels 2 and 3: products with a matrix, from the caller's column-major matrices to the strides of the kernels.
use crate::device::{Kernels, launch};
use crate::failure::{Failure, Outcome};
use crate::handle::{Element, Handle, kind, state};
use crate::layout::{Matrix, Product, Raw, Scalar};
use crate::vector::Vector;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// Rows and columns of D that a block of `gemm` owns, and its threads.
const TILE: i64 = 64;
const GEMM_THREADS: u32 = 256;
/// The same of `gemm_wide`, and the elements of D from which on it has enough blocks for a card.
const WIDE_TILE: i64 = 128;
const WIDE_FROM: i64 = 1 << 21;
/// Threads of a block of `gemv`, and the elements of y that it owns: one a lane, or one a warp.
const GEMV_THREADS: u32 = 256;
const GEMV_LANES: i64 = 32;
const GEMV_WARPS: i64 = 8;
/// Blocks along a second or third dimension of a grid at the most.
pub(crate) const GRID_MOST: i64 = 65535;

/// Which part of a matrix is written; a triangular matrix has the other part's elements as zeros.
pub mod triangle {
    #![allow(missing_docs, reason = "the names say all")]
    pub const ALL: i32 = 0;
    pub const LOWER: i32 = 1;
    pub const UPPER: i32 = 2;
}

/// A column-major matrix as the caller has it: address, leading dimension, elements to the next one of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Columns(pub *const c_void, pub i64, pub i64);

/// `cublasOperation_t` on a matrix.
pub fn operated(Columns(at, ld, batch): Columns, operation: c_int) -> Result<Matrix, Failure> {
    let at = at.cast_mut();
    match operation {
        0 => Ok(Matrix { at, row: 1, col: ld, batch, conjugated: 0 }),
        // The kernels of real matrices do not ask for the conjugate.
        1 | 2 => Ok(Matrix { at, row: ld, col: 1, batch, conjugated: c_int::from(operation == 2) }),
        _ => Err(Failure::Invalid),
    }
}

/// A matrix of which nothing is read.
pub const NONE: Matrix = Matrix { at: null_mut(), row: 0, col: 0, batch: 0, conjugated: 0 };

/// A product of one matrix of m×n with nothing else chosen.
pub fn product(a: Matrix, b: Matrix, d: Matrix, [m, n, k]: [i64; 3], alpha: Scalar, beta: Scalar) -> Product {
    let (bias, bias_batch) = (null_mut(), 0);
    let (lists, triangle, epilogue, unit) = (0, triangle::ALL, 0, 0);
    Product { a, b, c: d, d, m, n, k, batch: 1, alpha, beta, bias, bias_batch, lists, triangle, epilogue, unit }
}

/// Refuses negative sizes, and leading dimensions that are shorter than a column.
pub(crate) fn check(sizes: &[i64], leading: &[(i64, i64)]) -> Outcome {
    let is_allowed = sizes.iter().all(|size| *size >= 0) && leading.iter().all(|&(ld, rows)| ld >= rows.max(1));
    if is_allowed { Ok(()) } else { Err(Failure::Invalid) }
}

/// Launches `gemm`; `types` are the ends of the kernel's name.
pub unsafe fn launch_gemm(types: &str, stream: Raw, given: &Product) -> Outcome {
    let has_wide = !matches!(types, "f64_f64" | "c32_c32" | "c64_c64");
    let is_wide = has_wide && given.m.saturating_mul(given.n) >= WIDE_FROM && given.m.min(given.n) >= WIDE_TILE;
    let (name, tile) = if is_wide { ("gemm_wide", WIDE_TILE) } else { ("gemm", TILE) };
    let tiles = (given.m as u64).div_ceil(tile as u64) * (given.n as u64).div_ceil(tile as u64);
    let grid = [tiles as i64, 1, given.batch.min(GRID_MOST)];
    // SAFETY: the struct of this kernel, and the caller's promise.
    unsafe { launch(Kernels::Blas, &format!("{name}_{types}"), grid, GEMM_THREADS, stream, given) }
}

/// The end of the kernel's name and the type of the factors, for types of A, B and C and a `cublasComputeType_t`.
pub fn gemm_types(a: c_int, b: c_int, c: c_int, computed: c_int) -> Result<(&'static str, c_int), Failure> {
    use kind::{BF16, C32, C64, F16, F32, F64, S8, S32};
    let found = match (a, c, computed) {
        _ if a != b => None,
        (F16, F16, 64 | 65) => Some(("f16_f16", F16)),
        (F16, F16, 68..=69 | 74..=75 | 77) => Some(("f16_f16", F32)),
        (F16, F32, 68..=69 | 74..=75 | 77) => Some(("f16_f32", F32)),
        (BF16, BF16, 68..=69 | 74..=75 | 77) => Some(("bf16_bf16", F32)),
        (BF16, F32, 68..=69 | 74..=75 | 77) => Some(("bf16_f32", F32)),
        (F32, F32, 68..=69 | 74..=75 | 77..=78) => Some(("f32_f32", F32)),
        (F64, F64, 70..=71) => Some(("f64_f64", F64)),
        (C32, C32, 68..=69 | 74..=75 | 77..=78) => Some(("c32_c32", C32)),
        (C64, C64, 70..=71) => Some(("c64_c64", C64)),
        (S8, S32, 72..=73) => Some(("s8_s32", S32)),
        _ => None,
    };
    let words = || format!("for A, B and C of cudaDataType {a}, {b} and {c} with cublasComputeType_t {computed}");
    found.ok_or_else(|| Failure::Lacking(words()))
}

/// Types of a product: A, B, C, and what it is computed in.
#[derive(Clone, Copy, Debug)]
pub struct Types(pub c_int, pub c_int, pub c_int, pub c_int);

impl Types {
    /// Those of a function for one type.
    pub fn all<T: Element>() -> Types {
        let computed = match T::KIND {
            kind::F16 => 64,
            kind::F64 | kind::C64 => 70,
            _ => 68,
        };
        Types(T::KIND, T::KIND, T::KIND, computed)
    }
}

/// How many products, and whether the matrices are lists of addresses.
#[derive(Clone, Copy, Debug)]
pub struct Batch(pub i64, pub bool);

/// The batch of a function for one product.
pub const ONE: Batch = Batch(1, false);

/// `gemm` in all its forms.
pub unsafe fn gemm(
    handle: Handle,
    types: Types,
    operations: [c_int; 2],
    [m, n, k]: [i64; 3],
    factors: [*const c_void; 2],
    [a, b, c]: [Columns; 3],
    Batch(batch, is_list): Batch,
) -> Outcome {
    let state = state(handle)?;
    let rows = |operation: c_int, plain: i64, turned: i64| if operation == 0 { plain } else { turned };
    check(&[m, n, k, batch], &[(a.1, rows(operations[0], m, k)), (b.1, rows(operations[1], k, n)), (c.1, m)])?;
    let (name, factor) = gemm_types(types.0, types.1, types.2, types.3)?;
    let (a, b, d) = (operated(a, operations[0])?, operated(b, operations[1])?, operated(c, 0)?);
    let (alpha, beta) = unsafe { (state.scalar(factors[0], factor)?, state.scalar(factors[1], factor)?) };
    let given = Product { batch, lists: c_int::from(is_list), ..product(a, b, d, [m, n, k], alpha, beta) };
    // SAFETY: likewise.
    unsafe { launch_gemm(name, state.stream(), &given) }
}

/// Groups of products, of which each has its own operations, sizes, leading dimensions, factors and number: arrays on the host.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the interface's names")]
pub struct Groups<I> {
    pub operations: [*const c_int; 2],
    pub sizes: [*const I; 3],
    pub leading: [*const I; 3],
    pub factors: [*const c_void; 2],
    pub matrices: [*const c_void; 3],
    pub count: i64,
    pub members: *const I,
}

/// `gemmGroupedBatched`: a batch for each group, whose addresses follow each other in the lists.
///
/// # Safety
/// The caller's arrays of `count` elements, and its lists.
pub unsafe fn gemm_grouped<I: Copy + Into<i64>>(handle: Handle, types: Types, groups: Groups<I>) -> Outcome {
    let (_, factor) = gemm_types(types.0, types.1, types.2, types.3)?;
    let factor_bytes = kind::bytes(factor);
    let mut begun = 0;
    for group in 0..usize::try_from(groups.count).map_err(|_| Failure::Invalid)? {
        // SAFETY: the caller's arrays.
        let of = |array: *const I| unsafe { array.add(group).read() }.into();
        let list = |which: usize| {
            let at = groups.matrices[which].wrapping_byte_add(begun * size_of::<*const c_void>());
            Columns(at, of(groups.leading[which]), 0)
        };
        let members: i64 = of(groups.members);
        // SAFETY: likewise.
        unsafe {
            let operations = groups.operations.map(|array| array.add(group).read());
            let factors = groups.factors.map(|array| array.wrapping_byte_add(group * factor_bytes));
            let batch = Batch(members, true);
            gemm(handle, types, operations, groups.sizes.map(of), factors, [list(0), list(1), list(2)], batch)?;
        }
        begun += members as usize;
    }
    Ok(())
}

/// `ger` and `geru`: A = αxyᵀ + A, a product with one step of k. `gerc` takes the conjugate of y.
pub unsafe fn ger<T: Element>(
    handle: Handle,
    is_conjugate: bool,
    [m, n]: [i64; 2],
    alpha: *const c_void,
    x: Vector,
    y: Vector,
    a: Columns,
) -> Outcome {
    let state = state(handle)?;
    check(&[m, n], &[(a.1, m)])?;
    refuse_if!(x.1 == 0 || y.1 == 0, Failure::Invalid);
    let size = size_of::<T>();
    let column = Matrix { at: x.first(m, size), row: x.1, ..NONE };
    let row = Matrix { at: y.first(n, size), col: y.1, conjugated: c_int::from(is_conjugate), ..NONE };
    unsafe {
        let alpha = state.scalar(alpha, T::KIND)?;
        let given = product(column, row, operated(a, 0)?, [m, n, 1], alpha, Scalar::known(1.0));
        launch_gemm(gemm_types(T::KIND, T::KIND, T::KIND, Types::all::<T>().3)?.0, state.stream(), &given)
    }
}

/// `gemv` in all its forms; x and y have elements to the next vector of a batch.
pub unsafe fn gemv<T: Element>(
    handle: Handle,
    operation: c_int,
    [m, n]: [i64; 2],
    factors: [*const c_void; 2],
    a: Columns,
    [(x, x_batch), (y, y_batch)]: [(Vector, i64); 2],
    Batch(batch, is_list): Batch,
) -> Outcome {
    let state = state(handle)?;
    check(&[m, n, batch], &[(a.1, m)])?;
    refuse_if!(x.1 == 0 || y.1 == 0, Failure::Invalid);
    if is_list && (x.1 < 0 || y.1 < 0) {
        return Err(Failure::Lacking("with a list of vectors that are read from their ends".to_owned()));
    }
    let matrix = operated(a, operation)?;
    let (outputs, inputs) = if operation == 0 { (m, n) } else { (n, m) };
    if m == 0 || n == 0 {
        return Ok(());
    }
    let column = |vector: Vector, count: i64, batch: i64| Matrix {
        at: vector.first(count, size_of::<T>()),
        row: vector.1,
        batch,
        ..NONE
    };
    // SAFETY: the caller gives pointers as the interface asks, and the struct of this kernel.
    unsafe {
        let (alpha, beta) = (state.scalar(factors[0], T::KIND)?, state.scalar(factors[1], T::KIND)?);
        let (x, y) = (column(x, inputs, x_batch), column(y, outputs, y_batch));
        let given = product(matrix, x, y, [outputs, 1, inputs], alpha, beta);
        let given = Product { batch, lists: c_int::from(is_list), ..given };
        let of_a_block = if matrix.row == 1 { GEMV_LANES } else { GEMV_WARPS };
        let grid = [(outputs as u64).div_ceil(of_a_block as u64) as i64, batch.min(GRID_MOST), 1];
        launch(Kernels::Blas, &format!("gemv_{}", T::NAME), grid, GEMV_THREADS, state.stream(), &given)
    }
}

/// Launches an operation that has a thread for each element of a matrix of m×n.
unsafe fn by_element<T: Element>(name: &str, stream: Raw, given: &Product) -> Outcome {
    const ELEMENTS: u32 = 256;
    let blocks = ((given.m * given.n) as u64).div_ceil(u64::from(ELEMENTS)) as i64;
    // SAFETY: the caller gives pointers as the interface asks, and the struct of these kernels.
    unsafe { launch(Kernels::Blas, &format!("{name}_{}", T::NAME), [blocks, 1, 1], ELEMENTS, stream, given) }
}

/// `geam`: C = α·op(A) + β·op(B).
pub unsafe fn geam<T: Element>(
    handle: Handle,
    operations: [c_int; 2],
    [m, n]: [i64; 2],
    factors: [*const c_void; 2],
    [a, b, c]: [Columns; 3],
) -> Outcome {
    let state = state(handle)?;
    check(&[m, n], &[(c.1, m)])?;
    let (a, b, d) = (operated(a, operations[0])?, operated(b, operations[1])?, operated(c, 0)?);
    unsafe {
        let (alpha, beta) = (state.scalar(factors[0], T::KIND)?, state.scalar(factors[1], T::KIND)?);
        by_element::<T>("geam", state.stream(), &product(a, b, d, [m, n, 0], alpha, beta))
    }
}

/// `dgmm`: C = A·diag(x), or diag(x)·A where `side` is the left one.
pub unsafe fn dgmm<T: Element>(
    handle: Handle,
    side: c_int,
    [m, n]: [i64; 2],
    [a, c]: [Columns; 2],
    x: Vector,
) -> Outcome {
    let state = state(handle)?;
    check(&[m, n], &[(a.1, m), (c.1, m)])?;
    let (count, row, col) = match side {
        0 => (m, x.1, 0),
        1 => (n, 0, x.1),
        _ => return Err(Failure::Invalid),
    };
    let b = Matrix { at: x.first(count, size_of::<T>()), row, col, ..NONE };
    let none = Scalar::known(0.0);
    let given = product(operated(a, 0)?, b, operated(c, 0)?, [m, n, 0], none, none);
    unsafe { by_element::<T>("dgmm", state.stream(), &given) }
}
