//! Whose doing an end is: what a student's work could not do is tried with work that is known to do nothing. Where that fails too, the machine
//! is at fault, and the exercise is to be repeated.

use crate::judge::{Judge, RUN, STRATEGY};
use crate::process::Answer;
use crate::questions::Answers;
use crate::run::{Question, Work};
use crate::table::{Exercise, Kind};
use crate::verdict::Outcome;
use crate::worker::Compiled;
use anyhow::Context;

impl Judge {
    /// Why nothing is run here, not even an exercise as it was handed out; none where that is run.
    pub(crate) fn unable_to_run(
        &self,
        exercise: &Exercise,
        starter: &str,
        seed: u64,
    ) -> anyhow::Result<Option<String>> {
        let work = match exercise.kind().context("neither a kernel nor host code")? {
            Kind::Kernel => match self.translate(exercise, starter)? {
                Answer::Given(Compiled::Ptx(ptx, _)) => Work::Kernel { text: starter.to_owned(), ptx },
                Answer::Given(Compiled::Refused(why) | Compiled::Unable(why))
                | Answer::Exceeded(why)
                | Answer::Died(why)
                | Answer::Machine(why) => {
                    return Ok(Some(format!("the kernels' compiler does not take the starter: {why}")));
                }
            },
            Kind::Strategy => Work::Plan(Answers::default()),
        };
        let Exercise { lab, name, card, f64, .. } = exercise.clone();
        let why = match self.workers.ask::<_, Outcome>("run", &Question { lab, name, card, f64, seed, work }, RUN)? {
            Answer::Given(_) => return Ok(None),
            Answer::Exceeded(why) | Answer::Died(why) | Answer::Machine(why) => why,
        };
        Ok(Some(format!("the starter is not run to its end either: {why}")))
    }

    /// Why no program is run here, not even one that does nothing; none where that is run.
    pub(crate) fn unable_to_start(&self) -> anyhow::Result<Option<String>> {
        let folder = tempfile::tempdir().context("a folder for the build")?;
        if let Some(why) = self.unable_to_build(folder.path())? {
            return Ok(Some(why));
        }
        let why = match self.workers.feed(&folder.path().join("program"), "", STRATEGY)?.end {
            Answer::Given(_) => return Ok(None),
            Answer::Exceeded(why) | Answer::Died(why) | Answer::Machine(why) => why,
        };
        Ok(Some(format!("a program that does nothing is not run to its end either: {why}")))
    }
}
