//! cuBLAS on the same problem, as the baseline.

use crate::data::{Data, OnDevice};
use crate::plan::Case;
use common::benchmark::{Benchmark, Outcome};
use common::check::Check;
use common::device::Device;
use common::element::Element;
use common::result::Row;
use common::timing::Phases;
use cudarc::cublas::CudaBlas;

/// `cublasSgemm` or `cublasDgemm`.
pub struct Blas<'a> {
    /// An open handle on the device's default stream.
    pub blas: &'a CudaBlas,
    /// The case of a rung that computes the same.
    pub case: &'a Case,
}

impl<T: Element> Benchmark<Data<T>> for Blas<'_> {
    fn label(&self) -> String {
        format!("cublas {}, {}", self.case.problem.size, self.case.problem.dtype)
    }

    fn prepare(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        data.make_resident(device, self.case, 0)
    }

    fn launch(&self, _: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        self.multiply(data.resident()?)
    }

    fn collect(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        data.collect(device, self.case)
    }

    fn run(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<Phases> {
        data.run(device, self.case, 0, |matrices| self.multiply(matrices))
    }

    fn check(&self, _: &Device, data: &mut Data<T>) -> anyhow::Result<Check> {
        data.check(self.case)
    }

    fn row(&self, outcome: Outcome, data: &Data<T>) -> anyhow::Result<Row> {
        Ok(data.row(outcome, "cublas", String::new(), self.case, &[]))
    }
}

impl Blas<'_> {
    fn multiply<T: Element>(&self, OnDevice { a, b, c, .. }: &mut OnDevice<T>) -> anyhow::Result<()> {
        // SAFETY: the slices hold m·k, k·n and m·n elements.
        #[allow(unsafe_code)]
        unsafe {
            T::multiply(self.blas, self.case.problem.extents, a, b, c)
        }
    }
}
