//! Shared by all programs here: a device, a handle, numbers to begin with, and a comparison.
use cudarc::cublas::sys::{cublasHandle_t, cublasStatus_t};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DeviceRepr, ValidAsZeroBits};
use std::sync::Arc;

pub const OK: cublasStatus_t = cublasStatus_t::CUBLAS_STATUS_SUCCESS;

/// Calls a function of cuBLAS, which succeeds.
macro_rules! blas {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: the tests give matrices and vectors of the sizes that they name, and places for answers; a handle is looked up.
        #[allow(unused_unsafe, reason = "a call may stand beside what is unsafe by itself")]
        let result = unsafe { cudarc::cublas::sys::$function($($argument),*) };
        assert_eq!(result, $crate::gpu::OK)
    }};
}

pub struct Gpu {
    pub stream: Arc<CudaStream>,
    pub handle: cublasHandle_t,
}

impl Gpu {
    /// A handle that works in a stream of its own.
    pub fn new() -> Gpu {
        let stream = CudaContext::new(0).expect("a device").new_stream().expect("a stream");
        let mut handle = std::ptr::null_mut();
        blas!(cublasCreate_v2(&mut handle));
        blas!(cublasSetStream_v2(handle, stream.cu_stream().cast()));
        Gpu { stream, handle }
    }

    pub fn up<T: DeviceRepr>(&self, values: &[T]) -> CudaSlice<T> {
        self.stream.clone_htod(values).expect("memory")
    }

    pub fn down<T: DeviceRepr + Clone + Default + ValidAsZeroBits>(&self, values: &CudaSlice<T>) -> Vec<T> {
        self.stream.clone_dtoh(values).expect("a copy")
    }

    /// An address on the device, in the form that an argument has.
    pub fn at<T, P>(&self, values: &CudaSlice<T>) -> *mut P {
        values.device_ptr(&self.stream).0 as *mut P
    }

    /// An address on the device, as a number.
    pub fn place<T>(&self, values: &CudaSlice<T>) -> usize {
        self.at::<T, T>(values).addr()
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        blas!(cublasDestroy_v2(self.handle));
    }
}

/// A type that functions have names for, as the tests compute with it.
pub trait Number: DeviceRepr + ValidAsZeroBits + Copy + Default {
    /// The largest relative error of one operation.
    const UNIT: f64;
    fn of(value: f64) -> Self;
    fn f64(self) -> f64;
}

impl Number for f32 {
    const UNIT: f64 = f32::EPSILON as f64;
    fn of(value: f64) -> f32 {
        value as f32
    }
    fn f64(self) -> f64 {
        self.into()
    }
}

impl Number for f64 {
    const UNIT: f64 = f64::EPSILON;
    fn of(value: f64) -> f64 {
        value
    }
    fn f64(self) -> f64 {
        self
    }
}

/// Values between -1 and 1, others for each seed.
pub fn values<T: Number>(count: usize, seed: u64) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| T::of(next())).collect()
}

/// Compares sums of `terms` products of numbers below 1, each with an error of `unit`; both sides must be finite.
#[track_caller]
pub fn close(
    what: &str,
    got: impl IntoIterator<Item = f64>,
    want: impl IntoIterator<Item = f64>,
    terms: usize,
    unit: f64,
) {
    let allowed = unit * (terms as f64 + 2.0);
    let (got, want): (Vec<f64>, Vec<f64>) = (got.into_iter().collect(), want.into_iter().collect());
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (got, want)) in got.iter().zip(&want).enumerate() {
        let is_close = (got - want).abs() <= allowed * want.abs().max(1.0);
        assert!(is_close, "{what}: element {i} is {got}, not {want}; {allowed:e} is allowed");
    }
}
