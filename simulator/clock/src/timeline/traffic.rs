//! Where a kernel's accesses are answered: L1, L2, the card's memory, or the host's over the bus.
//!
//! A probe beside the counters. Each block has a share of L1 to itself; what misses goes to L2, and stores and atomics always
//! do. The simulator runs one warp after the other, a card runs them side by side: so time, here, is how many loads a warp
//! has made, the same for all warps of a block, and a line is still there if few enough others came in between. L2 is not played through: all that a wave of resident blocks touches is
//! fetched once, and if the whole launch's footprint fits, it stays. So that the cost stays small, of large launches two samples are
//! followed, each chosen by a hash: some of the lines in all blocks, for what the launch touches, and all lines in some of the blocks, for
//! what is asked of L2. What is found is scaled up. Nothing depends on which host thread runs which block.
mod accesses;
mod counts;
mod found;
mod share;
#[cfg(test)]
mod tests;
mod touched;

pub use found::Found;
pub use share::hash;

use super::atomics::{Atomics, Sum};
use super::uniform::{answers, is_added_up};
use crate::device::Device;
use accesses::sectors_of;
use counts::Counts;
use machine::memory::Kind;
use machine::probe::{Access, AccessKind, Launch, Probe, Transfer, WarpElements, Who};
use machine::program::Function;
use ptx::isa::Space;
use rustc_hash::FxHashMap;
use share::Share;
use std::any::Any;
use std::sync::Arc;
use touched::{Touched, stretch};

/// Parts of a launch by the order of its blocks.
const SPANS: u64 = 64;
/// Blocks that are followed with all their lines, at the least, where there are as many.
const LEAST_WHOLE: u64 = 8;
/// Threads up to which a launch is followed as a whole, and up to which its samples are not the smallest.
const SMALL: u64 = 1 << 13;
const MEDIUM: u64 = 1 << 20;
/// Steps by which the sample of lines is finer where only a part of a launch is run.
const FINER: u32 = 3;
/// Bytes of a line, and of a sector of it.
const LINE: u64 = 128;
const SECTOR: u64 = 32;

/// The probe.
#[derive(Clone)]
pub struct Traffic {
    /// One line in `1 << sample` is followed in all blocks, and one block in `1 << sample_of_blocks` with all its lines.
    sample: u32,
    sample_of_blocks: u32,
    /// Blocks of the whole launch, and those that the card holds at a time.
    blocks: u64,
    resident: u64,
    /// The block that was heard of last, its wave, and whether it is followed with all its lines.
    current: u64,
    wave: u32,
    whole: bool,
    /// What the running block's share of L1 holds, of the lines that are followed and of all.
    shares: [Share; 2],
    /// Lines that such a share holds; `None` where L1 does not keep global memory.
    l1_lines: Option<u64>,
    /// Ranges of host memory, by address.
    host: Vec<(u64, u64)>,
    /// What each wave touched of each line.
    touched: FxHashMap<(u64, u32), Touched>,
    /// The most loads that a warp of a block made that has ended.
    longest: u32,
    l2_bytes: f64,
    /// Of the lines that are followed, in all blocks; and of all lines, in the blocks that are.
    of_lines: Counts,
    of_blocks: Counts,
    /// Accesses of warps in blocks of which some lines are followed, and in those of which all are.
    accesses: [u64; 2],
    /// Lines of accesses beyond the first of each.
    more_lines: u64,
    atomics: Atomics,
    /// Whether it is known how L2 works on atomics, and their order counts.
    in_order: bool,
    functions: Arc<Vec<Function>>,
    /// Addresses of the barrier of a cooperative grid, from and to.
    grid_barrier: Option<[u64; 2]>,
    /// Atomics there.
    arrivals: u64,
}

impl Traffic {
    /// A probe for a launch of `blocks` blocks of `threads` threads, of which a multiprocessor holds `resident` at a time,
    /// with `shared_bytes` each.
    pub fn new(card: &Device, blocks: u64, threads: u32, resident: u32, shared_bytes: u32) -> Self {
        let a = card.architecture;
        let total = blocks.saturating_mul(u64::from(threads));
        let (sample, of_blocks) = if total <= SMALL {
            (0, 0)
        } else if total <= MEDIUM {
            (3, 3)
        } else {
            (4, 5)
        };
        let sample_of_blocks = (blocks / LEAST_WHOLE).max(1).ilog2().min(of_blocks);
        let resident = resident.max(1);
        // From Volta on, L1 is what shared memory leaves of one array.
        let unified = a.l1_bytes_per_multiprocessor >= a.shared_bytes_per_multiprocessor;
        let taken = if unified { shared_bytes * resident } else { 0 };
        let l1_bytes = a.l1_bytes_per_multiprocessor.saturating_sub(taken);
        let lines = u64::from(l1_bytes) / LINE / u64::from(resident);
        Traffic {
            sample,
            sample_of_blocks,
            blocks,
            resident: u64::from(resident) * u64::from(card.multiprocessors),
            in_order: a.l2_slices > 0,
            current: u64::MAX,
            wave: 0,
            whole: false,
            shares: shares(a.l1_caches_global.then_some(lines), sample),
            l1_lines: a.l1_caches_global.then_some(lines),
            host: Vec::new(),
            touched: FxHashMap::default(),
            longest: 0,
            l2_bytes: card.l2_bytes as f64,
            of_lines: Counts::default(),
            of_blocks: Counts::default(),
            accesses: [0; 2],
            more_lines: 0,
            atomics: Atomics::default(),
            functions: Arc::default(),
            grid_barrier: None,
            arrivals: 0,
        }
    }

    /// For a launch of which these blocks are all that is run, for many more: of what they touch, which is little, more is followed.
    pub fn of_a_part(self) -> Traffic {
        let sample = self.sample.saturating_sub(FINER);
        Traffic { sample, shares: shares(self.l1_lines, sample), ..self }
    }

    /// The most loads that a warp made.
    fn longest(&self) -> u32 {
        self.shares.iter().map(Share::latest).fold(self.longest, u32::max)
    }

    /// Whether a line is followed in all blocks: of what is touched without gaps the number is exact.
    #[inline(always)]
    fn followed(&self, line: u64) -> bool {
        is_picked(line, self.sample)
    }

    /// Goes to a block, of which an access is heard.
    #[inline(always)]
    fn begin_access(&mut self, block: u64) {
        if self.current != block {
            self.turn(block);
        }
        self.accesses[usize::from(self.whole)] += 1;
    }

    #[inline(never)]
    fn turn(&mut self, block: u64) {
        self.current = block;
        self.wave = (block / self.resident) as u32;
        self.whole = is_picked(block, self.sample_of_blocks);
    }

    /// The time of a load by a warp of the current block.
    #[inline(always)]
    fn time(&mut self, warp: u32) -> u32 {
        self.shares[usize::from(self.whole)].time(warp)
    }

    /// Some sectors of one line, by a warp of the current block, which `writes` them or not, `partial` of them by a store that does not fill
    /// them. Loads come at a `time` of their warp.
    #[inline(always)]
    fn line(&mut self, line: u64, sectors: u8, partial: u32, (writes, time): (bool, Option<u32>)) {
        if !self.whole && !self.followed(line) {
            return;
        }
        let missed = match time {
            Some(time) => self.shares[usize::from(self.whole)].miss(line, sectors, time),
            None => sectors,
        };
        if missed != 0 {
            self.missed(line, missed, partial, (writes, time));
        }
    }

    /// A load of several lines. Out of the way of those of one.
    #[inline(never)]
    fn load_of_lines(&mut self, first: u64, last: u64, time: u32) {
        self.range(first, last, false, (false, Some(time)));
    }

    /// Parts of the launch that its atomics are told apart by.
    fn spans(&self) -> u32 {
        if self.in_order { SPANS.min(self.blocks.max(1)) as u32 } else { 1 }
    }

    /// The part that a block belongs to.
    fn span(&self, block: u64) -> u32 {
        let spans = u64::from(self.spans());
        (u128::from(block) * u128::from(spans) / u128::from(self.blocks.max(1))).min(u128::from(spans) - 1) as u32
    }

    /// Sectors that L1 does not have.
    #[inline(never)]
    fn missed(&mut self, line: u64, missed: u8, partial: u32, (writes, time): (bool, Option<u32>)) {
        let on_host = self.host.partition_point(|&(start, _)| start <= line * LINE).checked_sub(1);
        let on_host = on_host.is_some_and(|at| line * LINE < self.host[at].1);
        let count = u64::from(missed.count_ones());
        let sectors = match on_host {
            true => Counts { host: count, host_written: if writes { count } else { 0 }, ..Counts::default() },
            false => Counts { l2: count, partial: u64::from(partial), ..Counts::default() },
        };
        if self.whole {
            self.of_blocks.add(sectors);
        }
        if !self.followed(line) {
            return;
        }
        self.of_lines.add(sectors);
        if on_host {
            return;
        }
        let latest = self.shares[usize::from(self.whole)].latest();
        let touched = self.touched.entry((line, self.wave)).or_default();
        touched.sectors |= missed;
        touched.written |= writes && partial == 0;
        let stretch = 1 << stretch(time.unwrap_or(latest));
        (0..4).filter(|sector| missed >> sector & 1 == 1).for_each(|sector| touched.stretches[sector] |= stretch);
    }
}

/// The shares of L1 of which so many lines are one, for what is followed in all blocks and for all lines.
fn shares(lines: Option<u64>, sample: u32) -> [Share; 2] {
    [sample, 0].map(|sample| Share::new(lines.map(|lines| lines >> sample)))
}

/// Of each `1 << sample` neighbours one, which the hash picks.
#[inline(always)]
fn is_picked(number: u64, sample: u32) -> bool {
    if sample == 0 {
        return true;
    }
    let mask = (1 << sample) - 1;
    hash(number >> sample) >> 32 & mask == number & mask
}

impl Probe for Traffic {
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Traffic {
            touched: FxHashMap::default(),
            of_lines: Counts::default(),
            of_blocks: Counts::default(),
            accesses: [0; 2],
            more_lines: 0,
            atomics: Atomics::default(),
            arrivals: 0,
            ..self.clone()
        })
    }
    fn join(&mut self, worker: Box<dyn Probe>) {
        if let Ok(other) = worker.into_any().downcast::<Traffic>() {
            self.longest = self.longest.max(other.longest());
            self.of_lines.add(other.of_lines);
            self.of_blocks.add(other.of_blocks);
            self.accesses.iter_mut().zip(other.accesses).for_each(|(own, other)| *own += other);
            self.more_lines += other.more_lines;
            self.atomics.join(other.atomics);
            self.arrivals += other.arrivals;
            let mut fewer = other.touched;
            if self.touched.len() < fewer.len() {
                std::mem::swap(&mut self.touched, &mut fewer);
            }
            fewer.into_iter().for_each(|(key, own)| self.touched.entry(key).or_default().add(own));
        }
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
    fn launch(&mut self, launch: &Launch) {
        self.grid_barrier = launch.grid_barrier;
        self.functions = Arc::clone(&launch.program.functions);
        let live = launch.memory.live();
        let host = live.iter().filter(|a| matches!(a.kind, Kind::HostPinned | Kind::HostRegistered));
        self.host = host.map(|a| (a.address, a.address + a.bytes)).collect();
    }
    fn block_start(&mut self, _: [u32; 3], _: u64) {
        self.longest = self.longest();
        self.shares.iter_mut().for_each(Share::begin_block);
    }
    /// Transfers go past L1.
    fn transfer_begins(&mut self, transfer: &Transfer) {
        for region in transfer.regions.iter().filter(|region| region.space == Space::Global && region.bytes > 0) {
            let store = region.kind == AccessKind::Store;
            self.begin_access(transfer.who.block_index);
            self.range(region.address, region.address + region.bytes - 1, store, (store, None));
        }
    }
    #[inline(always)]
    fn warp_load(&mut self, who: &Who, _: u32, elements: WarpElements, address: u64) {
        if elements.space != Space::Global {
            return;
        }
        self.begin_access(who.block_index);
        let time = self.time(who.warp);
        let last = address + elements.span() - 1;
        if address / LINE == last / LINE {
            self.line(address / LINE, sectors_of(address, last), 0, (false, Some(time)));
        } else {
            self.load_of_lines(address, last, time);
        }
    }
    fn access(&mut self, access: &Access) {
        if access.space != Space::Global {
            return;
        }
        self.begin_access(access.who.block_index);
        let loads = access.kind == AccessKind::Load;
        let time = loads.then(|| self.time(access.who.warp));
        let how = (!loads, time);
        let store = access.kind == AccessKind::Store;
        if access.kind == AccessKind::Atomic {
            let function = self.functions.get(access.who.function as usize);
            let added_up = function.is_some_and(|function| is_added_up(function, access.site));
            let site = function.and_then(|function| function.sites.get(access.site as usize));
            let sum = match site {
                _ if added_up => Sum::AddedUp,
                Some(site) if site.opcode.adds_floats_in_memory() => Sum::OfFloats,
                _ => Sum::Other,
            };
            let span = if self.in_order { self.span(access.who.block_index) } else { self.wave };
            let before = self.atomics.steps;
            self.atomics.access(access, span, sum);
            if function.is_some_and(|function| answers(function, access.site)) {
                self.atomics.answered += self.atomics.steps - before;
            }
            let at_barrier = |[from, to]: [u64; 2]| (from..to).contains(&access.first_address());
            self.arrivals += u64::from(self.grid_barrier.is_some_and(at_barrier));
        }
        match access.range() {
            Some((first, bytes)) => self.range(first, first + bytes - 1, store, how),
            None => self.scattered(access, how),
        }
    }
}
