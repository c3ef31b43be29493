//! Every rung × element type × edge × shape, checked. The tests follow from `VARIANTS`.
//! Then every mutant, which must fail for its reason.

mod mutants;

use common::element::Dtype;
use common::host_memory::HostMemory;
use common::testing::{EXHAUSTIVE, RungTest, run_ladder};
use common::timing::Runs;
use common::turns::Ladder;
use lab_gemm::{Case, MatrixProduct, Placement, Problem, VARIANTS};
use std::process::ExitCode;

/// m×k×n: one element, primes, multiples and non-multiples of every tile, and rectangles that are long in each direction.
const SHAPES: &[[usize; 3]] = &[
    [1, 1, 1],
    [7, 7, 7],
    [33, 33, 33],
    [64, 64, 64],
    [100, 100, 100],
    [128, 256, 128],
    [1, 130, 1],
    [130, 1, 67],
    [5, 64, 131],
    [131, 64, 5],
    [96, 31, 1],
    [1, 33, 96],
    [256, 64, 512],
    [130, 40, 260],
];
/// The same with more tiles.
const LARGE: &[[usize; 3]] = &[[128, 128, 128], [256, 256, 256]];
const EDGES: &[usize] = &[8, 16, 32];
const LOCKED: &[HostMemory] =
    &[HostMemory::Pinned, HostMemory::WriteCombined, HostMemory::Mapped, HostMemory::Registered];

fn main() -> ExitCode {
    let mut tests = Vec::new();
    for variant in VARIANTS {
        let shapes = SHAPES.iter().map(|&shape| (shape, "")).chain(LARGE.iter().map(|&shape| (shape, EXHAUSTIVE)));
        for &dtype in variant.rung.dtypes {
            for &edge in variant.rung.edges(EDGES) {
                for (extents, suffix) in shapes.clone() {
                    let problem = problem(extents, dtype, HostMemory::Pageable, tests.len() as u64);
                    let case = test(Case { variant, edge, placement: Placement::All, problem });
                    tests.push(RungTest { name: case.name + suffix, ..case });
                }
            }
        }
    }
    for &memory in LOCKED {
        let problem = problem([50, 60, 70], Dtype::F32, memory, tests.len() as u64);
        tests.push(test(Case { variant: &VARIANTS[1], edge: 16, placement: Placement::All, problem }));
    }
    // Enough tiles for the large one: whole ones, and ones that stick out.
    for extents in [[256, 24, 12800], [129, 9, 12899]] {
        for variant in VARIANTS.iter().filter(|variant| ["tile_by_size", "last_round"].contains(&variant.name)) {
            let problem = problem(extents, Dtype::F32, HostMemory::Pageable, tests.len() as u64);
            tests.push(test(Case { variant, edge: 16, placement: Placement::All, problem }));
        }
    }
    // A whole round and one that is divided, in parts that begin in the middle of a tile; a divided one of small tiles; tiles that stick out.
    for extents in [[1536, 64, 3072], [64, 1008, 256], [1537, 17, 3071], [65, 1001, 191]] {
        for variant in VARIANTS.iter().filter(|variant| ["last_round", "producer_warp"].contains(&variant.name)) {
            let problem = problem(extents, Dtype::F32, HostMemory::Pageable, tests.len() as u64);
            tests.push(test(Case { variant, edge: 16, placement: Placement::All, problem }));
        }
    }
    // The large tile needs four rounds; here they stick out. Whole ones, and two rounds of another rung, are as those above with more tiles.
    for (name, extents, suffix) in [
        ("fp16x3", [1100, 40, 11401], ""),
        ("fp16x3", [1152, 64, 11520], EXHAUSTIVE),
        ("producer_warp", [1300, 33, 6200], EXHAUSTIVE),
    ] {
        let variant = VARIANTS.iter().find(|variant| variant.name == name).expect("a rung");
        let problem = problem(extents, Dtype::F32, HostMemory::Pageable, tests.len() as u64);
        let case = test(Case { variant, edge: 16, placement: Placement::All, problem });
        tests.push(RungTest { name: case.name + suffix, ..case });
    }
    run_ladder("gemm", tests, mutants::run)
}

fn problem(extents: [usize; 3], dtype: Dtype, memory: HostMemory, seed: u64) -> Problem {
    Problem::new(extents, dtype, memory, seed)
}

fn test(case: Case) -> RungTest {
    let Problem { dtype, extents: [m, k, n], host_memory, .. } = case.problem;
    RungTest {
        name: format!("{}::{dtype}::edge{}::{m}x{k}x{n}::{host_memory}", case.variant.name, case.edge),
        run: Box::new(move |device| {
            let source = kernels::source("gemm", case.variant.name)?;
            MatrixProduct::run_case(device, &source, &case, Runs::ONCE)
        }),
    }
}
