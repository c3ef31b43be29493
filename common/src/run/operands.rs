//! The operands of one problem, on the host and on the device: inputs copied in once, and one output that is compared after a launch.

use crate::benchmark::{Benchmark, Outcome, Workload};
use crate::check::Check;
use crate::device::Device;
use crate::element::Element;
use crate::lazy_memory::Elements;
use crate::matrix::{Matrix, allocate_device, poison};
use crate::plan::Problem;
use crate::recorder::{Work, traced};
use crate::result::Row;
use crate::timing::Stopwatch;
use cudarc::driver::CudaSlice;
use std::cell::OnceCell;

/// The operands, all matrices, a vector as one of a single column. `R` is the result as it should be, in the form that the lab compares.
#[derive(Debug)]
pub struct Operands<T: Element, R = Vec<f64>> {
    // The host's side first, because it is given back first.
    host_inputs: Vec<Matrix<T>>,
    host_output: Matrix<T>,
    /// The inputs on the device. No benchmark writes them.
    pub inputs: Vec<CudaSlice<T>>,
    /// Room for the result on the device; for one that is computed in place, it holds an input before the launch.
    pub output: CudaSlice<T>,
    /// Room on the device for what lies between.
    pub scratch: Vec<CudaSlice<T>>,
    /// The result as it should be, once it is asked for.
    pub reference: OnceCell<R>,
    /// Properties that the rows of the problem have in common.
    pub workload: Workload,
}

/// The layout of a problem's operands.
pub struct Layout<'a> {
    /// Rows, columns and seed of each input.
    pub inputs: &'a [([usize; 2], u64)],
    /// Rows and columns of the output.
    pub output: [usize; 2],
    /// Elements of each buffer for what lies between.
    pub scratch: &'a [usize],
    /// Floating-point operations; `None` where there is no arithmetic.
    pub flops: Option<f64>,
    /// Bytes that have to move at least once.
    pub bytes: f64,
}

impl<T: Element, R> Operands<T, R> {
    /// Random inputs, copied in; room for the rest.
    pub fn new<E>(device: &Device, problem: &Problem<E>, layout: &Layout<'_>) -> anyhow::Result<Self> {
        let stream = &device.stream;
        let memory = problem.host_memory;
        let (mut host_inputs, mut inputs, mut scratch) = (Vec::new(), Vec::new(), Vec::new());
        for &([rows, columns], seed) in layout.inputs {
            host_inputs.push(Matrix::random(device, rows, columns, memory, seed)?);
        }
        let [rows, columns] = layout.output;
        let host_output = Matrix::result(device, rows, columns, memory)?;
        for ([rows, columns], _) in layout.inputs {
            inputs.push(allocate_device(stream, rows * columns)?);
        }
        let mut watch = Stopwatch::start(stream)?;
        for (host, input) in host_inputs.iter().zip(&mut inputs) {
            host.copy_in(stream, input)?;
        }
        watch.lap("copy_in")?;
        let output = allocate_device(stream, rows * columns)?;
        for &len in layout.scratch {
            scratch.push(allocate_device(stream, len)?);
        }
        let workload = Workload {
            size: problem.size.clone(),
            dtype: problem.dtype,
            host_memory: memory,
            flops: layout.flops,
            bytes: layout.bytes,
            copy_in_ms: watch.finish()?.get("copy_in"),
            copy_out_ms: 0.0,
        };
        Ok(Operands { inputs, output, scratch, reference: OnceCell::new(), workload, host_inputs, host_output })
    }

    /// No element of the output is a number.
    pub fn poison_output(&mut self, device: &Device) -> anyhow::Result<()> {
        Ok(poison(&device.stream, &mut self.output)?)
    }

    /// The output holds an input.
    pub fn output_from_input(&mut self, device: &Device, input: usize) -> anyhow::Result<()> {
        let work = Work::transfer("memcpy DtoD", self.host_inputs[input].bytes());
        let copy = || device.stream.memcpy_dtod(&self.inputs[input], &mut self.output);
        Ok(traced(&device.stream, "cuMemcpyDtoDAsync_v2", Some(work), copy)?)
    }

    /// Copies the output out, to where [`Operands::result`] finds it.
    pub fn collect(&mut self, device: &Device) -> anyhow::Result<()> {
        // The result that the host holds from the check before must not pass for this one.
        self.host_output.poison()?;
        let mut watch = Stopwatch::start(&device.stream)?;
        self.host_output.copy_out(&device.stream, &self.output)?;
        watch.lap("copy_out")?;
        self.workload.copy_out_ms = watch.finish()?.get("copy_out");
        Ok(())
    }

    /// The output as it was collected.
    pub fn result(&self) -> anyhow::Result<&[T]> {
        self.host_output.elements().map_err(anyhow::Error::from)
    }

    /// The same, to be brought into another form.
    pub fn result_mut(&mut self) -> anyhow::Result<&mut [T]> {
        self.host_output.elements_mut().map_err(anyhow::Error::from)
    }

    /// The output as it was collected, as it is held.
    pub fn result_view(&self) -> anyhow::Result<Elements<'_, T>> {
        self.host_output.view().map_err(anyhow::Error::from)
    }

    /// An input's elements on the host, as they are held.
    pub fn input_view(&self, input: usize) -> anyhow::Result<Elements<'_, T>> {
        self.host_inputs[input].view().map_err(anyhow::Error::from)
    }

    /// An input's elements on the host.
    pub fn input(&self, input: usize) -> anyhow::Result<&[T]> {
        self.host_inputs[input].elements().map_err(anyhow::Error::from)
    }
}

/// A library's way, or the driver's, to the same result.
pub struct Yardstick<'a, T: Element, R> {
    name: &'static str,
    label: String,
    launch: Launch<'a, T, R>,
    check: CheckResult<'a, T, R>,
}

type Launch<'a, T, R> = Box<dyn Fn(&Device, &mut Operands<T, R>) -> anyhow::Result<()> + 'a>;
type CheckResult<'a, T, R> = Box<dyn Fn(&Device, &mut Operands<T, R>) -> anyhow::Result<Check> + 'a>;

impl<'a, T: Element, R> Yardstick<'a, T, R> {
    /// A yardstick of this name, on a problem.
    pub fn new<E>(
        name: &'static str,
        problem: &Problem<E>,
        launch: impl Fn(&Device, &mut Operands<T, R>) -> anyhow::Result<()> + 'a,
        check: impl Fn(&Device, &mut Operands<T, R>) -> anyhow::Result<Check> + 'a,
    ) -> Self {
        let label = format!("{name} {} {}", problem.size, problem.dtype);
        Yardstick { name, label, launch: Box::new(launch), check: Box::new(check) }
    }
}

impl<T: Element, R> Benchmark<Operands<T, R>> for Yardstick<'_, T, R> {
    fn label(&self) -> String {
        self.label.clone()
    }

    fn prepare(&self, device: &Device, data: &mut Operands<T, R>) -> anyhow::Result<()> {
        data.poison_output(device)
    }

    fn launch(&self, device: &Device, data: &mut Operands<T, R>) -> anyhow::Result<()> {
        (self.launch)(device, data)
    }

    fn check(&self, device: &Device, data: &mut Operands<T, R>) -> anyhow::Result<Check> {
        (self.check)(device, data)
    }

    fn row(&self, outcome: Outcome, data: &Operands<T, R>) -> anyhow::Result<Row> {
        Ok(outcome.into_row(self.name, String::new(), &data.workload))
    }
}
