//! Lanes that have gone on without a meeting point: those that have run code after a barrier or a warp-synchronous
//! instruction.
//!
//! A lane that does not come to a meeting is excused if it left the kernel early (`if (i >= n) return;`), and is not if it
//! runs what the others can only run after the meeting. What lies after a meeting is looked up when somebody is missing
//! there, which is rare, and then kept: nothing is computed for a launch in which all come.
use crate::sanitizer::findings::sites::Sites;
use machine::program::{BlockId, Function};
use rustc_hash::FxHashMap;

/// Which basic blocks lie strictly after which meeting points, as far as somebody asked.
#[derive(Default)]
pub struct StrictlyAfter {
    /// (function, site) → the blocks in ascending order.
    known: FxHashMap<(u32, u32), Vec<u32>>,
}

impl StrictlyAfter {
    /// A block lies strictly after a meeting point if it can be reached from it and not the other way round. Blocks
    /// without instructions, such as a common exit, do nothing that could matter.
    fn blocks(&mut self, sites: &Sites, meeting: (u32, u32)) -> &[u32] {
        self.known.entry(meeting).or_insert_with(|| strictly_after(sites, meeting))
    }
}

fn strictly_after(sites: &Sites, (function, site): (u32, u32)) -> Vec<u32> {
    let Some(function) = sites.function(function) else { return Vec::new() };
    let Some(meeting) = function.blocks.iter().position(|block| block.sites.contains(&site)) else {
        return Vec::new();
    };
    let after = reached(function.blocks.len(), meeting, |block| successors(function, block));
    let mut predecessors = vec![Vec::new(); function.blocks.len()];
    for block in 0..function.blocks.len() {
        successors(function, block).into_iter().for_each(|next| predecessors[next].push(block));
    }
    let before = reached(function.blocks.len(), meeting, |block| predecessors[block].clone());
    let strictly = |&block: &usize| after[block] && !before[block] && !function.blocks[block].ops.is_empty();
    (0..function.blocks.len()).filter(strictly).map(|block| block as u32).collect()
}

fn successors(function: &Function, block: usize) -> Vec<usize> {
    let next = function.blocks[block].end.successors().into_iter().map(|BlockId(next)| next as usize);
    next.filter(|&next| next < function.blocks.len()).collect()
}

/// Blocks that can be reached from `from` in at least one step.
fn reached(blocks: usize, from: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<bool> {
    let mut seen = vec![false; blocks];
    let mut todo = vec![from];
    while let Some(block) = todo.pop() {
        for next in next(block) {
            if !std::mem::replace(&mut seen[next], true) {
                todo.push(next);
            }
        }
    }
    seen
}

/// Which lanes of a block's warps ran which basic blocks.
#[derive(Default)]
pub struct RanBlocks {
    /// Per warp, and per function that it has been in: lanes by basic block.
    warps: Vec<Vec<(u32, Vec<u32>)>>,
}

impl RanBlocks {
    /// Makes it one of so many warps that have run nothing. Its room serves again.
    pub fn clear(&mut self, warps: usize) {
        self.warps.resize(warps, Vec::new());
        self.warps.iter_mut().flatten().for_each(|(_, ran)| ran.fill(0));
    }

    /// Lanes run a basic block.
    #[inline]
    pub fn run(&mut self, warp: u32, function: u32, block: u32, mask: u32) {
        let Some(functions) = self.warps.get_mut(warp as usize) else { return };
        let index = functions.iter().position(|(known, _)| *known == function).unwrap_or_else(|| {
            functions.push((function, Vec::new()));
            functions.len() - 1
        });
        let ran = &mut functions[index].1;
        if ran.len() <= block as usize {
            ran.resize(block as usize + 1, 0);
        }
        ran[block as usize] |= mask;
    }

    /// The first basic block after a meeting point (function and site) that some lanes of `missing` ran, and all of these lanes that
    /// went on.
    pub fn find(
        &self,
        after: &mut StrictlyAfter,
        sites: &Sites,
        meeting: (u32, u32),
        warp: u32,
        missing: u32,
    ) -> Option<(u32, u32)> {
        let (_, ran) = self.warps.get(warp as usize)?.iter().find(|(function, _)| *function == meeting.0)?;
        let blocks = after.blocks(sites, meeting);
        let lanes = |block: u32| ran.get(block as usize).map_or(0, |lanes| lanes & missing);
        let first = blocks.iter().copied().find(|&block| lanes(block) != 0)?;
        Some((first, blocks.iter().fold(0, |all, &block| all | lanes(block))))
    }
}
