//! The exercises of a lab, as the lab judges them.
//!
//! The course compiles what a student wrote, asks it, and keeps it in its box. The lab knows which problems show a defect, what a right plan is,
//! and which figures a run gives: all of that stands behind [`Judged`], in the lab's own crate.

mod program;
mod runs;

pub use program::{Program, without_tests};
/// The generator of all that is drawn for a verdict.
pub use rand;
pub use runs::Runs;

use crate::device::Device;
use crate::matrix::distinct_seed;
use kernels::Source;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Figures of one run by name: counters, times in milliseconds, shares in per cent.
pub type Panel = BTreeMap<String, f64>;

/// Sizes that a measured run beside the fixed one may have: the seed chooses. The reference is measured with so many seeds in a row.
pub const SIZES: u64 = 3;

/// A lab that judges its exercises.
pub trait Judged: Sync {
    /// Its name: "gemm".
    fn lab(&self) -> &'static str;

    /// Runs a student's kernel, `source`, on many small problems and on the measured one, until the first failure. Errors: what is not the
    /// student's fault.
    fn kernel(&self, runs: &mut Runs<'_>, source: &Source) -> anyhow::Result<()>;

    /// How the exercise of this name is judged whose file is Rust; `None` where the lab has none.
    fn strategy(&self, _exercise: &str) -> Option<Box<dyn Strategy>> {
        None
    }
}

/// An exercise whose answer is a function from numbers to a plan.
pub trait Strategy {
    /// The program around the function.
    fn program(&self) -> Program;

    /// The numbers of each question, which follow from the seed.
    fn questions(&self, seed: u64) -> Vec<Vec<usize>>;

    /// Judges the answers to the questions of the same seed, a line for each. Errors: a line that is no plan.
    fn judge(&self, device: &Device, seed: u64, plans: &[String]) -> anyhow::Result<Outcome>;
}

/// What the runs of one exercise gave, before techniques are looked at.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// Nothing was done: no access to memory, no step, no launch.
    pub not_started: bool,
    /// The first failure.
    pub failure: Option<Failure>,
    /// Figures of the measured run.
    pub panel: Panel,
}

/// Why a run failed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// "race", "out of bounds", "wrong result", "error".
    pub kind: String,
    /// The story.
    pub story: String,
}

impl Failure {
    /// A failure of a kind.
    pub fn new(kind: &str, story: impl Into<String>) -> Self {
        Failure { kind: kind.to_owned(), story: story.into() }
    }
}

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
