//! cuBLAS by element type: what the labs compare their rungs with.

use cudarc::cublas::sys::{self, cublasOperation_t};
use cudarc::cublas::{CudaBlas, Gemm, GemmConfig, Gemv, GemvConfig};
use cudarc::driver::{CudaSlice, DevicePtr, DevicePtrMut};

/// An element type that cuBLAS computes with. The slices of all calls are as long as their shapes say, which is the caller's promise.
pub trait Blas: Sized {
    /// C = A·B, row-major, m×k times k×n: `cublasSgemm` or `cublasDgemm`.
    ///
    /// # Safety
    /// `a`, `b` and `c` hold m·k, k·n and m·n elements.
    #[allow(unsafe_code)]
    unsafe fn multiply(
        blas: &CudaBlas,
        extents: [usize; 3],
        a: &CudaSlice<Self>,
        b: &CudaSlice<Self>,
        c: &mut CudaSlice<Self>,
    ) -> anyhow::Result<()>;

    /// b = A·x, row-major, m×n: `cublasSgemv` or `cublasDgemv`.
    ///
    /// # Safety
    /// `a`, `x` and `b` hold m·n, n and m elements.
    #[allow(unsafe_code)]
    unsafe fn multiply_vector(
        blas: &CudaBlas,
        extents: [usize; 2],
        a: &CudaSlice<Self>,
        x: &CudaSlice<Self>,
        b: &mut CudaSlice<Self>,
    ) -> anyhow::Result<()>;

    /// B = Aᵀ, row-major, A m×n: `cublasSgeam` or `cublasDgeam`, C = α·op(A) + β·op(B) with α = 1, β = 0.
    ///
    /// # Safety
    /// `a` and `b` hold m·n elements each.
    #[allow(unsafe_code)]
    unsafe fn transpose(
        blas: &CudaBlas,
        extents: [usize; 2],
        a: &CudaSlice<Self>,
        b: &mut CudaSlice<Self>,
    ) -> anyhow::Result<()>;
}

macro_rules! blas {
    ($T:ty, $geam:path) => {
        impl Blas for $T {
            #[allow(unsafe_code)]
            unsafe fn multiply(
                blas: &CudaBlas,
                extents: [usize; 3],
                a: &CudaSlice<Self>,
                b: &CudaSlice<Self>,
                c: &mut CudaSlice<Self>,
            ) -> anyhow::Result<()> {
                // Extents fit an int, see `Shape::extents`.
                let [m, k, n] = extents.map(|extent| extent as i32);
                // cuBLAS is column-major: what it sees as A, B, C are our Bᵀ, Aᵀ, Cᵀ, and Cᵀ = Bᵀ·Aᵀ.
                let (transa, transb) = (cublasOperation_t::CUBLAS_OP_N, cublasOperation_t::CUBLAS_OP_N);
                let config =
                    GemmConfig { transa, transb, m: n, n: m, k, alpha: 1.0, lda: n, ldb: k, beta: 0.0, ldc: n };
                // SAFETY: the slices have the extents that the configuration names, by this function's `# Safety`.
                unsafe { blas.gemm(config, b, a, c) }.map_err(anyhow::Error::from)
            }

            #[allow(unsafe_code)]
            unsafe fn multiply_vector(
                blas: &CudaBlas,
                extents: [usize; 2],
                a: &CudaSlice<Self>,
                x: &CudaSlice<Self>,
                b: &mut CudaSlice<Self>,
            ) -> anyhow::Result<()> {
                let [m, n] = extents.map(|extent| extent as i32);
                // Our row-major m×n matrix is its n×m one, to be taken transposed. β = 0 does not read b.
                let trans = cublasOperation_t::CUBLAS_OP_T;
                let config = GemvConfig { trans, m: n, n: m, alpha: 1.0, lda: n, incx: 1, beta: 0.0, incy: 1 };
                // SAFETY: the slices have the extents that the configuration names, by this function's `# Safety`.
                unsafe { blas.gemv(config, a, x, b) }.map_err(anyhow::Error::from)
            }

            #[allow(unsafe_code)]
            unsafe fn transpose(
                blas: &CudaBlas,
                extents: [usize; 2],
                a: &CudaSlice<Self>,
                b: &mut CudaSlice<Self>,
            ) -> anyhow::Result<()> {
                let [m, n] = extents.map(|extent| extent as i32);
                let (transposed, plain) = (cublasOperation_t::CUBLAS_OP_T, cublasOperation_t::CUBLAS_OP_N);
                let stream = b.stream().clone();
                let (a, _record_a) = a.device_ptr(&stream);
                let (b, _record_b) = b.device_ptr_mut(&stream);
                let (a, b) = (a as *const Self, b as *mut Self);
                // Our row-major m×n A is its n×m one, our n×m result its m×n one.
                // SAFETY: A and B have m·n elements, by this function's `# Safety`; with β = 0 and B = C, B is not read.
                let status = unsafe { $geam(*blas.handle(), transposed, plain, m, n, &1.0, a, n, &0.0, b, m, b, m) };
                Ok(status.result()?)
            }
        }
    };
}
blas!(f32, sys::cublasSgeam);
blas!(f64, sys::cublasDgeam);
