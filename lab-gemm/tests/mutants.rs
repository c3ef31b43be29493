//! Kernels with one deliberate defect each must fail, and for the stated reason; the unchanged rungs must not.

use common::device::Device;
use common::element::Dtype;
use common::host_memory::HostMemory;
use common::ladder;
use common::result::Row;
use common::shape::Shape;
use common::testing::run_mutants;
use common::timing::Runs;
use kernels::Source;
use lab_gemm::{Case, Problem, VARIANTS, run_case};
use std::process::ExitCode;

/// A multiple of every tile, and a shape that is a multiple of none: a defect shows on one of them at least.
const SHAPES: &[[usize; 3]] = &[[64, 64, 64], [70, 45, 51]];
/// A tile of `last_round`, and one of `producer_warp`, that three blocks divide.
const DIVIDED: &[[usize; 3]] = &[[64, 400, 128]];
const DIVIDED_LARGE: &[[usize; 3]] = &[[128, 400, 256]];
const EDGE: usize = 16;

fn main() -> ExitCode {
    run_mutants("gemm", run)
}

fn run(device: &Device, source: &Source) -> anyhow::Result<Vec<Row>> {
    let variant = ladder::select(VARIANTS, &[source.name.to_owned()])?[0];
    let row = |extents: [usize; 3]| {
        let problem = Problem {
            size: Shape::new(&extents),
            extents,
            dtype: Dtype::F32,
            result_memory: HostMemory::Pageable,
            input_memory: HostMemory::Pageable,
            seed: 5,
        };
        run_case(device, source, &Case { variant, edge: EDGE, problem }, Runs { warmup: 0, repeat: 1 })
    };
    let shapes = match source.name {
        "last_round" => DIVIDED,
        "producer_warp" => DIVIDED_LARGE,
        _ => SHAPES,
    };
    shapes.iter().copied().map(row).collect()
}
