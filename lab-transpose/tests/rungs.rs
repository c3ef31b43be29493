//! Every rung × element type × edge × place × shape, every element compared. The tests follow from `VARIANTS`.
//! Then every mutant, which must fail for its reason.

use common::element::Dtype;
use common::host_memory::HostMemory;
use common::ladder::Variant;
use common::testing::{RungTest, run_cases};
use lab_transpose::{Case, Place, Problem, Rung, Threads, Transpose, VARIANTS};
use std::process::ExitCode;

/// m×n: one element, primes, multiples and non-multiples of every tile, and rectangles that are long in each direction.
const SHAPES: &[[usize; 2]] = &include!("shapes.txt");
/// More tiles than `ahead` asks ahead, whole ones and ones that stick out.
const MANY_TILES: &[[usize; 2]] = &[[416, 416], [420, 404], [832, 832], [420, 1000]];
const EDGES: &[usize] = &[8, 16, 32];
/// Edges that kernels without an edge compiled in have to cope with.
const ODD_EDGES: &[usize] = &[1, 7];

fn main() -> ExitCode {
    let mut tests = Vec::new();
    for variant in VARIANTS {
        let Rung { threads, in_place } = variant.rung;
        let places: &[Place] = if in_place { &[Place::Out, Place::In] } else { &[Place::Out] };
        let edges = match threads {
            Threads::Square { edge_compiled_in: false, .. } => [EDGES, ODD_EDGES].concat(),
            _ => match threads.compiled_edges() {
                [] => vec![32],
                compiled_in => compiled_in.to_vec(),
            },
        };
        for dtype in [Dtype::F32, Dtype::F64] {
            for &edge in &edges {
                for &[m, n] in SHAPES {
                    for &place in places.iter().filter(|&&place| place == Place::Out || m == n) {
                        tests.push(test(variant, [m, n], dtype, edge, place, HostMemory::Pageable));
                    }
                }
            }
        }
    }
    for variant in VARIANTS.iter().filter(|variant| variant.rung.threads == Threads::Ahead) {
        for dtype in [Dtype::F32, Dtype::F64] {
            for &edge in variant.rung.threads.compiled_edges() {
                for &extents in MANY_TILES {
                    tests.push(test(variant, extents, dtype, edge, Place::Out, HostMemory::Pageable));
                }
            }
        }
    }
    for memory in HostMemory::LOCKED {
        tests.push(test(&VARIANTS[1], [50, 60], Dtype::F32, 16, Place::Out, memory));
    }
    run_cases::<Transpose>(tests, mutated)
}

fn test(
    variant: &'static Variant<Rung>,
    extents: [usize; 2],
    dtype: Dtype,
    edge: usize,
    place: Place,
    host_memory: HostMemory,
) -> RungTest {
    // Each shape has its own data.
    let seed = (extents[0] * 1000 + extents[1]) as u64;
    let case = Case { variant, problem: Problem::new(extents, dtype, host_memory, seed), edge, place };
    RungTest::of::<Transpose>(&format!("{place}::{}", case.block_text()), case)
}

/// A multiple of every tile, and two that are multiples of none: a defect shows on one of them at least.
fn mutated(variant: &'static Variant<Rung>) -> Vec<Case> {
    let case = |[m, n]: [usize; 2], place| {
        let possible = place == Place::Out || variant.rung.in_place && m == n;
        let problem = Problem::new([m, n], Dtype::F32, HostMemory::Pageable, 5);
        possible.then_some(Case { variant, problem, edge: 16, place })
    };
    let shapes = [[64, 64], [70, 45], [69, 69]].into_iter();
    shapes.flat_map(|shape| [Place::Out, Place::In].into_iter().filter_map(move |place| case(shape, place))).collect()
}
