//! The asynchronous proxy: what bulk copies, tensor copies and products of four warps touch behind the threads' backs.
//!
//! A transfer is a party of its own. It comes after what its thread knew when it was issued, and nothing comes after it but
//! what has found its `mbarrier`'s phase over, or has waited for its group. So that threads can know of it like of each other,
//! a block's transfers count as warps after the block's own: one each for those that report to a barrier, those of groups,
//! and products. Their lanes stand for the barrier, the thread's warp, or the warp.
//!
//! What threads have written reaches the proxy after a proxy fence only: one that knows of the write, and that the transfer's
//! thread knows of.
use super::block::{BlockState, Geometry};
use super::clock::Clock;
use super::contexts::Owner;
use super::finding::{Kind, Misuse};
use super::knowledge::When;
use super::race::{Noted, Way};
use super::signals::Phases;
use super::{Sanitizer, written};
use machine::probe::{
    Access, AccessKind, Addresses, Completed, Move, Order, Origin, Region, Transfer, TransferEnd, Who, lanes,
};
use ptx::isa::Space;
use rustc_hash::FxHashMap;

/// How many warps stand for a block's transfers.
pub const PROXIES: usize = 3;
const OF_BARRIERS: u32 = 0;
const OF_GROUPS: u32 = 1;
const OF_PRODUCTS: u32 = 2;
/// The lane of a transfer that a whole warp issues.
const WHOLE_WARP: u32 = 32;

/// The transfers that are under way, and the proxy fences.
#[derive(Default)]
pub struct Transfers {
    under_way: FxHashMap<u64, Begun>,
    /// The last stamp of each channel: block, proxy, lane.
    stamps: FxHashMap<(u64, u32, u32), u32>,
    fences: Vec<ProxyFence>,
}

/// A transfer that is under way.
struct Begun {
    who: Who,
    site: u32,
    lane: u32,
    regions: Vec<Region>,
    /// By what they are read from.
    moves: Vec<Move>,
    /// What is not defined of the value that it brings.
    undefined: Option<([u8; 16], Origin)>,
    /// What its thread knew when it began, and the fences that it knew of.
    clock: Clock,
    fences: Vec<KnownFence>,
    proxy: u32,
    channel: u32,
    stamp: u32,
}

/// A fence between the proxies.
struct ProxyFence {
    block: u64,
    warp: u32,
    mask: u32,
    stamp: u32,
    clock: Clock,
}

/// What lanes knew when they came to a proxy fence.
#[derive(Clone, Debug)]
pub struct KnownFence {
    clock: Clock,
    lanes: u32,
}

impl KnownFence {
    /// Whether an access came before the fence.
    pub fn covers(&self, earlier: When) -> bool {
        lanes(self.lanes).any(|lane| self.clock.is_after(earlier, lane as u32))
    }
}

/// Fences of a warp that are kept: older ones cover less.
const MOST_FENCES: usize = 4;

impl Transfers {
    /// A fence of the lanes of `mask`.
    pub fn fence(&mut self, who: Who, mask: u32, clock: &mut Clock) {
        let stamp = clock.stamp();
        let fence = ProxyFence { block: who.block_index, warp: who.warp, mask, stamp, clock: clock.beginning() };
        let same = |fence: &ProxyFence| (fence.block, fence.warp) == (who.block_index, who.warp);
        if self.fences.iter().filter(|fence| same(fence)).count() >= MOST_FENCES
            && let Some(oldest) = self.fences.iter().position(same)
        {
            self.fences.remove(oldest);
        }
        self.fences.push(fence);
    }

    /// The fences that a lane with a clock knows of.
    fn known(&self, clock: &Clock, lane: u32) -> Vec<KnownFence> {
        let knows = |fence: &ProxyFence, of: usize| {
            let (block, warp, stamp) = (fence.block as u32, fence.warp, fence.stamp);
            clock.is_after(When { block, warp, lane: of as u32, stamp }, lane)
        };
        let known = |fence: &ProxyFence| {
            let lanes = lanes(fence.mask).filter(|&of| knows(fence, of)).fold(0, |mask, of| mask | 1 << of);
            (lanes != 0).then(|| KnownFence { clock: fence.clock.clone(), lanes })
        };
        self.fences.iter().filter_map(known).collect()
    }

    /// A block has ended: nobody asks for its fences any more.
    pub fn end_block(&mut self, block: u64) {
        self.fences.retain(|fence| fence.block != block);
        self.stamps.retain(|(of, ..), _| *of != block);
    }
}

impl Sanitizer {
    pub(super) fn begin_transfer(&mut self, transfer: &Transfer) {
        let Some(index) = self.block(transfer.who.block_index) else { return };
        let (who, site, lane) = (transfer.who, transfer.site, transfer.lane);
        let Some(clock) = self.blocks[index].warps.clocks.get_mut(who.warp as usize) else { return };
        let clock = clock.beginning();
        let (proxy, channel) = match transfer.barrier {
            Some((_, address)) => (OF_BARRIERS, (address / 8 % 32) as u32),
            None if lane == WHOLE_WARP => (OF_PRODUCTS, who.warp),
            None => (OF_GROUPS, who.warp),
        };
        let stamp = self.transfers.stamps.entry((who.block_index, proxy, channel)).or_default();
        *stamp += 1;
        let stamp = *stamp;
        let fences = self.transfers.known(&clock, lane.min(WHOLE_WARP - 1));
        if let Some((owner, address)) = transfer.barrier {
            self.barrier_is_known(transfer, (owner, address), &fences);
        }
        let regions = transfer.regions.to_vec();
        if proxy == OF_PRODUCTS {
            self.product_reads(index, transfer);
        }
        let (moves, undefined) = (transfer.moves.to_vec(), transfer.undefined);
        let begun = Begun { who, site, lane, regions, moves, undefined, clock, fences, proxy, channel, stamp };
        self.transfers.under_way.insert(transfer.number, begun);
    }

    /// A barrier must be made known to the proxy before a transfer reports to it.
    fn barrier_is_known(&mut self, transfer: &Transfer, (owner, address): (u64, u64), fences: &[KnownFence]) {
        let Some(owner) = self.block(owner) else { return };
        let cell = self.blocks[owner].shared.writer((address / 4) as usize);
        let owner = Owner::of(&self.blocks[owner].warps);
        let Some((when, coordinates, place)) = self.races.who_wrote(cell, owner) else { return };
        if when.warp >= self.geometry.warps() as u32 || fences.iter().any(|fence| fence.covers(when)) {
            return;
        }
        let at = self.geometry.place(transfer.who, transfer.site, 1 << transfer.lane.min(31));
        let block_index = u64::from(when.block);
        let who = Who { function: place.0, block: coordinates, block_index, warp: when.warp };
        let first = self.geometry.place(who, place.1, 1 << when.lane.min(31));
        self.found.add(&self.sites, Misuse::BarrierUnknownToProxy { at, first });
    }

    pub(super) fn end_transfer(&mut self, who: Who, number: u64, end: TransferEnd, completed: Option<Completed>) {
        let Some(begun) = self.transfers.under_way.remove(&number) else { return };
        let Some(index) = self.block(begun.who.block_index) else { return };
        let warps = self.geometry.warps() as u32;
        let lane = begun.lane;
        let mask = if lane == WHOLE_WARP { u32::MAX } else { 1 << lane };
        let noted = Noted {
            warp: warps + begun.proxy,
            lane: begun.channel,
            stamp: begun.stamp,
            issuer: lane.min(WHOLE_WARP - 1),
        };
        self.races.note_transfer(begun.who, begun.site, noted, mask);
        let mut carried = begun.brings();
        // What is read is read before anything is written.
        let reads = |region: &&Region| region.kind == AccessKind::Load;
        for region in begun.regions.iter().filter(reads).chain(begun.regions.iter().filter(|region| !reads(region))) {
            self.touch(index, &begun, noted, region, &mut carried);
        }
        let told = self.blocks[index].warps.told_of(noted);
        let at = self.geometry.place(begun.who, begun.site, mask);
        if let Some(Completed { block, address, ended, late }) = completed {
            if late {
                self.found.add(&self.sites, Misuse::TooFewBytes { at: at.clone() });
            }
            if let Some(owner) = self.block(block) {
                let phases = self.blocks[owner].phases.entry(address).or_default();
                Phases::bring(phases, &told, ended);
            }
        }
        match end {
            TransferEnd::Asked => {}
            TransferEnd::Waited => {
                if let Some(index) = self.block(who.block_index)
                    && let Some(clock) = self.blocks[index].warps.clocks.get_mut(who.warp as usize)
                {
                    clock.fetch(mask, &told);
                }
            }
            TransferEnd::Block => {
                // A store to global memory is done before the next launch in any case, but reads shared memory until then.
                self.found.add(&self.sites, Misuse::Unwaited { at, product: lane == WHOLE_WARP });
            }
        }
    }

    /// A product reads undefined bytes: the executor does it with others too.
    fn product_reads(&mut self, index: usize, transfer: &Transfer) {
        let (who, site, kind, order) = (transfer.who, transfer.site, AccessKind::Load, Order::WEAK);
        for region in transfer.regions {
            each_access(region, |mask, bytes, first| {
                let (space, addresses) = (region.space, Addresses::Dense(first));
                let access = Access { who, site, kind, space, mask, addresses, bytes, order, stored: None };
                if let Some(unwritten) = written::shared(&mut self.blocks[index], &access, true, false) {
                    self.undefined_read(&access, &unwritten);
                }
            });
        }
    }

    /// A transfer reads or writes a range. `carried`: the undefined bytes that it brings, by the address that it writes them
    /// to.
    fn touch(
        &mut self,
        index: usize,
        begun: &Begun,
        noted: Noted,
        region: &Region,
        carried: &mut Vec<(u64, u8, Origin)>,
    ) {
        let owner = if region.space == Space::Shared { self.block(region.block) } else { Some(index) };
        let Some(owner) = owner else { return };
        let (reads, writes) = (region.kind != AccessKind::Store, region.kind != AccessKind::Load);
        each_access(region, |mask, bytes, first| {
            let access = Access {
                who: begun.who,
                site: begun.site,
                // Two transfers may reduce into one place.
                kind: region.kind,
                space: region.space,
                mask,
                addresses: Addresses::Dense(first),
                bytes,
                order: Order::WEAK,
                stored: None,
            };
            if region.space == Space::Global {
                self.note_footprint(&access);
            }
            let unwritten = match region.space {
                Space::Shared => written::shared(&mut self.blocks[owner], &access, reads, writes),
                _ => self.initialised.as_mut().and_then(|global| global.access(&access, reads, writes)),
            };
            match unwritten {
                // The executor has followed what a product reads.
                Some(_) if begun.proxy == OF_PRODUCTS => {}
                Some(unwritten) if !begun.moves.is_empty() => {
                    let origins = self.origins_of(&access, &unwritten);
                    for (byte, origin) in unwritten.bytes.iter().zip(origins) {
                        let mask = byte.mask();
                        carried.extend(begun.moved(byte.address).map(|to| (to, mask, origin)));
                    }
                }
                Some(unwritten) => {
                    let at = self.geometry.place(begun.who, begun.site, 1 << noted.issuer);
                    let (space, address, kind) = (region.space, unwritten.address, region.kind);
                    self.found.add(&self.sites, Kind::Uninitialised { at, space, address, bytes, kind });
                }
                None if region.kind == AccessKind::Store => {
                    let end = first + u64::from(mask.count_ones()) * u64::from(bytes);
                    for &(at, mask, origin) in carried.iter().filter(|(at, ..)| (first..end).contains(at)) {
                        self.undefined_transfer(owner, &access, at, (mask, origin));
                    }
                }
                None => {}
            }
            let way = Way { copy: Some(&begun.clock), noted: Some(noted), fences: &begun.fences, ..Way::default() };
            self.races_at(index, owner, &access, way);
        });
    }

    /// Judges an access of one block to the shared memory of another, or of the same, or to global memory.
    pub(super) fn races_at(&mut self, index: usize, owner: usize, access: &Access, way: Way) {
        let found = &mut self.found;
        let report = &mut |kind| found.add(&self.sites, kind);
        if owner == index || access.space != Space::Shared {
            return self.races.access(&mut self.blocks[index], &self.geometry, access, way, report);
        }
        let mut shadow = std::mem::take(&mut self.blocks[owner].shared);
        let elsewhere = Some((&mut shadow, Owner::of(&self.blocks[owner].warps)));
        self.races.access_at(&mut self.blocks[index], elsewhere, &self.geometry, access, way, report);
        self.blocks[owner].shared = shadow;
    }

    /// An access to the shared memory of other blocks of the cluster, lane by lane.
    pub(super) fn access_cluster(&mut self, access: &Access) {
        for lane in lanes(access.mask) {
            let (owner, offset) = self.geometry.owner(access.who, access.address(lane));
            let addresses = [offset; 32];
            let mask = 1 << lane;
            // What lies there now cannot be told by another address.
            let one = Access { mask, addresses: Addresses::Each(&addresses), stored: None, ..*access };
            let (Some(index), Some(owner)) = (self.block(access.who.block_index), self.block(owner)) else { return };
            let (reads, writes) = (access.kind != AccessKind::Store, access.kind != AccessKind::Load);
            if let Some(mut unwritten) = written::shared(&mut self.blocks[owner], &one, reads, writes) {
                // The executor knows the bytes by the address that the lane has.
                unwritten.bytes.iter_mut().for_each(|byte| byte.address += access.address(lane) - offset);
                self.unwritten_read(&Access { mask, ..*access }, &unwritten);
            }
            if one.kind == AccessKind::Store && self.following.has_twins() {
                self.undefined_store(owner, &Access { stored: access.stored, ..one });
            }
            if !one.order.is_weak() || one.kind == AccessKind::Atomic {
                self.strong_in(index, owner, &one);
            }
            self.races_at(index, owner, &one, Way::default());
            if let Some(clock) = self.blocks[index].warps.clocks.get(access.who.warp as usize) {
                let (block, warp, stamp) = (access.who.block_index as u32, access.who.warp, clock.stamp());
                let when = When { block, warp, lane: lane as u32, stamp };
                let at = self.geometry.place(access.who, access.site, mask);
                self.blocks[owner].visits.insert((block, warp, access.site), (when, at));
            }
        }
    }

    /// A strong access to another block's memory: what it learns and publishes there.
    fn strong_in(&mut self, index: usize, owner: usize, access: &Access) {
        let mut signals = std::mem::take(&mut self.blocks[owner].signals);
        if owner != index {
            std::mem::swap(&mut self.blocks[index].signals, &mut signals);
        }
        super::signals::strong(&mut self.blocks[index], &mut self.signals, access);
        if owner != index {
            std::mem::swap(&mut self.blocks[index].signals, &mut signals);
        }
        self.blocks[owner].signals = signals;
    }

    /// A block ends: whoever has used its shared memory from outside must have let it.
    pub(super) fn visits_are_over(&mut self, block: &mut BlockState) {
        for (when, at) in std::mem::take(&mut block.visits).into_values() {
            if !block.warps.clocks.iter().any(|clock| (0..32).any(|lane| clock.is_after(when, lane))) {
                self.found.add(&self.sites, Misuse::LeavesTooEarly { at });
            }
        }
    }
}

impl Begun {
    /// The addresses that a byte is copied to.
    fn moved(&self, from: u64) -> impl Iterator<Item = u64> + '_ {
        // Pieces are apart where a transfer reads them, but for rows of a tensor whose stride is 0: those are the same.
        let end = self.moves.partition_point(|moved| moved.from <= from);
        let first = self.moves[..end].last().map_or(0, |moved| moved.from);
        let same = self.moves[..end].iter().rev().take_while(move |moved| moved.from == first);
        same.filter(move |moved| from - moved.from < moved.bytes).map(move |moved| moved.to + (from - moved.from))
    }

    /// What is not defined of the value that it brings, by address.
    fn brings(&self) -> Vec<(u64, u8, Origin)> {
        let to = self.regions.iter().find(|region| region.kind == AccessKind::Store);
        let (Some(to), Some((mask, origin))) = (to, self.undefined) else { return Vec::new() };
        (to.address..).zip(mask).filter(|(_, mask)| *mask != 0).map(|(at, mask)| (at, mask, origin)).collect()
    }
}

/// A range as accesses of whole warps: mask, bytes of a lane, first address.
fn each_access(region: &Region, mut access: impl FnMut(u32, u32, u64)) {
    let (mut address, end) = (region.address, region.address + region.bytes);
    let unit =
        [16, 8, 4, 2].into_iter().find(|unit| address.is_multiple_of(*unit) && region.bytes.is_multiple_of(*unit));
    let unit = unit.unwrap_or(1);
    while address < end {
        let count = ((end - address) / unit).min(32);
        access(u32::MAX >> (32 - count), unit as u32, address);
        address += count * unit;
    }
}

impl Geometry {
    /// The block whose shared memory an address names, and where in it.
    pub fn owner(&self, who: Who, address: u64) -> (u64, u64) {
        let (tag, offset) = (address >> 24, address & 0xff_ffff);
        if tag == 0 {
            return (who.block_index, offset);
        }
        let (rank, [cx, cy, _]) = ((tag - 1) as u32, self.cluster.map(|extent| extent.max(1)));
        let within = [rank % cx, rank / cx % cy, rank / (cx * cy)];
        let at = |axis: usize| {
            let extent = self.cluster[axis].max(1);
            u64::from(who.block[axis] / extent * extent + within[axis])
        };
        let [x, y] = [0, 1].map(|axis| u64::from(self.grid[axis]));
        (at(0) + x * (at(1) + y * at(2)), offset)
    }
}
