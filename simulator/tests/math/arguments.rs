//! Arguments of cuBLAS: answers and factors on the device, sizes of 64 bits, copies of rows, and what is refused.
use crate::gpu::{Gpu, OK, close, values};
use crate::host::N;
use crate::routines::ANY;
use cudarc::cublas::sys::{
    self as blas, cublasComputeType_t as Compute, cublasStatus_t as Status, cudaDataType_t as Kind,
};
use std::ffi::c_void;
use std::ptr::null_mut;

/// Answers and factors on the device, sizes of 64 bits, no elements, and squares beyond the range of the type.
pub fn answers(gpu: &Gpu) {
    let h = gpu.handle;
    let x = gpu.up(&[3e300f64, 0.0, -4e300, f64::MIN_POSITIVE]);
    let (norm, place, factor) = (gpu.up(&[0f64]), gpu.up(&[-1i32, 77]), gpu.up(&[2f64]));
    let mut wide = 7i64;
    // SAFETY: four elements, and places as wide as the answers.
    unsafe {
        blas!(cublasIdamin_v2_64(h, 4, gpu.at(&x), 1, &mut wide));
        assert_eq!(wide, 2);
        blas!(cublasIdamax_v2_64(h, 0, gpu.at(&x), 1, &mut wide));
        assert_eq!(wide, 0, "no element");
        let on_device = blas::cublasPointerMode_t::CUBLAS_POINTER_MODE_DEVICE;
        blas!(cublasSetPointerMode_v2(h, on_device));
        blas!(cublasDnrm2_v2(h, 4, gpu.at(&x), 1, gpu.at(&norm)));
        blas!(cublasIdamax_v2(h, 4, gpu.at(&x), 1, gpu.at(&place)));
        blas!(cublasDscal_v2(h, 2, gpu.at(&factor), gpu.at(&x), 1));
        blas!(cublasSetPointerMode_v2(h, blas::cublasPointerMode_t::CUBLAS_POINTER_MODE_HOST));
        // An element of no size, and a handle that is none.
        assert_ne!(blas::cublasDnrm2_v2(null_mut(), 4, gpu.at(&x), 1, gpu.at(&norm)), OK);
        // Nothing is read, because the leading dimension of A is shorter than its column.
        let (one, p) = (1f64, gpu.at(&x));
        let done = blas::cublasDgemm_v2(h, N, N, 2, 1, 1, &one, p, 1, p, 1, &one, p, 2);
        assert_eq!(done, Status::CUBLAS_STATUS_INVALID_VALUE);
    }
    close("nrm2", gpu.down(&norm), [5e300], 2, f64::EPSILON);
    assert_eq!(gpu.down(&place), [3, 77], "an answer of 32 bits");
    assert_eq!(gpu.down(&x)[..3], [6e300, 0.0, -4e300]);
}

/// `cublasSetVector` and `cublasGetMatrix`: rows between host and device.
pub fn copies(gpu: &Gpu) {
    let x = values::<f32>(30, 5);
    let on_device = gpu.up(&[9f32; 12]);
    let mut back = [0f32; 20];
    blas!(cublasSetVector(10, 4, x.as_ptr().cast(), 3, gpu.at(&on_device), 1));
    blas!(cublasGetMatrix(2, 3, 4, gpu.at(&on_device), 4, back.as_mut_ptr().cast(), 5));
    assert_eq!(gpu.down(&on_device)[..11], [x[0], x[3], x[6], x[9], x[12], x[15], x[18], x[21], x[24], x[27], 9.0]);
    let want = [x[0], x[3], 0.0, 0.0, 0.0, x[12], x[15], 0.0, 0.0, 0.0, x[24], x[27], 0.0];
    assert_eq!(back[..13], want);
}

/// A function that is not there, and types that a function does not have.
pub fn refused() {
    let (gpu, one, null) = (Gpu::new(), blas::cuComplex { x: 1.0, y: 0.0 }, null_mut::<blas::cuComplex>);
    let (left, lower) = (blas::cublasSideMode_t::CUBLAS_SIDE_LEFT, blas::cublasFillMode_t::CUBLAS_FILL_MODE_LOWER);
    let (kind, other, factor) = (Kind::CUDA_C_32F, Kind::CUDA_C_64F, (&raw const one).cast());
    let (h, compute, nothing) = (gpu.handle, Compute::CUBLAS_COMPUTE_32F, null().cast::<c_void>());
    // SAFETY: nothing is read.
    let done = unsafe {
        [
            blas::cublasChemm_v2(h, left, lower, 1, 1, &one, null(), 1, null(), 1, &one, null(), 1),
            blas::cublasGemmEx(
                h, N, N, 1, 1, 1, factor, nothing, kind, 1, nothing, kind, 1, factor, nothing, other, 1, compute, ANY,
            ),
        ]
    };
    assert_eq!(done, [Status::CUBLAS_STATUS_NOT_SUPPORTED; 2]);
}
