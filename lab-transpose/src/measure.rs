//! The lab: its plan, data, kernels and yardsticks, and what follows from the rows.

use crate::comparisons::{self, PLACE};
use crate::document::DOCUMENTS;
use crate::launch::{self, Data, Expected, Kernel, check};
use crate::options::{Options, Place};
use crate::plan::{Case, Plan, Problem, plan};
use crate::question::QUESTION;
use crate::variants::{COLUMNS, Rung, VARIANTS};
use anyhow::Context;
use common::benchmark::{Benchmark, Benchmarks, add_shares};
use common::command_line::CommonArgs;
use common::device::{ByDevice, Device};
use common::element::Element;
use common::experiment::{Document, Measure};
use common::lab::Lab;
use common::ladder::Variant;
use common::operands::Yardstick;
use common::question::Question;
use common::report::Column;
use common::result::{Next, Report, Row};
use common::turns::{Ladder, Turns};
use kernels::Source;

/// Transposes in turns, with the driver's copy and cuBLAS beside them.
pub struct Transpose {
    /// True if the driver's own copy is measured as well.
    driver_copy: bool,
    /// True if each row is measured once more with its matrices in no cache.
    cold: bool,
}

impl Lab for Transpose {
    type Options = Options;
    type Rung = Rung;

    const NAME: &'static str = "transpose";
    const VARIANTS: &'static [Variant<Rung>] = VARIANTS;
    const COLUMNS: &'static [Column] = COLUMNS;
    const QUESTION: Option<Question> = Some(QUESTION);
    const DOCUMENTS: &'static [Document<Options>] = DOCUMENTS;
    const ARGS: fn(&mut Options) -> &mut CommonArgs = |options| &mut options.common;
    const REPORT: Measure<Options> = common::turns::report::<Self>;
}

impl Ladder for Transpose {
    type Case = Case;
    type Data<T: Element> = Data<T>;

    fn new(options: &Options, device: &Device) -> Self {
        // A single launch is timed in no state in particular: its output has just been overwritten.
        let cold = options.common.series && device.choose(ByDevice { simulator: false, gpu: true });
        Transpose { driver_copy: !options.no_yardsticks, cold }
    }

    fn plan(options: &Options, device: &Device) -> anyhow::Result<Plan> {
        plan(options, device)
    }

    fn skewed(case: &Case) -> Option<Case> {
        (case.place == Place::Out).then(|| Case { problem: case.problem.skewed(), ..case.clone() })
    }

    fn data<T: Element>(device: &Device, problem: &Problem, _: &[Case]) -> anyhow::Result<Data<T>> {
        launch::data(device, problem)
    }

    fn kernel<'c, T: Element>(
        device: &Device,
        source: &Source,
        case: &'c Case,
    ) -> anyhow::Result<Box<dyn Benchmark<Data<T>> + 'c>> {
        Ok(Box::new(Kernel::new(device, source, case)?))
    }

    fn yardsticks<'a, T: Element>(
        &self,
        turns: &Turns<'a>,
        problem: &'a Problem,
        _: &'a [Case],
    ) -> Benchmarks<'a, Data<T>> {
        let extents = problem.extents;
        let mut yardsticks: Benchmarks<'a, Data<T>> = Vec::new();
        if self.driver_copy {
            let check = move |device: &Device, data: &mut Data<T>| check(device, data, extents, Expected::Input);
            let copy = |device: &Device, data: &mut Data<T>| data.output_from_input(device, 0);
            yardsticks.push(Box::new(Yardstick::new("memcpy", problem, copy, check)));
        }
        if let Some(blas) = turns.blas {
            let check = move |device: &Device, data: &mut Data<T>| check(device, data, extents, Expected::Transpose);
            // SAFETY: both slices hold m·n elements.
            #[allow(unsafe_code)]
            let launch = move |_: &Device, data: &mut Data<T>| unsafe {
                T::transpose(blas, extents, &data.inputs[0], &mut data.output)
            };
            yardsticks.push(Box::new(Yardstick::new("cublas", problem, launch, check)));
        }
        yardsticks
    }

    fn add_figures<T: Element>(
        &mut self,
        turns: &Turns<'_>,
        _: &Problem,
        data: &mut Data<T>,
        benchmarks: &[Box<dyn Benchmark<Data<T>> + '_>],
        rows: &mut [Row],
    ) -> anyhow::Result<()> {
        add_shares(rows, "copy", "copy_percent");
        add_shares(rows, "memcpy", "driver_copy_percent");
        add_shares(rows, "cublas", "cublas_percent");
        if self.cold {
            let share: (&str, fn(&mut [Row], &str)) =
                ("cold_driver_copy_percent", |rows, key| add_shares(rows, "memcpy", key));
            common::cold::add(rows, turns, data, benchmarks, |data| vec![&mut data.inputs[0], &mut data.output], share)
                .context("measuring with the matrices in no cache")?;
        }
        Ok(())
    }

    fn conclude(&mut self, report: &mut Report, _: &Device) -> anyhow::Result<()> {
        comparisons::add(report);
        Ok(())
    }

    fn next(&self, report: &Report) -> Next {
        let in_place = report.rows.iter().any(|row| row.get(&PLACE).is_some_and(|place| place == "in"));
        let kepler = report.device.compute_capability.starts_with('3');
        if !kepler {
            Next::new(
                "cargo run -rp lab-transpose -- --device sim:gt740m --size 64",
                "the assignment's card, whose banks are 8 bytes wide",
            )
        } else if !in_place {
            Next::new("cargo run -rp lab-transpose -- --place out,in", "over the matrix itself")
        } else {
            Next::new(
                "cargo run -rp lab-transpose -- --lines --variant padded --size 64",
                "which line waits for the banks",
            )
        }
    }
}
