//! What all labs do around their lesson: the program from its command line to its verdict, and the loop that measures a plan.

use crate::benchmark::{Benchmark, Benchmarks, measure_in_turns};
use crate::ceiling::Roof;
use crate::command_line::CommonArgs;
use crate::cublas;
use crate::device::{ByDevice, Device};
use crate::error::Verdict;
use crate::examination::Examination;
use crate::forecast::Load;
use crate::ladder::Variant;
use crate::plan::Plan;
use crate::progress::{self, Progress};
use crate::report::{self, Column};
use crate::result::{Report, Row};
use crate::series::Series;
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

    /// What a reader calls the case, as its benchmark does.
    fn label(&self, case: &Self::Case) -> String;

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
    /// Whether a run is a series of launches.
    series: bool,
    runs: Runs,
    progress: &'a Progress,
}

impl Turns<'_> {
    /// Lets each benchmark run once per round. One row each, in their order.
    pub fn measure<D>(&self, data: &mut D, benchmarks: &[Box<dyn Benchmark<D> + '_>]) -> anyhow::Result<Vec<Row>> {
        if self.series {
            return self.measure_series(data, benchmarks, self.runs, self.progress);
        }
        measure_in_turns(self.device, data, benchmarks, self.runs, self.progress)
    }

    /// Likewise, for a second series of the same rows, which the progress bar does not count.
    pub fn measure_again<D>(
        &self,
        data: &mut D,
        benchmarks: &[Box<dyn Benchmark<D> + '_>],
    ) -> anyhow::Result<Vec<Row>> {
        if self.series {
            return self.measure_series(data, benchmarks, self.runs, &Progress::hidden());
        }
        measure_in_turns(self.device, data, benchmarks, self.runs, &Progress::hidden())
    }

    /// Once more, many launches back to back; `None` where the first measurement was of such, and on the simulator, where a launch
    /// takes the same time in any company.
    pub fn measure_back_to_back<D>(
        &self,
        data: &mut D,
        benchmarks: &[Box<dyn Benchmark<D> + '_>],
    ) -> anyhow::Result<Option<Vec<Row>>> {
        let worthwhile = !self.series && self.device.choose(ByDevice { simulator: false, gpu: true });
        let measure = || self.measure_series(data, benchmarks, FEW_SERIES, &Progress::hidden());
        worthwhile.then(measure).transpose()
    }

    fn measure_series<D>(
        &self,
        data: &mut D,
        benchmarks: &[Box<dyn Benchmark<D> + '_>],
        runs: Runs,
        progress: &Progress,
    ) -> anyhow::Result<Vec<Row>> {
        let mut series: Benchmarks<'_, D> = Vec::new();
        for single in benchmarks {
            series.push(Box::new(Series::of(single.as_ref())));
        }
        measure_in_turns(self.device, data, &series, runs, progress)
    }
}

/// A series is many launches already.
const FEW_SERIES: Runs = Runs { warmup: 0, repeat: 3 };

/// Measures every case of the plan: one run of each rung under the sanitizer, where the device has one, then problem by problem in turns.
/// Stops at the first that gives no result. Returns data; prints nothing.
pub fn measure<L: Lab>(lab: &mut L, plan: &Plan<L::Problem, L::Case>, device: &Device) -> anyhow::Result<Report> {
    let mut report = Report::new(device.facts.clone(), L::NAME, plan.args.seed);
    report.notes.clone_from(&plan.notes);
    let blas = cublas::open_or_note(device, plan.baselines, &mut report.notes);
    let subjects = plan.cases().map(|case| lab.subject(case));
    let examination = Examination::of(device, &plan.args, subjects, |case| lab.alone(device, case, Runs::ONCE))?;
    if blas.is_none() && plan.baselines && plan.args.series {
        report.notes.push("the column of cuBLAS' share is absent: there is no cuBLAS in this run".to_owned());
    }
    let progress = progress(lab, plan, device);
    let turns = Turns { device, blas: blas.as_deref(), series: plan.args.series, runs: plan.runs, progress: &progress };
    for (problem, cases) in &plan.problems {
        report.rows.extend(lab.together(&turns, problem, cases)?);
    }
    report.notes.extend(whole_runs(&report));
    lab.conclude(&mut report, device)?;
    examination.add_to(&mut report);
    report::add_details(&mut report, device, &plan.args, plan.cases().map(|case| lab.subject(case).rung))?;
    let sanitized = |rung: &str| plan.args.sanitize || examination.has_examined(rung);
    report.next = report::next(&report, sanitized, || lab.next(&report));
    Ok(report)
}

/// Counts the cases of a plan. A run that is simulated whole is forecast: all rungs take as long as they have work. A sampled one is not: what it
/// takes does not grow with the problem.
fn progress<L: Lab>(lab: &L, plan: &Plan<L::Problem, L::Case>, device: &Device) -> Progress {
    let runs = plan.runs.total();
    let steps = plan.cases().count() * runs;
    if !device.facts.simulated || plan.args.series || device.samples() {
        return Progress::new(steps);
    }
    let load = |case: &L::Case| {
        let subject = lab.subject(case);
        Load { label: lab.label(case), rung: subject.rung, work: subject.work() }
    };
    // Rounds of all cases of a problem: each as often as there are rounds.
    let problems = plan.problems.iter().flat_map(|(_, cases)| std::iter::repeat_n(cases, runs));
    Progress::forecasting(steps, problems.flatten().map(load).collect(), progress::FASTER)
}

/// With `--sample`: what ran in full, and why, one note for each reason.
fn whole_runs(report: &Report) -> Vec<String> {
    let mut reasons: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for row in &report.rows {
        let Some(reason) = &row.not_sampled else { continue };
        let size = row.size.to_string();
        match reasons.iter_mut().find(|(variant, known, _)| *variant == row.variant && *known == reason) {
            Some((.., sizes)) if sizes.contains(&size) => {}
            Some((.., sizes)) => sizes.push(size),
            None => reasons.push((&row.variant, reason, vec![size])),
        }
    }
    let note = |(variant, reason, sizes): (&str, &str, Vec<String>)| {
        format!("{variant} at {} is not sampled, all its blocks were run: {reason}", sizes.join(", "))
    };
    reasons.into_iter().map(note).collect()
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
    report.kernels = device.texts.all();
    if let Some(folder) = kernels::checkout_elsewhere() {
        report
            .notes
            .push(format!("the kernels are those of {}, and not of the folder that you stand in", folder.display()));
    }
    if kernels::checkout().is_none() {
        report
            .notes
            .push("there is no checkout here: the kernels are those that this program was built with".to_owned());
    }
    report::deliver(&report, args, columns)
}
