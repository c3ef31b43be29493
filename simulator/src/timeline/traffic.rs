//! Where a kernel's accesses are answered: L1, L2, the card's memory, or the host's over the bus.
//!
//! A probe beside the counters. Each block has a share of L1 to itself; what misses goes to L2, and stores and atomics always
//! do. The simulator runs one warp after the other, a card runs them side by side: so time, here, is how many loads a warp
//! has made, the same for all warps of a block, and a line is still there if few enough others came in between. L2 is not played through: all that a wave of resident blocks touches is
//! fetched once, and if the whole launch's footprint fits, it stays. Only a sample of the lines is followed, chosen by a
//! hash of the address, so that the cost stays small; what is found is scaled up. Nothing depends on which host thread
//! runs which block.
use super::atomics::Atomics;
use super::uniform::added_up;
use crate::device::Device;
use crate::isa::Space;
use crate::memory::Kind;
use crate::probe::{Access, AccessKind, Launch, Probe, Transfer};
use crate::program::Function;
use rustc_hash::{FxHashMap, FxHashSet};
use std::any::Any;
use std::sync::Arc;

/// Bytes of a line, and of a sector of it.
const LINE: u64 = 128;
const SECTOR: u64 = 32;
const WAYS: usize = 4;
/// What of L2 lines come back to before others have pushed them out.
const KEPT_OF_L2: f64 = 0.9;
/// How many times its capacity a block's share remembers at first, to tell what would still be there; and the most sets it grows to. Its warps
/// run one after the other: the second asks for what the first one loaded at the same time, thousands of lines ago.
const SPAN: usize = 8;
const MOST_SETS: usize = 1 << 15;

/// The probe.
#[derive(Clone)]
pub struct Traffic {
    /// One line in `1 << sample` is followed.
    sample: u32,
    /// Blocks that the card holds at a time.
    resident: u64,
    /// Sets of a block's share of L1, as far as it is followed; none where L1 does not keep global memory.
    sets: usize,
    /// Made at the first load: most kernels are small, and some load nothing.
    l1: Vec<Line>,
    /// Lines that the block's share holds.
    capacity: f64,
    /// Which block is run, counted by this worker; older lines are gone.
    block: u32,
    /// Lines of this block that are remembered.
    remembered: usize,
    /// Loads that each warp of the block made, the most of them, and lines that came in.
    times: Vec<u32>,
    latest: u32,
    fetched: u32,
    /// Ranges of host memory, by address.
    host: Vec<(u64, u64)>,
    /// What each wave touched of each line.
    touched: FxHashMap<(u64, u32), Touched>,
    /// The most loads that a warp made.
    longest: u32,
    l2_bytes: f64,
    l2_sectors: u64,
    /// Of these, sectors that a store fills only in part.
    partial_sectors: u64,
    host_sectors: u64,
    atomics: Atomics,
    functions: Arc<Vec<Function>>,
    cooperative: bool,
    /// Atomics of single lanes in a cooperative launch: arrivals at a barrier of the grid, mostly.
    arrivals: u64,
}

/// Of a line: a bit for each sector, and for each sector the stretches of time in which it was asked for.
#[derive(Clone, Copy, Default)]
struct Touched {
    sectors: u8,
    stretches: [u32; 4],
}

/// Time in stretches that grow with it, three while it doubles.
fn stretch(time: u32) -> u32 {
    match time {
        0..4 => time,
        _ => (4 + (time.ilog2() - 2) * 3 + (time << 3 >> time.ilog2()) * 3 / 8 - 3).min(31),
    }
}

/// When a stretch begins.
fn begin(stretch: u32) -> f64 {
    match stretch {
        0..4 => f64::from(stretch),
        _ => f64::from(1u32 << (2 + (stretch - 4) / 3)) * (1.0 + f64::from((stretch - 4) % 3) / 3.0),
    }
}

impl Touched {
    fn add(&mut self, other: Touched) {
        self.sectors |= other.sectors;
        self.stretches.iter_mut().zip(other.stretches).for_each(|(own, other)| *own |= other);
    }

    /// How often sectors were fetched if each stays for a time after it was asked for.
    fn fetched(&self, stays: f64) -> u64 {
        let of_one = |stretches: u32| {
            let (mut fetches, mut last) = (1, None);
            for own in (0..32).filter(|own| stretches >> own & 1 == 1) {
                fetches += u64::from(last.is_some_and(|last| begin(own) - last > stays));
                last = Some(begin(own));
            }
            fetches
        };
        (0..4).filter(|sector| self.sectors >> sector & 1 == 1).map(|sector| of_one(self.stretches[sector])).sum()
    }
}

#[derive(Clone, Copy, Default)]
struct Line {
    tag: u64,
    block: u32,
    time: u32,
    sectors: u8,
}

/// What was found, scaled to the whole launch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found {
    pub l2_sectors: u64,
    /// Of these, sectors that a store filled only in part.
    pub partial_sectors: u64,
    /// Bytes of different sectors that the launch touched.
    pub footprint_bytes: u64,
    /// The same of different lines.
    pub line_bytes: u64,
    /// What is fetched for each wave by itself, added up.
    pub wave_bytes: u64,
    pub host_bytes: u64,
    /// Of atomics, not scaled: see [`Atomics`].
    pub atomic_steps: u64,
    pub atomic_spread: f64,
    /// At barriers of the grid.
    pub arrivals: u64,
}

impl Traffic {
    /// A probe for a launch of `blocks` blocks of `threads` threads, of which a multiprocessor holds `resident` at a time,
    /// with `shared_bytes` each.
    pub fn new(card: &Device, blocks: u64, threads: u32, resident: u32, shared_bytes: u32) -> Self {
        let a = card.architecture;
        let total = blocks.saturating_mul(u64::from(threads));
        let sample = if total > 1 << 20 { 4 } else { u32::from(total > 1 << 16) * 2 };
        let resident = resident.max(1);
        // From Volta on, L1 is what shared memory leaves of one array.
        let unified = a.l1_bytes_per_multiprocessor >= a.shared_bytes_per_multiprocessor;
        let taken = if unified { shared_bytes * resident } else { 0 };
        let l1_bytes = a.l1_bytes_per_multiprocessor.saturating_sub(taken);
        let lines = u64::from(l1_bytes) / LINE / u64::from(resident);
        let sets = if a.l1_caches_global { ((lines >> sample) as usize * SPAN / WAYS).max(1) } else { 0 };
        Traffic {
            sample,
            resident: u64::from(resident) * u64::from(card.multiprocessors),
            sets,
            l1: Vec::new(),
            capacity: (lines >> sample) as f64,
            block: 0,
            remembered: 0,
            times: Vec::new(),
            latest: 0,
            fetched: 0,
            host: Vec::new(),
            touched: FxHashMap::default(),
            longest: 0,
            l2_bytes: card.l2_bytes as f64,
            l2_sectors: 0,
            partial_sectors: 0,
            host_sectors: 0,
            atomics: Atomics::default(),
            functions: Arc::default(),
            cooperative: false,
            arrivals: 0,
        }
    }

    /// What was found.
    pub fn found(&self) -> Found {
        let sectors = |sets: &mut dyn Iterator<Item = u8>| sets.map(|set| u64::from(set.count_ones())).sum::<u64>();
        let (distinct, lines) = match self.touched.keys().any(|&(_, wave)| wave != 0) {
            false => (sectors(&mut self.touched.values().map(|touched| touched.sectors)), self.touched.len() as u64),
            true => {
                let mut lines: FxHashMap<u64, u8> = FxHashMap::default();
                self.touched.iter().for_each(|(&(line, _), own)| *lines.entry(line).or_default() |= own.sectors);
                (sectors(&mut lines.values().copied()), lines.len() as u64)
            }
        };
        let fits = ((lines * LINE) << self.sample) as f64 <= self.l2_bytes;
        let fetched = if fits { distinct } else { self.fetched() };
        let scale = 1u64 << self.sample;
        Found {
            l2_sectors: self.l2_sectors * scale,
            partial_sectors: self.partial_sectors * scale,
            footprint_bytes: distinct * SECTOR * scale,
            line_bytes: lines * LINE * scale,
            wave_bytes: fetched * SECTOR * scale,
            host_bytes: self.host_sectors * SECTOR * scale,
            atomic_steps: self.atomics.steps,
            atomic_spread: self.atomics.spread(),
            arrivals: self.arrivals,
        }
    }

    /// Bytes of lines that a wave touches, on average, and how many waves there were.
    fn of_a_wave(&self) -> (f64, f64) {
        let waves: FxHashSet<u32> = self.touched.keys().map(|&(_, wave)| wave).collect();
        let waves = waves.len().max(1) as f64;
        (((self.touched.len() as u64 * LINE) << self.sample) as f64 / waves, waves)
    }

    /// Sectors that are fetched from memory where the launch touches more than L2 has: what comes in pushes out what has not been asked for
    /// the longest, in the wave and from one wave to another.
    fn fetched(&self) -> u64 {
        let (of_a_wave, _) = self.of_a_wave();
        let stays = f64::from(self.longest) * self.l2_bytes / of_a_wave.max(self.l2_bytes);
        let in_wave = of_a_wave > self.l2_bytes;
        let mut touched: Vec<(u64, u32, Touched)> =
            self.touched.iter().map(|(&(line, wave), &own)| (line, wave, own)).collect();
        touched.sort_unstable_by_key(|&(line, wave, _)| (line, wave));
        let mut before: Option<(u64, u32, u8)> = None;
        let mut fetched = 0;
        for (line, wave, own) in touched {
            let there = before.filter(|before| {
                before.0 == line && f64::from(wave - before.1) * of_a_wave <= KEPT_OF_L2 * self.l2_bytes
            });
            // A line that stays has the sectors of all the waves that came to it.
            let held = there.map_or(0, |(_, _, sectors)| sectors);
            let kept = u64::from((held & own.sectors).count_ones());
            let own_fetches = if in_wave { own.fetched(stays) } else { u64::from(own.sectors.count_ones()) };
            fetched += own_fetches - kept.min(own_fetches);
            before = Some((line, wave, held | own.sectors));
        }
        fetched
    }

    /// What all waves of a launch would have left, of which only some were run, whole ones, and all of them `factor` times as many. Different
    /// waves may touch the same bytes, so that an allocation's part of the footprint grows as its waves do, up to the whole allocation.
    /// `allocations` are first bytes and ends, ascending.
    pub fn found_of_waves(&self, factor: f64, allocations: &[(u64, u64)]) -> Found {
        let mut lines: FxHashMap<u64, u8> = FxHashMap::default();
        self.touched.iter().for_each(|(&(line, _), own)| *lines.entry(line).or_default() |= own.sectors);
        let mut bytes = vec![0u64; allocations.len()];
        for (line, set) in lines {
            // The line that an allocation begins in may begin before it.
            let index = allocations.partition_point(|&(start, _)| start < (line + 1) * LINE).saturating_sub(1);
            if let Some(bytes) = bytes.get_mut(index) {
                *bytes += (u64::from(set.count_ones()) * SECTOR) << self.sample;
            }
        }
        let whole = |(bytes, &(start, end)): (u64, &(u64, u64))| (bytes as f64 * factor).min((end - start) as f64);
        let times = |count: u64| (count as f64 * factor).round() as u64;
        let found = self.found();
        let (of_a_wave, waves) = self.of_a_wave();
        // So many waves later a line is gone.
        let gone_after = KEPT_OF_L2 * self.l2_bytes / of_a_wave.max(1.0);
        let mut touched = vec![0u64; allocations.len()];
        // Allocations that are gone through once, from the first wave to the last: what several waves touch, neighbours touch.
        let mut once = vec![true; allocations.len()];
        for (&(line, wave), own) in &self.touched {
            let index = allocations.partition_point(|&(start, _)| start < (line + 1) * LINE).saturating_sub(1);
            let Some(&(start, end)) = allocations.get(index) else { continue };
            touched[index] += (u64::from(own.sectors.count_ones()) * SECTOR) << self.sample;
            let place = (line * LINE).saturating_sub(start) as f64 / (end - start).max(1) as f64;
            once[index] &= (place * waves * factor - f64::from(wave)).abs() <= gone_after;
        }
        let parts = touched.iter().zip(once).zip(bytes.iter().copied().zip(allocations).map(whole));
        let fetched = parts.map(|((&touched, once), whole)| {
            // Else a wave comes back to a place when all waves between have gone through the allocation.
            let of_its_wave = touched as f64 / waves;
            let kept = once || whole <= gone_after * of_its_wave;
            if kept { whole } else { touched as f64 * factor }
        });
        let fetched: f64 = fetched.sum();
        let footprint = bytes.into_iter().zip(allocations).map(whole).sum::<f64>();
        Found {
            l2_sectors: times(found.l2_sectors),
            partial_sectors: times(found.partial_sectors),
            footprint_bytes: footprint.round() as u64,
            // As many lines to a sector as in the waves.
            line_bytes: (found.line_bytes as f64 * footprint / found.footprint_bytes.max(1) as f64).round() as u64,
            wave_bytes: fetched.max(footprint).round() as u64,
            host_bytes: times(found.host_bytes),
            ..found
        }
    }

    /// Of each so many neighbours one, which the hash picks: of what is touched without gaps the number is exact.
    fn followed(&self, line: u64) -> bool {
        let mask = (1 << self.sample) - 1;
        hash(line >> self.sample) >> 32 & mask == line & mask
    }

    /// Some sectors of one line, by a warp of the wave, `partial` of them by a store that does not fill them. Loads come at a
    /// `time` of their warp.
    fn line(&mut self, line: u64, sectors: u8, partial: u32, wave: u32, time: Option<u32>) {
        if !self.followed(line) {
            return;
        }
        let on_host = self.host.partition_point(|&(start, _)| start <= line * LINE).checked_sub(1);
        let on_host = on_host.is_some_and(|at| line * LINE < self.host[at].1);
        let missed = match time {
            Some(time) if self.sets > 0 => self.miss(line, sectors, time),
            _ => sectors,
        };
        if missed == 0 {
            return;
        }
        let count = u64::from(missed.count_ones());
        if on_host {
            self.host_sectors += count;
            return;
        }
        self.l2_sectors += count;
        self.partial_sectors += u64::from(partial);
        let touched = self.touched.entry((line, wave)).or_default();
        touched.sectors |= missed;
        let stretch = 1 << stretch(time.unwrap_or(self.latest));
        (0..4).filter(|sector| missed >> sector & 1 == 1).for_each(|sector| touched.stretches[sector] |= stretch);
    }

    /// The sectors that the block's share of L1 does not have; it has them afterwards.
    fn miss(&mut self, line: u64, sectors: u8, time: u32) -> u8 {
        let window = self.capacity * f64::from(self.latest.max(1)) / f64::from(self.fetched.max(1));
        let block = self.block;
        if self.l1.is_empty() {
            self.l1.resize(self.sets * WAYS, Line::default());
        }
        let set = self.set(line);
        let ways = &mut self.l1[set..set + WAYS];
        if let Some(way) = ways.iter_mut().find(|way| way.tag == line && way.block == block) {
            let there = f64::from(way.time.abs_diff(time)) <= window;
            let missed = if there { sectors & !way.sectors } else { sectors };
            way.sectors = if there { way.sectors | sectors } else { sectors };
            way.time = way.time.max(time);
            self.fetched += u32::from(!there);
            return missed;
        }
        self.fetched += 1;
        self.remember(Line { tag: line, block, time, sectors });
        sectors
    }

    /// The first way of a line's set.
    fn set(&self, line: u64) -> usize {
        (hash(line) >> 36) as usize % self.sets * WAYS
    }

    /// Keeps a line, in more sets where a quarter of the places is taken.
    fn remember(&mut self, line: Line) {
        if self.remembered * 4 > self.l1.len() && self.sets < MOST_SETS {
            self.sets *= 4;
            self.remembered = 0;
            let fewer = std::mem::replace(&mut self.l1, vec![Line::default(); self.sets * WAYS]);
            fewer.into_iter().filter(|kept| kept.block == line.block).for_each(|kept| self.remember(kept));
        }
        let set = self.set(line.tag);
        let ways = &mut self.l1[set..set + WAYS];
        if let Some(oldest) = ways.iter_mut().min_by_key(|way| (way.block == line.block, way.time)) {
            self.remembered += usize::from(oldest.block != line.block);
            *oldest = line;
        }
    }

    /// The time of a load by a warp of the running block.
    fn time(&mut self, warp: u32) -> u32 {
        let warp = warp as usize;
        if warp >= self.times.len() {
            self.times.resize(warp + 1, 0);
        }
        self.times[warp] += 1;
        self.latest = self.latest.max(self.times[warp]);
        self.longest = self.longest.max(self.latest);
        self.times[warp]
    }
}

/// Spreads line numbers: kernels like powers of two.
fn hash(line: u64) -> u64 {
    line.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Sectors of a line that bytes `first ..= last` (both in the line) touch.
fn sectors_of(first: u64, last: u64) -> u8 {
    let (from, to) = (first % LINE / SECTOR, last % LINE / SECTOR);
    ((1u8 << (to + 1)) - 1) & !((1u8 << from) - 1)
}

impl Probe for Traffic {
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Traffic {
            touched: FxHashMap::default(),
            l2_sectors: 0,
            partial_sectors: 0,
            host_sectors: 0,
            atomics: Atomics::default(),
            arrivals: 0,
            ..self.clone()
        })
    }
    fn join(&mut self, worker: Box<dyn Probe>) {
        if let Ok(other) = worker.into_any().downcast::<Traffic>() {
            self.l2_sectors += other.l2_sectors;
            self.partial_sectors += other.partial_sectors;
            self.host_sectors += other.host_sectors;
            self.atomics.join(other.atomics);
            self.arrivals += other.arrivals;
            let mut fewer = other.touched;
            if self.touched.len() < fewer.len() {
                std::mem::swap(&mut self.touched, &mut fewer);
            }
            fewer.into_iter().for_each(|(key, own)| self.touched.entry(key).or_default().add(own));
            self.longest = self.longest.max(other.longest);
        }
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
    fn launch(&mut self, launch: &Launch) {
        self.cooperative = launch.cooperative;
        self.functions = Arc::clone(&launch.program.functions);
        let live = launch.memory.live();
        let host = live.iter().filter(|a| matches!(a.kind, Kind::HostPinned | Kind::HostRegistered));
        self.host = host.map(|a| (a.address, a.address + a.bytes)).collect();
    }
    fn block_start(&mut self, _: [u32; 3], _: u64) {
        self.block += 1;
        self.times.clear();
        self.remembered = 0;
        self.latest = 0;
        self.fetched = 0;
    }
    /// Transfers go past L1.
    fn transfer_begins(&mut self, transfer: &Transfer) {
        let wave = (transfer.who.block_index / self.resident) as u32;
        for region in transfer.regions.iter().filter(|region| region.space == Space::Global && region.bytes > 0) {
            let store = region.kind == AccessKind::Store;
            self.range(region.address, region.address + region.bytes - 1, store, wave, None);
        }
    }
    fn access(&mut self, access: &Access) {
        if access.space != Space::Global {
            return;
        }
        let wave = (access.who.block_index / self.resident) as u32;
        let time = (access.kind == AccessKind::Load).then(|| self.time(access.who.warp));
        let store = access.kind == AccessKind::Store;
        if access.kind == AccessKind::Atomic {
            let function = self.functions.get(access.who.function as usize);
            let sites = function.map(|function| function.added_up.get_or_init(|| added_up(function)));
            let added_up = sites.and_then(|sites| sites.get(access.site as usize)).copied().unwrap_or(false);
            self.atomics.access(access, wave, added_up);
            self.arrivals += u64::from(self.cooperative && access.mask.is_power_of_two());
        }
        match access.range() {
            Some((first, bytes)) => self.range(first, first + bytes - 1, store, wave, time),
            None => self.scattered(access, wave, time),
        }
    }
}

impl Traffic {
    fn range(&mut self, first: u64, last: u64, store: bool, wave: u32, time: Option<u32>) {
        for line in first / LINE..=last / LINE {
            let from = first.max(line * LINE);
            let to = last.min(line * LINE + LINE - 1);
            let sectors = sectors_of(from, to);
            let whole = ((to + 1) / SECTOR).saturating_sub(from.div_ceil(SECTOR)) as u32;
            let partial = if store { sectors.count_ones() - whole } else { 0 };
            self.line(line, sectors, partial, wave, time);
        }
    }

    /// Lines of lanes in any order, each line once.
    fn scattered(&mut self, access: &Access, wave: u32, time: Option<u32>) {
        let mut lines = [(0u64, 0u8, [0u8; 4]); 64];
        let mut count = 0;
        for lane in access.lanes() {
            let first = access.address(lane);
            let last = first + u64::from(access.bytes) - 1;
            for line in first / LINE..=last / LINE {
                let (from, to) = (first.max(line * LINE), last.min(line * LINE + LINE - 1));
                let at = lines[..count].iter().rposition(|known| known.0 == line).unwrap_or(count);
                if at == count {
                    lines[at] = (line, 0, [0; 4]);
                    count += 1;
                }
                lines[at].1 |= sectors_of(from, to);
                // Lanes seldom store to the same place; one that spans sectors is at least 32 bytes, and aligned.
                let filled = &mut lines[at].2[(from % LINE / SECTOR) as usize];
                *filled = filled.saturating_add((to - from + 1) as u8);
            }
        }
        for &(line, sectors, filled) in &lines[..count] {
            let store = access.kind == AccessKind::Store;
            let partial = if store { filled.iter().filter(|&&bytes| (1..32).contains(&bytes)).count() } else { 0 };
            self.line(line, sectors, partial as u32, wave, time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::{Addresses, Order, Who};

    fn load(traffic: &mut Traffic, block: u64, addresses: Addresses) {
        load_by(traffic, Who { block_index: block, ..Who::default() }, addresses);
    }

    fn load_by(traffic: &mut Traffic, who: Who, addresses: Addresses) {
        traffic.access(&Access {
            who,
            site: 0,
            kind: AccessKind::Load,
            space: Space::Global,
            mask: u32::MAX,
            addresses,
            bytes: 4,
            order: Order::WEAK,
            stored: None,
        });
    }

    #[test]
    fn a_line_is_fetched_once_per_block_and_once_per_wave() {
        let card = crate::device::find("rtx4060").unwrap();
        let mut traffic = Traffic::new(card, 2, 32, 16, 0);
        for block in 0..2 {
            traffic.block_start([block as u32, 0, 0], block);
            for _ in 0..3 {
                load(&mut traffic, block, Addresses::Dense(0x1000));
            }
        }
        let found = traffic.found();
        assert_eq!(
            found,
            Found { l2_sectors: 8, footprint_bytes: 128, line_bytes: 128, wave_bytes: 128, ..Found::default() }
        );
    }

    #[test]
    fn scattered_lanes_count_as_ranges_do() {
        let card = crate::device::find("rtx4060").unwrap();
        let addresses = std::array::from_fn(|lane| 0x1040 + 4 * lane as u64);
        let (mut dense, mut any) = (Traffic::new(card, 1, 32, 16, 0), Traffic::new(card, 1, 32, 16, 0));
        dense.block_start([0; 3], 0);
        any.block_start([0; 3], 0);
        load(&mut dense, 0, Addresses::Dense(0x1040));
        load(&mut any, 0, Addresses::Each(&addresses));
        assert_eq!(dense.found(), any.found());
        assert_eq!(dense.found().l2_sectors, 4);
    }

    #[test]
    fn l1_holds_only_its_size() {
        let card = crate::device::find("gtx1050").unwrap();
        let mut traffic = Traffic::new(card, 1, 32, 1, 0);
        traffic.block_start([0; 3], 0);
        let bytes = u64::from(card.architecture.l1_bytes_per_multiprocessor);
        for round in 0..2 {
            for line in 0..bytes * 4 / LINE {
                load(&mut traffic, 0, Addresses::Dense(line * LINE));
            }
            assert!(traffic.found().l2_sectors > (round + 1) * bytes * 4 / SECTOR * 9 / 10);
        }
    }

    #[test]
    fn warps_that_run_one_after_the_other_share_lines_as_if_side_by_side() {
        let card = crate::device::find("gtx1050").unwrap();
        let mut traffic = Traffic::new(card, 1, 1024, 1, 0);
        traffic.block_start([0; 3], 0);
        let lines = u64::from(card.architecture.l1_bytes_per_multiprocessor) / LINE * 4;
        for warp in 0..32 {
            for line in 0..lines {
                load_by(&mut traffic, Who { warp, ..Who::default() }, Addresses::Dense(line * LINE));
            }
        }
        assert!(traffic.found().l2_sectors < lines * 4 * 2, "{:?}", traffic.found());
    }

    #[test]
    fn a_long_column_is_still_there_for_the_next_warp() {
        let card = crate::device::find("rtx4060").unwrap();
        let mut traffic = Traffic::new(card, 1, 1024, 1, 0);
        traffic.block_start([0; 3], 0);
        let lines = 1 << 14;
        for warp in 0..4 {
            for line in 0..lines {
                load_by(&mut traffic, Who { warp, ..Who::default() }, Addresses::Dense(line * 512 * LINE));
            }
        }
        assert_eq!(traffic.found().l2_sectors, lines * 4, "what one warp fetched the others find");
    }

    #[test]
    fn the_sample_is_scaled_up() {
        let card = crate::device::find("rtx4060").unwrap();
        let mut traffic = Traffic::new(card, 1 << 20, 256, 6, 0);
        traffic.block_start([0; 3], 0);
        for line in 0..1 << 14 {
            load(&mut traffic, 0, Addresses::Dense(line * LINE));
        }
        let bytes = (1u64 << 14) * LINE;
        let found = traffic.found().footprint_bytes;
        assert!(found.abs_diff(bytes) < bytes / 10, "{found} of {bytes}");
    }
}
