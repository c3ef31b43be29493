//! The exported functions of cublasLt: products whose types, orders, batch and epilogue are said by descriptors. There is one algorithm, which needs
//! no workspace.
use crate::cublas::{property, runtime_version, version, words};
use crate::failure::{Failure, Outcome, exports};
use crate::handle::{Handle, create, destroy, kind, out, scalar, state};
use crate::layout::{Matrix, Product, Raw};
use crate::product::{gemm_types, launch_gemm, product};
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

cuda::c_structs! {
    /// `cublasLtMatrixLayout_t`, in the 64 bytes that the interface has for it.
    #[derive(Clone, Copy)]
    pub struct Layout {
        kind, order: c_int;
        rows, columns: u64;
        leading: i64;
        batch, plane: c_int;
        stride: i64;
    }
    /// `cublasLtMatmulDesc_t`, likewise in 256 bytes.
    #[derive(Clone, Copy)]
    pub struct Description {
        computed, factor, pointer_mode: c_int;
        operations: [c_int; 3];
        fill, epilogue: c_int;
        bias: Raw;
        bias_batch: i64;
        bias_kind: c_int;
        /// Addresses of factors of A, B, C and D, which 8-bit types have, and of the largest value of D.
        scales: [Raw; 5];
        ignored: c_int;
    }
    /// `cublasLtMatmulHeuristicResult_t`
    pub struct Heuristic {
        algorithm: [u64; 8];
        workspace: usize;
        state: c_int;
        waves: f32;
        reserved: [c_int; 4];
    }
}

/// `cublasLtMatmulPreference_t`: no preference changes what the one algorithm does.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Preference([u64; 8]);

const FOUND: Heuristic = Heuristic { algorithm: [0; 8], workspace: 0, state: 0, waves: 1.0, reserved: [0; 4] };

/// `CUBLASLT_FILL_MODE_FULL`
const FULL: c_int = 2;
/// `CUBLASLT_EPILOGUE_DEFAULT`
const NO_EPILOGUE: c_int = 1;
const WITH_BIAS: c_int = 4;

impl Layout {
    const fn new(kind: c_int, rows: u64, columns: u64, leading: i64) -> Layout {
        Layout { kind, order: 0, rows, columns, leading, batch: 1, plane: 0, stride: 0 }
    }

    /// The field of a `cublasLtMatrixLayoutAttribute_t`.
    fn field(&mut self, attribute: c_int) -> Result<&mut [u8], Failure> {
        match attribute {
            0 => Ok(bytes(&mut self.kind)),
            1 => Ok(bytes(&mut self.order)),
            2 => Ok(bytes(&mut self.rows)),
            3 => Ok(bytes(&mut self.columns)),
            4 => Ok(bytes(&mut self.leading)),
            5 => Ok(bytes(&mut self.batch)),
            6 => Ok(bytes(&mut self.stride)),
            _ => Err(Failure::Lacking(format!("for attribute {attribute}"))),
        }
    }

    /// op(matrix) of a batch of so many, with its rows and columns.
    fn operated(&self, at: *const c_void, operation: c_int, batch: c_int) -> Result<(Matrix, i64, i64), Failure> {
        let is_row_major = match self.order {
            0 => false,
            1 => true,
            other => return Err(Failure::Lacking(format!("for cublasLtOrder_t {other}"))),
        };
        let shortest = if is_row_major { self.columns } else { self.rows };
        if !(0..=2).contains(&operation) || (self.leading as u64) < shortest || ![1, batch].contains(&self.batch) {
            return Err(Failure::Invalid);
        }
        let is_turned = operation != 0;
        let (row, col) = if is_row_major != is_turned { (self.leading, 1) } else { (1, self.leading) };
        let (rows, columns) = (self.rows as i64, self.columns as i64);
        let stride = if self.batch == 1 { 0 } else { self.stride };
        let conjugated = c_int::from(operation == 2);
        let matrix = Matrix { at: at.cast_mut(), row, col, batch: stride, conjugated };
        Ok(if is_turned { (matrix, columns, rows) } else { (matrix, rows, columns) })
    }
}

impl Description {
    const fn new(computed: c_int, factor: c_int) -> Description {
        let (bias, bias_batch, bias_kind) = (null_mut(), 0, -1);
        let (pointer_mode, operations, fill, epilogue, ignored) = (0, [0; 3], FULL, NO_EPILOGUE, 0);
        let scales = [null_mut(); 5];
        Description {
            computed,
            factor,
            pointer_mode,
            operations,
            fill,
            epilogue,
            bias,
            bias_batch,
            bias_kind,
            scales,
            ignored,
        }
    }

    /// The field of a `cublasLtMatmulDescAttributes_t`.
    fn field(&mut self, attribute: c_int) -> Result<&mut [u8], Failure> {
        match attribute {
            0 => Ok(bytes(&mut self.computed)),
            1 => Ok(bytes(&mut self.factor)),
            2 => Ok(bytes(&mut self.pointer_mode)),
            3..=5 => Ok(bytes(&mut self.operations[attribute as usize - 3])),
            6 => Ok(bytes(&mut self.fill)),
            7 => Ok(bytes(&mut self.epilogue)),
            8 => Ok(bytes(&mut self.bias)),
            10 => Ok(bytes(&mut self.bias_batch)),
            17..=21 => Ok(bytes(&mut self.scales[attribute as usize - 17])),
            26 => Ok(bytes(&mut self.bias_kind)),
            // A number of multiprocessors, and how exactly sums of 8-bit numbers are kept: they change no result here.
            15 => Ok(bytes(&mut self.ignored)),
            25 => Ok(&mut bytes(&mut self.ignored)[..1]),
            _ => Err(Failure::Lacking(format!("for attribute {attribute}"))),
        }
    }
}

/// A number as its bytes.
fn bytes<T: Copy>(field: &mut T) -> &mut [u8] {
    // SAFETY: numbers and addresses, of which any bytes are a value.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::from_mut(field).cast(), size_of::<T>()) }
}

/// Writes an attribute.
unsafe fn set(field: Result<&mut [u8], Failure>, from: *const c_void, size: usize) -> Outcome {
    let field = field?;
    refuse_if!(from.is_null() || size != field.len(), Failure::Invalid);
    // SAFETY: the caller's bytes, as many as the field has.
    field.copy_from_slice(unsafe { std::slice::from_raw_parts(from.cast(), size) });
    Ok(())
}

/// Reads an attribute.
unsafe fn get(field: Result<&mut [u8], Failure>, to: Raw, size: usize, written: *mut usize) -> Outcome {
    let field = field?;
    // SAFETY: the caller's places, of the size that it says.
    unsafe {
        if size == 0 {
            return out(written, field.len());
        }
        refuse_if!(to.is_null() || size < field.len(), Failure::Invalid);
        to.cast::<u8>().copy_from_nonoverlapping(field.as_ptr(), field.len());
        if !written.is_null() {
            written.write(field.len());
        }
    }
    Ok(())
}

/// The thing that the caller's pointer leads to.
unsafe fn at<'a, T>(pointer: *mut T) -> Result<&'a mut T, Failure> {
    // SAFETY: null, or what one of the functions that make such a thing wrote there.
    unsafe { pointer.as_mut() }.ok_or(Failure::Invalid)
}

/// Puts a thing on the heap for the caller.
unsafe fn made<T>(to: *mut *mut T, value: T) -> Outcome {
    refuse_if!(to.is_null(), Failure::Invalid);
    unsafe { out(to, Box::into_raw(Box::new(value))) }
}

/// Frees a thing that [`made`] made.
unsafe fn gone<T>(thing: *mut T) -> Outcome {
    if !thing.is_null() {
        drop(unsafe { Box::from_raw(thing) });
    }
    Ok(())
}

/// Writes a thing into memory of the caller's.
unsafe fn init<T>(to: *mut T, size: usize, value: T) -> Outcome {
    refuse_if!(size < size_of::<T>(), Failure::Invalid);
    // SAFETY: the caller's place of that size.
    unsafe { out(to, value) }
}

/// The addresses of a product: A, B, C, D.
type Addresses = [*const c_void; 4];

/// The kernel's types, the type of the factors, and the product without them.
unsafe fn planned(
    description: *mut Description,
    layouts: [*mut Layout; 4],
    [a, b, c, d]: Addresses,
) -> Result<(&'static str, c_int, Product), Failure> {
    // SAFETY: the caller's descriptors.
    let told = unsafe { *at(description)? };
    // SAFETY: likewise.
    let [of_a, of_b, of_c, of_d] = unsafe { [*at(layouts[0])?, *at(layouts[1])?, *at(layouts[2])?, *at(layouts[3])?] };
    let (types, factor) = gemm_types(of_a.kind, of_b.kind, of_d.kind, told.computed)?;
    if of_c.kind != of_d.kind || told.factor != factor {
        return Err(Failure::Lacking(format!(
            "for C of another type than D, or factors of cudaDataType {}",
            told.factor
        )));
    }
    let is_complex = matches!(factor, kind::C32 | kind::C64);
    if !matches!(told.epilogue, 1 | 2 | 4 | 6 | 32 | 36) || (is_complex && told.epilogue != NO_EPILOGUE) {
        return Err(Failure::Lacking(format!("for cublasLtEpilogue_t {}", told.epilogue)));
    }
    if told.fill != FULL || told.operations[2] != 0 || !(0..=1).contains(&told.pointer_mode) {
        return Err(Failure::Lacking("for a part of D, a transposed C, or a vector of factors".to_owned()));
    }
    if told.scales.iter().any(|scale| !scale.is_null()) {
        return Err(Failure::Lacking(
            "for factors of A, B, C or D, or the largest value of D (attributes 17 to 21)".to_owned(),
        ));
    }
    let batch = of_d.batch;
    let (a, m, k) = of_a.operated(a, told.operations[0], batch)?;
    let (b, k_of_b, n) = of_b.operated(b, told.operations[1], batch)?;
    let (c, ..) = of_c.operated(c, 0, batch)?;
    let (d, rows, columns) = of_d.operated(d, 0, batch)?;
    let same = of_c.rows == of_d.rows && of_c.columns == of_d.columns;
    refuse_if!(batch < 1 || k != k_of_b || rows != m || columns != n || !same, Failure::Invalid);
    let none = crate::layout::Scalar::known(0.0);
    let mut given = Product { c, batch: batch.into(), ..product(a, b, d, [m, n, k], none, none) };
    given.epilogue = told.epilogue & !NO_EPILOGUE;
    if told.epilogue & WITH_BIAS != 0 {
        if told.bias_kind != -1 && told.bias_kind != of_d.kind {
            return Err(Failure::Lacking(format!("for a bias of cudaDataType {}", told.bias_kind)));
        }
        (given.bias, given.bias_batch) = (told.bias, told.bias_batch);
    }
    Ok((types, factor, given))
}

unsafe fn matmul(
    handle: Handle,
    description: *mut Description,
    factors: [*const c_void; 2],
    layouts: [*mut Layout; 4],
    addresses: Addresses,
    stream: Raw,
) -> Outcome {
    state(handle)?;
    // SAFETY: the caller's descriptors, factors and matrices.
    unsafe {
        let (types, factor, mut given) = planned(description, layouts, addresses)?;
        refuse_if!(given.epilogue & WITH_BIAS != 0 && given.bias.is_null(), Failure::Invalid);
        let is_on_device = at(description)?.pointer_mode != 0;
        given.alpha = scalar(factors[0], factor, is_on_device)?;
        given.beta = scalar(factors[1], factor, is_on_device)?;
        launch_gemm(types, stream, &given)
    }
}

unsafe fn heuristic(
    handle: Handle,
    description: *mut Description,
    layouts: [*mut Layout; 4],
    most: c_int,
    to: *mut Heuristic,
    count: *mut c_int,
) -> Outcome {
    state(handle)?;
    // SAFETY: the caller's descriptors, and its places for results.
    unsafe {
        out(count, 0)?;
        planned(description, layouts, [std::ptr::null(); 4])?;
        refuse_if!(most < 1, Failure::Invalid);
        out(to, FOUND)?;
        out(count, 1)
    }
}

cuda::cublas_lt!(exports; of_cublas);

cuda::c_functions! {
    cublasLtGetVersion() -> usize => version() as usize;
    cublasLtGetCudartVersion() -> usize => runtime_version();
    cublasLtGetStatusName(status: c_int) -> *const c_char => words(status, true);
    cublasLtGetStatusString(status: c_int) -> *const c_char => words(status, false);
    // The mask before; none is kept.
    cublasLtDisableCpuInstructionsSetMask(_mask: u32) -> u32 => 0;
}
