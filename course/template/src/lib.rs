//! Lab TEMPLATE: y = a·x + y. Two flops for three elements moved, so that all a kernel can gain is on the way to memory.
//!
//! Problems, data, checks, rows and tests follow from what stands here: see [`common::lesson`].

mod question;

use common::command_line::CommonArgs;
use common::device::ByDevice;
use common::element::Dtype;
use common::experiment::Measure;
use common::lab::Lab;
use common::ladder::Variant;
use common::lesson::{Lesson, Operation};
use common::question::Question;
use common::report::Column;
use common::result::Next;
use cudarc::driver::LaunchConfig;

/// y = a·x + y: variants checked, timed, counted and compared, on a GPU or on a simulated one.
#[derive(Clone, Debug, Default, clap::Parser)]
#[command(version, about)]
pub struct Options {
    /// The flags that every lab has.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// The data that launching a rung takes.
#[derive(Debug)]
pub struct Rung {
    /// Bytes of x that one thread takes; an element where there are fewer.
    pub bytes_per_thread: usize,
}

/// How the lab computes.
#[derive(Default)]
pub struct Axpy;

impl Lab for Axpy {
    type Options = Options;
    type Rung = Rung;

    const NAME: &'static str = "TEMPLATE";
    const VARIANTS: &'static [Variant<Rung>] = &[
        Variant { name: "naive", idea: "one thread per element", rung: Rung { bytes_per_thread: 1 } },
        Variant { name: "vectorised", idea: "16 bytes per access", rung: Rung { bytes_per_thread: 16 } },
    ];
    const COLUMNS: &'static [Column] = &[
        Column::shared("gbytes_per_s"),
        Column::shared("gflops"),
        Column::shared("global_load_efficiency"),
        Column::shared("throughput_memory"),
        Column::shared("theoretical_occupancy"),
    ];
    const QUESTION: Option<Question> = Some(question::QUESTION);
    const ARGS: fn(&mut Options) -> &mut CommonArgs = |options| &mut options.common;
    const REPORT: Measure<Options> = common::turns::report::<Self>;
}

/// Threads of a block.
const THREADS: usize = 256;

impl Lesson for Axpy {
    type Extents = [usize; 1];

    const DIMENSIONS: &'static str = "n";
    const SIZES: ByDevice<&'static [usize]> = ByDevice { simulator: &[1 << 16, 1 << 18], gpu: &[1 << 20, 1 << 26] };
    const SHAPES: &'static [[usize; 1]] = &[[1003], [1], [31], [256], [4096], [5000]];
    const MEASURED: [usize; 1] = [8192];
    /// a.
    const SCALARS: &'static [f64] = &[0.75];
    const NEXT: Next = Next::new("cargo run -rp lab-TEMPLATE -- --explain --lines", "what bounds each kernel, line by line");

    fn operation(_: &Rung, [n]: [usize; 1]) -> Operation {
        Operation {
            inputs: vec![n, n],
            output: n,
            columns: 1,
            starts_as: Some(1),
            flops: 2.0 * n as f64,
            moved: 3 * n,
            terms: 2,
        }
    }

    fn reference(_: &Rung, _: [usize; 1], inputs: &[Vec<f64>]) -> Vec<f64> {
        inputs[0].iter().zip(&inputs[1]).map(|(x, y)| Self::SCALARS[0] * x + y).collect()
    }

    fn launch(rung: &Rung, [n]: [usize; 1], dtype: Dtype) -> LaunchConfig {
        let per_block = THREADS * (rung.bytes_per_thread / dtype.bytes()).max(1);
        LaunchConfig {
            grid_dim: (n.div_ceil(per_block) as u32, 1, 1),
            block_dim: (THREADS as u32, 1, 1),
            shared_mem_bytes: 0,
        }
    }
}
