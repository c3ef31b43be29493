//! The matrices of one problem, on the host and on the device, shared by all benchmarks.

use crate::plan::Problem;
use common::benchmark::Workload;
use common::check::{Check, check_exactly};
use common::device::Device;
use common::element::Element;
use common::matrix::{Matrix, allocate_device, poison};
use common::owned::{Owned, check_owned};
use common::recorder::{Work, traced};
use common::reference::transpose;
use common::timing::Stopwatch;
use cudarc::driver::CudaSlice;
use std::cell::OnceCell;
use std::ops::Range;

/// A problem's data.
#[derive(Debug)]
pub struct Data<T: Element> {
    host_input: Matrix<T>,
    host_output: Matrix<T>,
    /// The transpose, once all of it is asked for.
    reference: OnceCell<Vec<T>>,
    /// The m×n input on the device. No benchmark writes it.
    pub input: CudaSlice<T>,
    /// Room for the result on the device; for one in place, it holds the input before the launch.
    pub output: CudaSlice<T>,
    copy_in_ms: f64,
    copy_out_ms: f64,
}

/// What a result is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The input itself.
    Input,
    /// Its transpose.
    Transpose,
}

impl<T: Element> Data<T> {
    /// A random input, copied in.
    pub fn new(device: &Device, problem: &Problem) -> anyhow::Result<Self> {
        let Problem { extents: [m, n], host_memory, seed, .. } = *problem;
        let (context, stream) = (&device.context, &device.stream);
        let host_input = Matrix::random(context, m, n, host_memory, seed)?;
        let mut input = allocate_device(stream, m * n)?;
        let mut watch = Stopwatch::start(stream)?;
        host_input.copy_in(stream, &mut input)?;
        watch.lap("copy_in")?;
        Ok(Data {
            input,
            output: allocate_device(stream, m * n)?,
            reference: OnceCell::new(),
            host_output: Matrix::poisoned(context, n, m, host_memory)?,
            host_input,
            copy_in_ms: watch.finish()?.get("copy_in"),
            copy_out_ms: 0.0,
        })
    }

    /// No element of the output is a number.
    pub fn poison_output(&mut self, device: &Device) -> anyhow::Result<()> {
        Ok(poison(&device.stream, &mut self.output)?)
    }

    /// The output holds the input.
    pub fn output_from_input(&mut self, device: &Device) -> anyhow::Result<()> {
        let work = Work::transfer("memcpy DtoD", self.host_input.bytes());
        let copy = || device.stream.memcpy_dtod(&self.input, &mut self.output);
        Ok(traced(&device.stream, "cuMemcpyDtoDAsync_v2", Some(work), copy)?)
    }

    /// What the rows of this problem have in common.
    pub fn workload(&self, problem: &Problem) -> Workload {
        Workload {
            size: problem.size.clone(),
            dtype: problem.dtype,
            host_memory: problem.host_memory,
            flops: None,
            bytes: problem.bytes(),
            copy_in_ms: self.copy_in_ms,
            copy_out_ms: self.copy_out_ms,
        }
    }

    /// Copies the output out and compares every element, bit by bit.
    pub fn check(&mut self, device: &Device, problem: &Problem, expected: Expected) -> anyhow::Result<Check> {
        let [m, n] = problem.extents;
        self.collect(device)?;
        let got = self.host_output.elements()?;
        let input = self.host_input.elements()?;
        Ok(match expected {
            Expected::Input => check_exactly(got, input, n),
            Expected::Transpose => check_exactly(got, self.reference.get_or_init(|| transpose(input, m, n)), m),
        })
    }

    /// Copies the output out and compares those elements that were written.
    pub fn check_owned(
        &mut self,
        device: &Device,
        problem: &Problem,
        expected: Expected,
        owned: &Owned,
    ) -> anyhow::Result<Check> {
        let [m, n] = problem.extents;
        self.collect(device)?;
        let input = self.host_input.elements()?;
        let (columns, place): (usize, &(dyn Fn(usize) -> usize + Sync)) = match expected {
            Expected::Input => (n, &|index| index),
            Expected::Transpose => (m, &|index| index % m * n + index / m),
        };
        let want = |range: &Range<usize>| range.clone().map(|index| input[place(index)].to_f64()).collect();
        Ok(check_owned(self.host_output.elements()?, owned, columns, 0.0, want))
    }

    /// Copies the output out.
    fn collect(&mut self, device: &Device) -> anyhow::Result<()> {
        // What the host holds from the check before must not pass for this result.
        self.host_output.elements_mut()?.fill(T::POISON);
        let mut watch = Stopwatch::start(&device.stream)?;
        self.host_output.copy_out(&device.stream, &self.output)?;
        watch.lap("copy_out")?;
        self.copy_out_ms = watch.finish()?.get("copy_out");
        Ok(())
    }
}
