//! Follows some of a launch's blocks, warp by warp: the basic blocks that they run and where they go in memory, for the model of one
//! multiprocessor.
//!
//! A probe beside the counters. Which blocks are followed depends on the launch alone, and of a warp only its beginning is kept; of the
//! other blocks it is known how many instructions they ran, so that what is found of the few can be weighed.
use super::barriers::Barriers;
use super::shapes::{
    LastPatterns, WIDE_OF_RANGE, least, lines, lines_of_range, low_bits, low_bits_of_range, turns, wavefronts,
    wavefronts_of_range,
};
use super::warp_trace::{Run, Touch, WarpTrace};
use crate::compiler::facts::is_added_up;
use crate::constants::{
    LEAST_BLOCKS, LEAST_INSTRUCTIONS_OF_WARP, MOST_BLOCKS, MOST_COUNTED, MOST_INSTRUCTIONS, MOST_WARPS, WARP_LANES,
};
use machine::probe::{
    Access, AccessKind, Addresses, Arrival, Completed, Launch, Passage, Phase, Probe, Step, Transfer, TransferEnd,
    WarpLoad, Who,
};
use machine::program::{Function, Site};
use ptx::isa::{Class, Space, Work};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The probe.
pub struct Trace {
    blocks: u64,
    /// Blocks that are followed.
    few: u64,
    /// Those very blocks, ascending, where only some of the launch's are run.
    these: Option<Arc<Vec<u64>>>,
    functions: Arc<Vec<Function>>,
    /// Instructions that are kept of each warp.
    of_warp: u32,
    /// The block that was heard of last, whether it is followed, and its instructions so far.
    current: u64,
    followed: bool,
    count: u32,
    /// The traces of that block's warps.
    warps: Vec<WarpTrace>,
    /// Threads of a block, and the barriers of those that are followed.
    threads: u32,
    barriers: Barriers,
    patterns: LastPatterns,
    /// By block.
    pub counts: Vec<(u64, u32)>,
    pub kept: BTreeMap<u64, Vec<WarpTrace>>,
}

impl Trace {
    /// For a launch of so many blocks of `threads` threads.
    pub fn new(blocks: u64, threads: u32) -> Trace {
        let of_block = threads.div_ceil(WARP_LANES).max(1);
        let few = blocks.min((MOST_WARPS / u64::from(of_block)).clamp(LEAST_BLOCKS, MOST_BLOCKS));
        let warps = of_block * few as u32;
        Trace {
            blocks,
            few,
            these: None,
            functions: Arc::default(),
            of_warp: (MOST_INSTRUCTIONS / warps).max(LEAST_INSTRUCTIONS_OF_WARP),
            threads,
            current: u64::MAX,
            followed: false,
            count: 0,
            warps: Vec::new(),
            barriers: Barriers::default(),
            patterns: LastPatterns::default(),
            counts: Vec::new(),
            kept: BTreeMap::new(),
        }
    }

    /// Follows some of these blocks, which are those of the launch that are run side by side.
    pub fn follow_some_of(&mut self, run: &[u64]) {
        let few = (self.few as usize).min(run.len());
        let mut these: Vec<u64> = (0..few).map(|part| run[part * run.len() / few]).collect();
        these.sort_unstable();
        self.these = Some(Arc::new(these));
    }

    /// The functions, to be held beside what was kept.
    pub fn shared_functions(&self) -> Arc<Vec<Function>> {
        Arc::clone(&self.functions)
    }

    /// The functions of the program that was launched.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The same launch whose blocks did something else.
    pub fn with(&self, kept: BTreeMap<u64, Vec<WarpTrace>>) -> Trace {
        Trace {
            kept,
            counts: self.counts.clone(),
            functions: Arc::clone(&self.functions),
            ..Trace::new(self.blocks, self.threads)
        }
    }

    /// True if blocks that were followed asked for bulk copies.
    pub fn transfers(&self) -> bool {
        self.kept.values().flatten().flat_map(|warp| &warp.acts).any(|act| act.action.is_transfer())
    }

    /// True for blocks that are followed: they lie evenly in the grid.
    fn follows(&self, block: u64) -> bool {
        if let Some(these) = &self.these {
            return these.binary_search(&block).is_ok();
        }
        let few = self.few;
        let part = block * few / self.blocks;
        let [first, next] = [part, part + 1].map(|part| (part * self.blocks).div_ceil(few));
        // Somewhere in its part: places at equal distances may have in common what others do not, such as lines of memory.
        block == first + part.wrapping_mul(0x9e37_79b9) % (next - first)
    }

    #[inline]
    fn turn_to(&mut self, block: u64) {
        if self.current != block {
            self.turn(block);
        }
    }

    #[inline(never)]
    fn turn(&mut self, block: u64) {
        self.leave();
        self.current = block;
        self.followed = self.follows(block);
        if self.followed {
            self.warps = self.kept.remove(&block).unwrap_or_default();
        }
    }

    /// Notes what the block that was heard of last has run.
    pub fn leave(&mut self) {
        if self.count > 0 && self.counts.len() < MOST_COUNTED {
            self.counts.push((self.current, self.count));
        }
        self.count = 0;
        if !self.warps.is_empty() {
            self.kept.insert(self.current, std::mem::take(&mut self.warps));
        }
        self.current = u64::MAX;
    }

    fn site(&self, who: &Who, site: u32) -> &Site {
        &self.functions[who.function as usize].sites[site as usize]
    }

    #[inline(never)]
    fn loads(&mut self, who: &Who, loads: &[WarpLoad]) {
        for load in loads {
            match load.elements.space {
                Space::Global | Space::Shared => self.load(who, load),
                _ => self.access(&load.access(who)),
            }
        }
    }

    /// A full warp's load from global or shared memory: most accesses are one.
    fn load(&mut self, who: &Who, load: &WarpLoad) {
        let WarpLoad { address, site, elements } = *load;
        let shared = elements.space == Space::Shared;
        if shared && self.site(who, site).class == Class::Async {
            return;
        }
        let Some(warp) = self.warp(who.warp) else { return };
        let first = warp.lines.len() as u32;
        if !shared {
            lines_of_range(address, load.last(), &mut warp.lines);
        }
        warp.touches.push(Touch {
            site,
            kind: AccessKind::Load,
            shared,
            low: low_bits_of_range(address, elements.bytes, elements.dense),
            counts: false,
            pads: false,
            wide: WIDE_OF_RANGE,
            least: least(shared, if elements.dense { WARP_LANES } else { 1 } * u32::from(elements.bytes)),
            wavefronts: wavefronts_of_range(AccessKind::Load, !0, elements.dense, elements.bytes.into()),
            first,
            lines: (warp.lines.len() as u32 - first) as u16,
            sparse: false,
            partial: 0,
            swaps: 0,
            word: 0,
        });
    }

    /// True for an atomic that counts by a constant, which is done for all lanes of a word at once; and true for one whose lanes the warp adds up by
    /// itself.
    fn sums(&self, access: &Access) -> (bool, bool) {
        let function = &self.functions[access.who.function as usize];
        let site = self.site(&access.who, access.site);
        let added_up = matches!(access.addresses, Addresses::Same(_)) && is_added_up(function, access.site);
        (site.reads == 1 && site.opcode.adds_in_memory() && !site.opcode.swaps_in_shared(), added_up)
    }

    /// The barriers of a block that is followed, and the trace of one of its warps.
    fn at_barrier(&mut self, who: &Who) -> Option<(&mut Barriers, Option<&mut WarpTrace>)> {
        self.turn_to(who.block_index);
        if !self.followed {
            return None;
        }
        Some((&mut self.barriers, followed(&mut self.warps, who.warp, self.of_warp)))
    }

    /// The trace of a warp of the current block that is still to be followed.
    #[inline]
    fn warp(&mut self, number: u32) -> Option<&mut WarpTrace> {
        followed(&mut self.warps, number, self.of_warp)
    }
}

/// The trace of a warp that has run fewer than `most` instructions so far.
#[inline]
fn followed(warps: &mut Vec<WarpTrace>, number: u32, most: u32) -> Option<&mut WarpTrace> {
    let number = number as usize;
    if warps.len() <= number {
        warps.resize_with(number + 1, WarpTrace::with_room);
    }
    let warp = &mut warps[number];
    (warp.instructions < most).then_some(warp)
}

impl Probe for Trace {
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Trace {
            functions: self.functions.clone(),
            these: self.these.clone(),
            ..Trace::new(self.blocks, self.threads)
        })
    }

    fn join(&mut self, worker: Box<dyn Probe>) {
        if let Some(mut other) = worker.concrete::<Trace>() {
            other.leave();
            self.counts.append(&mut other.counts);
            self.kept.append(&mut other.kept);
        }
    }

    fn launch(&mut self, launch: &Launch) {
        self.functions = launch.program.functions.clone();
    }

    #[inline(always)]
    fn run(&mut self, who: Who, block: u32, lanes: u32, _: u32) {
        self.turn_to(who.block_index);
        let sites = &self.functions[who.function as usize].blocks[block as usize].sites;
        let instructions = sites.end - sites.start;
        self.count += instructions;
        if self.followed
            && let Some(warp) = self.warp(who.warp)
        {
            warp.runs.push(Run { function: who.function, block, lanes });
            warp.instructions += instructions;
        }
    }

    fn block_end(&mut self, _: [u32; 3], block: u64) {
        self.barriers.end_block(block);
    }

    fn phase(&mut self, phase: &Phase) {
        let after_copies = self.site(&phase.who, phase.site).opcode.work == Work::ArriveWithCopies;
        if let Some((barriers, warp)) = self.at_barrier(&phase.who) {
            barriers.phase(phase, after_copies, warp);
        }
    }

    fn barrier_arrive(&mut self, arrival: &Arrival) {
        // Where all of a block's threads meet, the machine has an instruction of its own.
        if arrival.waits && arrival.expected == self.threads {
            return;
        }
        if let Some((barriers, Some(warp))) = self.at_barrier(&arrival.who) {
            barriers.arrive(arrival, warp);
        }
    }

    fn barrier_release(&mut self, block: u64, id: u32) {
        if self.followed && self.current == block {
            self.barriers.release(block, id);
        }
    }

    fn transfer_begins(&mut self, transfer: &Transfer) {
        // Products of four warps are instructions like others.
        if transfer.lane < WARP_LANES
            && let Some((barriers, Some(warp))) = self.at_barrier(&transfer.who)
        {
            barriers.transfer(transfer, warp, |region, lines| {
                lines_of_range(region.address, region.address + region.bytes - 1, lines);
            });
        }
    }

    fn transfer_ends(&mut self, _: Who, _: u64, _: TransferEnd, completed: Option<Completed>) {
        completed.iter().for_each(|completed| self.barriers.completed(completed));
    }

    fn copy_begins(&mut self, who: Who, site: u32, mask: u32, to: &[u64; 32], bytes: u32) {
        if self.followed
            && self.current == who.block_index
            && let Some(warp) = self.warp(who.warp)
            && let Some(touch) = warp.touches.last_mut().filter(|touch| touch.site == site)
        {
            touch.wavefronts = wavefronts(AccessKind::Store, to, mask, bytes, false);
        }
    }

    fn in_hindsight(&self) -> bool {
        true
    }

    fn passage(&mut self, passage: &Passage) {
        let [who, ..] = *passage.warps() else { return };
        self.turn_to(who.block_index);
        if !self.followed {
            let blocks = &self.functions[who.function as usize].blocks;
            let instructions = |step: &Step| match *step {
                Step::Run { block } => blocks[block as usize].sites.len() as u32,
                _ => 0,
            };
            self.count += passage.steps().iter().map(instructions).sum::<u32>() * passage.warps().len() as u32;
        }
    }

    fn passed(&mut self, passage: &Passage, column: usize) {
        self.turn_to(passage.warps()[column].block_index);
        // All instructions of a block that is not followed were counted at once.
        if self.followed {
            passage.replay(column, self);
        }
    }

    #[inline(always)]
    fn warp_loads(&mut self, who: &Who, loads: &[WarpLoad]) {
        self.turn_to(who.block_index);
        // Most blocks are not followed.
        if self.followed {
            self.loads(who, loads);
        }
    }

    fn access(&mut self, access: &Access) {
        let shared = match access.space {
            Space::Global | Space::Local => false,
            Space::Shared => true,
            _ => return,
        };
        self.turn_to(access.who.block_index);
        if !self.followed {
            return;
        }
        // The shared side of an asynchronous copy is known from its beginning.
        if shared && self.site(&access.who, access.site).class == Class::Async {
            return;
        }
        let (counts, added_up) = match access.kind {
            AccessKind::Atomic => self.sums(access),
            _ => (false, false),
        };
        if self.warp(access.who.warp).is_none() {
            return;
        }
        let every_lane = access.kind == AccessKind::Atomic && !counts;
        let swaps = shared && every_lane && self.site(&access.who, access.site).opcode.swaps_in_shared();
        let of_each = match access.addresses {
            Addresses::Each(all) if shared => self.patterns.wavefronts(access, all, true, every_lane),
            Addresses::Each(all) if access.space == Space::Global && access.kind != AccessKind::Atomic => {
                self.patterns.wavefronts(access, all, false, false)
            }
            _ => (1, WIDE_OF_RANGE, 1),
        };
        let Some(warp) = self.warp(access.who.warp) else { return };
        let first = warp.lines.len() as u32;
        let mut touch = Touch {
            site: access.site,
            kind: access.kind,
            shared,
            low: low_bits(access),
            counts,
            pads: false,
            wavefronts: 1,
            least: least(shared, access.lane_count() * access.bytes),
            wide: WIDE_OF_RANGE,
            first,
            lines: 0,
            sparse: false,
            partial: 0,
            swaps: if swaps { turns(access) } else { 0 },
            word: if swaps { (access.address(access.mask.trailing_zeros() as usize) / 4) as u16 } else { 0 },
        };
        if shared {
            touch.wavefronts = match access.addresses {
                Addresses::Same(_) if every_lane => access.lane_count() as u16,
                Addresses::Same(_) => wavefronts_of_range(access.kind, access.mask, false, access.bytes),
                Addresses::Dense(_) => wavefronts_of_range(access.kind, access.mask, true, access.bytes),
                Addresses::Each(_) => {
                    // Where the end of an array lies in between, a few words still meet.
                    touch.pads = of_each.2 <= touch.least.max(of_each.0 / 2);
                    touch.wide = of_each.1;
                    of_each.0
                }
            };
        } else {
            let partial = lines(access, &mut warp.lines);
            touch.partial = if access.kind == AccessKind::Store { partial } else { 0 };
            touch.lines = (warp.lines.len() as u32 - first) as u16;
            let sectors: u32 = warp.lines[first as usize..].iter().map(|line| line.1.count_ones()).sum();
            touch.sparse = touch.partial > 0 && access.lane_count() * access.bytes <= sectors * 4;
            // Data come out of L1 as out of shared memory: the words of one bank one after the other.
            touch.wavefronts = match (access.kind, access.addresses) {
                (AccessKind::Atomic, _) if added_up => 1,
                (AccessKind::Atomic, _) => turns(access),
                // A lane's words lie in a bank of its own.
                _ if access.space == Space::Local => access.bytes.div_ceil(4) as u16,
                (_, Addresses::Each(_)) => of_each.0,
                (kind, of_range) => {
                    let dense = matches!(of_range, Addresses::Dense(_));
                    wavefronts_of_range(kind, access.mask, dense, access.bytes)
                }
            };
        }
        warp.touches.push(touch);
    }
}
