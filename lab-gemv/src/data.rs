//! The matrices of one problem, on the host and on the device, shared by all benchmarks.

use crate::plan::{Case, Problem};
use crate::variants::Method;
use common::benchmark::Workload;
use common::check::{Check, check_elements, tolerance};
use common::device::Device;
use common::element::Element;
use common::matrix::{Matrix, allocate_device, distinct_seed};
use common::owned::{Owned, check_owned};
use common::reference::matrix_vector;
use common::timing::Stopwatch;
use cudarc::driver::CudaSlice;
use std::ops::Range;

/// A problem's data.
#[derive(Debug)]
pub struct Data<T: Element> {
    /// m×n.
    pub host_a: Matrix<T>,
    /// n×1.
    pub host_x: Matrix<T>,
    /// A on the device.
    pub a: CudaSlice<T>,
    /// x on the device.
    pub x: CudaSlice<T>,
    /// b on the device.
    pub b: CudaSlice<T>,
    /// Two buffers for partial sums, each as long as any benchmark needs it.
    pub partial: [CudaSlice<T>; 2],
    /// b as it should be.
    pub reference: Vec<f64>,
    host_b: Matrix<T>,
    copy_in_ms: f64,
    copy_out_ms: f64,
}

impl<T: Element> Data<T> {
    /// Random A and x, copied in; room for b and for the partial sums of all `cases`.
    pub fn new(device: &Device, problem: &Problem, cases: &[Case]) -> anyhow::Result<Self> {
        let Problem { extents: [m, n], host_memory, seed, .. } = *problem;
        let (context, stream) = (&device.context, &device.stream);
        let host_a = Matrix::random(context, m, n, host_memory, distinct_seed(seed, 0))?;
        let host_x = Matrix::random(context, n, 1, host_memory, distinct_seed(seed, 1))?;
        let host_b = Matrix::poisoned(context, m, 1, host_memory)?;
        let mut a = allocate_device(stream, m * n)?;
        let mut x = allocate_device(stream, n)?;
        let mut watch = Stopwatch::start(stream)?;
        host_a.copy_in(stream, &mut a)?;
        host_x.copy_in(stream, &mut x)?;
        watch.lap("copy_in")?;
        let reference = matrix_vector(host_a.elements()?, host_x.elements()?);
        let lengths = partial_lengths(device, problem, cases)?;
        Ok(Data {
            a,
            x,
            b: allocate_device(stream, m)?,
            partial: [allocate_device(stream, lengths[0])?, allocate_device(stream, lengths[1])?],
            reference,
            host_a,
            host_x,
            host_b,
            copy_in_ms: watch.finish()?.get("copy_in"),
            copy_out_ms: 0.0,
        })
    }

    /// What the rows of this problem have in common.
    pub fn workload(&self, problem: &Problem) -> Workload {
        Workload {
            size: problem.size.clone(),
            dtype: problem.dtype,
            host_memory: problem.host_memory,
            flops: Some(problem.flops()),
            bytes: problem.bytes(),
            copy_in_ms: self.copy_in_ms,
            copy_out_ms: self.copy_out_ms,
        }
    }

    /// Copies b out and compares every element.
    pub fn check(&mut self, device: &Device, problem: &Problem) -> anyhow::Result<Check> {
        self.collect(device)?;
        let tolerance = tolerance(problem.extents[1], T::DTYPE);
        Ok(check_elements(self.host_b.elements()?, &self.reference, 1, tolerance))
    }

    /// Copies b out and compares those elements that were written.
    pub fn check_owned(&mut self, device: &Device, problem: &Problem, owned: &Owned) -> anyhow::Result<Check> {
        let n = problem.extents[1];
        self.collect(device)?;
        let (a, x) = (self.host_a.elements()?, self.host_x.elements()?);
        let want = |range: &Range<usize>| matrix_vector(&a[range.start * n..range.end * n], x);
        Ok(check_owned(self.host_b.elements()?, owned, problem.extents[0], tolerance(n, T::DTYPE), want))
    }

    /// Copies b out.
    fn collect(&mut self, device: &Device) -> anyhow::Result<()> {
        // What the host holds from the check before must not pass for this result.
        self.host_b.elements_mut()?.fill(T::POISON);
        let mut watch = Stopwatch::start(&device.stream)?;
        self.host_b.copy_out(&device.stream, &self.b)?;
        watch.lap("copy_out")?;
        self.copy_out_ms = watch.finish()?.get("copy_out");
        Ok(())
    }
}

/// Elements of each of the two buffers: the most that any case needs, at least one.
fn partial_lengths(device: &Device, problem: &Problem, cases: &[Case]) -> anyhow::Result<[usize; 2]> {
    let [m, n] = problem.extents;
    let mut lengths = [1, 1];
    for case in cases {
        let needed = match case.variant.rung.method {
            Method::Repeated => {
                let first = n.div_ceil(case.block.sx);
                [m * first, m * first.div_ceil(case.block.sx)]
            }
            // At most one partial sum per row and resident block; more than ⌈n/sx⌉ blocks beside each other are never launched.
            Method::Cooperative => [m * n.div_ceil(case.block.sx).min(resident_blocks_at_most(device)?), 1],
            Method::Read { .. } => [case.read_blocks(), 1],
            Method::Atomic { .. } | Method::Warp { .. } | Method::BlockPerRow => [1, 1],
        };
        lengths = [lengths[0].max(needed[0]), lengths[1].max(needed[1])];
    }
    Ok(lengths)
}

/// No device holds more than 32 blocks per multiprocessor at once (CUDA C++ Programming Guide, technical specifications).
fn resident_blocks_at_most(device: &Device) -> anyhow::Result<usize> {
    Ok(32 * device.limits()?.multiprocessors)
}
