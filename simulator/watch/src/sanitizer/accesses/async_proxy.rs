//! The asynchronous proxy: accesses of bulk copies, tensor copies and products of four warps, which no thread makes by itself.
//!
//! A transfer is a party of its own. It comes after what its thread knew when it was issued, and nothing comes after it but
//! what has found its `mbarrier`'s phase over, or has waited for its group (`transfer_party`).
//!
//! A thread's write reaches the proxy after a proxy fence only: one that knows of the write, and that the transfer's thread knows of
//! (`proxy_fences`).
use super::block::BlockState;
use super::details::AccessDetails;
use super::state::Sanitizer;
use crate::sanitizer::findings::finding::{Kind, Misuse};
use crate::sanitizer::order::knowledge::When;
use crate::sanitizer::order::proxy_fences::KnownFence;
use crate::sanitizer::order::signals::{self, Phases};
use crate::sanitizer::order::transfer_party::{OF_BARRIERS, OF_GROUPS, OF_PRODUCTS, TransferParty, WHOLE_WARP};
use crate::sanitizer::order::transfers::TransferUnderWay;
use crate::sanitizer::shadow::contexts::Owner;
use machine::probe::{
    Access, AccessKind, Addresses, Completed, Order, Origin, Region, Transfer, TransferEnd, Who, lanes,
};
use ptx::isa::Space;

impl Sanitizer {
    pub(crate) fn begin_transfer(&mut self, transfer: &Transfer) {
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
        let fences = self.transfers.fences.known(&clock, lane.min(WHOLE_WARP - 1));
        if let Some((owner, address)) = transfer.barrier {
            self.barrier_is_known(transfer, (owner, address), &fences);
        }
        let regions = transfer.regions.to_vec();
        match proxy {
            OF_PRODUCTS => self.product_reads(index, transfer),
            _ => self.copy_stays_in_its_array(transfer),
        }
        let (moves, undefined) = (transfer.moves.to_vec(), transfer.undefined);
        let begun =
            TransferUnderWay { who, site, lane, regions, moves, undefined, clock, fences, proxy, channel, stamp };
        self.transfers.under_way.insert(transfer.number, begun);
    }

    /// A barrier must be made known to the proxy before a transfer reports to it.
    fn barrier_is_known(&mut self, transfer: &Transfer, (owner, address): (u64, u64), fences: &[KnownFence]) {
        let Some(owner) = self.block(owner) else { return };
        let [cell, _] = self.blocks[owner].shared.writers((address / 4) as usize, 0);
        let owner = Owner::of(&self.blocks[owner].warps);
        let Some((when, coordinates, place)) = self.races.who_wrote(cell, owner) else { return };
        if when.warp >= self.geometry.warps() as u32 || fences.iter().any(|fence| fence.covers(when)) {
            return;
        }
        let at = self.geometry.place(transfer.who, transfer.site, 1 << transfer.lane.min(31));
        let first = self.geometry.place_of(when, coordinates, place);
        self.found.add(&self.sites, Misuse::BarrierUnknownToProxy { at, first });
    }

    pub(crate) fn end_transfer(&mut self, who: Who, number: u64, end: TransferEnd, completed: Option<Completed>) {
        let Some(begun) = self.transfers.under_way.remove(&number) else { return };
        let Some(index) = self.block(begun.who.block_index) else { return };
        let warps = self.geometry.warps() as u32;
        let lane = begun.lane;
        let mask = if lane == WHOLE_WARP { u32::MAX } else { 1 << lane };
        let party = TransferParty {
            warp: warps + begun.proxy,
            lane: begun.channel,
            stamp: begun.stamp,
            issuer: lane.min(WHOLE_WARP - 1),
        };
        self.races.note_transfer(begun.who, begun.site, party, mask);
        let mut carried = begun.brings();
        // All reads come before any write.
        let reads = |region: &&Region| region.kind == AccessKind::Load;
        for region in begun.regions.iter().filter(reads).chain(begun.regions.iter().filter(|region| !reads(region))) {
            self.touch(index, &begun, party, region, &mut carried);
        }
        let told = self.blocks[index].warps.told_of(party);
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
                if let Some(unwritten) = self.blocks[index].shared_written.access(&access, true, false) {
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
        begun: &TransferUnderWay,
        party: TransferParty,
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
                Space::Shared => self.blocks[owner].shared_written.access(&access, reads, writes),
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
                    let at = self.geometry.place(begun.who, begun.site, 1 << party.issuer);
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
            let (copy, transfer) = (Some(&begun.clock), Some(party));
            let details = AccessDetails { copy, transfer, fences: &begun.fences, ..AccessDetails::default() };
            self.races_at(index, owner, &access, details);
        });
    }

    /// Judges an access of one block to the shared memory of another, or of the same, or to global memory.
    pub(crate) fn races_at(&mut self, index: usize, owner: usize, access: &Access, details: AccessDetails) {
        let found = &mut self.found;
        let report = &mut |kind| found.add(&self.sites, kind);
        if owner == index || access.space != Space::Shared {
            return self.races.access(&mut self.blocks[index], (&self.geometry, access, details), report);
        }
        let mut shadow = std::mem::take(&mut self.blocks[owner].shared);
        let elsewhere = Some((&mut shadow, Owner::of(&self.blocks[owner].warps)));
        self.races.access_at(&mut self.blocks[index], elsewhere, (&self.geometry, access, details), report);
        self.blocks[owner].shared = shadow;
    }

    /// An access to the shared memory of other blocks of the cluster, lane by lane.
    pub(crate) fn access_cluster(&mut self, access: &Access) {
        for lane in lanes(access.mask) {
            let (owner, offset) = self.geometry.owner(access.who, access.address(lane));
            let addresses = [offset; 32];
            let mask = 1 << lane;
            // The value that lies there now cannot be told by another address.
            let one = Access { mask, addresses: Addresses::Each(&addresses), stored: None, ..*access };
            let (Some(index), Some(owner)) = (self.block(access.who.block_index), self.block(owner)) else { return };
            let (reads, writes) = (access.kind != AccessKind::Store, access.kind != AccessKind::Load);
            if let Some(mut unwritten) = self.blocks[owner].shared_written.access(&one, reads, writes) {
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
            self.races_at(index, owner, &one, AccessDetails::default());
            if let Some(clock) = self.blocks[index].warps.clocks.get(access.who.warp as usize) {
                let (block, warp, stamp) = (access.who.block_index as u32, access.who.warp, clock.stamp());
                let when = When { block, warp, lane: lane as u32, stamp };
                let at = self.geometry.place(access.who, access.site, mask);
                self.blocks[owner].visits.insert((block, warp, access.site), (when, at));
            }
        }
    }

    /// A strong access to a block's shared memory: the thread learns and publishes there.
    fn strong_in(&mut self, index: usize, owner: usize, access: &Access) {
        let mut signals = std::mem::take(&mut self.blocks[owner].signals);
        signals::strong(&mut self.blocks[index].warps, &mut signals, access);
        self.blocks[owner].signals = signals;
    }

    /// A block ends: whoever has used its shared memory from outside must have let it.
    pub(crate) fn visits_are_over(&mut self, block: &mut BlockState) {
        for (when, at) in std::mem::take(&mut block.visits).into_values() {
            if !block.warps.clocks.iter().any(|clock| (0..32).any(|lane| clock.is_after(when, lane))) {
                self.found.add(&self.sites, Misuse::LeavesTooEarly { at });
            }
        }
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
