//! Every rung × element type × block × shape, checked. The tests follow from `VARIANTS`.
//! Then every mutant, which must fail for its reason.

use common::element::Dtype;
use common::host_memory::HostMemory;
use common::ladder::{self, Variant};
use common::testing::{RungTest, run_cases};
use lab_gemv::strategies::Strategies;
use lab_gemv::{Block, CachePreference, Case, MatrixVector, Problem, Rung, VARIANTS};
use std::process::ExitCode;

/// m×n: one element, primes, multiples and non-multiples of every block, and rectangles that are long in each direction.
const SHAPES: &[[usize; 2]] = &include!("shapes.txt");
/// The assignment's block at every shape, the others at one.
const BLOCK: Block = Block { sx: 16, sy: 16 };
const OTHER_BLOCKS: &[Block] = &[
    Block { sx: 4, sy: 16 },
    Block { sx: 8, sy: 16 },
    Block { sx: 32, sy: 16 },
    Block { sx: 64, sy: 16 },
    Block { sx: 2, sy: 1 },
    Block { sx: 1024, sy: 1 },
];

fn main() -> ExitCode {
    let mut tests = Vec::new();
    let mut add =
        |variant: &'static Variant<Rung>, extents: [usize; 2], dtype, block: Block, portion, memory, cache| {
            // Each test has its own data.
            let parts = [extents[0], extents[1], block.sx, block.sy, portion];
            let seed = parts.iter().fold(7, |seed, &part| seed * 31 + part as u64);
            let case = case(variant, Problem::new(extents, dtype, memory, seed), block, portion, cache);
            tests.push(RungTest::of::<MatrixVector>(&format!("{}::{portion}", case.block_text()), case));
        };
    for variant in VARIANTS {
        let portions = variant.rung.method.portions();
        for &dtype in variant.rung.dtypes {
            for (&portion, &extents) in
                portions.iter().flat_map(|portion| SHAPES.iter().map(move |shape| (portion, shape)))
            {
                add(variant, extents, dtype, BLOCK, portion, HostMemory::Pageable, CachePreference::PreferNone);
            }
            for &block in OTHER_BLOCKS {
                let (first, cache) = (portions[0], CachePreference::PreferL1);
                add(variant, [150, 141], dtype, block, first, HostMemory::Pageable, cache);
            }
        }
    }
    let shuffle = ladder::find(VARIANTS, "shuffle").expect("the ladder has it");
    for memory in HostMemory::LOCKED {
        add(shuffle, [50, 60], Dtype::F32, BLOCK, 1, memory, CachePreference::PreferShared);
    }
    run_cases::<MatrixVector>(tests, mutated)
}

fn case(
    variant: &'static Variant<Rung>,
    problem: Problem,
    block: Block,
    portion: usize,
    cache: CachePreference,
) -> Case {
    let block = variant.rung.method.block(block, problem.extents[1] * problem.dtype.bytes());
    Case { variant, problem, block, cache, portion, strategies: Strategies::default(), parts: lab_gemv::Parts::AsAsked }
}

/// Multiples of every block, and a shape that is a multiple of none: a defect shows on one of them at least. Several rows per block, and so large a
/// block that a cooperative launch has to take turns, because not all fit at once.
fn mutated(variant: &'static Variant<Rung>) -> Vec<Case> {
    let blocks = [Block { sx: 16, sy: 4 }, Block { sx: 512, sy: 1 }];
    let of_shape = |extents: [usize; 2]| {
        let problem = Problem::new(extents, Dtype::F32, HostMemory::Pageable, 5);
        let portion = variant.rung.method.portions()[0];
        blocks.map(|block| case(variant, problem.clone(), block, portion, CachePreference::PreferNone))
    };
    [[64, 64], [150, 45]].into_iter().flat_map(of_shape).collect()
}
