//! A block's share of L1: which lines are still there for its warps.
/// How many times its capacity a block's share remembers at first, to tell what would still be there; and the most sets it grows to. Its warps
/// run one after the other: the second asks for what the first one loaded at the same time, thousands of lines ago.
const SPAN: usize = 8;
const MOST_SETS: usize = 1 << 15;
const WAYS: usize = 4;

/// Four of them fill a line of the host's cache.
#[derive(Clone, Copy, Default)]
struct Line {
    /// Its number, and in the low four bits the sectors that are there.
    number_and_sectors: u64,
    block: u32,
    time: u32,
}

impl Line {
    fn number(self) -> u64 {
        self.number_and_sectors >> 4
    }

    fn sectors(self) -> u8 {
        self.number_and_sectors as u8 & 15
    }
}

/// The share. The simulator runs one warp after the other, a card runs them side by side: so time is how many loads a warp has made, the same
/// for all warps of a block, and a line is still there if few enough others came in between.
#[derive(Clone)]
pub struct Share {
    /// A power of two; none where L1 does not keep global memory.
    sets: usize,
    /// Made at the first load: most kernels are small, and some load nothing.
    lines: Vec<[Line; WAYS]>,
    /// Lines that the share holds.
    capacity: u64,
    /// Which block is run, counted by this worker; older lines are gone.
    block: u32,
    /// Lines of this block that are remembered.
    remembered: usize,
    /// Loads that each warp of the block made, the most of them, and lines that came in.
    times: Vec<u32>,
    latest: u32,
    fetched: u32,
}

impl Share {
    /// Of so many of the lines that are followed; `None` where L1 does not keep global memory.
    pub fn new(capacity: Option<u64>) -> Self {
        Share {
            sets: capacity.map_or(0, |lines| (lines as usize * SPAN / WAYS).next_power_of_two()),
            lines: Vec::new(),
            capacity: capacity.unwrap_or(0),
            block: 0,
            remembered: 0,
            times: Vec::new(),
            latest: 0,
            fetched: 0,
        }
    }

    /// Another block has it.
    pub fn begin_block(&mut self) {
        self.block += 1;
        self.remembered = 0;
        self.times.clear();
        self.latest = 0;
        self.fetched = 0;
    }

    /// The most loads that a warp of the block has made.
    pub fn latest(&self) -> u32 {
        self.latest
    }

    /// The time of a load by a warp of the running block.
    pub fn time(&mut self, warp: u32) -> u32 {
        let warp = warp as usize;
        if warp >= self.times.len() {
            self.times.resize(warp + 1, 0);
        }
        self.times[warp] += 1;
        self.latest = self.latest.max(self.times[warp]);
        self.times[warp]
    }

    /// The sectors that are not there; they are afterwards.
    #[inline(always)]
    pub fn miss(&mut self, line: u64, sectors: u8, time: u32) -> u8 {
        let (block, set) = (self.block, self.set(line));
        let known = self.lines.get_mut(set).and_then(|ways| {
            let own = |way: &&mut Line| way.number() == line && way.block == block;
            ways.iter_mut().find(own)
        });
        if let Some(way) = known {
            // As long as so many lines take to come in, at the rate at which they have come.
            let (latest, fetched) = (u64::from(self.latest.max(1)), u64::from(self.fetched.max(1)));
            let there = u64::from(way.time.abs_diff(time)) * fetched <= self.capacity * latest;
            let before = if there { way.sectors() } else { 0 };
            let missed = sectors & !before;
            way.number_and_sectors = line << 4 | u64::from(before | sectors);
            way.time = way.time.max(time);
            self.fetched += u32::from(!there);
            return missed;
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
            self.lines.resize(self.sets, Default::default());
        }
        self.fetched += 1;
        let block = self.block;
        self.remember(Line { number_and_sectors: line << 4 | u64::from(sectors), block, time });
    }

    /// A line's set.
    fn set(&self, line: u64) -> usize {
        (hash(line) >> 36) as usize & self.sets.wrapping_sub(1)
    }

    /// Keeps a line, in more sets where a quarter of the places is taken.
    fn remember(&mut self, line: Line) {
        if self.remembered > self.lines.len() && self.sets < MOST_SETS {
            self.sets *= 4;
            self.remembered = 0;
            let fewer = std::mem::replace(&mut self.lines, vec![Default::default(); self.sets]);
            fewer.into_iter().flatten().filter(|kept| kept.block == line.block).for_each(|kept| self.remember(kept));
        }
        let set = self.set(line.number());
        if let Some(oldest) = self.lines[set].iter_mut().min_by_key(|way| (way.block == line.block, way.time)) {
            self.remembered += usize::from(oldest.block != line.block);
            *oldest = line;
        }
    }
}

/// Spreads line numbers: kernels like powers of two.
pub fn hash(line: u64) -> u64 {
    line.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}
