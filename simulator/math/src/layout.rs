//! The structs that kernels take, as `kernels/blas.cu` and `kernels/random.cu` declare them.
use std::ffi::{c_int, c_void};
use std::ptr::null;

/// An address or a handle.
pub type Raw = *mut c_void;

cuda::c_structs! {
    /// A factor: a value, or the address of one on the device with its `cudaDataType`.
    #[derive(Clone, Copy, Debug)]
    pub struct Scalar {
        /// Where there is no address.
        pub value: f64;
        /// The imaginary part of that value.
        pub imaginary: f64;
        /// Null, or on the device.
        pub at: *const c_void;
        /// The type of that value, by its `cudaDataType`.
        pub kind: c_int;
    }
    /// An address, or one of a list of addresses, and strides in elements: to the next row, column, and matrix of a batch.
    #[derive(Clone, Copy, Debug)]
    #[allow(missing_docs, reason = "the names say all")]
    pub struct Matrix {
        pub at: Raw;
        pub row, col, batch: i64;
        pub conjugated: c_int;
    }
    /// `Vectors` of `blas.cu`.
    #[derive(Clone, Copy, Debug)]
    #[allow(missing_docs, reason = "the kernel's source has the words")]
    pub struct Vectors {
        pub n: i64;
        pub alpha: Scalar;
        pub x: Raw;
        pub x_step: i64;
        pub y: Raw;
        pub y_step: i64;
        pub partial, result: u64;
        pub is_wide: c_int;
    }
    /// `Product` of `blas.cu`.
    #[derive(Clone, Copy, Debug)]
    #[allow(missing_docs, reason = "the kernel's source has the words")]
    pub struct Product {
        pub a, b, c, d: Matrix;
        pub m, n, k, batch: i64;
        pub alpha, beta: Scalar;
        pub bias: Raw;
        pub bias_batch: i64;
        pub lists, triangle, epilogue, unit: c_int;
    }
}

impl Scalar {
    /// A factor that the host knows.
    pub const fn known(value: f64) -> Scalar {
        Scalar { value, imaginary: 0.0, at: null(), kind: 0 }
    }
}
