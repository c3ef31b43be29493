//! What all labs do around their lesson: the program from its command line to its verdict, and the loop that measures a plan.

use crate::benchmark::{Benchmark, measure_in_turns};
use crate::ceiling::Roof;
use crate::command_line::CommonArgs;
use crate::cublas;
use crate::device::Device;
use crate::error::Verdict;
use crate::examination::Examination;
use crate::ladder::Variant;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::report::{self, Column};
use crate::result::{Report, Row};
use crate::subject::Subject;
use crate::timing::Runs;
use cudarc::cublas::CudaBlas;

/// The part of a measurement that only the lab knows.
pub trait Lab {
    /// What several cases compute, from one set of data.
    type Problem;
    /// One row to be.
    type Case;

    /// The lab's name: "gemm".
    const NAME: &'static str;

    /// The case's rung and its problem's extents.
    fn subject<'c>(&self, case: &'c Self::Case) -> Subject<'c, Self::Case>;

    /// One case by itself, with its rung's own kernel.
    fn alone(&self, device: &Device, case: &Self::Case, runs: Runs) -> anyhow::Result<Row>;

    /// All cases of one problem, in turns, with the baselines beside them.
    fn together(
        &mut self,
        turns: &Turns<'_>,
        problem: &Self::Problem,
        cases: &[Self::Case],
    ) -> anyhow::Result<Vec<Row>>;

    /// What follows from all rows: shares, comparisons, tables of the lab's own.
    fn conclude(&mut self, report: &mut Report, device: &Device) -> anyhow::Result<()>;

    /// The first of the lab's questions that this run has not asked, as a command.
    fn next(&self, report: &Report) -> &'static str;
}

/// Where and how often the cases of a problem take turns.
pub struct Turns<'a> {
    /// The device.
    pub device: &'a Device,
    /// cuBLAS, where it is wanted and there.
    pub blas: Option<&'a CudaBlas>,
    runs: Runs,
    progress: &'a Progress,
}

impl Turns<'_> {
    /// Lets each benchmark run once per round. One row each, in their order.
    pub fn measure<D>(&self, data: &mut D, benchmarks: &[Box<dyn Benchmark<D> + '_>]) -> anyhow::Result<Vec<Row>> {
        measure_in_turns(self.device, data, benchmarks, self.runs, self.progress)
    }

    /// Likewise, for a second series of the same rows, which the progress bar does not count.
    pub fn measure_again<D>(
        &self,
        data: &mut D,
        benchmarks: &[Box<dyn Benchmark<D> + '_>],
    ) -> anyhow::Result<Vec<Row>> {
        measure_in_turns(self.device, data, benchmarks, self.runs, &Progress::hidden())
    }
}

/// Measures every case of the plan: one run of each rung under the sanitizer, where the device has one, then problem by problem in turns.
/// Stops at the first that gives no result. Returns data; prints nothing.
pub fn measure<L: Lab>(lab: &mut L, plan: &Plan<L::Problem, L::Case>, device: &Device) -> anyhow::Result<Report> {
    let mut report = Report::new(device.facts.clone(), L::NAME, plan.args.seed);
    report.notes.clone_from(&plan.notes);
    let blas = cublas::open_or_note(device, plan.baselines, &mut report.notes);
    let subjects = plan.cases().map(|case| lab.subject(case));
    let examination = Examination::of(device, &plan.args, subjects, |case| lab.alone(device, case, Runs::ONCE))?;
    let progress = Progress::new(plan.cases().count() * plan.runs.total());
    let turns = Turns { device, blas: blas.as_ref(), runs: plan.runs, progress: &progress };
    for (problem, cases) in &plan.problems {
        report.rows.extend(lab.together(&turns, problem, cases)?);
    }
    lab.conclude(&mut report, device)?;
    examination.add_to(&mut report);
    report::add_details(&mut report, device, &plan.args, plan.cases().map(|case| lab.subject(case).rung))?;
    report.next = report::next(&report, &plan.args, || lab.next(&report));
    Ok(report)
}

/// A lab's program behind its command line: answers `--list`, or opens the device, has `measure` make a report there, and delivers it.
pub fn run<P>(
    args: &CommonArgs,
    variants: &'static [Variant<P>],
    columns: &[Column],
    measure: impl FnOnce(&Device) -> anyhow::Result<Report>,
) -> anyhow::Result<Verdict> {
    if args.list {
        return report::list(variants);
    }
    let device = args.open_device()?;
    let mut report = measure(&device)?;
    report.roof = Some(Roof::of(&device)?);
    if kernels::checkout().is_none() {
        report
            .notes
            .push("there is no checkout here: the kernels are those that this program was built with".to_owned());
    }
    report::deliver(&report, args, columns)
}
