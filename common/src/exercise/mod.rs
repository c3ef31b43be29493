//! The exercises of a lab, as the lab judges them.
//!
//! The course compiles what a student wrote, asks it, and keeps it in its box. The lab knows which problems show a defect, what a right plan is,
//! and which figures a run gives: all of that is the affair of [`Judged`], in the lab's own crate.

mod compared;
mod outcome;
mod program;
mod runs;

pub use compared::{Compared, best_times, sampled};
pub use outcome::{Failure, Outcome, Panel, SIZES, TESTED, Talk};
pub use program::{PlanProgram, plan_by, planned, without_tests};
/// The generator of all that is drawn for a verdict.
pub use rand;
pub use runs::Runs;

use crate::device::Device;
use crate::matrix::distinct_seed;
use kernels::Source;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A lab that judges its exercises.
pub trait Judged: Sync {
    /// Its name: "gemm".
    fn lab(&self) -> &'static str;

    /// Runs a student's kernel, `source`, on many small problems and on the measured one, until the first failure. Errors: what is not the
    /// student's fault.
    fn kernel(&self, runs: &mut Runs<'_>, source: &Source) -> anyhow::Result<()>;

    /// How the exercise of this name is judged whose file is Rust; `None` where the lab has none.
    fn strategy(&self, _exercise: &str) -> Option<Strategy> {
        None
    }

    /// Times of these exercises on a card of the simulator, at sizes where each one's idea pays: those of verdicts are too small for that.
    /// Empty where the lab's exercises compute different things. Errors: what a run of the lab's own may not do.
    fn compared(&self, _exercises: &[String], _card: &str) -> anyhow::Result<Vec<Compared>> {
        Ok(Vec::new())
    }
}

/// An exercise whose answer is a function from numbers to a plan.
pub struct Strategy {
    /// The program around the function.
    pub program: PlanProgram,
    /// The numbers of each question, which follow from the seed.
    pub questions: fn(seed: u64) -> Vec<Vec<usize>>,
    /// Judges the answers to the questions of the same seed, a line for each. Errors: a line that is no plan.
    pub judge: Box<JudgePlans>,
}

/// Judges plans on a device, by their seed.
type JudgePlans = dyn Fn(&Device, u64, &[String]) -> anyhow::Result<Outcome>;

/// Random numbers of one kind of question.
pub fn draw(seed: u64, kind: u64) -> StdRng {
    StdRng::seed_from_u64(distinct_seed(seed, u64::MAX - 1 - kind))
}

/// A number whose order of magnitude is even, so that small ones come as often as large ones.
pub fn spread(draw: &mut StdRng, least: usize, most: usize) -> usize {
    let [low, high] = [least, most].map(|bound| (bound as f64).ln());
    let number = draw.random_range(low..=high).exp().round() as usize;
    number.clamp(least, most)
}
