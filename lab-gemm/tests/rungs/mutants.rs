//! Kernels with one deliberate defect each must fail, and for the stated reason; the unchanged rungs must not.

use common::device::Device;
use common::element::Dtype;
use common::host_memory::HostMemory;
use common::ladder;
use common::result::Row;
use common::timing::Runs;
use common::turns::Ladder;
use kernels::Source;
use lab_gemm::{Case, MatrixProduct, Placement, Problem, VARIANTS};

/// A multiple of every tile, and a shape that is a multiple of none: a defect shows on one of them at least.
const SHAPES: &[[usize; 3]] = &[[64, 64, 64], [70, 45, 51]];
/// A tile of `last_round`, and one of `producer_warp`, that three blocks divide.
const DIVIDED: &[[usize; 3]] = &[[64, 400, 128]];
const DIVIDED_LARGE: &[[usize; 3]] = &[[128, 400, 256]];
const EDGE: usize = 16;

pub fn run(device: &Device, source: &Source) -> anyhow::Result<Vec<Row>> {
    let variant = ladder::select(VARIANTS, &[source.name.to_owned()])?[0];
    let row = |extents: [usize; 3]| {
        let problem = Problem::new(extents, Dtype::F32, HostMemory::Pageable, 5);
        MatrixProduct::run_case(
            device,
            source,
            &Case { variant, edge: EDGE, placement: Placement::Result, problem },
            Runs::ONCE,
        )
    };
    let shapes = match source.name {
        "last_round" => DIVIDED,
        "producer_warp" => DIVIDED_LARGE,
        _ => SHAPES,
    };
    shapes.iter().copied().map(row).collect()
}
