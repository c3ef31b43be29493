//! The accesses of the lines and the blocks that are followed: which sectors L1 does not have, and what each wave touches.
use super::counts::Counts;
use super::share::{Share, hash};
use super::touched::{Touched, stretch};
use crate::cards::Device;
use crate::constants::{
    FINER, LARGE_SAMPLES, LEAST_WHOLE, LINE_BYTES, MEDIUM_LAUNCH, MEDIUM_SAMPLES, MOST_FOLLOWED, SMALL_LAUNCH, SPANS,
};
use crate::listeners::atomics::Atomics;
use machine::program::Function;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The probe.
#[derive(Clone)]
pub struct Traffic {
    /// One line in `1 << sample` is followed in all blocks, and one block in `1 << sample_of_blocks` with all its lines.
    pub(super) sample: u32,
    pub(super) sample_of_blocks: u32,
    /// Blocks of the whole launch, and those that the card holds at a time.
    pub(super) blocks: u64,
    pub(super) resident: u64,
    /// The block that was heard of last, its wave, and whether it is followed with all its lines.
    pub(super) current: u64,
    pub(super) wave: u32,
    pub(super) whole: bool,
    /// The running block's share of L1: for the lines that are followed, and for all.
    pub(super) shares: [Share; 2],
    /// Lines that such a share holds; `None` where L1 does not keep global memory.
    pub(super) l1_lines: Option<u64>,
    /// Ranges of host memory, by address.
    pub(super) host: Vec<(u64, u64)>,
    /// The sectors of each line that each wave touched.
    pub(super) touched: FxHashMap<(u64, u32), Touched>,
    /// The most loads that a warp of a block made that has ended.
    pub(super) longest: u32,
    pub(super) l2_bytes: f64,
    /// Counts of the lines that are followed, in all blocks; and of all lines, in the blocks that are.
    pub(super) of_lines: Counts,
    pub(super) of_blocks: Counts,
    /// Accesses of warps in blocks of which some lines are followed, and in those of which all are.
    pub(super) accesses: [u64; 2],
    /// Lines of accesses beyond the first of each.
    pub(super) more_lines: u64,
    pub(super) atomics: Atomics,
    /// True where it is known how L2 works on atomics, and their order counts.
    pub(super) in_order: bool,
    pub(super) functions: Arc<Vec<Function>>,
    /// The waves that are run, ascending, where they are not all.
    pub(super) waves: Arc<[u64]>,
    /// Addresses of the barrier of a cooperative grid, from and to.
    pub(super) grid_barrier: Option<[u64; 2]>,
    /// Atomics there.
    pub(super) arrivals: u64,
}

impl Traffic {
    /// A probe for a launch of `blocks` blocks of `threads` threads, of which a multiprocessor holds `resident` at a time,
    /// with `shared_bytes` each.
    pub fn new(card: &Device, blocks: u64, threads: u32, resident: u32, shared_bytes: u32) -> Self {
        let a = card.architecture;
        let total = blocks.saturating_mul(u64::from(threads));
        let (sample, of_blocks) = if total <= SMALL_LAUNCH {
            (0, 0)
        } else if total <= MEDIUM_LAUNCH {
            MEDIUM_SAMPLES
        } else {
            LARGE_SAMPLES
        };
        let sample_of_blocks = (blocks / LEAST_WHOLE).max(1).ilog2().min(of_blocks);
        let resident = resident.max(1);
        // From Volta on, L1 is what shared memory leaves of one array.
        let unified = a.l1_bytes_per_multiprocessor >= a.shared_bytes_per_multiprocessor;
        let taken = if unified { shared_bytes * resident } else { 0 };
        let l1_bytes = a.l1_bytes_per_multiprocessor.saturating_sub(taken);
        let lines = u64::from(l1_bytes) / LINE_BYTES / u64::from(resident);
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
            waves: Arc::default(),
            grid_barrier: None,
            arrivals: 0,
        }
    }

    /// For a launch of which these blocks are all that is run, for many more: of what they touch, which is little, more is followed, unless
    /// it may still be much. `bytes` is all memory that they can touch, `waves` are those that they are.
    pub fn of_a_part(self, bytes: u64, waves: Arc<[u64]>) -> Traffic {
        let is_little = |sample: &u32| (bytes / LINE_BYTES) >> sample <= MOST_FOLLOWED;
        let sample = (self.sample.saturating_sub(FINER)..self.sample).find(is_little).unwrap_or(self.sample);
        Traffic { sample, shares: shares(self.l1_lines, sample), waves, ..self }
    }

    /// The most loads that a warp made.
    pub(super) fn longest(&self) -> u32 {
        self.shares.iter().map(Share::latest).fold(self.longest, u32::max)
    }

    /// True if a line is followed in all blocks. If lines are touched without gaps, their number is exact.
    #[inline(always)]
    pub(super) fn followed(&self, line: u64) -> bool {
        is_picked(line, self.sample)
    }

    /// Goes to a block, of which an access is heard.
    #[inline(always)]
    pub(super) fn begin_access(&mut self, block: u64) {
        self.turn_to(block);
        self.accesses[usize::from(self.whole)] += 1;
    }

    #[inline(always)]
    pub(super) fn turn_to(&mut self, block: u64) {
        if self.current != block {
            self.turn(block);
        }
    }

    #[inline(never)]
    fn turn(&mut self, block: u64) {
        self.current = block;
        self.wave = (block / self.resident) as u32;
        self.whole = is_picked(block, self.sample_of_blocks);
    }

    /// The share of L1 that the current block's loads go to.
    #[inline(always)]
    pub(super) fn share(&mut self) -> &mut Share {
        &mut self.shares[usize::from(self.whole)]
    }

    /// The time of a load by a warp of the current block.
    #[inline(always)]
    pub(super) fn time(&mut self, warp: u32) -> u32 {
        self.shares[usize::from(self.whole)].time(warp)
    }

    /// Some sectors of one line, by a warp of the current block, which `writes` them or not, `partial` of them by a store that does not fill
    /// them. Loads come at a `time` of their warp.
    #[inline(always)]
    pub(super) fn line(&mut self, line: u64, sectors: u8, partial: u32, (writes, time): (bool, Option<u32>)) {
        if self.whole || self.followed(line) {
            self.followed_line(line, sectors, partial, (writes, time));
        }
    }

    /// A line that is followed, or any of a block that is followed as a whole.
    #[inline(always)]
    pub(super) fn followed_line(&mut self, line: u64, sectors: u8, partial: u32, (writes, time): (bool, Option<u32>)) {
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
    pub(super) fn load_of_lines(&mut self, first: u64, last: u64, time: u32) {
        self.range(first, last, false, (false, Some(time)));
    }

    /// Parts of the launch that its atomics are told apart by.
    pub(super) fn spans(&self) -> u32 {
        if self.in_order { SPANS.min(self.blocks.max(1)) as u32 } else { 1 }
    }

    /// The part that a block belongs to.
    pub(super) fn span(&self, block: u64) -> u32 {
        let before = self.waves.partition_point(|&wave| wave < block / self.resident) as u64;
        let block = if self.waves.is_empty() { block } else { before * self.resident + block % self.resident };
        let spans = u64::from(self.spans());
        (u128::from(block) * u128::from(spans) / u128::from(self.blocks.max(1))).min(u128::from(spans) - 1) as u32
    }

    /// Sectors that L1 does not have.
    #[inline(never)]
    fn missed(&mut self, line: u64, missed: u8, partial: u32, (writes, time): (bool, Option<u32>)) {
        let on_host = self.host.partition_point(|&(start, _)| start <= line * LINE_BYTES).checked_sub(1);
        let on_host = on_host.is_some_and(|at| line * LINE_BYTES < self.host[at].1);
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

/// True for one of each `1 << sample` neighbours, which the hash picks.
#[inline(always)]
fn is_picked(number: u64, sample: u32) -> bool {
    if sample == 0 {
        return true;
    }
    let mask = (1 << sample) - 1;
    hash(number >> sample) >> 32 & mask == number & mask
}
