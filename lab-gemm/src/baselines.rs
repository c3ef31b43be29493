//! cuBLAS on the same problem, as the baseline.

use crate::data::{Data, OnDevice};
use crate::plan::Problem;
use common::benchmark::{Benchmark, Outcome};
use common::check::Check;
use common::device::Device;
use common::element::Element;
use common::result::Row;
use common::timing::Phases;
use cudarc::cublas::sys::cublasOperation_t::CUBLAS_OP_N;
use cudarc::cublas::{CudaBlas, Gemm, GemmConfig};

/// `cublasSgemm` or `cublasDgemm`.
pub struct Blas<'a> {
    /// An open handle on the device's default stream.
    pub blas: &'a CudaBlas,
    /// What it computes.
    pub problem: &'a Problem,
}

impl<T: Element> Benchmark<Data<T>> for Blas<'_>
where
    CudaBlas: Gemm<T>,
{
    fn label(&self) -> String {
        format!("cublas {}, {}", self.problem.size, self.problem.dtype)
    }

    fn prepare(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        data.make_resident(device, self.problem, 0)
    }

    fn launch(&self, _: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        self.multiply(data.resident()?)
    }

    fn collect(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        data.collect(device, self.problem)
    }

    fn run(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<Phases> {
        data.run(device, self.problem, 0, |matrices| self.multiply(matrices))
    }

    fn check(&self, _: &Device, data: &mut Data<T>) -> anyhow::Result<Check> {
        data.check(self.problem)
    }

    fn row(&self, outcome: Outcome, data: &Data<T>) -> anyhow::Result<Row> {
        Ok(data.row(outcome, "cublas", String::new(), self.problem, &[]))
    }
}

impl Blas<'_> {
    fn multiply<T: Element>(&self, matrices: &mut OnDevice<T>) -> anyhow::Result<()>
    where
        CudaBlas: Gemm<T>,
    {
        let OnDevice { a, b, c, .. } = matrices;
        let [m, k, n] = self.problem.extents.map(|extent| extent as i32);
        // cuBLAS is column-major: what it sees as A, B, C are our Bᵀ, Aᵀ, Cᵀ, and Cᵀ = Bᵀ·Aᵀ.
        let config = GemmConfig {
            transa: CUBLAS_OP_N,
            transb: CUBLAS_OP_N,
            m: n,
            n: m,
            k,
            alpha: T::from_f64(1.0),
            lda: n,
            ldb: k,
            beta: T::from_f64(0.0),
            ldc: n,
        };
        // SAFETY: the slices hold m·n, m·k and k·n elements, as the configuration says.
        #[allow(unsafe_code)]
        unsafe { self.blas.gemm(config, &*b, &*a, c) }.map_err(anyhow::Error::from)
    }
}
