//! What others make of the same matrix: the driver's own copy, and cuBLAS' transpose.

use crate::data::{Data, Expected};
use crate::plan::Problem;
use common::benchmark::{Benchmark, Outcome};
use common::check::Check;
use common::device::Device;
use common::element::Element;
use common::result::Row;
use cudarc::cublas::CudaBlas;
use cudarc::cublas::sys::{self, cublasOperation_t};
use cudarc::driver::{DevicePtr, DevicePtrMut};
use std::ffi::c_int;

/// The driver's copy from device to device.
pub struct DriverCopy<'a>(pub &'a Problem);

impl<T: Element> Benchmark<Data<T>> for DriverCopy<'_> {
    fn label(&self) -> String {
        format!("memcpy {} {}", self.0.size, self.0.dtype)
    }

    fn prepare(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        data.poison_output(device)
    }

    fn launch(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        data.output_from_input(device)
    }

    fn check(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<Check> {
        data.check(device, self.0, Expected::Input)
    }

    fn row(&self, outcome: Outcome, data: &Data<T>) -> anyhow::Result<Row> {
        Ok(outcome.into_row("memcpy", String::new(), &data.workload(self.0)))
    }
}

/// `cublasSgeam` or `cublasDgeam`: C = α·op(A) + β·op(B) with α = 1, β = 0.
pub struct Blas<'a> {
    /// An open handle on the device's default stream.
    pub blas: &'a CudaBlas,
    /// What it transposes.
    pub problem: &'a Problem,
}

/// An element type of `geam`.
pub trait Geam: Element {
    /// `cublasSgeam` or `cublasDgeam`, with A transposed and B not read.
    ///
    /// # Safety
    /// `a` is m×n elements and `c` n×m, both row-major and on the device of `handle`.
    #[allow(unsafe_code)]
    unsafe fn transpose(
        handle: sys::cublasHandle_t,
        m: c_int,
        n: c_int,
        a: *const Self,
        c: *mut Self,
    ) -> sys::cublasStatus_t;
}

macro_rules! geam {
    ($T:ty, $function:path) => {
        impl Geam for $T {
            #[allow(unsafe_code)]
            unsafe fn transpose(
                handle: sys::cublasHandle_t,
                m: c_int,
                n: c_int,
                a: *const Self,
                c: *mut Self,
            ) -> sys::cublasStatus_t {
                let (transposed, plain) = (cublasOperation_t::CUBLAS_OP_T, cublasOperation_t::CUBLAS_OP_N);
                // cuBLAS is column-major: our row-major m×n A is its n×m one, our n×m result its m×n one.
                // SAFETY: the caller's promise; with β = 0 and B = C, B is not read.
                unsafe { $function(handle, transposed, plain, m, n, &1.0, a, n, &0.0, c, m, c, m) }
            }
        }
    };
}
geam!(f32, sys::cublasSgeam);
geam!(f64, sys::cublasDgeam);

impl<T: Geam> Benchmark<Data<T>> for Blas<'_> {
    fn label(&self) -> String {
        format!("cublas {} {}", self.problem.size, self.problem.dtype)
    }

    fn prepare(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        data.poison_output(device)
    }

    fn launch(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        // Extents fit an int, see `Shape::extents`.
        let [m, n] = self.problem.extents.map(|extent| extent as i32);
        let (a, _record_a) = data.input.device_ptr(&device.stream);
        let (c, _record_c) = data.output.device_ptr_mut(&device.stream);
        // SAFETY: both slices hold m·n elements.
        #[allow(unsafe_code)]
        let status = unsafe { T::transpose(*self.blas.handle(), m, n, a as *const T, c as *mut T) };
        Ok(status.result()?)
    }

    fn check(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<Check> {
        data.check(device, self.problem, Expected::Transpose)
    }

    fn row(&self, outcome: Outcome, data: &Data<T>) -> anyhow::Result<Row> {
        Ok(outcome.into_row("cublas", String::new(), &data.workload(self.problem)))
    }
}
