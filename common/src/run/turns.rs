//! The loop of a lab whose rungs take turns on the data of a problem: one run of each under the sanitizer, then all of them round by round.

use crate::benchmark::{Benchmark, Benchmarks, host_bound_note, measure_alone, measure_in_turns};
use crate::cublas;
use crate::device::{ByDevice, Device};
use crate::element::{Dtype, Element};
use crate::error::Family;
use crate::examination::Examination;
use crate::forecast::Load;
use crate::lab::Lab;
use crate::observations::Finding;
use crate::plan::{Case, Plan, Problem};
use crate::progress::{self, Progress};
use crate::report;
use crate::result::{Next, Note, NoteKind, Report, Row};
use crate::series::Series;
use crate::so_far;
use crate::subject::Subject;
use crate::timing::Runs;
use cudarc::cublas::CudaBlas;
use kernels::Source;

/// The problem of a ladder.
pub type ProblemOf<L> = Problem<<<L as Ladder>::Case as Case>::Extents>;

/// A lab whose rungs take turns on the data of a problem.
pub trait Ladder: Lab {
    /// One row to be.
    type Case: Case<Rung = Self::Rung>;
    /// The data that the cases of one problem share.
    type Data<T: Element>;

    /// A run's state, before anything is measured.
    fn new(options: &Self::Options, device: &Device) -> Self;

    /// Every combination that the options ask for. Errors: what they may not ask for, more than the device has.
    fn plan(options: &Self::Options, device: &Device) -> anyhow::Result<Plan<Self::Case>>;

    /// The same case on a small matrix whose extents all differ, where it has one: what mixes up rows and columns is right on a square.
    fn skewed(_case: &Self::Case) -> Option<Self::Case> {
        None
    }

    /// The data of a problem, with room for what any of its cases needs.
    fn data<T: Element>(
        device: &Device,
        problem: &ProblemOf<Self>,
        cases: &[Self::Case],
    ) -> anyhow::Result<Self::Data<T>>;

    /// A case with a kernel from `source`: the rung's own, or a test's changed one.
    fn kernel<'c, T: Element>(
        device: &Device,
        source: &Source,
        case: &'c Self::Case,
    ) -> anyhow::Result<Box<dyn Benchmark<Self::Data<T>> + 'c>>;

    /// The other benchmarks that take turns with the cases: a library, the driver's copy.
    fn yardsticks<'a, T: Element>(
        &self,
        _turns: &Turns<'a>,
        _problem: &'a ProblemOf<Self>,
        _cases: &'a [Self::Case],
    ) -> Benchmarks<'a, Self::Data<T>> {
        Vec::new()
    }

    /// Adds what follows from the rows of one problem: shares of the yardsticks, and what is measured once more under other conditions.
    fn add_figures<T: Element>(
        &mut self,
        _turns: &Turns<'_>,
        _problem: &ProblemOf<Self>,
        _data: &mut Self::Data<T>,
        _benchmarks: &[Box<dyn Benchmark<Self::Data<T>> + '_>],
        _rows: &mut [Row],
    ) -> anyhow::Result<()> {
        Ok(())
    }

    /// Adds what follows from all rows: shares, comparisons, tables of the lab's own.
    fn conclude(&mut self, _report: &mut Report, _device: &Device) -> anyhow::Result<()> {
        Ok(())
    }

    /// The first of the lab's questions that this run has not asked, as a command.
    fn next(&self, report: &Report) -> Next;

    /// Measures one case by itself with a kernel from `source`.
    fn run_case(device: &Device, source: &Source, case: &Self::Case, runs: Runs) -> anyhow::Result<Row> {
        match case.problem().dtype {
            Dtype::F32 => run_typed::<Self, f32>(device, source, case, runs),
            Dtype::F64 => run_typed::<Self, f64>(device, source, case, runs),
        }
    }
}

fn run_typed<L: Ladder, T: Element>(
    device: &Device,
    source: &Source,
    case: &L::Case,
    runs: Runs,
) -> anyhow::Result<Row> {
    let mut data = L::data::<T>(device, case.problem(), std::slice::from_ref(case))?;
    measure_alone(device, &mut data, L::kernel(device, source, case)?, runs)
}

/// One case with its rung's own kernel.
fn alone<L: Ladder>(device: &Device, case: &L::Case, runs: Runs) -> anyhow::Result<Row> {
    L::run_case(device, &kernels::source(L::NAME, case.variant().name)?, case, runs)
}

/// All cases of one problem, in turns, with the yardsticks beside them.
fn together<L: Ladder>(
    lab: &mut L,
    turns: &Turns<'_>,
    problem: &ProblemOf<L>,
    cases: &[L::Case],
) -> anyhow::Result<Vec<Row>> {
    match problem.dtype {
        Dtype::F32 => together_typed::<L, f32>(lab, turns, problem, cases),
        Dtype::F64 => together_typed::<L, f64>(lab, turns, problem, cases),
    }
}

fn together_typed<L: Ladder, T: Element>(
    lab: &mut L,
    turns: &Turns<'_>,
    problem: &ProblemOf<L>,
    cases: &[L::Case],
) -> anyhow::Result<Vec<Row>> {
    let mut data = L::data::<T>(turns.device, problem, cases)?;
    let mut benchmarks: Benchmarks<'_, L::Data<T>> = Vec::new();
    for case in cases {
        let source = kernels::source(L::NAME, case.variant().name)?;
        benchmarks.push(L::kernel(turns.device, &source, case)?);
    }
    benchmarks.extend(lab.yardsticks(turns, problem, cases));
    let mut rows = turns.measure(&mut data, &benchmarks)?;
    lab.add_figures(turns, problem, &mut data, &benchmarks, &mut rows)?;
    Ok(rows)
}

/// Rungs that are wrong where the extents differ, each by what it makes wrong there; of those alone that are to run on square matrices only.
fn wrong_shapes<L: Ladder>(device: &Device, plan: &Plan<L::Case>) -> anyhow::Result<Vec<(&'static str, Finding)>> {
    let is_square = |case: &L::Case| case.problem().extents.as_ref().windows(2).all(|pair| pair[0] == pair[1]);
    let of = |rung: &'static str| plan.cases().filter(move |case| case.variant().name == rung);
    let mut rungs: Vec<&'static str> = plan.cases().map(|case| case.variant().name).collect();
    rungs.dedup();
    let (mut tried, mut wrong) = (Vec::new(), Vec::new());
    for rung in rungs {
        if tried.contains(&rung) || !of(rung).all(is_square) {
            continue;
        }
        tried.push(rung);
        let Some(case) = of(rung).find_map(L::skewed) else { continue };
        let row = alone::<L>(device, &case, Runs::ONCE)?;
        if let Some(mismatch) = row.mismatch.filter(|_| !row.correct) {
            wrong.push((rung, of_shape(rung, &row.size.to_string(), &mismatch.to_string())));
        }
    }
    Ok(wrong)
}

/// The finding for a rung that is wrong on a rectangle.
fn of_shape(rung: &str, size: &str, mismatch: &str) -> Finding {
    Finding {
        family: Family::YourKernel.key().to_owned(),
        kind: "wrong on a rectangle".to_owned(),
        kernel: None,
        file: None,
        line: None,
        message: format!(
            "your kernel: `{rung}` is right on square matrices and wrong on one of {size}\n   = what: {mismatch}\n   = next: --variant {rung} \
             --size {size}; look for an extent in the place of another, in the kernel or among its parameters"
        ),
    }
}

/// The part of a case that is examined.
fn subject<C: Case>(case: &C) -> Subject<'_, C> {
    Subject { rung: case.variant().name, extents: case.problem().extents.as_ref(), case }
}

/// Measures every case that the options ask for. Stops at the first that gives no result. Prints nothing.
pub fn report<L: Ladder>(options: &L::Options, device: &Device) -> anyhow::Result<Report> {
    let plan = L::plan(options, device)?;
    measure(&mut L::new(options, device), &plan, device)
}

/// Where and how often the cases of a problem take turns.
pub struct Turns<'a> {
    /// The device.
    pub device: &'a Device,
    /// cuBLAS, where it is wanted and there.
    pub blas: Option<&'a CudaBlas>,
    /// True if a run is a series of launches.
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
const FEW_SERIES: Runs = Runs { warmup: 0, repeat: 3, within: None };

/// Measures every case of the plan: one run of each rung under the sanitizer, where the device has one, then problem by problem in turns.
/// Stops at the first that gives no result. Returns data; prints nothing.
fn measure<L: Ladder>(lab: &mut L, plan: &Plan<L::Case>, device: &Device) -> anyhow::Result<Report> {
    device.require_host_memory()?;
    let mut report = Report::new(device.facts.clone(), L::NAME, plan.args.seed);
    report.notes.clone_from(&plan.notes);
    let blas = cublas::open_or_note(device, plan.baselines, &mut report.notes);
    let subjects = plan.cases().map(subject);
    // A document's sizes are large, and its tables are of times.
    let small = |case: &L::Case| plan.args.assignment.as_ref().and_then(|_| L::skewed(case));
    let examine = |case: &L::Case| alone::<L>(device, small(case).as_ref().unwrap_or(case), Runs::ONCE);
    let examination = device.untried(|| Examination::of(device, &plan.args, subjects, examine))?;
    let wrong_shapes = device.untried(|| wrong_shapes::<L>(device, plan))?;
    if blas.is_none() && plan.baselines && plan.args.series {
        report.notes.push("the column of cuBLAS' share is absent: there is no cuBLAS in this run".into());
    }
    so_far::begin(&report);
    let progress = progress(plan, device);
    let turns = Turns { device, blas: blas.as_deref(), series: plan.args.series, runs: plan.runs, progress: &progress };
    for (problem, cases) in &plan.problems {
        if plan.args.records() {
            // Those of the examination, which nobody times.
            device.take_activities()?;
        }
        let rows = together(lab, &turns, problem, cases)?;
        so_far::end_problem(&rows);
        rows.iter().filter(|_| plan.args.tells_rows).for_each(|row| progress.say(&report::row_in_a_line(row)));
        report.rows.extend(rows);
        let of = (plan.problems.len() > 1).then(|| format!("{} in {}", problem.size, problem.dtype));
        report::add_activities(&mut report, device, &plan.args, of.as_deref())?;
    }
    report.notes.extend(whole_runs(&report));
    lab.conclude(&mut report, device)?;
    report.notes.extend(host_bound_note(&report.rows));
    examination.add_to(&mut report);
    for (rung, finding) in wrong_shapes {
        let row = report.rows.iter_mut().find(|row| row.variant == rung);
        // One that is wrong on a square as well is told of that.
        if let Some(row) = row.filter(|row| row.correct && row.findings.is_empty()) {
            row.findings.push(finding);
        }
    }
    report::add_details(&mut report, device, &plan.args, plan.cases().map(|case| case.variant().name))?;
    let sanitized = |rung: &str| plan.args.sanitize || examination.has_examined(rung);
    report.next = Some(report::next(&report, sanitized, || lab.next(&report)));
    Ok(report)
}

/// Counts the cases of a plan, and forecasts those that are simulated. Where blocks are sampled, so many of them run whatever the size, each as long
/// as its rows are; what runs in full all the same takes longer, and is told of by its launch.
fn progress<C: Case>(plan: &Plan<C>, device: &Device) -> Progress {
    let runs = plan.runs.total();
    let steps = plan.cases().count().saturating_mul(runs);
    if !device.facts.simulated || plan.args.series {
        return Progress::new(steps);
    }
    let load = |case: &C| {
        let subject = subject(case);
        let row = || subject.extents.iter().copied().max().unwrap_or(1) as f64;
        let work = if device.samples() && case.samples() { row() } else { subject.work() };
        Load { label: case.label(), rung: subject.rung, work }
    };
    // Rounds of all cases of a problem: each as often as there are rounds.
    let problems = plan.problems.iter().flat_map(|(_, cases)| std::iter::repeat_n(cases, runs));
    let loads: Vec<Load> = problems.flatten().map(load).collect();
    // A document's tables are printed as they are done.
    if plan.args.assignment.is_some() {
        return Progress::of_works(loads.iter().map(|load| load.work).collect());
    }
    let faster = if device.samples() { progress::SMALLER } else { progress::FASTER };
    Progress::forecasting(steps, loads, faster)
}

/// With `--sample`: what ran in full, and why, one note for each reason.
fn whole_runs(report: &Report) -> Vec<Note> {
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
        let text = format!("{variant} at {} is not sampled, all its blocks were run: {reason}", sizes.join(", "));
        Note::new(NoteKind::NotSampled, text)
    };
    reasons.into_iter().map(note).collect()
}
