//! The runs of a verdict: many small problems under the sanitizer with fresh data and poisoned outputs, then the measured one.
//!
//! A lab says which problems; what a failed one means is the same for all.

use crate::card;
use crate::confine::{self, Permissions};
use crate::labs;
use crate::questions::Answers;
use crate::verdict::{Failure, Outcome};
use common::device::{Device, DeviceChoice, Instrumentation};
use common::error::describe;
use common::exercise::Runs;
use serde::{Deserialize, Serialize};

/// The run that is asked for.
#[derive(Debug, Serialize, Deserialize)]
pub struct Question {
    /// The lab.
    pub lab: String,
    /// The exercise.
    pub name: String,
    /// The simulated card that it runs on.
    pub card: String,
    /// As the exercise's row says.
    pub f64: bool,
    /// All data follows from it.
    pub seed: u64,
    /// The work that the student wrote.
    pub work: Work,
}

/// A student's work as data.
#[derive(Debug, Serialize, Deserialize)]
pub enum Work {
    /// A kernel.
    Kernel {
        /// Its source, for messages.
        text: String,
        /// Its code.
        ptx: String,
    },
    /// The answers of a strategy's program.
    Plan(Answers),
}

/// Warp instructions of one launch: more than ten times what the largest problem here needs (`gemm/register_tile`, 0.9 million), and an
/// endless loop is told within seconds.
const BUDGET: u64 = 10_000_000;

/// Runs everything until the first failure.
///
/// # Errors
/// A failure that is not the student's fault: no simulator, an exercise without runs.
pub fn carry_out(question: &Question, confined: bool) -> anyhow::Result<Outcome> {
    let device = open(&question.card)?;
    if confined {
        confine::seal(&Permissions::default())?;
    }
    let Question { lab, name, f64, seed, work, .. } = question;
    let mut runs = Runs::new(&device, *seed);
    runs.f64 = *f64;
    match work {
        Work::Kernel { text, ptx } => {
            let source = card::source(lab, name, text.clone())?;
            common::device::give_source(source.path, text)?;
            runs.file = source.path;
            kernels::adopt(&source, ptx);
            labs::find(lab)?.kernel(&mut runs, &source)?;
        }
        Work::Plan(Answers { plans, printed }) => {
            let outcome = (labs::strategy(lab, name)?.judge)(&device, *seed, plans);
            let mut outcome = outcome.unwrap_or_else(|error| Outcome {
                failure: Some(Failure::new("error", describe(&error))),
                ..Outcome::default()
            });
            outcome.printed = printed.clone();
            return Ok(outcome);
        }
    }
    Ok(runs.ended())
}

fn open(card: &str) -> anyhow::Result<Device> {
    let choice = DeviceChoice::Simulator { profile: Some(card.to_owned()), devices: 1 };
    let instrumentation = Instrumentation { sanitize: true, ..Instrumentation::default() };
    let device = Device::open(&choice, &instrumentation)?;
    common::device::limit_instructions(BUDGET)?;
    common::device::keep_printed()?;
    Ok(device.keeping_modules())
}
