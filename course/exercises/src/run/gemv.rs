//! Lab 2: ways to add up, and the plans around two of them.

use super::runs::Runs;
use crate::harness;
use crate::questions;
use crate::verdict::{Failure, Outcome, Panel};
use anyhow::ensure;
use common::element::Dtype;
use common::host_memory::HostMemory;
use common::ladder;
use common::shape::Shape;
use common::timing::Runs as Times;
use kernels::Source;
use lab_gemv::strategies::{Buffer, Room, Strategies, Turn};
use lab_gemv::{Block, CachePreference, Case, Method, Problem, VARIANTS, run_case};

/// m×n: multiples of every block, one element, shapes that are multiples of none; one of them twice, with other data.
const SHAPES: [[usize; 2]; 6] = [[64, 64], [33, 31], [1, 1], [64, 64], [150, 45], [5, 131]];
/// Several rows per block, one row of many threads, so that a cooperative launch has to take turns, and the assignment's own.
const BLOCKS: [Block; 3] = [Block { sx: 16, sy: 16 }, Block { sx: 16, sy: 4 }, Block { sx: 512, sy: 1 }];
/// Of the measured run.
const BLOCK: Block = Block { sx: 32, sy: 8 };
/// Blocks that share a row in the measured run of the cooperative kernel, which has one row of blocks: a kernel that leaves the row to one of
/// them takes many times as long.
const COLUMNS_OF_BLOCKS: usize = 64;

/// Extents of the measured run, and how many rows its counts are given for, because all of them grow with the rows. Rows are drawn, in multiples
/// of what a block takes; columns are as many as make the way of adding up matter.
fn measured(method: Method, runs: &mut Runs) -> ([usize; 2], usize) {
    match method {
        Method::Read { .. } => ([128 * runs.extent(1, 3), 256], 256),
        Method::Cooperative => ([runs.extent(5, BLOCK.sy), 16_384], BLOCK.sy),
        Method::BlockPerRow => ([32 * runs.extent(2, 4), 4096], 96),
        Method::Repeated | Method::Atomic { .. } | Method::Warp { .. } => ([32 * runs.extent(6, 10), 256], 256),
    }
}

pub(super) fn kernel(runs: &mut Runs, source: &Source) -> anyhow::Result<()> {
    let variant = ladder::select(VARIANTS, &[source.name.to_owned()])?[0];
    let portions = variant.rung.method.portions();
    type Grid = fn(Room) -> [usize; 2];
    let case = |extents: [usize; 2], block: Block, dtype: Dtype, portion: usize, seed: u64, grid: Grid| Case {
        variant,
        problem: Problem { size: Shape::new(&extents), extents, dtype, host_memory: HostMemory::Pageable, seed },
        block: variant.rung.method.block(block, extents[1] * dtype.bytes()),
        cache: CachePreference::PreferNone,
        portion,
        strategies: Strategies { turns: two_launches, grid },
    };
    let mut cases: Vec<([usize; 2], Block)> = SHAPES.iter().map(|&shape| (shape, BLOCKS[0])).collect();
    for block in BLOCKS {
        cases.push(([runs.extent(20, 160), runs.extent(20, 160)], block));
    }
    cases.push(([131, 5], BLOCKS[2]));
    for (nth, (extents, block)) in cases.into_iter().enumerate() {
        let portion = portions[nth % portions.len()];
        for &dtype in variant.rung.dtypes {
            let case = case(extents, block, dtype, portion, runs.next_seed(), two_columns);
            runs.run(&case.label(), |device| run_case(device, source, &case, Times::ONCE));
        }
    }
    let (extents, rows) = measured(variant.rung.method, runs);
    let case = case(extents, BLOCK, Dtype::F32, portions[portions.len() - 1], runs.next_seed(), many_columns);
    let share = rows as f64 / extents[0] as f64;
    runs.measure_share(&case.label(), share, |device| run_case(device, source, &case, Times::ONCE));
    Ok(())
}

/// At most two launches, which all shapes here make do with. A kernel's verdict does not depend on the exercise that plans its launches.
fn two_launches(n: usize, sx: usize) -> Vec<Turn> {
    let launch = |input, output, columns: usize, multiply| Turn {
        input,
        output,
        columns,
        blocks: columns.div_ceil(sx),
        multiply,
    };
    match n.div_ceil(sx) {
        1 => vec![launch(Buffer::A, Buffer::B, n, true)],
        left => vec![launch(Buffer::A, Buffer::Even, n, true), launch(Buffer::Even, Buffer::B, left, false)],
    }
}

/// Two blocks share a row where a row has work for two; as many rows at once as fit.
fn two_columns(room: Room) -> [usize; 2] {
    columns(room, 2)
}

/// The same with as many blocks a row as the measured run has.
fn many_columns(room: Room) -> [usize; 2] {
    columns(room, COLUMNS_OF_BLOCKS)
}

fn columns(room: Room, most: usize) -> [usize; 2] {
    let resident = room.blocks_per_multiprocessor * room.multiprocessors;
    let columns = room.columns_of_blocks.min(resident).min(most);
    [columns, room.rows_of_blocks.min(resident / columns)]
}

/// Follows the data through the launches.
pub(super) fn repeated_launches(seed: u64, lines: &[String]) -> anyhow::Result<Outcome> {
    let plans: Vec<Vec<Turn>> = lines.iter().map(|line| harness::turns(line)).collect::<anyhow::Result<_>>()?;
    let widths = questions::widths(seed);
    ensure!(plans.len() == widths.len(), "{} plans for {} questions", plans.len(), widths.len());
    let mut outcome = Outcome { not_started: plans.iter().all(Vec::is_empty), ..Outcome::default() };
    for (&[n, sx], plan) in widths.iter().zip(&plans) {
        if let Some(defect) = defect(n, sx, plan) {
            let story = format!("rows of {n}, blocks {sx} wide: {defect}");
            outcome.failure = Some(Failure::new("plan", story));
            return Ok(outcome);
        }
    }
    // Of the longest plan that is always asked for.
    let longest = widths.iter().zip(&plans).find(|(width, _)| **width == [65_536, 2]).map_or(0, |(_, plan)| plan.len());
    outcome.panel = Panel::from([("launches".to_owned(), longest as f64)]);
    Ok(outcome)
}

fn defect(n: usize, sx: usize, plan: &[Turn]) -> Option<String> {
    let mut at = Buffer::A;
    let mut columns = n;
    for (number, turn) in plan.iter().enumerate() {
        let launch = number + 1;
        if turn.input != at {
            return Some(format!("launch {launch} reads {:?}; what is to be added lies in {at:?}", turn.input));
        }
        if turn.output == turn.input || turn.output == Buffer::A {
            return Some(format!("launch {launch} reads {:?} and writes {:?}", turn.input, turn.output));
        }
        if turn.columns != columns {
            return Some(format!("launch {launch} takes {} columns; there are {columns}", turn.columns));
        }
        if turn.blocks != columns.div_ceil(sx) {
            return Some(format!("launch {launch} has {} blocks along {columns} columns, {sx} each", turn.blocks));
        }
        if turn.multiply != (number == 0) {
            return Some(format!(
                "launch {launch} {}",
                if number == 0 { "does not multiply by x" } else { "multiplies by x again" }
            ));
        }
        (at, columns) = (turn.output, turn.blocks);
        if at == Buffer::B && launch < plan.len() {
            return Some(format!("launch {launch} writes b, but {} more follow", plan.len() - launch));
        }
    }
    (at != Buffer::B || columns != 1).then(|| format!("after {} launches {columns} columns are in {at:?}", plan.len()))
}

/// Each grid fits, and fills what it can.
pub(super) fn cooperative_grid(seed: u64, lines: &[String]) -> anyhow::Result<Outcome> {
    let rooms = questions::rooms(seed);
    ensure!(lines.len() == rooms.len(), "{} grids for {} questions", lines.len(), rooms.len());
    let mut outcome = Outcome { not_started: true, ..Outcome::default() };
    let mut least_fill: f64 = 100.0;
    for (&[per_multiprocessor, multiprocessors, rows_of_blocks, columns_of_blocks], line) in rooms.iter().zip(lines) {
        let numbers: Vec<usize> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let [columns, rows] = numbers[..] else { anyhow::bail!("a grid has two numbers, not {}", numbers.len()) };
        outcome.not_started &= columns == 0 && rows == 0;
        let resident = per_multiprocessor * multiprocessors;
        let useful = resident.min(rows_of_blocks.saturating_mul(columns_of_blocks));
        let blocks = rows.saturating_mul(columns);
        let room = format!(
            "{per_multiprocessor} blocks on each of {multiprocessors} multiprocessors, {rows_of_blocks}×{columns_of_blocks} blocks of work"
        );
        let defect = if blocks == 0 {
            Some("a grid without blocks".to_owned())
        } else if blocks > resident {
            Some(format!(
                "{columns}·{rows} = {blocks} blocks are launched, {resident} fit: the others never start, and the barrier waits for them"
            ))
        } else if columns > columns_of_blocks || rows > rows_of_blocks {
            Some(format!("{columns}×{rows} blocks: some have nothing to do"))
        } else {
            None
        };
        if let Some(defect) = defect {
            outcome.failure.get_or_insert(Failure::new("plan", format!("{room}: {defect}")));
        }
        least_fill = least_fill.min(blocks as f64 / useful as f64 * 100.0);
    }
    outcome.panel = Panel::from([("least_fill_percent".to_owned(), least_fill)]);
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_launches_are_enough_for_every_shape() {
        let widest = SHAPES.iter().map(|shape| shape[1]).chain([160, 131]).max().unwrap();
        for (n, sx) in (1..=widest).flat_map(|n| BLOCKS.map(|block| (n, block.sx))).chain([(256, BLOCK.sx)]) {
            assert_eq!(defect(n, sx, &two_launches(n, sx)), None, "{n} columns, blocks {sx} wide");
        }
    }

    #[test]
    fn the_reference_plan_has_no_defect_and_each_change_has_one() {
        let plan = lab_gemv::strategies::turns(1000, 16);
        assert_eq!(defect(1000, 16, &plan), None);
        for change in [
            |plan: &mut Vec<Turn>| plan[1].multiply = true,
            |plan: &mut Vec<Turn>| plan[1].input = Buffer::A,
            |plan: &mut Vec<Turn>| plan[1].columns += 1,
            |plan: &mut Vec<Turn>| plan[0].blocks -= 1,
            |plan: &mut Vec<Turn>| plan.truncate(2),
            |plan: &mut Vec<Turn>| plan.clear(),
        ] {
            let mut changed = plan.clone();
            change(&mut changed);
            assert!(defect(1000, 16, &changed).is_some(), "{changed:?}");
        }
    }
}
