//! Who has gone on without a meeting point: what lies behind which barrier or warp-synchronous instruction, and which lanes
//! have run some of it.
//!
//! A lane that does not come to a meeting is excused if it left the kernel early (`if (i >= n) return;`), and is not if it
//! runs what the others can only run after the meeting.
use crate::probe::Who;
use crate::program::{BarrierKind, BlockId, End, Function, Program};
use std::collections::HashMap;
use std::ops::Range;

/// What lies behind which meeting point, per basic block of the program.
#[derive(Default)]
pub struct Behind {
    /// Per function the number of its first block.
    first_block: Vec<u32>,
    /// Per block the numbers of the meeting points that it lies strictly behind.
    blocks: Vec<Vec<u32>>,
    /// (function, site) → number of the meeting point.
    numbers: HashMap<(u32, u32), u32>,
}

impl Behind {
    /// A block lies strictly behind a meeting point if it can be reached from it and not the other way round. Blocks
    /// without instructions, such as a common exit, do nothing that could matter.
    pub fn new(program: &Program) -> Self {
        let mut behind = Self::default();
        for (index, function) in program.functions.iter().enumerate() {
            behind.first_block.push(behind.blocks.len() as u32);
            let first = behind.blocks.len();
            behind.blocks.resize_with(first + function.blocks.len(), Vec::new);
            let meetings: Vec<usize> =
                (0..function.blocks.len()).filter(|&block| is_meeting(&function.blocks[block].end)).collect();
            if meetings.is_empty() {
                continue;
            }
            let reach: Vec<Vec<bool>> = (0..function.blocks.len()).map(|from| reachable(function, from)).collect();
            for meeting in meetings {
                let number = behind.numbers.len() as u32;
                behind.numbers.insert((index as u32, function.blocks[meeting].site), number);
                for (other, block) in function.blocks.iter().enumerate() {
                    if reach[meeting][other] && !reach[other][meeting] && !block.ops.is_empty() {
                        behind.blocks[first + other].push(number);
                    }
                }
            }
        }
        behind
    }

    /// The number of the meeting point at a site.
    pub fn number(&self, function: u32, site: u32) -> Option<usize> {
        self.numbers.get(&(function, site)).map(|&number| number as usize)
    }
}

fn is_meeting(end: &End) -> bool {
    match end {
        End::Barrier(barrier) => barrier.kind != BarrierKind::Arrive,
        End::Gather { .. } => true,
        _ => false,
    }
}

/// Blocks that can be reached from the end of `from`.
fn reachable(function: &Function, from: usize) -> Vec<bool> {
    let mut seen = vec![false; function.blocks.len()];
    let mut todo = vec![from];
    while let Some(block) = todo.pop() {
        let Some(block) = function.blocks.get(block) else { continue };
        for BlockId(next) in block.end.successors() {
            if let Some(seen) = seen.get_mut(next as usize)
                && !std::mem::replace(seen, true)
            {
                todo.push(next as usize);
            }
        }
    }
    seen
}

/// Which lanes of a block's warps ran what lies behind which meeting point.
pub struct RanBehind {
    /// Per warp and basic block: lanes whose run is noted already.
    noted: Vec<Vec<u32>>,
    /// Per warp and meeting point: the lanes, and where they were first seen.
    ran: Vec<HashMap<u32, (u32, Who, u32)>>,
}

impl RanBehind {
    pub fn new(warps: usize) -> Self {
        Self { noted: vec![Vec::new(); warps], ran: vec![HashMap::new(); warps] }
    }

    /// Lanes run a basic block.
    pub fn run(&mut self, behind: &Behind, who: Who, block: u32, mask: u32) {
        let Some(&first) = behind.first_block.get(who.function as usize) else { return };
        let index = (first + block) as usize;
        let Some(numbers) = behind.blocks.get(index).filter(|numbers| !numbers.is_empty()) else { return };
        let Some(noted) = self.noted.get_mut(who.warp as usize) else { return };
        if noted.is_empty() {
            noted.resize(behind.blocks.len(), 0);
        }
        if noted[index] & mask == mask {
            return;
        }
        noted[index] |= mask;
        for &number in numbers {
            self.ran[who.warp as usize].entry(number).or_insert((0, who, block)).0 |= mask;
        }
    }

    /// Of the lanes `missing` of a warp those that went on behind a meeting point, and a site that some of them ran.
    pub fn find(&self, number: usize, warp: u32, missing: u32) -> Option<WentOn> {
        let &(lanes, who, block) = self.ran.get(warp as usize)?.get(&(number as u32))?;
        (lanes & missing != 0).then_some(WentOn { who, lanes: lanes & missing, block })
    }
}

/// Lanes that went on without the others, and the first basic block in which they were seen behind the meeting point.
pub struct WentOn {
    pub who: Who,
    pub lanes: u32,
    pub block: u32,
}

/// Lines of sites and sites of blocks, copied from the program so that the probe can outlive it.
#[derive(Default)]
pub struct Sites {
    /// Per function and site: file, line, line of the call that was inlined.
    lines: Vec<Vec<(u32, u32, u32)>>,
    /// Per function and block: its sites.
    blocks: Vec<Vec<Range<u32>>>,
}

impl Sites {
    pub fn new(program: &Program) -> Self {
        let lines = |function: &Function| {
            function.sites.iter().map(|site| (site.at.file, site.at.line, site.at.inlined_at)).collect()
        };
        let blocks = |function: &Function| function.blocks.iter().map(|block| block.sites.clone()).collect();
        Self {
            lines: program.functions.iter().map(lines).collect(),
            blocks: program.functions.iter().map(blocks).collect(),
        }
    }

    /// Where a site is in the source, if it is anywhere; the same line inlined elsewhere is another place.
    pub fn line(&self, function: u32, site: u32) -> Option<(u32, u32, u32)> {
        self.lines.get(function as usize)?.get(site as usize).copied()
    }

    /// The site of a basic block that shows best that it lies behind the site `meeting`: the first with a later line of
    /// the same file, else the one with the latest line. Compilers move code up, away from where it was written.
    pub fn shown(&self, function: u32, block: u32, meeting: u32) -> Option<u32> {
        let (file, line, _) = self.line(function, meeting)?;
        let sites = self.blocks.get(function as usize)?.get(block as usize)?.clone();
        let line_of = |site: u32| self.line(function, site).filter(|at| at.0 == file).map_or(0, |at| at.1);
        sites.clone().find(|&site| line_of(site) > line).or_else(|| sites.max_by_key(|&site| line_of(site)))
    }
}
