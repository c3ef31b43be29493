//! Basic blocks that a machine runs as one. A compiler has no branch around a few instructions: it issues them under a guard, and puts what comes
//! before, under and behind the guard into one order. Nor does a warp-wide instruction end anything for it.
use crate::constants::{MOST_GUARDED, MOST_GUARDED_OF_LOOP, MOST_OF_EITHER, MOST_OF_EITHER_IN_LOOP};
use machine::program::{BasicBlock, BlockId, End, Function};
use ptx::isa::Class;
use ptx::isa::machine::Unit;
use std::ops::RangeInclusive;

/// A basic block of a region.
#[derive(Clone, Debug)]
pub struct Member {
    pub block: u32,
    /// The block behind which lanes may go around this one: it is issued for all of them, under what that one's branch asks.
    pub under: Option<u32>,
}

/// By basic block: the region that begins with it. One that lies inside of another's region has itself alone, for warps that come to it in
/// another way. `length`: machine instructions of a block.
pub fn regions(function: &Function, length: &dyn Fn(&BasicBlock) -> usize) -> Vec<Vec<Member>> {
    let count = function.blocks.len();
    let ways = ways(function);
    let loops = in_loops(function);
    let mut inside = vec![false; count];
    let mut regions = Vec::with_capacity(count);
    for head in 0..count as u32 {
        let mut members = vec![Member { block: head, under: None }];
        let mut last = head;
        while !inside[head as usize] {
            let block = &function.blocks[last as usize];
            let next = match &block.end {
                End::Jump(next) | End::Converge { next, .. } if ways[next.0 as usize] == 1 => *next,
                End::Branch { .. } if !leads_back(function, block, head) => {
                    let Some((short, behind)) = guarded(function, block, loops[last as usize], length)
                        .filter(|way| way.0.iter().all(|short| ways[short.0 as usize] == 1))
                    else {
                        break;
                    };
                    for short in short {
                        members.push(Member { block: short.0, under: Some(last) });
                        inside[short.0 as usize] = true;
                    }
                    if ways[behind.0 as usize] != 2 {
                        break;
                    }
                    behind
                }
                _ => break,
            };
            if next.0 <= head || inside[next.0 as usize] || asks_again(function, next) {
                break;
            }
            members.push(Member { block: next.0, under: None });
            inside[next.0 as usize] = true;
            last = next.0;
        }
        regions.push(members);
    }
    regions
}

/// By basic block: the ways that lead to it.
pub fn ways(function: &Function) -> Vec<u32> {
    let mut ways = vec![0u32; function.blocks.len()];
    for block in &function.blocks {
        block.end.successors().into_iter().for_each(|next| ways[next.0 as usize] += 1);
    }
    if let Some(entry) = ways.first_mut() {
        *entry += 1;
    }
    ways
}

/// By basic block: whether it lies between a place that a branch leads back to and that branch.
fn in_loops(function: &Function) -> Vec<bool> {
    let mut inside = vec![false; function.blocks.len()];
    loops(function).into_iter().for_each(|turn| inside[turn].fill(true));
    inside
}

/// The basic blocks of each loop, as they lie in the text.
pub fn loops(function: &Function) -> Vec<RangeInclusive<usize>> {
    let back = |(from, block): (usize, &BasicBlock)| {
        let targets = block.end.successors().into_iter().map(|next| next.0 as usize);
        targets.filter(move |&to| to <= from).map(move |to| to..=from).collect::<Vec<_>>()
    };
    function.blocks.iter().enumerate().flat_map(back).collect()
}

/// Whether a block ends with a branch to the beginning of its region, and another way on.
pub fn leads_back(function: &Function, block: &BasicBlock, head: u32) -> bool {
    match block.end {
        End::Branch { taken, next, .. } => (through(function, taken).0 == head) != (through(function, next).0 == head),
        _ => false,
    }
}

/// Whether a block asks again and again for something until it is so.
fn asks_again(function: &Function, block: BlockId) -> bool {
    let BasicBlock { sites, .. } = &function.blocks[block.0 as usize];
    function.sites[sites.start as usize..sites.end as usize].iter().any(|site| site.opcode.polls())
}

/// The blocks behind a block that are short enough for a guard instead of a branch around them, one or either of two, and the one behind all.
fn guarded(
    function: &Function,
    block: &BasicBlock,
    in_loop: bool,
    length: &dyn Fn(&BasicBlock) -> usize,
) -> Option<(Vec<BlockId>, BlockId)> {
    let End::Branch { taken, next, .. } = block.end else { return None };
    let sites = |block: BlockId| {
        let BasicBlock { sites, .. } = &function.blocks[block.0 as usize];
        &function.sites[sites.start as usize..sites.end as usize]
    };
    let is_short = |short: BlockId, most: usize| {
        let plain = sites(short).iter().all(|site| {
            let slow = site.units().contains(&Unit::Detour);
            !slow && !matches!(site.class, Class::Barrier | Class::Warp | Class::Matrix)
        });
        plain && length(&function.blocks[short.0 as usize]) <= most
    };
    let loads = |short: BlockId| sites(short).iter().any(|site| site.opcode.loads_from_afar());
    let most = |short: BlockId| if in_loop && !loads(short) { MOST_GUARDED_OF_LOOP } else { MOST_GUARDED };
    let behind = |short: BlockId| match function.blocks[short.0 as usize].end {
        End::Jump(to) => Some(to),
        _ => None,
    };
    let leads =
        |short: BlockId, other: BlockId| behind(short).is_some_and(|to| to == other || through(function, to) == other);
    let around = |short: BlockId, other: BlockId| {
        (leads(short, other) && is_short(short, most(short))).then(|| (vec![short], other))
    };
    let either = || {
        let end = behind(taken).filter(|&end| behind(next) == Some(end))?;
        let each = if in_loop { MOST_OF_EITHER_IN_LOOP } else { MOST_OF_EITHER };
        (is_short(taken, each) && is_short(next, each)).then(|| (vec![next, taken], end))
    };
    around(next, taken).or_else(|| around(taken, next)).or_else(either)
}

/// The block that a block without instructions leads to.
fn through(function: &Function, block: BlockId) -> BlockId {
    let BasicBlock { sites, end, .. } = &function.blocks[block.0 as usize];
    match end {
        End::Jump(next) if sites.is_empty() => *next,
        _ => block,
    }
}
