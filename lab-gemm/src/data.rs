//! The host side of a problem, and one run on it from allocation to free.

use crate::plan::Problem;
use common::check::{Check, check_product};
use common::device::Device;
use common::element::Element;
use common::host_memory::HostMemory;
use common::matrix::{Matrix, allocate_device, distinct_seed, poison};
use common::reference::Product;
use common::timing::{Phases, Stopwatch};
use cudarc::driver::CudaSlice;
use serde_json::{Map, Value};

/// The phases of a run, in order.
pub const PHASES: [&str; 6] = ["allocation", "copy_in", "kernel", "copy_out", "synchronisation", "free"];

/// Puts on the device's default stream what computes C from A and B.
pub type Launch<'a, T> = Box<dyn Fn(&mut CudaSlice<T>, &CudaSlice<T>, &CudaSlice<T>) -> anyhow::Result<()> + 'a>;

/// One way to solve a problem.
pub struct Contender<'a, T: Element> {
    /// Its name in the report.
    pub variant: &'static str,
    /// What a reader calls it, for messages.
    pub label: String,
    /// Threads of a block; empty where a library chooses.
    pub block: String,
    /// What it computes.
    pub problem: &'a Problem,
    /// What only it knows.
    pub figures: Map<String, Value>,
    /// How.
    pub launch: Launch<'a, T>,
}

/// A and B, once for each kind of host memory that inputs live in, with the same elements; and a C for each kind that results live in.
pub struct Data<T: Element> {
    inputs: Vec<(HostMemory, Matrix<T>, Matrix<T>)>,
    results: Vec<(HostMemory, Matrix<T>)>,
}

impl<T: Element> Data<T> {
    /// What these problems need; they differ in host memory only.
    pub fn new<'p>(device: &Device, problems: impl Iterator<Item = &'p Problem>) -> anyhow::Result<Self> {
        let context = &device.context;
        let mut data = Data { inputs: Vec::new(), results: Vec::new() };
        for problem in problems {
            let [m, k, n] = problem.extents;
            let memory = problem.input_memory;
            if !data.inputs.iter().any(|(known, ..)| *known == memory) {
                let a = Matrix::random(context, m, k, memory, distinct_seed(problem.seed, 0))?;
                let b = Matrix::random(context, k, n, memory, distinct_seed(problem.seed, 1))?;
                data.inputs.push((memory, a, b));
            }
            let memory = problem.result_memory;
            if !data.results.iter().any(|(known, _)| *known == memory) {
                data.results.push((memory, Matrix::poisoned(context, m, n, memory)?));
            }
        }
        Ok(data)
    }

    /// One run from allocation to free, on the default stream. C holds the result afterwards, and no element of an earlier one.
    pub fn run(&mut self, device: &Device, problem: &Problem, launch: &Launch<'_, T>) -> anyhow::Result<Phases> {
        let stream = &device.stream;
        let [m, k, n] = problem.extents;
        let (host_a, host_b, host_c) = self.of(problem);
        host_c.elements_mut()?.fill(T::POISON);
        let mut watch = Stopwatch::start(stream)?;
        let mut a = allocate_device::<T>(stream, m * k)?;
        let mut b = allocate_device::<T>(stream, k * n)?;
        let mut c = allocate_device::<T>(stream, m * n)?;
        watch.lap("allocation")?;
        poison(stream, &mut c)?;
        watch.skip()?;
        host_a.copy_in(stream, &mut a)?;
        watch.lap("copy_in")?;
        host_b.copy_in(stream, &mut b)?;
        watch.lap("copy_in")?;
        launch(&mut c, &a, &b)?;
        watch.lap("kernel")?;
        host_c.copy_out(stream, &c)?;
        watch.lap("copy_out")?;
        stream.synchronize()?;
        watch.lap("synchronisation")?;
        drop((a, b, c));
        watch.lap("free")?;
        Ok(watch.finish()?)
    }

    /// Compares the last result with the reference.
    pub fn check(&mut self, problem: &Problem) -> anyhow::Result<Check> {
        let [m, k, n] = problem.extents;
        let (a, b, c) = self.of(problem);
        let product = Product { m, k, n, a: a.elements()?, b: b.elements()? };
        Ok(check_product(&product, c.elements()?, problem.seed))
    }

    /// The problem's A, B and C.
    fn of(&mut self, problem: &Problem) -> (&Matrix<T>, &Matrix<T>, &mut Matrix<T>) {
        let (_, a, b) = self.inputs.iter().find(|(memory, ..)| *memory == problem.input_memory).expect("made in `new`");
        let (_, c) =
            self.results.iter_mut().find(|(memory, _)| *memory == problem.result_memory).expect("made in `new`");
        (a, b, c)
    }
}
