//! Basic blocks that a machine runs as one. A compiler has no branch around a few instructions: it issues them under a guard, and puts what comes
//! before, under and behind the guard into one order. Nor does a warp-wide instruction end anything for it.
use crate::isa::Class;
use crate::isa::machine::Unit;
use crate::program::{BasicBlock, BlockId, End, Function};

/// A basic block of a region.
#[derive(Clone, Debug)]
pub struct Member {
    pub block: u32,
    /// The block behind which lanes may go around this one: it is issued for all of them, under what that one's branch asks.
    pub under: Option<u32>,
}

/// By basic block: the region that begins with it. One that lies inside of another's region has itself alone, for warps that come to it in
/// another way.
pub fn regions(function: &Function) -> Vec<Vec<Member>> {
    let count = function.blocks.len();
    let mut ways = vec![0u32; count];
    for block in &function.blocks {
        block.end.successors().into_iter().for_each(|next| ways[next.0 as usize] += 1);
    }
    if let Some(entry) = ways.first_mut() {
        *entry += 1;
    }
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
                    let Some((short, behind)) = guarded(function, block).filter(|way| ways[way.0.0 as usize] == 1)
                    else {
                        break;
                    };
                    members.push(Member { block: short.0, under: Some(last) });
                    inside[short.0 as usize] = true;
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
    function.sites[sites.start as usize..sites.end as usize].iter().any(|site| crate::isa::opcode::polls(&site.text))
}

/// The block behind a block that is short enough for a guard instead of a branch around it, and the one behind both.
fn guarded(function: &Function, block: &BasicBlock) -> Option<(BlockId, BlockId)> {
    let End::Branch { taken, next, .. } = block.end else { return None };
    let around = |short: BlockId, other: BlockId| {
        let BasicBlock { sites, end, .. } = &function.blocks[short.0 as usize];
        let few = sites.len() <= MOST_GUARDED;
        let plain = function.sites[sites.start as usize..sites.end as usize].iter().all(|site| {
            let slow = site.units().contains(&Unit::Detour);
            !slow && !matches!(site.class, Class::Barrier | Class::Warp | Class::Matrix)
        });
        let leads = matches!(end, End::Jump(to) if *to == other || through(function, *to) == other);
        (few && plain && leads).then_some((short, other))
    };
    around(next, taken).or_else(|| around(taken, next))
}

/// Instructions of a block that is guarded, at the most.
const MOST_GUARDED: usize = 8;

/// The block that a block without instructions leads to.
fn through(function: &Function, block: BlockId) -> BlockId {
    let BasicBlock { sites, end, .. } = &function.blocks[block.0 as usize];
    match end {
        End::Jump(next) if sites.is_empty() => *next,
        _ => block,
    }
}
