//! cuBLAS on the same problem, as the baseline.

use crate::data::Data;
use crate::plan::Problem;
use common::benchmark::{Benchmark, Outcome};
use common::check::Check;
use common::device::Device;
use common::element::Element;
use common::matrix::poison;
use common::result::Row;
use cudarc::cublas::sys::cublasOperation_t::CUBLAS_OP_T;
use cudarc::cublas::{CudaBlas, Gemv, GemvConfig};

/// `cublasSgemv` or `cublasDgemv`.
pub struct Blas<'a> {
    /// An open handle on the device's default stream.
    pub blas: &'a CudaBlas,
    /// What it computes.
    pub problem: &'a Problem,
}

impl<T: Element> Benchmark<Data<T>> for Blas<'_>
where
    CudaBlas: Gemv<T>,
{
    fn label(&self) -> String {
        format!("cublas {} {}", self.problem.size, self.problem.dtype)
    }

    fn prepare(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        Ok(poison(&device.stream, &mut data.b)?)
    }

    fn launch(&self, _: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        // Extents fit an int, see `Shape::extents`.
        let [m, n] = self.problem.extents.map(|extent| extent as i32);
        // cuBLAS is column-major: our row-major m×n matrix is its n×m one, to be taken transposed. β = 0 does not read b.
        let config = GemvConfig {
            trans: CUBLAS_OP_T,
            m: n,
            n: m,
            alpha: T::from_f64(1.0),
            lda: n,
            incx: 1,
            beta: T::from_f64(0.0),
            incy: 1,
        };
        // SAFETY: the slices hold m·n, n and m elements, as the configuration says.
        #[allow(unsafe_code)]
        unsafe { self.blas.gemv(config, &data.a, &data.x, &mut data.b) }.map_err(anyhow::Error::from)
    }

    fn check(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<Check> {
        data.check(device, self.problem)
    }

    fn row(&self, outcome: Outcome, data: &Data<T>) -> anyhow::Result<Row> {
        Ok(outcome.into_row("cublas", String::new(), &data.workload(self.problem)))
    }
}
