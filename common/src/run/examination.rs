//! Examines each rung under the sanitizer before anything is timed, where the device has one.
//!
//! A race does not always change a result, and a wrong result does not say why: one small run of each rung under the sanitizer tells
//! both, at a cost that does not show. Timed runs then go without it.

use crate::command_line::CommonArgs;
use crate::device::Device;
use crate::observations::Finding;
use crate::result::{Report, Row};
use crate::schedules::Schedules;
use crate::subject::{Subject, smallest};

/// The findings, rung by rung; empty where the device has no sanitizer.
pub struct Examination {
    found: Vec<(&'static str, Vec<Finding>)>,
    schedules: Schedules,
}

impl Examination {
    /// Runs the smallest case of each rung once under the sanitizer, and under other schedules where `--schedules` asks for them. A fault, which ends a launch, is an error here as in a timed run.
    pub fn of<'a, C: 'a>(
        device: &Device,
        args: &CommonArgs,
        subjects: impl Iterator<Item = Subject<'a, C>>,
        mut run: impl FnMut(&C) -> anyhow::Result<Row>,
    ) -> anyhow::Result<Self> {
        let smallest = smallest(subjects);
        let schedules = Schedules::of(device, args, &smallest, &mut run)?;
        let found = device.sanitized(|| {
            let subjects = smallest.subjects.iter();
            subjects.map(|subject| Ok((subject.rung, run(subject.case)?.findings))).collect::<anyhow::Result<_>>()
        })?;
        Ok(Examination { found: found.unwrap_or_default(), schedules })
    }

    /// Returns whether a rung ran under the sanitizer.
    pub fn has_examined(&self, rung: &str) -> bool {
        self.found.iter().any(|(examined, _)| *examined == rung)
    }

    /// Adds what was found to the first row of each rung, unless that row has findings of its own.
    pub fn add_to(&self, report: &mut Report) {
        for (rung, findings) in &self.found {
            let row = report.rows.iter_mut().find(|row| row.variant == *rung);
            if let Some(row) = row.filter(|row| row.findings.is_empty()) {
                row.findings.clone_from(findings);
            }
        }
        self.schedules.add_to(report);
    }
}
