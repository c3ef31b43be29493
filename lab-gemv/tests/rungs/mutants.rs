//! Kernels with one deliberate defect each must fail, and for the stated reason; the unchanged rungs must not.

use common::device::Device;
use common::element::Dtype;
use common::host_memory::HostMemory;
use common::ladder;
use common::result::Row;
use common::timing::Runs;
use common::turns::Ladder;
use kernels::Source;
use lab_gemv::strategies::Strategies;
use lab_gemv::{Block, CachePreference, Case, MatrixVector, Problem, VARIANTS};

/// Multiples of every block, and a shape that is a multiple of none: a defect shows on one of them at least.
const SHAPES: [[usize; 2]; 2] = [[64, 64], [150, 45]];
/// Several rows per block, and so large a block that a cooperative launch has to take turns, because not all fit at once.
const BLOCKS: [Block; 2] = [Block { sx: 16, sy: 4 }, Block { sx: 512, sy: 1 }];

pub fn run(device: &Device, source: &Source) -> anyhow::Result<Vec<Row>> {
    let variant = ladder::select(VARIANTS, &[source.name.to_owned()])?[0];
    let mut rows = Vec::new();
    for extents in SHAPES {
        for block in BLOCKS {
            let problem = Problem::new(extents, Dtype::F32, HostMemory::Pageable, 5);
            let block = variant.rung.method.block(block, extents[1] * Dtype::F32.bytes());
            let case = Case {
                variant,
                problem,
                block,
                cache: CachePreference::PreferNone,
                portion: variant.rung.method.portions()[0],
                strategies: Strategies::default(),
            };
            rows.push(MatrixVector::run_case(device, source, &case, Runs::ONCE)?);
        }
    }
    Ok(rows)
}
