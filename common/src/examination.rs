//! Examines each rung under the sanitizer before anything is timed, where the device has one.
//!
//! A race does not always change a result, and a wrong result does not say why: one small run of each rung under the sanitizer tells
//! both, at a cost that does not show. Timed runs then go without it.

use crate::command_line::CommonArgs;
use crate::device::Device;
use crate::orders::Orders;
use crate::result::{Finding, Report, Row};

/// Product of the extents of the largest problem that is worth a run under the sanitizer.
const MOST_WORK: f64 = 128.0 * 128.0 * 128.0;

/// One case that may be examined.
pub struct Subject<'a, C> {
    /// The rung: of each, the case with the least work is examined.
    pub rung: &'static str,
    /// The problem's extents, whose product is the work.
    pub extents: &'a [usize],
    /// The case itself.
    pub case: &'a C,
}

impl<C> Subject<'_, C> {
    fn work(&self) -> f64 {
        self.extents.iter().map(|&extent| extent as f64).product()
    }
}

/// What is small enough to run some more times.
pub struct Smallest<'a, C> {
    /// Of each rung the case with the least work, in the order of the rungs.
    pub subjects: Vec<Subject<'a, C>>,
    /// Rungs whose cases are all too large.
    pub too_large: Vec<&'static str>,
}

/// Chooses among all cases.
pub fn smallest<'a, C>(subjects: impl Iterator<Item = Subject<'a, C>>) -> Smallest<'a, C> {
    let mut smallest: Vec<Subject<'a, C>> = Vec::new();
    for subject in subjects {
        match smallest.iter_mut().find(|known| known.rung == subject.rung) {
            Some(known) if subject.work() < known.work() => *known = subject,
            Some(_) => {}
            None => smallest.push(subject),
        }
    }
    let too_large = smallest.iter().filter(|subject| subject.work() > MOST_WORK).map(|subject| subject.rung).collect();
    smallest.retain(|subject| subject.work() <= MOST_WORK);
    Smallest { subjects: smallest, too_large }
}

/// What was found, rung by rung; empty where the device has no sanitizer.
pub struct Examination {
    found: Vec<(&'static str, Vec<Finding>)>,
    orders: Orders,
}

impl Examination {
    /// Runs the smallest case of each rung once under the sanitizer, and in other orders where `--schedules` asks for them. A fault, which ends a launch, is an error here as in a timed run.
    pub fn of<'a, C: 'a>(
        device: &Device,
        args: &CommonArgs,
        subjects: impl Iterator<Item = Subject<'a, C>>,
        mut run: impl FnMut(&C) -> anyhow::Result<Row>,
    ) -> anyhow::Result<Self> {
        let smallest = smallest(subjects);
        let orders = Orders::of(device, args, &smallest, &mut run)?;
        let found = device.sanitized(|| {
            let subjects = smallest.subjects.iter();
            subjects.map(|subject| Ok((subject.rung, run(subject.case)?.findings))).collect::<anyhow::Result<_>>()
        })?;
        Ok(Examination { found: found.unwrap_or_default(), orders })
    }

    /// Adds what was found to the first row of each rung, unless that row has findings of its own.
    pub fn add_to(self, report: &mut Report) {
        for (rung, findings) in self.found {
            let row = report.rows.iter_mut().find(|row| row.variant == rung);
            if let Some(row) = row.filter(|row| row.findings.is_empty()) {
                row.findings = findings;
            }
        }
        self.orders.add_to(report);
    }
}
