//! The exercises: products, and where the result lives.

use crate::plan::memory;
use crate::strategies::Memory;
use crate::{Case, Grid, MatrixProduct, Options, Placement, Problem, VARIANTS};
use common::command_line::CommonArgs;
use common::device::Device;
use common::element::Dtype;
use common::exercise::rand::seq::SliceRandom;
use common::exercise::{
    Compared, Failure, Judged, Outcome, Panel, PlanProgram, Runs, Strategy, best_times, draw, sampled, spread,
};
use common::host_memory::HostMemory;
use common::ladder;
use common::matrix::{Matrix, allocate_device};
use common::plan::Case as _;
use common::shape::Shape;
use common::timing::{Runs as Times, Stopwatch};
use common::turns::Ladder;
use kernels::Source;

/// How this lab judges.
pub struct Exercises;

impl Judged for Exercises {
    fn lab(&self) -> &'static str {
        "gemm"
    }

    fn kernel(&self, runs: &mut Runs<'_>, source: &Source) -> anyhow::Result<()> {
        let variant = ladder::find(VARIANTS, source.name)?;
        let case = |extents: [usize; 3], edge: usize, dtype: Dtype, seed: u64| Case {
            variant,
            edge,
            placement: Placement::Result,
            problem: Problem::new(extents, dtype, HostMemory::Pageable, seed),
        };
        let mut cases: Vec<([usize; 3], usize, Dtype)> = SHAPES.iter().map(|&shape| (shape, 16, Dtype::F32)).collect();
        for edge in [8, 16, 32] {
            // Along k three tiles: only from the second on can one tile be overwritten by the next.
            let extents = [runs.extent(20, 70), runs.extent(2 * edge + 1, 3 * edge), runs.extent(20, 70)];
            cases.extend([(extents, edge, Dtype::F32), (extents, edge, Dtype::F64)]);
        }
        for (nth, (extents, edge, dtype)) in cases.into_iter().enumerate() {
            let case = case(extents, edge, runs.dtype(dtype), runs.next_seed());
            let run = |device: &Device| MatrixProduct::run_case(device, source, &case, Times::ONCE);
            match dtype {
                _ if nth < SHAPES.len() => drop(runs.run(&label(&case), run)),
                Dtype::F32 => runs.run_drawn(("", extents.iter().product()), &label(&case), run),
                // Another way through the tile, where two buffers of the type are too large.
                Dtype::F64 => drop(runs.run_in_another_order(&label(&case), run)),
            }
        }
        let extent = if matches!(variant.rung.grid, Grid::Compiled(_)) { LARGE_EXTENT } else { EXTENT };
        let fixed = case([extent; 3], EDGE, Dtype::F32, runs.next_seed());
        runs.measure_share(&fixed.label(), 1.0, |device| MatrixProduct::run_case(device, source, &fixed, Times::ONCE));
        // Once more with extents that no block divides, and steps along k that are drawn. Rows still begin at multiples of 16 bytes.
        let (edge, drawn) = (extent - 4, extent + runs.size([12, 28, 44]));
        let kind = format!("at_{edge}x{drawn}x{edge}");
        let longer = case([edge, drawn, edge], EDGE, Dtype::F32, runs.next_seed());
        runs.measure_beside(&kind, &longer.label(), |device| {
            MatrixProduct::run_case(device, source, &longer, Times::ONCE)
        });
        // Reads of A and B are all traffic without one store for each element of C, whatever carries them out.
        for (at, stores) in [(String::new(), extent * extent), (format!("{kind}_"), edge * edge)] {
            if let Some(elements) = runs.outcome.panel.get(&format!("{at}global_traffic_elements")).copied() {
                runs.outcome.panel.insert(format!("{at}element_loads"), elements - stores as f64);
            }
        }
        Ok(())
    }

    fn strategy(&self, exercise: &str) -> Option<Strategy> {
        (exercise == "result_memory").then(|| Strategy {
            program: PlanProgram::strategy(
                &[include_str!("strategies/memory.rs")],
                "format!(\"{:?}\", student::result_memory(n[0]))",
            ),
            questions: |seed| copies(seed).into_iter().map(|copies| vec![copies]).collect(),
            judge: Box::new(result_memory),
        })
    }

    fn compared(&self, exercises: &[String], card: &str) -> anyhow::Result<Vec<Compared>> {
        let kernels: Vec<String> = exercises.iter().filter(|name| *name != "result_memory").cloned().collect();
        let common = CommonArgs {
            edge: vec![COMPARED_EDGE],
            host_memory: vec![HostMemory::Pageable],
            ..sampled(&kernels, &[Shape::square(COMPARED)], card)
        };
        best_times::<MatrixProduct>(Options { common, no_cublas: true, ..Options::default() })
    }
}

/// A case with its extents by the names that the kernel has for them: sizes are m×k×n, and arguments m, n, k.
fn label(case: &Case) -> String {
    let [m, k, n] = case.problem.extents;
    let of = if m == k && k == n { String::new() } else { format!(" (m = {m}, n = {n}, k = {k})") };
    format!("{}{of}", case.label())
}

/// m×k×n: one element, primes, multiples and non-multiples of every tile; one of them twice, with other data; the largest tile whole, where rows of
/// one operand only begin at multiples of 16 bytes.
const SHAPES: [[usize; 3]; 8] =
    [[64, 64, 64], [1, 1, 1], [7, 13, 5], [70, 45, 51], [64, 64, 64], [33, 1, 40], [129, 8, 131], [130, 9, 132]];
/// Rows and columns of the measured run.
const EXTENT: usize = 64;
/// The same for kernels whose tile of 128×128 is compiled in: 2×2 blocks.
const LARGE_EXTENT: usize = 256;
const EDGE: usize = 16;
/// Extent at which each rung is faster than the one before: the largest tiles are 128×128, and fewer than sixteen of them leave most of the
/// card idle.
const COMPARED: usize = 512;
/// The block's edge there: whole warps along a row.
const COMPARED_EDGE: usize = 32;

/// Elements of the copied matrix: 4 MiB.
const COPIED: usize = 1024;

/// The choice for each number of copies, and what the copy out takes there.
fn result_memory(device: &Device, seed: u64, lines: &[String]) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::default();
    let chosen: Vec<Memory> = lines.iter().map(|line| memory(line)).collect::<anyhow::Result<_>>()?;
    let asked = copies(seed);
    anyhow::ensure!(chosen.len() == asked.len(), "{} choices for {} questions", chosen.len(), asked.len());
    // The starter's answer to everything.
    outcome.not_started = chosen.iter().all(|&memory| memory == Memory::Pageable);
    for (&copies, &memory) in asked.iter().zip(&chosen) {
        let right = if copies == 0 { Memory::Pageable } else { Memory::Pinned };
        if memory != right && outcome.failure.is_none() {
            let why = match copies {
                0 => "memory that is never copied gains nothing, and locked pages are lost to everybody else",
                _ => "from pageable memory each copy goes through the driver's buffer first",
            };
            let story = format!("{copies} copies out: {memory:?} is chosen; {why}");
            outcome.failure = Some(Failure::new("choice", story));
        }
    }
    let mut copied = asked.iter().zip(&chosen).filter(|(copies, _)| **copies > 0);
    let memory =
        if copied.all(|(_, &memory)| memory == Memory::Pinned) { HostMemory::Pinned } else { HostMemory::Pageable };
    let [pageable, own] = [copy_out_ms(device, HostMemory::Pageable)?, copy_out_ms(device, memory)?];
    outcome.panel = Panel::from([
        ("copy_out_us".to_owned(), own * 1e3),
        ("copy_out_pageable_us".to_owned(), pageable * 1e3),
        ("copy_out_share".to_owned(), own / pageable),
    ]);
    Ok(outcome)
}

fn copy_out_ms(device: &Device, memory: HostMemory) -> anyhow::Result<f64> {
    let stream = &device.stream;
    let mut host = Matrix::<f32>::poisoned(&device.context, COPIED, COPIED, memory)?;
    let mut on_device = allocate_device::<f32>(stream, COPIED * COPIED)?;
    stream.memset_zeros(&mut on_device)?;
    let mut watch = Stopwatch::start(stream)?;
    host.copy_out(stream, &on_device)?;
    watch.lap("copy_out")?;
    Ok(watch.finish()?.get("copy_out"))
}

/// The inputs of the choice of memory: numbers of copies.
fn copies(seed: u64) -> Vec<usize> {
    let draw = &mut draw(seed, 3);
    let mut copies = vec![0, 1, 100, 0];
    copies.extend((0..12).map(|_| spread(draw, 1, 1_000_000)));
    copies.shuffle(draw);
    copies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_copy_is_among_the_questions_whatever_the_seed() {
        assert!((0..50).all(|seed| copies(seed).contains(&0)));
        assert!(copies(7) == copies(7) && copies(7) != copies(8));
    }
}
