//! cuBLAS by element type: what the labs compare their rungs with.

use cudarc::cublas::sys::{self, cublasOperation_t};
use cudarc::cublas::{CudaBlas, Gemm, GemmConfig, Gemv, GemvConfig};
use cudarc::driver::{CudaSlice, DevicePtr, DevicePtrMut};
use numbers::{Dtype, Number};
use std::borrow::Borrow;

/// An element type that cuBLAS computes with. The slices of all calls are as long as their shapes say, which is the caller's promise.
pub trait Blas: Number {
    /// cuBLAS, which has products for this type.
    type Library: Gemm<Self> + Gemv<Self> + Borrow<CudaBlas>;

    /// C = A·B, row-major, m×k times k×n: `cublasSgemm` or `cublasDgemm`.
    ///
    /// # Safety
    /// `a`, `b` and `c` hold m·k, k·n and m·n elements.
    #[allow(unsafe_code)]
    unsafe fn multiply(
        blas: &Self::Library,
        extents: [usize; 3],
        a: &CudaSlice<Self>,
        b: &CudaSlice<Self>,
        c: &mut CudaSlice<Self>,
    ) -> anyhow::Result<()> {
        // Extents fit an int, see `Shape::extents`.
        let [m, k, n] = extents.map(|extent| extent as i32);
        // cuBLAS is column-major: what it sees as A, B, C are our Bᵀ, Aᵀ, Cᵀ, and Cᵀ = Bᵀ·Aᵀ.
        let (transa, transb) = (cublasOperation_t::CUBLAS_OP_N, cublasOperation_t::CUBLAS_OP_N);
        let (alpha, beta) = (Self::from_f64(1.0), Self::from_f64(0.0));
        let config = GemmConfig { transa, transb, m: n, n: m, k, alpha, lda: n, ldb: k, beta, ldc: n };
        // SAFETY: the slices have the extents that the configuration names, by this function's `# Safety`.
        unsafe { blas.gemm(config, b, a, c) }.map_err(anyhow::Error::from)
    }

    /// b = A·x, row-major, m×n: `cublasSgemv` or `cublasDgemv`.
    ///
    /// # Safety
    /// `a`, `x` and `b` hold m·n, n and m elements.
    #[allow(unsafe_code)]
    unsafe fn multiply_vector(
        blas: &Self::Library,
        extents: [usize; 2],
        a: &CudaSlice<Self>,
        x: &CudaSlice<Self>,
        b: &mut CudaSlice<Self>,
    ) -> anyhow::Result<()> {
        let [m, n] = extents.map(|extent| extent as i32);
        // Our row-major m×n matrix is its n×m one, to be taken transposed. β = 0 does not read b.
        let (trans, alpha, beta) = (cublasOperation_t::CUBLAS_OP_T, Self::from_f64(1.0), Self::from_f64(0.0));
        let config = GemvConfig { trans, m: n, n: m, alpha, lda: n, incx: 1, beta, incy: 1 };
        // SAFETY: the slices have the extents that the configuration names, by this function's `# Safety`.
        unsafe { blas.gemv(config, a, x, b) }.map_err(anyhow::Error::from)
    }

    /// B = Aᵀ, row-major, A m×n: `cublasSgeam` or `cublasDgeam`, C = α·op(A) + β·op(B) with α = 1, β = 0.
    ///
    /// # Safety
    /// `a` and `b` hold m·n elements each.
    #[allow(unsafe_code)]
    unsafe fn transpose(
        blas: &Self::Library,
        extents: [usize; 2],
        a: &CudaSlice<Self>,
        b: &mut CudaSlice<Self>,
    ) -> anyhow::Result<()> {
        let [m, n] = extents.map(|extent| extent as i32);
        let (transposed, plain) = (cublasOperation_t::CUBLAS_OP_T, cublasOperation_t::CUBLAS_OP_N);
        let stream = b.stream().clone();
        let (a, _record_a) = a.device_ptr(&stream);
        let (b, _record_b) = b.device_ptr_mut(&stream);
        let handle = *Borrow::<CudaBlas>::borrow(blas).handle();
        // Our row-major m×n A is its n×m one, our n×m result its m×n one.
        // SAFETY: A and B have m·n elements, by this function's `# Safety`; with β = 0 and B = C, B is not read.
        let status = unsafe {
            match Self::DTYPE {
                Dtype::F32 => {
                    sys::cublasSgeam(handle, transposed, plain, m, n, &1.0, a as _, n, &0.0, b as _, m, b as _, m)
                }
                Dtype::F64 => {
                    sys::cublasDgeam(handle, transposed, plain, m, n, &1.0, a as _, n, &0.0, b as _, m, b as _, m)
                }
            }
        };
        Ok(status.result()?)
    }
}

impl Blas for f32 {
    type Library = CudaBlas;
}

impl Blas for f64 {
    type Library = CudaBlas;
}
