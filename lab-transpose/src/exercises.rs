//! The exercises: transposes, into another matrix and over the matrix itself.

use crate::{Case, Options, Place, Problem, Rung, Threads, Transpose, VARIANTS};
use common::command_line::CommonArgs;
use common::device::Device;
use common::element::Dtype;
use common::exercise::{Compared, Judged, Runs, best_times, sampled};
use common::host_memory::HostMemory;
use common::ladder;
use common::plan::Case as _;
use common::shape::Shape;
use common::timing::Runs as Times;
use common::turns::Ladder;
use kernels::Source;

/// How this lab judges.
pub struct Exercises;

impl Judged for Exercises {
    fn lab(&self) -> &'static str {
        "transpose"
    }

    fn kernel(&self, runs: &mut Runs<'_>, source: &Source) -> anyhow::Result<()> {
        let variant = ladder::find(VARIANTS, source.name)?;
        let Rung { threads, in_place } = variant.rung;
        let case = |extents: [usize; 2], edge: usize, dtype: Dtype, place: Place, seed: u64| Case {
            variant,
            edge,
            place,
            problem: Problem::new(extents, dtype, HostMemory::Pageable, seed),
        };
        let edges: &[usize] = match threads {
            Threads::Square { edge_compiled_in: true, .. } => &[8, 16, 32],
            Threads::Square { .. } => &[7, 16, 32],
            Threads::Downward => &[8, 16],
            _ => &[32],
        };
        let mut cases: Vec<([usize; 2], usize, Dtype)> =
            SHAPES.iter().map(|&shape| (shape, edges[edges.len() / 2], Dtype::F32)).collect();
        if matches!(threads, Threads::Vectorised) {
            cases.extend(LARGE.map(|shape| (shape, edges[0], Dtype::F32)));
        }
        let named = cases.len();
        for &edge in edges {
            let n = runs.extent(20, 140);
            cases.push(([runs.extent(20, 140), runs.extent(20, 140)], edge, Dtype::F32));
            cases.push(([n, n], edge, Dtype::F64));
        }
        for place in [Place::Out, Place::In] {
            for (nth, &(extents, edge, dtype)) in cases.iter().enumerate() {
                if place == Place::Out || (in_place && extents[0] == extents[1]) {
                    let case = case(extents, edge, runs.dtype(dtype), place, runs.next_seed());
                    let run = |device: &Device| Transpose::run_case(device, source, &case, Times::ONCE);
                    // Squares, as in place needs them, are drawn in f64, the others in f32.
                    let (kind, of) = if place == Place::In { ("in_place_", Dtype::F64) } else { ("", Dtype::F32) };
                    if nth >= named && dtype == of {
                        runs.run_drawn((kind, extents[0] * extents[1]), &case.label(), run);
                    } else {
                        runs.run(&case.label(), run);
                    }
                }
            }
        }
        let largest = edges[edges.len() - 1];
        let out = case([EXTENT; 2], largest, Dtype::F32, Place::Out, runs.next_seed());
        runs.measure_share(&out.label(), 1.0, |device| Transpose::run_case(device, source, &out, Times::ONCE));
        // The technique is asked for in both kernels of the file, and at a size that is drawn.
        // Cut off at an edge, the last rung's tile has conflicts.
        let drawn = runs.size(DRAWN) + if matches!(threads, Threads::Downward) { 20 } else { 0 };
        let at = format!("at_{drawn}x{drawn}");
        for (kind, extent, place) in [
            (at.clone(), drawn, Place::Out),
            ("in_place".to_owned(), EXTENT, Place::In),
            (format!("{at}_in_place"), drawn, Place::In),
        ] {
            if place == Place::Out || in_place {
                let case = case([extent; 2], largest, Dtype::F32, place, runs.next_seed());
                runs.measure_beside(&kind, &case.label(), |device| {
                    Transpose::run_case(device, source, &case, Times::ONCE)
                });
            }
        }
        Ok(())
    }

    fn compared(&self, exercises: &[String], card: &str) -> anyhow::Result<Vec<Compared>> {
        let common = CommonArgs { edge: vec![COMPARED_EDGE], ..sampled(exercises, &[Shape::square(COMPARED)], card) };
        best_times::<Transpose>(Options { common, no_yardsticks: true, ..Options::default() })
    }
}

/// m×n: a multiple of every tile, one element, shapes that are multiples of none; one of them twice, with other data; tiles that divide one side only;
/// whole tiles of another shape's rows, all of which begin at multiples of 16 bytes; tiles that lack a few rows or columns; more than one group of tiles.
#[rustfmt::skip]
const SHAPES: [[usize; 2]; 14] = [
    [64, 64], [31, 33], [1, 1], [64, 64], [96, 45], [69, 69], [64, 99], [99, 64], [68, 132], [128, 68], [68, 62], [60, 68], [40, 300], [32, 31],
];
/// More rows, or columns, than 16 bits count: for a tile whose helpers take them as arguments.
const LARGE: [[usize; 2]; 2] = [[2, 33_000], [33_000, 2]];
/// Extent at which the way to memory matters: two matrices of 16 MiB are more than the L2 cache holds, which puts scattered stores together.
const COMPARED: usize = 2048;
/// The block's edge there: as wide as a warp, so that a column of an unpadded tile lies in one bank.
const COMPARED_EDGE: usize = 32;
/// Rows and columns of the measured run.
const EXTENT: usize = 128;
/// Rows and columns of the measured runs whose size is drawn: no tile divides them, and rows still begin at multiples of 16 bytes.
const DRAWN: [usize; 3] = [172, 236, 300];
