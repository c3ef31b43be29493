//! Ways through a kernel: between which two lines a barrier is missing, and which barrier some threads pass by.
use super::lines::{Spot, site};
use super::scene::Scene;
use crate::sanitizer::findings::finding::Between;
use machine::fault::Place;
use machine::program::{BarrierKind, BlockId, End, Function, Location};

/// The line of a barrier of the block that lies between two lines of one file, or else on the line of either: where threads race all the
/// same, some of them pass it by. Where no lines are known, those of the PTX text.
pub(crate) fn barrier_between(scene: &Scene, one: &Place, other: &Place) -> Option<Spot> {
    let function = scene.launch.program.functions.get(one.function as usize)?;
    let [one_at, other_at] = [one, other].map(|place| site(scene, place).map(|site| site.at));
    let (one_at, other_at) = (one_at?, other_at?);
    let of_ptx = one_at.line == 0 && other_at.line == 0;
    let number = |at: Location| if of_ptx { at.ptx_line } else { at.line };
    // A __syncthreads() waits for all of the block; barriers with a count of their own are for some threads only.
    let of_block = |end: &End| matches!(end, End::Barrier(barrier) if barrier.count.is_none() && barrier.kind != BarrierKind::Arrive);
    let barriers = function.blocks.iter().filter(|block| of_block(&block.end));
    let lines = barriers.filter_map(|block| function.sites.get(block.site as usize)).map(|site| site.at);
    let mut numbers = lines.filter(|at| at.file == one_at.file && at.file == other_at.file).map(number);
    let (one, other) = (number(one_at), number(other_at));
    let number = numbers.find(|number| *number != 0 && (one.min(other)..=one.max(other)).contains(number))?;
    Some(Spot { of_ptx, number })
}

/// True if a thread can come from one place to another without meeting a barrier (for lanes of one warp: without any
/// instruction that keeps a warp together). `true` where the two are in different functions and nothing is known.
pub(crate) fn open_way(scene: &Scene, between: Between, from: &Place, to: &Place) -> bool {
    if from.function != to.function {
        return true;
    }
    let Some(function) = scene.launch.program.functions.get(from.function as usize) else { return true };
    let (Some(start), Some(goal)) = (block_of(function, from), block_of(function, to)) else { return true };
    start == goal && from.site < to.site || leads(function, start, goal, &|end| is_closed(end, between))
}

/// True if a loop is around two places: each is reached from the other.
pub(crate) fn loop_around(scene: &Scene, one: &Place, other: &Place) -> bool {
    in_one_function(scene, one, other, |function, one, other| {
        leads(function, one, other, &|_| false) && leads(function, other, one, &|_| false)
    })
}

/// True if a thread can go around a loop, from one of two places on to the other and back, without meeting a barrier.
pub(crate) fn is_open_around(scene: &Scene, between: Between, one: &Place, other: &Place) -> bool {
    in_one_function(scene, one, other, |function, one, other| {
        let closed = |end: &End| is_closed(end, between);
        leads(function, one, other, &closed) && leads(function, other, one, &closed)
    })
}

/// True if the instruction of a place stands several times in its function, from one place of the source: turns of a loop that the
/// compiler has unrolled.
pub(crate) fn unrolled(scene: &Scene, at: &Place) -> bool {
    let Some(function) = scene.launch.program.functions.get(at.function as usize) else { return false };
    let Some(here) = function.sites.get(at.site as usize) else { return false };
    let place = |at: Location| (at.file, at.line, at.column, at.inlined_at, at.called_at);
    let twins = function.sites.iter().filter(|site| site.row == here.row && place(site.at) == place(here.at));
    here.at.line != 0 && twins.filter(|site| site.text.to_string() == here.text.to_string()).count() > 1
}

fn in_one_function(scene: &Scene, one: &Place, other: &Place, holds: impl Fn(&Function, usize, usize) -> bool) -> bool {
    let Some(function) = scene.launch.program.functions.get(one.function as usize) else { return false };
    let (Some(one_block), Some(other_block)) = (block_of(function, one), block_of(function, other)) else {
        return false;
    };
    one.function == other.function && holds(function, one_block, other_block)
}

/// True if a barrier ends a block that all of them wait at.
fn is_closed(end: &End, between: Between) -> bool {
    match end {
        End::Barrier(barrier) => barrier.kind != BarrierKind::Arrive,
        End::Converge { .. } => between == Between::Lanes,
        _ => false,
    }
}

fn block_of(function: &Function, at: &Place) -> Option<usize> {
    function.blocks.iter().position(|block| block.sites.contains(&at.site))
}

/// True if a way leads from the end of a block to the beginning of another, or back to its own, past no block that is closed.
fn leads(function: &Function, start: usize, goal: usize, closed: &dyn Fn(&End) -> bool) -> bool {
    let mut seen = vec![false; function.blocks.len()];
    let mut todo = vec![start];
    while let Some(block) = todo.pop() {
        if closed(&function.blocks[block].end) {
            continue;
        }
        for BlockId(next) in function.blocks[block].end.successors() {
            let next = next as usize;
            if next == goal {
                return true;
            }
            if let Some(seen) = seen.get_mut(next)
                && !std::mem::replace(seen, true)
            {
                todo.push(next);
            }
        }
    }
    false
}
