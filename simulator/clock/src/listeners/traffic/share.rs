//! A block's share of L1: which lines are still there for its warps.
use crate::constants::{SHARE_BLOCK_BITS, SHARE_MOST_SETS, SHARE_MOST_WARPS, SHARE_SPAN, SHARE_WAYS};

/// The remembered lines of one hash: together as much as a line of the host's cache has.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Set {
    /// Number and block of each, in one word, so that a look is one comparison. 0: none.
    owners: [u64; SHARE_WAYS],
    times: [u32; SHARE_WAYS],
    /// Those that are there.
    sectors: [u8; SHARE_WAYS],
}

/// The share. The simulator runs one warp after the other, a card runs them side by side: so time is how many loads a warp has made, the same
/// for all warps of a block, and a line is still there if few enough others came in between.
#[derive(Clone)]
pub struct Share {
    /// Sets that a block begins with, and those that it has by now: powers of two; none where L1 does not keep global memory.
    least_sets: usize,
    sets: usize,
    /// Made at the first load: most kernels are small, and some load nothing. As many as a block of this worker had at the most.
    lines: Vec<Set>,
    /// Lines that the share holds.
    capacity: u64,
    /// Which block is run, counted by this worker from 1 on; older lines are gone.
    block: u64,
    /// Lines of this block that are remembered.
    remembered: usize,
    /// Loads that each warp of the block made, the most of them, and lines that came in.
    times: [u32; SHARE_MOST_WARPS],
    latest: u32,
    fetched: u32,
}

impl Share {
    /// A share that holds so many of the lines that are followed; `None` where L1 does not keep global memory.
    pub fn new(capacity: Option<u64>) -> Self {
        let sets = capacity.map_or(0, |lines| (lines as usize * SHARE_SPAN / SHARE_WAYS).next_power_of_two());
        Share {
            least_sets: sets,
            sets,
            lines: Vec::new(),
            capacity: capacity.unwrap_or(0),
            block: 0,
            remembered: 0,
            times: [0; SHARE_MOST_WARPS],
            latest: 0,
            fetched: 0,
        }
    }

    /// Another block has it.
    pub fn begin_block(&mut self) {
        self.block += 1;
        if self.block >> SHARE_BLOCK_BITS != 0 {
            self.lines.fill(Set::default());
            self.block = 1;
        }
        // The blocks that this worker ran before must not show in what a block finds.
        self.sets = self.least_sets;
        self.remembered = 0;
        self.times.fill(0);
        self.latest = 0;
        self.fetched = 0;
    }

    /// The most loads that a warp of the block has made.
    pub fn latest(&self) -> u32 {
        self.latest
    }

    /// The time of a load by a warp of the running block.
    #[inline(always)]
    pub fn time(&mut self, warp: u32) -> u32 {
        let time = self.loads(warp) + 1;
        self.times[warp as usize % SHARE_MOST_WARPS] = time;
        self.come_to(time);
        time
    }

    /// Loads that a warp of the running block has made.
    #[inline(always)]
    pub fn loads(&self, warp: u32) -> u32 {
        self.times[warp as usize % SHARE_MOST_WARPS]
    }

    /// Sets how many a warp has made.
    pub fn set_loads(&mut self, warp: u32, loads: u32) {
        self.times[warp as usize % SHARE_MOST_WARPS] = loads;
        self.come_to(loads);
    }

    /// A load at this time is heard of.
    #[inline(always)]
    pub fn come_to(&mut self, time: u32) {
        self.latest = self.latest.max(time);
    }

    /// The sectors that are not there; they are afterwards.
    #[inline(always)]
    pub fn miss(&mut self, line: u64, sectors: u8, time: u32) -> u8 {
        let (owner, at) = (self.owner(line), self.set(line));
        // All ways at once: which one it is, no branch can tell beforehand.
        let ways =
            |set: &Set| (0..SHARE_WAYS).fold(0u32, |found, way| found | u32::from(set.owners[way] == owner) << way);
        if let Some(set) = self.lines.get_mut(at)
            && let found @ 1.. = ways(set)
        {
            let way = found.trailing_zeros() as usize % SHARE_WAYS;
            // As long as so many lines take to come in, at the rate at which they have come.
            let (latest, fetched) = (u64::from(self.latest.max(1)), u64::from(self.fetched.max(1)));
            let there = u64::from(set.times[way].abs_diff(time)) * fetched <= self.capacity * latest;
            let before = if there { set.sectors[way] } else { 0 };
            set.sectors[way] = before | sectors;
            set.times[way] = set.times[way].max(time);
            self.fetched += u32::from(!there);
            return sectors & !before;
        }
        self.fetch(line, sectors, time);
        sectors
    }

    /// A line comes that is not remembered.
    #[inline(never)]
    fn fetch(&mut self, line: u64, sectors: u8, time: u32) {
        if self.sets == 0 {
            return;
        }
        if self.lines.is_empty() {
            self.lines.resize(self.sets, Set::default());
        }
        self.fetched += 1;
        self.remember(line, sectors, time);
    }

    #[inline(always)]
    fn set(&self, line: u64) -> usize {
        (hash(line) >> 36) as usize & self.sets.wrapping_sub(1)
    }

    /// A line of the running block.
    #[inline(always)]
    fn owner(&self, line: u64) -> u64 {
        line << SHARE_BLOCK_BITS | self.block
    }

    /// Keeps a line, in more sets where a quarter of the places is taken.
    fn remember(&mut self, line: u64, sectors: u8, time: u32) {
        let block = self.block;
        let is_own = |owner: u64| owner & ((1 << SHARE_BLOCK_BITS) - 1) == block;
        if self.remembered > self.sets && self.sets < SHARE_MOST_SETS {
            let fewer: Vec<Set> = self.lines[..self.sets].iter_mut().map(std::mem::take).collect();
            self.sets *= 4;
            self.remembered = 0;
            self.lines.resize(self.lines.len().max(self.sets), Set::default());
            for set in fewer {
                for way in (0..SHARE_WAYS).filter(|&way| is_own(set.owners[way])) {
                    self.remember(set.owners[way] >> SHARE_BLOCK_BITS, set.sectors[way], set.times[way]);
                }
            }
        }
        let (owner, at) = (self.owner(line), self.set(line));
        let set = &mut self.lines[at];
        let age = |way: usize| (is_own(set.owners[way]), set.times[way]);
        let mut oldest = 0;
        for way in 1..SHARE_WAYS {
            oldest = if age(way) < age(oldest) { way } else { oldest };
        }
        self.remembered += usize::from(!is_own(set.owners[oldest]));
        (set.owners[oldest], set.sectors[oldest], set.times[oldest]) = (owner, sectors, time);
    }
}

/// Spreads line numbers: kernels like powers of two.
pub fn hash(line: u64) -> u64 {
    line.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}
