//! Lab 5: reduction, scan, histogram, compaction and a step of a radix sort, each as a ladder of its own.
//!
//! Every rung is one launch from n elements to an output, so that a [`Lesson`] suffices: `variants` says how each is launched, `results` the output
//! as it should be. The elements are f32 throughout, and all but sums are exact: counts are whole numbers below 2²⁴, keys are bits that move.

mod question;
mod results;
mod variants;

pub use variants::{Rung, VARIANTS};

use common::command_line::CommonArgs;
use common::device::ByDevice;
use common::element::{Dtype, Element};
use common::experiment::Measure;
use common::lab::Lab;
use common::ladder::Variant;
use common::lesson::{Lesson, Operation, Scratch};
use common::question::Question;
use common::report::Column;
use common::result::Next;
use cudarc::driver::LaunchConfig;

/// Five patterns that move each element once: each rung checked, timed, counted and drawn, on a GPU or on a simulated one.
#[derive(Clone, Debug, Default, clap::Parser)]
#[command(version, about)]
pub struct Options {
    /// The flags that every lab has; --size is the number of elements.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// How the lab computes.
#[derive(Default)]
pub struct Patterns;

impl Lab for Patterns {
    type Options = Options;
    type Rung = Rung;

    const NAME: &'static str = "patterns";
    const VARIANTS: &'static [Variant<Rung>] = VARIANTS;
    const QUESTION: Option<Question> = Some(question::QUESTION);
    const COLUMNS: &'static [Column] = &[
        Column::shared("gbytes_per_s"),
        Column::shared("throughput_memory"),
        Column::shared("shared_conflicts"),
        Column::new("barriers", "barriers", "arrivals of warps at a barrier"),
        Column::shared("atomics"),
        Column::new("atomic_lanes", "atomic lanes", "atomic operations of threads"),
        Column::new(
            "active_lanes_per_instruction",
            "active lanes",
            "lanes of a warp that execute an instruction, on average; 32 where no branch splits a warp",
        ),
        Column::shared("theoretical_occupancy").detail(),
    ];
    const ARGS: fn(&mut Options) -> &mut CommonArgs = |options| &mut options.common;
    const REPORT: Measure<Options> = common::turns::report::<Self>;
}

impl Lesson for Patterns {
    type Extents = [usize; 1];

    const DIMENSIONS: &'static str = "n";
    const SIZES: ByDevice<&'static [usize]> = ByDevice { simulator: &[1 << 18], gpu: &[1 << 25] };
    /// One element, primes, a tile of each rung, one more and one less, and several tiles.
    const SHAPES: &'static [[usize; 1]] = &[[1003], [1], [31], [1024], [1025], [4095], [4096], [9001], [40_000]];
    const MEASURED: [usize; 1] = [1 << 16];
    const DTYPES: &'static [Dtype] = &[Dtype::F32];
    const ONE_RESULT: bool = false;
    const NEXT: Next = Next::new(
        "cargo run -rp lab-patterns -- --html patterns.html",
        "each kernel line by line, with pictures of its accesses",
    );

    fn operation(rung: &Rung, [n]: [usize; 1]) -> Operation {
        let output = (rung.task.output)(n);
        Operation {
            inputs: vec![n],
            output,
            columns: 1,
            starts_as: None,
            flops: (rung.task.flops_per_element * n) as f64,
            moved: n + (rung.task.written)(n),
            terms: if rung.task.rounds { n.min(rung.task.tile.unwrap_or(n)) } else { 0 },
        }
    }

    fn reference(rung: &Rung, _: [usize; 1], inputs: &[Vec<f64>]) -> Vec<f64> {
        (rung.task.reference)(&inputs[0])
    }

    fn launch(rung: &Rung, [n]: [usize; 1], _: Dtype) -> LaunchConfig {
        LaunchConfig {
            grid_dim: (rung.blocks(n) as u32, 1, 1),
            block_dim: (rung.threads as u32, 1, 1),
            shared_mem_bytes: 0,
        }
    }

    fn shares(rung: &Rung) -> bool {
        rung.most_blocks < usize::MAX
    }

    fn large(rung: &Rung) -> &'static [[usize; 1]] {
        // Not of `histogram_shared`, whose slow right kernels would meet the budget of instructions there.
        let is_wide = rung.threads > 256 || rung.scratch.is_some();
        if Self::shares(rung) && is_wide { &[[540_000]] } else { &[] }
    }

    fn scratch(rung: &Rung) -> Option<Scratch<[usize; 1]>> {
        rung.scratch
    }

    fn starts_as_zeros(rung: &Rung) -> bool {
        rung.task.starts_as_zeros
    }

    fn normalise<T: Element>(rung: &Rung, output: &mut [T]) {
        if let Some(order) = rung.task.compacts {
            results::normalise(output, order);
        }
    }
}
