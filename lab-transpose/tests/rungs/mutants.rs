//! Kernels with one deliberate defect each must fail, and for the stated reason; the unchanged rungs must not.

use common::device::Device;
use common::element::Dtype;
use common::host_memory::HostMemory;
use common::ladder;
use common::result::Row;
use common::timing::Runs;
use common::turns::Ladder;
use kernels::Source;
use lab_transpose::{Case, Place, Problem, Transpose, VARIANTS};

/// A multiple of every tile, and two that are multiples of none: a defect shows on one of them at least.
const SHAPES: [[usize; 2]; 3] = [[64, 64], [70, 45], [69, 69]];
const EDGE: usize = 16;

pub fn run(device: &Device, source: &Source) -> anyhow::Result<Vec<Row>> {
    let variant = ladder::select(VARIANTS, &[source.name.to_owned()])?[0];
    let mut rows = Vec::new();
    for [m, n] in SHAPES {
        for place in [Place::Out, Place::In] {
            if place == Place::In && !(variant.rung.in_place && m == n) {
                continue;
            }
            let problem = Problem::new([m, n], Dtype::F32, HostMemory::Pageable, 5);
            let case = Case { variant, problem, edge: EDGE, place };
            rows.push(Transpose::run_case(device, source, &case, Runs::ONCE)?);
        }
    }
    Ok(rows)
}
