//! Every rung × element type × edge × shape, checked. The tests follow from `VARIANTS`.
//! Then every mutant, which must fail for its reason.

use common::element::Dtype;
use common::host_memory::HostMemory;
use common::ladder::{self, Variant};
use common::testing::{EXHAUSTIVE, RungTest, run_cases};
use lab_gemm::{Case, MatrixProduct, Placement, Problem, Rung, VARIANTS};
use std::process::ExitCode;

/// m×k×n: one element, primes, multiples and non-multiples of every tile, and rectangles that are long in each direction.
const SHAPES: &[[usize; 3]] = &include!("shapes.txt");
/// The same with more tiles.
const LARGE: &[[usize; 3]] = &[[128, 128, 128], [256, 256, 256]];
const EDGES: &[usize] = &[8, 16, 32];

fn main() -> ExitCode {
    let mut tests = Vec::new();
    let mut add = |variant: &'static Variant<Rung>, extents, dtype, edge, memory, suffix: &str| {
        let problem = Problem::new(extents, dtype, memory, tests.len() as u64);
        let case = Case { variant, edge, placement: Placement::All, problem };
        let test = RungTest::of::<MatrixProduct>(&format!("edge{edge}"), case);
        tests.push(RungTest { name: test.name + suffix, ..test });
    };
    for variant in VARIANTS {
        let shapes = SHAPES.iter().map(|&shape| (shape, "")).chain(LARGE.iter().map(|&shape| (shape, EXHAUSTIVE)));
        for &dtype in variant.rung.dtypes {
            for &edge in variant.rung.edges(EDGES) {
                for (extents, suffix) in shapes.clone() {
                    add(variant, extents, dtype, edge, HostMemory::Pageable, suffix);
                }
            }
        }
    }
    for memory in HostMemory::LOCKED {
        add(&VARIANTS[1], [50, 60, 70], Dtype::F32, 16, memory, "");
    }
    for (rungs, shapes, suffix) in LARGE_TILES {
        for &extents in *shapes {
            for rung in *rungs {
                let variant = ladder::find(VARIANTS, rung).expect("a rung");
                add(variant, extents, Dtype::F32, 16, HostMemory::Pageable, suffix);
            }
        }
    }
    run_cases::<MatrixProduct>(tests, mutated)
}

/// Rungs with tiles that small products do not have, such products, and the end of their tests' names.
type Tiles = (&'static [&'static str], &'static [[usize; 3]], &'static str);
const LARGE_TILES: &[Tiles] = &[
    // Enough tiles for the large one: whole ones, and ones that stick out.
    (&["tile_by_size", "last_round"], &[[256, 24, 12800], [129, 9, 12899]], ""),
    // A whole round and one that is divided, in parts that begin in the middle of a tile; a divided one of small tiles; tiles that stick out.
    (&["last_round", "producer_warp"], &[[1536, 64, 3072], [64, 1008, 256], [1537, 17, 3071], [65, 1001, 191]], ""),
    // The large tile needs four rounds; here they stick out. Whole ones, and two rounds of another rung, are as those above with more tiles.
    (&["fp16x3"], &[[1100, 40, 11401]], ""),
    (&["fp16x3"], &[[1152, 64, 11520]], EXHAUSTIVE),
    (&["producer_warp"], &[[1300, 33, 6200]], EXHAUSTIVE),
];

/// A multiple of every tile, and a shape that is a multiple of none: a defect shows on one of them at least.
fn mutated(variant: &'static Variant<Rung>) -> Vec<Case> {
    let shapes: &[[usize; 3]] = match variant.name {
        // A tile that three blocks divide.
        "last_round" => &[[64, 400, 128]],
        "producer_warp" => &[[128, 400, 256]],
        _ => &[[64, 64, 64], [70, 45, 51]],
    };
    let problem = |&extents: &[usize; 3]| Problem::new(extents, Dtype::F32, HostMemory::Pageable, 5);
    let case = |extents| Case { variant, edge: 16, placement: Placement::Result, problem: problem(extents) };
    shapes.iter().map(case).collect()
}
