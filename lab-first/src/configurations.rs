//! The exercise about a launch: configurations for many matrices, looked at as data.

use crate::strategies::Launch;
use anyhow::Context;
use common::exercise::rand::seq::SliceRandom;
use common::exercise::{Failure, Outcome, Panel, PlanProgram, Strategy, draw, spread};

/// The types that the student's function uses.
const TYPES: &[&str] = &[include_str!("strategies/configuration.rs")];
/// Threads that a block may have on every card.
const MOST_THREADS: usize = 1024;
/// Threads of a warp.
const WARP: usize = 32;

/// The configuration for a matrix.
pub fn configurations() -> Strategy {
    let call = "{ let l = student::launch(n[0], n[1]); \
                format!(\"{} {} {} {}\", l.grid[0], l.grid[1], l.block[0], l.block[1]) }";
    Strategy {
        program: PlanProgram::strategy(TYPES, call),
        questions: |seed| matrices(seed).into_iter().map(Vec::from).collect(),
        judge: Box::new(|_, seed, plans| judge(seed, plans)),
    }
}

fn judge(seed: u64, plans: &[String]) -> anyhow::Result<Outcome> {
    let launches: Vec<Launch> = plans.iter().map(|line| launch(line)).collect::<anyhow::Result<_>>()?;
    let asked = matrices(seed);
    anyhow::ensure!(launches.len() == asked.len(), "{} launches for {} matrices", launches.len(), asked.len());
    let why = |(&matrix, &launch)| defect(matrix, launch);
    let failure = asked.iter().zip(&launches).find_map(why).map(|story| Failure::new("plan", story));
    let threads =
        |launch: &Launch| -> f64 { launch.grid.iter().chain(&launch.block).map(|&extent| extent as f64).product() };
    let elements: f64 = asked.iter().map(|[rows, columns]| (rows * columns) as f64).sum();
    let idle = launches.iter().map(threads).sum::<f64>() - elements;
    Ok(Outcome {
        // The starter's answer to everything.
        not_started: launches.iter().all(|launch| launch.grid == [0, 0] && launch.block == [0, 0]),
        failure,
        panel: Panel::from([("matrices".to_owned(), asked.len() as f64), ("threads_without_element".to_owned(), idle)]),
        ..Outcome::default()
    })
}

/// Rows and columns: one element, one block, one more than that in each direction; the others are drawn.
fn matrices(seed: u64) -> Vec<[usize; 2]> {
    let draw = &mut draw(seed, 5);
    let mut matrices = vec![[1, 1], [8, 32], [9, 32], [8, 33], [300, 2], [2, 3000]];
    matrices.extend((0..12).map(|_| [spread(draw, 1, 5000), spread(draw, 1, 5000)]));
    matrices.shuffle(draw);
    matrices
}

/// A printed configuration. Errors: a line that is none.
fn launch(line: &str) -> anyhow::Result<Launch> {
    let numbers: Result<Vec<usize>, _> = line.split_whitespace().map(str::parse).collect();
    let numbers: [usize; 4] =
        numbers.ok().and_then(|numbers| numbers.try_into().ok()).with_context(|| format!("'{line}' is no launch"))?;
    let [grid_x, grid_y, block_x, block_y] = numbers;
    Ok(Launch { grid: [grid_x, grid_y], block: [block_x, block_y] })
}

/// The first rule that a launch breaks, and with which matrix.
fn defect([rows, columns]: [usize; 2], Launch { grid, block }: Launch) -> Option<String> {
    let of =
        format!("{rows} rows of {columns} elements, grid {}×{}, block {}×{}", grid[0], grid[1], block[0], block[1]);
    if grid.contains(&0) || block.contains(&0) {
        return Some(format!(
            "{of}: a launch needs at least one block, and a block at least one thread, along x and along y"
        ));
    }
    let threads = block[0].saturating_mul(block[1]);
    if threads > MOST_THREADS {
        return Some(format!("{of}: a block of {threads} threads; a card takes {MOST_THREADS} at most"));
    }
    if !block[0].is_multiple_of(WARP) {
        return Some(format!(
            "{of}: {} threads along x; a warp lies along a row if they are a multiple of {WARP}",
            block[0]
        ));
    }
    let along = [("x", columns, "columns", 0), ("y", rows, "rows", 1)];
    along.into_iter().find_map(|(axis, extent, what, at)| {
        let covered = grid[at].saturating_mul(block[at]);
        if covered < extent {
            return Some(format!(
                "{of}: along {axis}, {covered} threads for {extent} {what}: {} of these have none",
                extent - covered
            ));
        }
        let least = extent.div_ceil(block[at]);
        (grid[at] > least).then(|| {
            format!("{of}: along {axis}, all {extent} {what} take no more than {least} of the {} blocks", grid[at])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_is_told() {
        let told = |grid: [usize; 2], block: [usize; 2]| defect([9, 33], Launch { grid, block });
        assert_eq!(told([2, 2], [32, 8]), None);
        assert_eq!(told([1, 1], [64, 16]), None, "another block is as right");
        for (grid, block, words) in [
            ([0, 2], [32, 8], "at least one block"),
            ([1, 1], [64, 17], "1024 at most"),
            ([9, 2], [4, 8], "multiple of 32"),
            ([1, 2], [32, 8], "32 threads for 33 columns: 1 of these have none"),
            ([2, 1], [32, 8], "8 threads for 9 rows"),
            ([2, 3], [32, 8], "all 9 rows take no more than 2 of the 3 blocks"),
        ] {
            let story = told(grid, block).unwrap_or_default();
            assert!(story.contains(words), "{story}");
        }
    }
}
