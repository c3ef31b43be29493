//! `--schedules`: whether results depend on the order in which blocks and warps run.
//!
//! CUDA promises none. Each seed of the simulator is another legal order; a rung whose result is right in one order and wrong in
//! another, or wrong in different ways, has a race, maybe one between atomics, which no rule of a sanitizer forbids. A last bit of a
//! right result that differs is none: sums of floating-point numbers in any order are rounded differently.

use crate::command_line::CommonArgs;
use crate::device::Device;
use crate::error::Family;
use crate::forecast::Load;
use crate::observations::Finding;
use crate::progress::{self, Progress};
use crate::result::{Report, Row};
use crate::subject::Smallest;
use anyhow::Context;

/// The effect of the orders on the result of one launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The verdict is the same in all.
    Same {
        /// True if the largest error of the right results differs.
        rounding: bool,
    },
    /// Right in one order and wrong in another, or not wrong in the same way.
    Changed {
        /// Replays it: `--schedule-seed`. That of the first order that differs from the natural one.
        seed: u64,
        /// The wrong result that one of the two orders made.
        wrong: String,
    },
}

/// Calls `run` in the natural order and then under the seeds 1 … `schedules`, and stops at the first that changes the verdict. Errors: a GPU,
/// which has no such choice; an order that gives no result.
pub fn search(
    device: &Device,
    schedules: u64,
    mut run: impl FnMut() -> anyhow::Result<Row>,
) -> anyhow::Result<Outcome> {
    let natural = device.with_schedule_seed(0, &mut run)?;
    let mut rounding = false;
    for seed in 1..=schedules {
        let row = device.with_schedule_seed(seed, &mut run).with_context(|| format!("with --schedule-seed {seed}"))?;
        if verdict(&row) != verdict(&natural) {
            let wrong = verdict(if row.correct { &natural } else { &row }).unwrap_or_default();
            return Ok(Outcome::Changed { seed, wrong });
        }
        rounding |= row.max_relative_error.to_bits() != natural.max_relative_error.to_bits();
    }
    Ok(Outcome::Same { rounding })
}

/// The error of a result, in words; `None` for a right one. Words, because a NaN does not equal itself.
fn verdict(row: &Row) -> Option<String> {
    let mismatch = || row.mismatch.as_ref().map_or_else(|| "the result as a whole".to_owned(), ToString::to_string);
    (!row.correct).then(mismatch)
}

/// The orders that were tried for `--schedules`, rung by rung; empty where that was not asked for.
#[derive(Debug, Default)]
pub struct Schedules {
    schedules: u64,
    tried: Vec<(&'static str, Outcome)>,
    too_large: Vec<&'static str>,
}

impl Schedules {
    /// Tries each rung's smallest case as often as `--schedules` says.
    pub fn of<C>(
        device: &Device,
        args: &CommonArgs,
        smallest: &Smallest<'_, C>,
        mut run: impl FnMut(&C) -> anyhow::Result<Row>,
    ) -> anyhow::Result<Self> {
        let Some(schedules) = args.schedules else { return Ok(Schedules::default()) };
        let mut found = Schedules { schedules, ..Schedules::default() };
        // The natural order, and the others.
        let orders = schedules as usize + 1;
        let load = |rung| Load { label: format!("{rung} in another order"), rung, work: 1.0 };
        let loads: Vec<Load> = smallest
            .subjects
            .iter()
            .flat_map(|subject| std::iter::repeat_with(|| load(subject.rung)).take(orders))
            .collect();
        let progress = Progress::forecasting(loads.len(), loads, progress::FEWER_ORDERS);
        for subject in &smallest.subjects {
            let run_shown = || {
                progress.show(load(subject.rung).label);
                let row = run(subject.case);
                progress.step();
                row
            };
            found.tried.push((subject.rung, search(device, schedules, run_shown)?));
        }
        found.too_large.clone_from(&smallest.too_large);
        Ok(found)
    }

    /// Adds a finding to the first row of each rung whose result depends on the order, and one line about the others.
    pub fn add_to(&self, report: &mut Report) {
        let rungs = |wanted: &dyn Fn(&Outcome) -> bool| {
            let names = self.tried.iter().filter(|(_, outcome)| wanted(outcome)).map(|(rung, _)| *rung);
            names.collect::<Vec<_>>().join(", ")
        };
        let same = rungs(&|outcome| matches!(outcome, Outcome::Same { .. }));
        let rounded = rungs(&|outcome| *outcome == Outcome::Same { rounding: true });
        let mut said = Vec::new();
        if !same.is_empty() {
            said.push(format!("none changes the verdict on {same}"));
        }
        if !rounded.is_empty() {
            said.push(format!("the rounding of {rounded} depends on the order"));
        }
        if !self.too_large.is_empty() {
            said.push(format!("{} not tried (--size 64 is small enough)", self.too_large.join(", ")));
        }
        if !said.is_empty() {
            report
                .notes
                .push(format!("{} other orders of blocks and warps: {}", self.schedules, said.join("; ")).into());
        }
        for (rung, outcome) in &self.tried {
            let row = report.rows.iter_mut().find(|row| row.variant == *rung);
            if let (Outcome::Changed { seed, wrong }, Some(row)) = (outcome, row) {
                row.findings.insert(0, finding(rung, *seed, wrong));
            }
        }
    }
}

fn finding(rung: &str, seed: u64, wrong: &str) -> Finding {
    let family = Family::YourKernel;
    let message = format!(
        "{}: the result of {rung} depends on the order in which its blocks and warps run\n   = what: --schedule-seed {seed} and the \
         natural order give different results; a wrong one: {wrong}\n   = next: --variant {rung} --schedule-seed {seed} replays it; \
         with --sanitize it names the lines that race",
        family.title()
    );
    Finding { family: family.key().to_owned(), kind: "order".to_owned(), kernel: None, file: None, line: None, message }
}
