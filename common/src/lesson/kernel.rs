//! A rung of a lesson, ready to run.

use super::definition::{Case, Lesson, Operation};
use crate::benchmark::{Benchmark, Outcome};
use crate::check::{Check, check_elements, tolerance};
use crate::device::Device;
use crate::element::{Dtype, Element};
use crate::operands::Operands;
use crate::owned::{Owned, check_owned};
use crate::plan::Case as _;
use crate::recorder;
use crate::result::Row;
use anyhow::Context;
use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
use kernels::Source;

/// A loaded kernel with the launch that its case asks for.
pub struct Kernel<'c, L: Lesson> {
    case: &'c Case<L>,
    operation: Operation,
    symbol: String,
    function: CudaFunction,
    config: LaunchConfig,
}

impl<'c, L: Lesson> Kernel<'c, L> {
    /// Compiles and loads. Errors: the compiler's.
    pub fn new(device: &Device, source: &Source, case: &'c Case<L>) -> anyhow::Result<Self> {
        let symbol = format!("{}_{}", case.variant.name, case.problem.dtype);
        let function = device.kernel(source, &symbol).with_context(|| case.label())?;
        Ok(Kernel { case, operation: case.operation(), symbol, function, config: case.config() })
    }

    fn tolerance(&self) -> f64 {
        tolerance(self.operation.terms, self.case.problem.dtype)
    }

    /// The output as it should be.
    fn reference<'d, T: Element>(&self, data: &'d Operands<T>) -> anyhow::Result<&'d [f64]> {
        if data.reference.get().is_none() {
            let mut inputs = Vec::new();
            for input in 0..data.inputs.len() {
                inputs.push(data.input(input)?.iter().map(|element| element.to_f64()).collect());
            }
            let Case { variant, problem } = self.case;
            let _ = data.reference.set(L::reference(&variant.rung, problem.extents, &inputs));
        }
        Ok(data.reference.get().expect("just set"))
    }
}

impl<L: Lesson, T: Element> Benchmark<Operands<T>> for Kernel<'_, L> {
    fn label(&self) -> String {
        self.case.label()
    }

    fn prepare(&self, device: &Device, data: &mut Operands<T>) -> anyhow::Result<()> {
        match self.operation.starts_as {
            Some(input) => data.output_from_input(device, input),
            None => data.poison_output(device),
        }
    }

    #[allow(unsafe_code)]
    fn launch(&self, device: &Device, data: &mut Operands<T>) -> anyhow::Result<()> {
        let scalars: Vec<T> = L::SCALARS.iter().map(|&scalar| T::from_f64(scalar)).collect();
        // `Shape::extents` refuses what does not fit.
        let numbers = L::numbers(&self.case.variant.rung, self.case.problem.extents);
        let numbers: Vec<i32> = numbers.into_iter().map(|number| number as i32).collect();
        let mut builder = device.stream.launch_builder(&self.function);
        builder.arg(&mut data.output);
        for (number, input) in data.inputs.iter().enumerate() {
            if self.operation.starts_as != Some(number) {
                builder.arg(input);
            }
        }
        for scalar in &scalars {
            builder.arg(scalar);
        }
        for number in &numbers {
            builder.arg(number);
        }
        // SAFETY: the kernels of a lesson have the parameters that the module above names, and the slices are as long as the operation says.
        unsafe { recorder::launch(&device.stream, &self.symbol, &mut builder, self.config) }?;
        Ok(())
    }

    fn check(&self, device: &Device, data: &mut Operands<T>) -> anyhow::Result<Check> {
        data.collect(device)?;
        Ok(check_elements(data.result()?, self.reference(data)?, 1, self.tolerance()))
    }

    fn elements(&self) -> Result<(usize, Dtype), &'static str> {
        Ok((self.operation.output, T::DTYPE))
    }

    fn check_owned(&self, device: &Device, data: &mut Operands<T>, owned: &Owned) -> anyhow::Result<Check> {
        data.collect(device)?;
        let want = self.reference(data)?;
        let columns = self.operation.output.max(1);
        Ok(check_owned(data.result()?, owned, columns, self.tolerance(), |range| want[range.clone()].to_vec()))
    }

    fn row(&self, outcome: Outcome, data: &Operands<T>) -> anyhow::Result<Row> {
        let mut row = outcome.into_row(self.case.variant.name, self.case.block_text(), &data.workload);
        row.figures.insert("shape".to_owned(), self.case.problem.extents.as_ref().to_vec().into());
        Ok(row)
    }
}
