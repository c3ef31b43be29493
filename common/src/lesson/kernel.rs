//! A rung of a lesson, ready to run.

use super::definition::{Case, Lesson, Operation};
use crate::benchmark::{Benchmark, Outcome};
use crate::call::{Call, Function};
use crate::check::{Check, tolerance};
use crate::device::Device;
use crate::element::{Dtype, Element};
use crate::lazy_memory::Elements;
use crate::operands::Operands;
use crate::owned::{Owned, check_owned};
use crate::plan::Case as _;
use crate::recorder::{self, Work, traced};
use crate::result::Row;
use anyhow::Context;
use cudarc::driver::{CudaSlice, LaunchConfig};
use kernels::Source;
use std::cell::RefCell;

/// A loaded kernel with the launch that its case asks for.
pub struct Kernel<'c, L: Lesson> {
    case: &'c Case<L>,
    operation: Operation,
    function: Function,
    config: LaunchConfig,
    /// Scratch memory as it is at the beginning of every launch, and the kernel's own; none before the first one, and where there is none.
    scratch: RefCell<Option<[CudaSlice<u32>; 2]>>,
}

impl<'c, L: Lesson> Kernel<'c, L> {
    /// Compiles and loads. Errors: the compiler's.
    pub fn new(device: &Device, source: &Source, case: &'c Case<L>) -> anyhow::Result<Self> {
        let symbol = format!("{}_{}", case.variant.name, case.problem.dtype);
        let function = device.kernel(source, &symbol).with_context(|| case.label())?;
        Ok(Kernel { case, operation: case.operation(), function, config: case.config(), scratch: RefCell::default() })
    }

    fn tolerance(&self) -> f64 {
        tolerance(self.operation.terms, self.case.problem.dtype)
    }

    /// The output as it should be.
    fn reference<'d, T: Element>(&self, data: &'d Operands<T>) -> anyhow::Result<&'d [f64]> {
        if data.reference.get().is_none() {
            let Case { variant, problem, .. } = self.case;
            let _ = data.reference.set(L::reference(&variant.rung, problem.extents, &numbers(data)?));
        }
        Ok(data.reference.get().expect("just set"))
    }

    /// Collects the output, in the form in which it is compared.
    fn collect<T: Element>(&self, device: &Device, data: &mut Operands<T>) -> anyhow::Result<()> {
        data.collect(device)?;
        L::normalise(&self.case.variant.rung, data.result_mut()?);
        Ok(())
    }
}

/// The inputs as numbers.
fn numbers<T: Element>(data: &Operands<T>) -> anyhow::Result<Vec<Vec<f64>>> {
    let input = |input| Ok(data.input(input)?.iter().map(|element| element.to_f64()).collect());
    (0..data.inputs.len()).map(input).collect()
}

impl<L: Lesson, T: Element> Benchmark<Operands<T>> for Kernel<'_, L> {
    fn label(&self) -> String {
        self.case.label()
    }

    fn prepare(&self, device: &Device, data: &mut Operands<T>) -> anyhow::Result<()> {
        let Case { variant, problem, .. } = self.case;
        let mut scratch = self.scratch.borrow_mut();
        if let (None, Some(words)) = (&*scratch, L::scratch(&variant.rung)) {
            let words = words(problem.extents, &numbers(data)?);
            *scratch = Some([device.stream.clone_htod(&words)?, device.stream.clone_htod(&words)?]);
        }
        match self.operation.starts_as {
            Some(input) => data.output_from_input(device, input),
            None => data.poison_output(device),
        }
    }

    #[allow(unsafe_code)]
    fn launch(&self, device: &Device, data: &mut Operands<T>) -> anyhow::Result<()> {
        let (rung, stream) = (&self.case.variant.rung, &device.stream);
        let scalars: Vec<T> = L::SCALARS.iter().map(|&scalar| T::from_f64(scalar)).collect();
        // `Shape::extents` refuses what does not fit.
        let numbers = L::numbers(rung, self.case.problem.extents);
        let numbers: Vec<i32> = numbers.into_iter().map(|number| number as i32).collect();
        let mut scratch = self.scratch.borrow_mut();
        // Both belong to the launch, and to its time: a launch after this one needs them anew.
        if L::starts_as_zeros(rung) {
            let work = Work::transfer("memset", data.output.num_bytes());
            traced(stream, "cuMemsetD8Async", Some(work), || stream.memset_zeros(&mut data.output))?;
        }
        let mut builder = Call::new(stream, &self.function);
        builder.arg(&mut data.output);
        for (number, input) in data.inputs.iter().enumerate() {
            if self.operation.starts_as != Some(number) {
                builder.arg(input);
            }
        }
        if let Some([begins, words]) = &mut *scratch {
            let work = Work::transfer("memcpy DtoD", begins.num_bytes());
            traced(stream, "cuMemcpyDtoDAsync_v2", Some(work), || stream.memcpy_dtod(begins, words))?;
            builder.arg(words);
        }
        for scalar in &scalars {
            builder.arg(scalar);
        }
        for number in &numbers {
            builder.arg(number);
        }
        // SAFETY: the kernels of a lesson have the parameters that the module above names, and the slices are as long as the operation says.
        unsafe { recorder::launch(&device.stream, &mut builder, self.config) }?;
        Ok(())
    }

    fn check(&self, device: &Device, data: &mut Operands<T>) -> anyhow::Result<Check> {
        self.collect(device, data)?;
        Ok(T::check_elements(data.result()?, self.reference(data)?, self.operation.columns, self.tolerance()))
    }

    fn elements(&self) -> Result<(usize, Dtype), &'static str> {
        let rung = &self.case.variant.rung;
        if L::starts_as_zeros(rung) || L::scratch(rung).is_some() {
            return Err("its blocks add to one result, or wait for each other");
        }
        Ok((self.operation.output, T::DTYPE))
    }

    fn check_owned(&self, device: &Device, data: &mut Operands<T>, owned: &Owned) -> anyhow::Result<Check> {
        self.collect(device, data)?;
        let want = self.reference(data)?;
        let columns = self.operation.output.max(1);
        Ok(check_owned(Elements::All(data.result()?), owned, columns, self.tolerance(), |range| {
            want[range.clone()].to_vec()
        }))
    }

    fn row(&self, outcome: Outcome, data: &Operands<T>) -> anyhow::Result<Row> {
        let mut row = outcome.into_row(self.case.variant.name, self.case.block_text(), &data.workload);
        row.figures.insert("shape".to_owned(), self.case.problem.extents.as_ref().to_vec().into());
        Ok(row)
    }
}
