//! Where a kernel's accesses are answered: L1, L2, the card's memory, or the host's over the bus.
//!
//! A probe beside the counters. Each block has a share of L1 to itself; what misses goes to L2, and stores and atomics always
//! do. The simulator runs one warp after the other, a card runs them side by side: so time, here, is how many loads a warp
//! has made, the same for all warps of a block, and a line is still there if few enough others came in between. L2 is not played through: all that a wave of resident blocks touches is
//! fetched once, and if the whole launch's footprint fits, it stays. Only a sample of the lines is followed, chosen by a
//! hash of the address, so that the cost stays small; what is found is scaled up. Nothing depends on which host thread
//! runs which block.
mod accesses;
mod found;
mod share;
mod touched;

pub use found::Found;
pub use share::hash;

use super::atomics::{Atomics, Sum};
use super::uniform::{answers, is_added_up};
use crate::device::Device;
use crate::isa::Space;
use crate::isa::opcode::adds_floats_in_memory;
use crate::memory::Kind;
use crate::probe::{Access, AccessKind, Launch, Probe, Transfer, WarpElements, Who};
use crate::program::Function;
use accesses::sectors_of;
use rustc_hash::FxHashMap;
use share::Share;
use std::any::Any;
use std::sync::Arc;
use touched::{Touched, stretch};

/// Parts of a launch by the order of its blocks.
const SPANS: u64 = 64;
/// Bytes of a line, and of a sector of it.
const LINE: u64 = 128;
const SECTOR: u64 = 32;

/// The probe.
#[derive(Clone)]
pub struct Traffic {
    /// One line in `1 << sample` is followed.
    sample: u32,
    /// Blocks of the whole launch, and those that the card holds at a time.
    blocks: u64,
    resident: u64,
    /// The block that was heard of last, and its wave.
    wave: (u64, u32),
    /// What the running block's share of L1 holds.
    share: Share,
    /// Ranges of host memory, by address.
    host: Vec<(u64, u64)>,
    /// What each wave touched of each line.
    touched: FxHashMap<(u64, u32), Touched>,
    /// The most loads that a warp of a block made that has ended.
    longest: u32,
    l2_bytes: f64,
    l2_sectors: u64,
    /// Of these, sectors that a store fills only in part.
    partial_sectors: u64,
    host_sectors: u64,
    /// Of these, those that are written.
    host_written_sectors: u64,
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
        let sample = if total > 1 << 20 { 4 } else { u32::from(total > 1 << 16) * 2 };
        let resident = resident.max(1);
        // From Volta on, L1 is what shared memory leaves of one array.
        let unified = a.l1_bytes_per_multiprocessor >= a.shared_bytes_per_multiprocessor;
        let taken = if unified { shared_bytes * resident } else { 0 };
        let l1_bytes = a.l1_bytes_per_multiprocessor.saturating_sub(taken);
        let lines = u64::from(l1_bytes) / LINE / u64::from(resident);
        Traffic {
            sample,
            blocks,
            resident: u64::from(resident) * u64::from(card.multiprocessors),
            in_order: a.l2_slices > 0,
            wave: (0, 0),
            share: Share::new(a.l1_caches_global.then_some(lines >> sample)),
            host: Vec::new(),
            touched: FxHashMap::default(),
            longest: 0,
            l2_bytes: card.l2_bytes as f64,
            l2_sectors: 0,
            partial_sectors: 0,
            host_sectors: 0,
            host_written_sectors: 0,
            more_lines: 0,
            atomics: Atomics::default(),
            functions: Arc::default(),
            grid_barrier: None,
            arrivals: 0,
        }
    }

    /// The most loads that a warp made.
    fn longest(&self) -> u32 {
        self.longest.max(self.share.latest())
    }

    /// Of each so many neighbours one, which the hash picks: of what is touched without gaps the number is exact.
    #[inline(always)]
    fn followed(&self, line: u64) -> bool {
        if self.sample == 0 {
            return true;
        }
        let mask = (1 << self.sample) - 1;
        hash(line >> self.sample) >> 32 & mask == line & mask
    }

    /// Some sectors of one line, by a warp of the wave, which `writes` them or not, `partial` of them by a store that does not fill them.
    /// Loads come at a `time` of their warp.
    fn line(&mut self, line: u64, sectors: u8, partial: u32, wave: u32, (writes, time): (bool, Option<u32>)) {
        if !self.followed(line) {
            return;
        }
        let missed = match time {
            Some(time) => self.share.miss(line, sectors, time),
            None => sectors,
        };
        if missed != 0 {
            self.missed(line, missed, partial, wave, (writes, time));
        }
    }

    /// Sectors of one line that a warp of a block loads: [`line`](Self::line) for most accesses.
    #[inline(always)]
    fn load(&mut self, line: u64, sectors: u8, block: u64, time: u32) {
        if self.followed(line) {
            let missed = self.share.miss(line, sectors, time);
            if missed != 0 {
                let wave = self.wave(block);
                self.missed(line, missed, 0, wave, (false, Some(time)));
            }
        }
    }

    /// A load of several lines. Out of the way of those of one.
    #[inline(never)]
    fn load_of_lines(&mut self, first: u64, last: u64, block: u64, time: u32) {
        let wave = self.wave(block);
        self.range(first, last, false, wave, (false, Some(time)));
    }

    /// The wave of a block.
    #[inline]
    fn wave(&mut self, block: u64) -> u32 {
        if self.wave.0 != block {
            self.wave = (block, (block / self.resident) as u32);
        }
        self.wave.1
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
    fn missed(&mut self, line: u64, missed: u8, partial: u32, wave: u32, (writes, time): (bool, Option<u32>)) {
        let on_host = self.host.partition_point(|&(start, _)| start <= line * LINE).checked_sub(1);
        let on_host = on_host.is_some_and(|at| line * LINE < self.host[at].1);
        let count = u64::from(missed.count_ones());
        if on_host {
            self.host_sectors += count;
            self.host_written_sectors += if writes { count } else { 0 };
            return;
        }
        self.l2_sectors += count;
        self.partial_sectors += u64::from(partial);
        let touched = self.touched.entry((line, wave)).or_default();
        touched.sectors |= missed;
        touched.written |= writes && partial == 0;
        let stretch = 1 << stretch(time.unwrap_or(self.share.latest()));
        (0..4).filter(|sector| missed >> sector & 1 == 1).for_each(|sector| touched.stretches[sector] |= stretch);
    }
}

impl Probe for Traffic {
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Traffic {
            touched: FxHashMap::default(),
            l2_sectors: 0,
            partial_sectors: 0,
            host_sectors: 0,
            host_written_sectors: 0,
            more_lines: 0,
            atomics: Atomics::default(),
            arrivals: 0,
            ..self.clone()
        })
    }
    fn join(&mut self, worker: Box<dyn Probe>) {
        if let Ok(other) = worker.into_any().downcast::<Traffic>() {
            self.longest = self.longest.max(other.longest());
            self.l2_sectors += other.l2_sectors;
            self.partial_sectors += other.partial_sectors;
            self.host_sectors += other.host_sectors;
            self.host_written_sectors += other.host_written_sectors;
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
        self.share.begin_block();
    }
    /// Transfers go past L1.
    fn transfer_begins(&mut self, transfer: &Transfer) {
        let wave = self.wave(transfer.who.block_index);
        for region in transfer.regions.iter().filter(|region| region.space == Space::Global && region.bytes > 0) {
            let store = region.kind == AccessKind::Store;
            self.range(region.address, region.address + region.bytes - 1, store, wave, (store, None));
        }
    }
    #[inline(always)]
    fn warp_load(&mut self, who: &Who, _: u32, elements: WarpElements, address: u64) {
        if elements.space != Space::Global {
            return;
        }
        let time = self.share.time(who.warp);
        let last = address + elements.span() - 1;
        if address / LINE == last / LINE {
            self.load(address / LINE, sectors_of(address, last), who.block_index, time);
        } else {
            self.load_of_lines(address, last, who.block_index, time);
        }
    }
    fn access(&mut self, access: &Access) {
        if access.space != Space::Global {
            return;
        }
        let wave = self.wave(access.who.block_index);
        let loads = access.kind == AccessKind::Load;
        let time = loads.then(|| self.share.time(access.who.warp));
        let how = (!loads, time);
        let store = access.kind == AccessKind::Store;
        if access.kind == AccessKind::Atomic {
            let function = self.functions.get(access.who.function as usize);
            let added_up = function.is_some_and(|function| is_added_up(function, access.site));
            let site = function.and_then(|function| function.sites.get(access.site as usize));
            let sum = match site {
                _ if added_up => Sum::AddedUp,
                Some(site) if adds_floats_in_memory(&site.text) => Sum::OfFloats,
                _ => Sum::Other,
            };
            let span = if self.in_order { self.span(access.who.block_index) } else { wave };
            let before = self.atomics.steps;
            self.atomics.access(access, span, sum);
            if function.is_some_and(|function| answers(function, access.site)) {
                self.atomics.answered += self.atomics.steps - before;
            }
            let at_barrier = |[from, to]: [u64; 2]| (from..to).contains(&access.first_address());
            self.arrivals += u64::from(self.grid_barrier.is_some_and(at_barrier));
        }
        match access.range() {
            Some((first, bytes)) => self.range(first, first + bytes - 1, store, wave, how),
            None => self.scattered(access, wave, how),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::{Addresses, Order};

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
        let card = crate::device::find("p100").unwrap();
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
