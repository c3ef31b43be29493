//! The exercises: ways to add up, and the plans around two of them.

use crate::strategies::{self, Buffer, Room, Strategies, Turn};
use crate::{Block, CachePreference, Case, MatrixVector, Method, Options, Parts, Problem, VARIANTS};
use anyhow::{bail, ensure};
use common::device::Device;
use common::element::Dtype;
use common::exercise::rand::{RngExt, seq::SliceRandom};
use common::exercise::{
    Compared, Failure, Judged, Outcome, Panel, PlanProgram, Runs, Strategy, best_times, draw, planned, sampled, spread,
};
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
        "gemv"
    }

    fn kernel(&self, runs: &mut Runs<'_>, source: &Source) -> anyhow::Result<()> {
        let variant = ladder::find(VARIANTS, source.name)?;
        let portions = variant.rung.method.portions();
        type Grid = fn(Room) -> [usize; 2];
        let case = |extents: [usize; 2], block: Block, dtype: Dtype, portion: usize, seed: u64, grid: Grid| Case {
            variant,
            problem: Problem::new(extents, dtype, HostMemory::Pageable, seed),
            block: variant.rung.method.block(block, extents[1] * dtype.bytes()),
            cache: CachePreference::PreferNone,
            portion,
            parts: Parts::AsAsked,
            strategies: Strategies { turns: two_launches, grid },
        };
        let mut cases: Vec<([usize; 2], Block)> = SHAPES.iter().map(|&shape| (shape, BLOCKS[0])).collect();
        for block in BLOCKS {
            cases.push(([runs.extent(20, 160), runs.extent(20, 160)], block));
        }
        match variant.rung.method {
            Method::Cooperative => cases.push((TURNS, BLOCKS[2])),
            Method::BlockPerRow => cases.extend(LONG_ROWS.map(|shape| (shape, BLOCKS[0]))),
            _ => cases.push(([131, 5], BLOCKS[2])),
        }
        for (nth, (extents, block)) in cases.into_iter().enumerate() {
            let portion = portions[nth % portions.len()];
            for &dtype in variant.rung.dtypes {
                let case = case(extents, block, runs.dtype(dtype), portion, runs.next_seed(), blocks_a_row::<2>);
                let run = |device: &Device| MatrixVector::run_case(device, source, &case, Times::ONCE);
                if (SHAPES.len()..SHAPES.len() + BLOCKS.len()).contains(&nth) && dtype == Dtype::F32 {
                    runs.run_drawn(("", extents.iter().product()), &case.label(), run);
                } else {
                    runs.run(&case.label(), run);
                }
            }
        }
        let (extents, rows) = measured(variant.rung.method, runs);
        let measured = |extents, seed| {
            case(extents, BLOCK, Dtype::F32, portions[portions.len() - 1], seed, blocks_a_row::<COLUMNS_OF_BLOCKS>)
        };
        let fixed = measured(extents, runs.next_seed());
        let share = rows as f64 / extents[0] as f64;
        runs.measure_share(&fixed.label(), share, |device| MatrixVector::run_case(device, source, &fixed, Times::ONCE));
        // Once more with columns that are drawn, that no block divides, and that take several turns.
        let columns = extents[1] * 5 / 2 + runs.size([12, 28, 44]);
        let drawn = measured([rows, columns], runs.next_seed());
        let kind = format!("at_{rows}x{columns}");
        runs.measure_beside(&kind, &drawn.label(), |device| {
            MatrixVector::run_case(device, source, &drawn, Times::ONCE)
        });
        if matches!(variant.rung.method, Method::Cooperative) {
            let turns = case(TURNS, BLOCKS[2], Dtype::F32, portions[0], runs.next_seed(), blocks_a_row::<2>);
            let run = |device: &Device| MatrixVector::run_case(device, source, &turns, Times::ONCE);
            runs.measure_beside("in_turns", &turns.label(), run);
        }
        Ok(())
    }

    fn strategy(&self, exercise: &str) -> Option<Strategy> {
        match exercise {
            "repeated_launches" => Some(Strategy {
                program: PlanProgram::strategy(
                    &TYPES,
                    "student::turns(n[0], n[1]).iter().map(|t| format!(\"{:?} {:?} {} {} {} \", t.input, t.output, t.columns, \
                     t.blocks, t.multiply as usize)).collect::<String>()",
                ),
                questions: |seed| widths(seed).into_iter().map(Vec::from).collect(),
                judge: Box::new(|_, seed, plans| repeated_launches(seed, plans)),
            }),
            "cooperative_grid" => Some(Strategy {
                program: PlanProgram::strategy(
                    &TYPES,
                    "{ let [c, r] = student::grid(Room { blocks_per_multiprocessor: n[0], multiprocessors: n[1], \
                     rows_of_blocks: n[2], columns_of_blocks: n[3] }); format!(\"{c} {r}\") }",
                ),
                questions: |seed| rooms(seed).into_iter().map(Vec::from).collect(),
                judge: Box::new(|_, seed, plans| cooperative_grid(seed, plans)),
            }),
            _ => None,
        }
    }

    fn compared(&self, exercises: &[String], card: &str) -> anyhow::Result<Vec<Compared>> {
        let kernels: Vec<String> = exercises.iter().filter(|name| self.strategy(name).is_none()).cloned().collect();
        let common = sampled(&kernels, &COMPARED.map(|extents| Shape::new(&extents)), card);
        best_times::<MatrixVector>(Options { common, no_cublas: true, no_cpu: true, ..Options::default() })
    }
}

/// The plans of a student's programs where the judge runs this lab, else of the functions that it was built with.
impl Default for Strategies {
    fn default() -> Self {
        let turns =
            |n, sx| planned("gemv", "repeated_launches", &[n, sx], printed).unwrap_or_else(|| strategies::turns(n, sx));
        let grid = |room: Room| {
            let Room { blocks_per_multiprocessor, multiprocessors, rows_of_blocks, columns_of_blocks } = room;
            let numbers = [blocks_per_multiprocessor, multiprocessors, rows_of_blocks, columns_of_blocks];
            planned("gemv", "cooperative_grid", &numbers, grid).unwrap_or_else(|| strategies::grid(room))
        };
        Strategies { turns, grid }
    }
}

/// Many rows, where a warp for each fills the card; and few long ones, where wide loads and more warps for a row pay.
const COMPARED: [[usize; 2]; 2] = [[1024, 1024], [64, 16_384]];

/// The types of both plans.
const TYPES: [&str; 2] = [include_str!("strategies/turn.rs"), include_str!("strategies/room.rs")];

/// m×n: multiples of every block, one element, shapes that are multiples of none; one of them twice, with other data.
const SHAPES: [[usize; 2]; 7] = [[64, 64], [33, 31], [1, 1], [64, 64], [150, 45], [5, 131], [151, 45]];
/// Several rows per block, one row of many threads, so that a cooperative launch has to take turns, and the assignment's own.
const BLOCKS: [Block; 3] = [Block { sx: 16, sy: 16 }, Block { sx: 16, sy: 4 }, Block { sx: 512, sy: 1 }];
/// So many rows that the blocks of a cooperative launch take turns, where two of them share a row.
const TURNS: [usize; 2] = [131, 520];
/// Long rows for a block each: loads at a time that end within a turn of all threads; more chunks than 16 bits count.
const LONG_ROWS: [[usize; 2]; 2] = [[3, 3600], [1, 65_544]];
/// The block of the measured run.
const BLOCK: Block = Block { sx: 32, sy: 8 };
/// Blocks that share a row in the measured run of the cooperative kernel, which has one row of blocks: a kernel that leaves the row to one of
/// them takes many times as long.
const COLUMNS_OF_BLOCKS: usize = 64;

/// Extents of the measured run, and how many rows its counts are given for, because all of them grow with the rows. Rows are drawn, in multiples
/// of what a block takes; columns are as many as make the way of adding up matter.
fn measured(method: Method, runs: &mut Runs<'_>) -> ([usize; 2], usize) {
    match method {
        Method::Read { .. } => ([128 * runs.extent(1, 3), 256], 256),
        Method::Cooperative => ([runs.extent(5, BLOCK.sy), 16_384], BLOCK.sy),
        Method::BlockPerRow => ([32 * runs.extent(2, 4), 4096], 96),
        Method::Repeated | Method::Atomic { .. } | Method::Warp { .. } => ([32 * runs.extent(6, 10), 256], 256),
    }
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

/// So many blocks share a row where a row has work for them; as many rows at once as fit.
fn blocks_a_row<const MOST: usize>(room: Room) -> [usize; 2] {
    let resident = room.blocks_per_multiprocessor * room.multiprocessors;
    let columns = room.columns_of_blocks.min(resident).min(MOST);
    [columns, room.rows_of_blocks.min(resident / columns)]
}

/// Follows the data through the launches.
fn repeated_launches(seed: u64, lines: &[String]) -> anyhow::Result<Outcome> {
    let plans: Vec<Vec<Turn>> = lines.iter().map(|line| printed(line)).collect::<anyhow::Result<_>>()?;
    let widths = widths(seed);
    ensure!(plans.len() == widths.len(), "{} plans for {} questions", plans.len(), widths.len());
    let mut outcome = Outcome { not_started: plans.iter().all(Vec::is_empty), ..Outcome::default() };
    for (&[n, sx], plan) in widths.iter().zip(&plans) {
        if let Some(defect) = defect(n, sx, plan) {
            let story = format!("rows of {n}, blocks {sx} wide: {defect}");
            outcome.failure = Some(Failure::new("plan", story));
            return Ok(outcome);
        }
    }
    // The longest plan among those that are always asked for.
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
fn cooperative_grid(seed: u64, lines: &[String]) -> anyhow::Result<Outcome> {
    let rooms = rooms(seed);
    ensure!(lines.len() == rooms.len(), "{} grids for {} questions", lines.len(), rooms.len());
    let mut outcome = Outcome { not_started: true, ..Outcome::default() };
    let mut fills = Vec::new();
    for (&[per_multiprocessor, multiprocessors, rows_of_blocks, columns_of_blocks], line) in rooms.iter().zip(lines) {
        let [columns, rows] = grid(line)?;
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
        fills.push(blocks as f64 / useful as f64 * 100.0);
    }
    fills.sort_by(f64::total_cmp);
    outcome.panel = Panel::from([
        ("least_fill_percent".to_owned(), fills[0]),
        ("median_fill_percent".to_owned(), fills[fills.len() / 2]),
    ]);
    Ok(outcome)
}

/// A printed grid. Errors: a line that is none.
fn grid(line: &str) -> anyhow::Result<[usize; 2]> {
    let numbers: Vec<usize> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
    numbers.try_into().map_err(|numbers: Vec<usize>| anyhow::anyhow!("a grid has two numbers, not {}", numbers.len()))
}

/// Launches at most: the longest plan that is asked for has twenty.
const MOST_LAUNCHES: usize = 64;

/// Printed launches. Errors: a line that is none.
fn printed(line: &str) -> anyhow::Result<Vec<Turn>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let buffer = |word: &str| match word {
        "A" => Ok(Buffer::A),
        "Even" => Ok(Buffer::Even),
        "Odd" => Ok(Buffer::Odd),
        "B" => Ok(Buffer::B),
        _ => bail!("'{word}' is no buffer"),
    };
    let turn = |five: &[&str]| -> anyhow::Result<Turn> {
        let [input, output, columns, blocks, multiply] = five else { bail!("a launch is cut off") };
        Ok(Turn {
            input: buffer(input)?,
            output: buffer(output)?,
            columns: columns.parse()?,
            blocks: blocks.parse()?,
            multiply: *multiply == "1",
        })
    };
    if words.len() > 5 * MOST_LAUNCHES {
        bail!(
            "the plan has {} launches; no row here needs more than 20, and more than {MOST_LAUNCHES} are refused",
            words.len() / 5
        );
    }
    words.chunks(5).map(turn).collect()
}

/// The inputs of the plan of launches: columns, block width, a power of two.
fn widths(seed: u64) -> Vec<[usize; 2]> {
    let draw = &mut draw(seed, 1);
    let mut widths = vec![[1, 2], [2, 2], [16, 16], [17, 16], [1000, 16], [4096, 64], [300, 4], [65_536, 2]];
    for _ in 0..40 {
        widths.push([spread(draw, 1, 1 << 20), 1 << draw.random_range(1..=10)]);
    }
    widths.shuffle(draw);
    widths
}

/// The inputs of the plan of the grid: blocks per multiprocessor, multiprocessors, rows of blocks, columns of blocks.
fn rooms(seed: u64) -> Vec<[usize; 4]> {
    let draw = &mut draw(seed, 2);
    let mut rooms = vec![[2, 24, 1, 1], [2, 24, 4, 100], [1, 16, 1000, 1000], [8, 132, 64, 3], [1, 1, 5, 5]];
    for _ in 0..60 {
        let of_device = [draw.random_range(1..=32), draw.random_range(1..=192)];
        // As often as not about as many rows of blocks as the device holds, where it matters whether blocks share a row.
        let resident: usize = of_device.iter().product();
        let most = if draw.random_range(0..2) == 0 { 2 * resident } else { 100_000 };
        rooms.push([of_device[0], of_device[1], spread(draw, 1, most), spread(draw, 1, 4096)]);
    }
    rooms.shuffle(draw);
    rooms
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
        let plan = crate::strategies::turns(1000, 16);
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

    #[test]
    fn what_is_asked_is_legal_and_holds_the_special_cases() {
        for seed in 0..50 {
            let (widths, rooms) = (widths(seed), rooms(seed));
            assert!(widths.iter().all(|&[n, sx]| n > 0 && sx > 1 && sx.is_power_of_two() && sx <= 1024));
            assert!(widths.contains(&[1, 2]) && widths.contains(&[65_536, 2]));
            assert!(rooms.iter().flatten().all(|&number| number > 0) && rooms.contains(&[1, 16, 1000, 1000]));
        }
        assert!(widths(7) == widths(7) && widths(7) != widths(8) && rooms(7) != rooms(8));
    }

    #[test]
    fn what_no_row_needs_is_refused_with_its_reason() {
        assert!(printed(&"A B 1 1 1 ".repeat(65)).unwrap_err().to_string().contains("65 launches"));
    }
}
