//! Lab 0: first kernels. Eleven small steps from the number of a thread to the sum of a block.
//!
//! Each rung computes something of its own (`rungs`). Problems, data, checks, rows and tests follow from that: see [`common::lesson`].

mod configurations;
mod question;
mod rungs;
pub mod strategies;

pub use rungs::{Rung, VARIANTS};

use common::command_line::CommonArgs;
use common::device::ByDevice;
use common::element::Dtype;
use common::exercise::Strategy;
use common::experiment::Measure;
use common::lab::Lab;
use common::ladder::Variant;
use common::lesson::{Lesson, Operation};
use common::question::Question;
use common::report::Column;
use common::result::Next;
use cudarc::driver::LaunchConfig;

/// First kernels: each one checked, timed, counted and drawn, on a GPU or on a simulated one.
#[derive(Clone, Debug, Default, clap::Parser)]
#[command(version, about)]
pub struct Options {
    /// The flags that every lab has; --size is the rows and columns of the input, whose elements the kernels take as one row or as a matrix.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// How the lab computes.
#[derive(Default)]
pub struct First;

impl Lab for First {
    type Options = Options;
    type Rung = Rung;

    const NAME: &'static str = "first";
    const VARIANTS: &'static [Variant<Rung>] = VARIANTS;
    const COLUMNS: &'static [Column] = &[
        Column::shared("gbytes_per_s"),
        Column::shared("global_load_efficiency"),
        Column::shared("global_store_efficiency"),
        Column::shared("shared_conflicts"),
        Column::new("barriers", "barriers", "arrivals of warps at a barrier"),
        Column::shared("atomics"),
    ];
    const QUESTION: Option<Question> = Some(question::QUESTION);
    const ARGS: fn(&mut Options) -> &mut CommonArgs = |options| &mut options.common;
    const REPORT: Measure<Options> = common::turns::report::<Self>;
}

impl Lesson for First {
    type Extents = [usize; 2];

    const DIMENSIONS: &'static str = "mxn";
    const SIZES: ByDevice<&'static [usize]> = ByDevice { simulator: &[512], gpu: &[4096] };
    const SHAPES: &'static [[usize; 2]] = &[[33, 31], [1, 1], [16, 16], [5, 7], [1, 288], [100, 3], [201, 331]];
    const MEASURED: [usize; 2] = [128, 128];
    const DTYPES: &'static [Dtype] = &[Dtype::F32];
    const ONE_RESULT: bool = false;
    const NEXT: Next = Next::new(
        "cargo run -rp lab-first -- --html first.html",
        "each kernel line by line, with pictures of its accesses",
    );

    fn operation(rung: &Rung, [m, n]: [usize; 2]) -> Operation {
        let output = (rung.output)(m, n);
        let adds = rung.adds_to_output;
        Operation {
            inputs: if adds { vec![m * n, output] } else { vec![m * n] },
            output,
            // A kernel that is given one number sees a vector.
            columns: if (rung.numbers)([m, n]).len() == 2 && output == m * n { n } else { 1 },
            starts_as: adds.then_some(1),
            flops: (rung.flops_per_element * m * n) as f64,
            moved: m * n + output * if adds { 2 } else { 1 },
            terms: (rung.terms)(m),
        }
    }

    fn reference(rung: &Rung, extents: [usize; 2], inputs: &[Vec<f64>]) -> Vec<f64> {
        (rung.reference)(extents, inputs)
    }

    fn launch(rung: &Rung, extents: [usize; 2], _: Dtype) -> LaunchConfig {
        let (grid_dim, block_dim) = (rung.launch)(extents);
        LaunchConfig { grid_dim, block_dim, shared_mem_bytes: 0 }
    }

    fn large(rung: &Rung) -> &'static [[usize; 2]] {
        if (rung.numbers)([1, 1]).len() == 2 { &[[1, 33_000], [33_000, 1]] } else { &[] }
    }

    fn numbers(rung: &Rung, extents: [usize; 2]) -> Vec<usize> {
        (rung.numbers)(extents)
    }

    fn strategy(exercise: &str) -> Option<Strategy> {
        (exercise == "launch").then(configurations::configurations)
    }
}
