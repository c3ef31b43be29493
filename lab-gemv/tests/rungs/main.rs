//! Every rung × element type × block × shape, checked. The tests follow from `VARIANTS`.
//! Then every mutant, which must fail for its reason.

mod mutants;

use common::element::Dtype;
use common::host_memory::HostMemory;
use common::ladder::Variant;
use common::testing::{RungTest, run_ladder};
use common::timing::Runs;
use common::turns::Ladder;
use lab_gemv::strategies::Strategies;
use lab_gemv::{Block, CachePreference, Case, MatrixVector, Problem, Rung, VARIANTS};
use std::process::ExitCode;

/// m×n: one element, primes, multiples and non-multiples of every block, and rectangles that are long in each direction.
const SHAPES: &[[usize; 2]] = &[
    [1, 1],
    [31, 31],
    [33, 33],
    [64, 64],
    [100, 100],
    [256, 256],
    [1, 300],
    [300, 1],
    [5, 131],
    [131, 5],
    [70, 1000],
    [1000, 70],
];
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
const LOCKED: &[HostMemory] =
    &[HostMemory::Pinned, HostMemory::WriteCombined, HostMemory::Mapped, HostMemory::Registered];

fn main() -> ExitCode {
    let mut tests = Vec::new();
    for variant in VARIANTS {
        for &dtype in variant.rung.dtypes {
            for &portion in variant.rung.method.portions() {
                for &extents in SHAPES {
                    tests.push(test(
                        variant,
                        extents,
                        dtype,
                        BLOCK,
                        portion,
                        HostMemory::Pageable,
                        CachePreference::PreferNone,
                    ));
                }
            }
            let first = variant.rung.method.portions()[0];
            for &block in OTHER_BLOCKS {
                tests.push(test(
                    variant,
                    [150, 141],
                    dtype,
                    block,
                    first,
                    HostMemory::Pageable,
                    CachePreference::PreferL1,
                ));
            }
        }
    }
    let shuffle = VARIANTS.iter().find(|variant| variant.name == "shuffle").expect("the ladder has it");
    for &memory in LOCKED {
        tests.push(test(shuffle, [50, 60], Dtype::F32, BLOCK, 1, memory, CachePreference::PreferShared));
    }
    run_ladder("gemv", tests, mutants::run)
}

fn test(
    variant: &'static Variant<Rung>,
    extents: [usize; 2],
    dtype: Dtype,
    block: Block,
    portion: usize,
    host_memory: HostMemory,
    cache: CachePreference,
) -> RungTest {
    let [m, n] = extents;
    // Each test has its own data.
    let seed = [m, n, block.sx, block.sy, portion].iter().fold(7, |seed, &part| seed * 31 + part as u64);
    let problem = Problem::new(extents, dtype, host_memory, seed);
    let block = variant.rung.method.block(block, n * dtype.bytes());
    let case = Case { variant, problem, block, cache, portion, strategies: Strategies::default() };
    RungTest {
        name: format!("{}::{dtype}::{}::{portion}::{m}x{n}::{host_memory}", variant.name, case.block_text()),
        run: Box::new(move |device| {
            let source = kernels::source("gemv", variant.name)?;
            MatrixVector::run_case(device, &source, &case, Runs::ONCE)
        }),
    }
}
