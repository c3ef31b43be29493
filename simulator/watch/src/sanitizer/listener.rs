//! The events of a launch, and what each of them means to the sanitizer.
use super::accesses::block::BlockState;
use super::accesses::details::AccessDetails;
use super::accesses::products::Hazards;
use super::accesses::race::Races;
use super::accesses::state::Sanitizer;
use super::findings::finding::{Finding, Kind, Misuse};
use super::findings::sites::Sites;
use super::findings::undefined_values::UndefinedValues;
use super::order::geometry::Geometry;
use super::order::knowledge::join;
use super::order::signals::{self, Signals};
use super::order::strictly_after::StrictlyAfter;
use super::order::transfers::Transfers;
use super::shadow::written::Global;
use machine::memory::Range;
use machine::probe::{
    Access, AccessKind, Addresses, Arrival, Completed, Convergence, Defined, Following, Launch, Order, Origin, Phase,
    PhaseAct, Probe, Scope, Strength, TextureAccess, Transfer, TransferEnd, UndefinedByte, Use, WarpLoad, Who, lanes,
};
use ptx::isa::Space;
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl Probe for Sanitizer {
    /// Judging needs the order of events, so there are no workers to split it over; one that is made all the same
    /// judges its own part.
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Self::default())
    }

    fn join(&mut self, worker: Box<dyn Probe>) {
        if let Some(worker) = worker.concrete::<Self>() {
            self.found.join(&self.sites, worker.found);
        }
    }

    fn one_thread(&self) -> bool {
        true
    }

    fn following(&self) -> Option<Arc<Following>> {
        Some(self.following.clone())
    }

    fn defined(&self, memory: &mut Defined) {
        // Addresses may be of another block's shared memory in a cluster.
        let recent = self.blocks.get(self.recent).filter(|_| !self.geometry.is_clustered());
        memory.shared = recent.filter(|block| block.shared_written.is_complete()).map(|block| block.warps.index);
        memory.global = self.initialised.as_ref().map_or([Range::NONE; 2], Global::recent);
    }

    fn undefined(&mut self) -> Vec<UndefinedByte> {
        self.undefined.take_read()
    }

    fn undefined_used(&mut self, who: Who, site: u32, mask: u32, used: Use, origin: Origin) {
        self.undefined_matters(who, site, mask, used, origin);
    }

    fn launch(&mut self, launch: &Launch) {
        self.geometry = Geometry::of(launch);
        self.races = Races::new(launch.program.functions.iter().map(|function| function.sites.len()));
        self.signals = Signals::default();
        self.strictly_after = StrictlyAfter::default();
        self.sites = Sites::new(launch);
        self.transfers = Transfers::default();
        self.clusters = FxHashMap::default();
        self.arrivals = FxHashMap::default();
        self.hazards = Hazards::of(launch.program);
        self.initialised = Some(Global::new(launch));
        self.undefined = UndefinedValues::default();
    }

    fn block_start(&mut self, block: [u32; 3], block_index: u64) {
        self.blocks.push(BlockState::new(block_index, block, &self.geometry, self.ended.pop()));
    }

    fn block_end(&mut self, _block: [u32; 3], block_index: u64) {
        if let Some(index) = self.block(block_index) {
            let mut block = self.blocks.swap_remove(index);
            self.visits_are_over(&mut block);
            self.transfers.end_block(block_index);
            self.ended.push(block);
        }
    }

    fn run(&mut self, who: Who, block: u32, mask: u32, live: u32) {
        if !self.hazards.is_empty() {
            let hazards = self.hazards.run(&self.geometry, who, block, mask);
            hazards.for_each(|misuse| self.found.add(&self.sites, misuse));
        }
        if let Some(index) = self.block(who.block_index) {
            let state = &mut self.blocks[index];
            state.ran.run(who.warp, who.function, block, mask);
            if let Some(clock) = state.warps.clocks.get_mut(who.warp as usize) {
                clock.set_live(live);
            }
        }
    }

    fn across_the_end(&mut self, access: &Access) {
        let at = self.geometry.place(access.who, access.site, access.mask);
        let (space, address, bytes) = (access.space, access.first_address(), access.bytes);
        if bytes != 4 || !self.sites.is_around_atomic(access.who.function, access.site) {
            self.found.add(&self.sites, Kind::AcrossTheEnd { at, space, address, bytes });
        }
    }

    fn warp_loads(&mut self, who: &Who, loads: &[WarpLoad]) {
        if self.touched.is_some() {
            let of_all = loads.iter().filter(|load| load.elements.space != Space::Shared);
            of_all.for_each(|load| self.note_footprint(&load.access(who)));
        }
        let mut rest = loads;
        while !rest.is_empty() {
            rest = &rest[self.note_warp_loads(who, rest)..];
            if let [other, later @ ..] = rest {
                self.access(&other.access(who));
                rest = later;
            }
        }
    }

    fn access(&mut self, access: &Access) {
        match self.geometry.is_clustered() {
            false => self.access_of_block(access),
            true => self.access_of_cluster(access),
        }
    }

    fn texture(&mut self, access: &TextureAccess) {
        self.access_of_texture(access);
    }

    fn written(&mut self, who: Who, space: Space, mask: u32, addresses: &[u64; 32], bytes: u32) {
        let Some(index) = self.block(who.block_index) else { return };
        let access = Access {
            who,
            site: 0,
            kind: AccessKind::Store,
            space,
            mask,
            addresses: Addresses::Each(addresses),
            bytes,
            order: Order::WEAK,
            stored: None,
        };
        match space {
            Space::Local => self.blocks[index].local_written.access(&access, false, true),
            Space::Shared => self.blocks[index].shared_written.access(&access, false, true),
            _ => None,
        };
    }

    fn barrier_arrive(&mut self, arrival: &Arrival) {
        if let Some(index) = self.block(arrival.who.block_index) {
            let block = &mut self.blocks[index];
            let Some(clock) = block.warps.clocks.get_mut(arrival.who.warp as usize) else { return };
            clock.set_live(arrival.live);
            let brought = clock.arrive(arrival.mask, arrival.waits);
            block.barriers.arrive(arrival, brought);
        }
    }

    fn barrier_release(&mut self, block_index: u64, id: u32) {
        let Some(index) = self.block(block_index) else { return };
        let block = &mut self.blocks[index];
        let (found, note) = (&mut self.found, &mut self.note);
        let release = block.barriers.release(
            &mut self.strictly_after,
            &block.ran,
            &self.sites,
            &self.geometry,
            id,
            &mut |misuse| match misuse {
                Misuse::PassedBarrier { .. } => {
                    note.get_or_insert(Finding { kind: misuse.into(), count: 1 });
                }
                _ => found.add(&self.sites, misuse),
            },
        );
        for (warp, lanes) in release.leaving {
            block.knows_who_waited(warp);
            block.warps.clocks[warp as usize].leave(lanes, &release.knowledge);
        }
    }

    fn converge(&mut self, convergence: &Convergence) {
        let index = self.block(convergence.who.block_index);
        let mut missing = convergence.members & convergence.live & !convergence.mask;
        let gone = convergence.members & !convergence.live;
        if gone != 0
            && let Some(index) = index
            && let Some((_, went_on)) = self.blocks[index].ran.find(
                &mut self.strictly_after,
                &self.sites,
                (convergence.who.function, convergence.site),
                convergence.who.warp,
                gone,
            )
        {
            missing |= went_on;
        }
        let unnamed = convergence.mask & !convergence.members;
        let at = self.geometry.place(convergence.who, convergence.site, convergence.mask);
        if missing != 0 || unnamed != 0 {
            self.found.add(&self.sites, Misuse::WrongMask { at, members: convergence.members, missing, unnamed });
        } else if convergence.read_outside != 0 {
            self.found.add(
                &self.sites,
                Misuse::AbsentLanes { at, members: convergence.members, absent: convergence.read_outside },
            );
        }
        if let Some(index) = index
            && let Some(clock) = self.blocks[index].warps.clocks.get_mut(convergence.who.warp as usize)
        {
            clock.set_live(convergence.live);
            if self.sites.orders_lanes(convergence.who.function, convergence.site) {
                clock.converge(convergence.mask);
            }
        }
    }

    fn fence(&mut self, who: Who, _site: u32, mask: u32, scope: Scope) {
        if let Some(index) = self.block(who.block_index)
            && let Some(clock) = self.blocks[index].warps.clocks.get_mut(who.warp as usize)
        {
            clock.fence(mask, self.geometry.widened(scope));
        }
    }

    fn proxy_fence(&mut self, who: Who, _site: u32, mask: u32) {
        if let Some(index) = self.block(who.block_index)
            && let Some(clock) = self.blocks[index].warps.clocks.get_mut(who.warp as usize)
        {
            self.transfers.fences.fence(who, mask, clock);
        }
    }

    fn transfer_begins(&mut self, transfer: &Transfer) {
        self.begin_transfer(transfer);
    }

    fn transfer_ends(&mut self, who: Who, number: u64, end: TransferEnd, completed: Option<Completed>) {
        self.end_transfer(who, number, end, completed);
    }

    fn dependents(&mut self, who: Who, _site: u32, _mask: u32, waits: bool) {
        self.dependency(who, waits);
    }

    fn cluster_barrier(&mut self, who: Who, _site: u32, mask: u32, waits: bool, orders: bool) {
        let Some(index) = self.block(who.block_index) else { return };
        let cluster = self.geometry.owner(who, 1 << 24).0;
        let Some(clock) = self.blocks[index].warps.clocks.get_mut(who.warp as usize) else { return };
        // The lanes of a warp mostly arrive together; those that do not are told by their own counts.
        let phase = self.arrivals.entry((who.block_index, who.warp, mask.trailing_zeros())).or_default();
        *phase += u32::from(!waits);
        let known = self.clusters.entry((cluster, *phase)).or_default();
        match (waits, orders) {
            (false, true) => {
                join(known, &clock.told_by(mask));
                clock.released();
            }
            (true, true) => clock.fetch(mask, known),
            (_, false) => {}
        }
    }

    fn phase(&mut self, phase: &Phase) {
        if phase.mask.count_ones() > 1 && lanes(phase.mask).any(|lane| phase.addresses[lane] >> 24 != 0) {
            let one = |lane: usize| {
                let only = |lanes: u32| lanes & 1 << lane;
                let act = match phase.act {
                    PhaseAct::Arrive { ended } => PhaseAct::Arrive { ended: only(ended) },
                    PhaseAct::Test { over } => PhaseAct::Test { over: only(over) },
                    act => act,
                };
                Phase { mask: 1 << lane, act, ..*phase }
            };
            return lanes(phase.mask).for_each(|lane| self.phase(&one(lane)));
        }
        let first = lanes(phase.mask).next().unwrap_or(0);
        let (owner, _) = self.geometry.owner(phase.who, phase.addresses[first]);
        let (Some(index), Some(owner)) = (self.block(phase.who.block_index), self.block(owner)) else { return };
        let offsets = phase.addresses.map(|address| address & 0xff_ffff);
        // To others the object is memory: its init a store, and what follows atomic. Its end too: a library's pipeline ends its barriers in the thread
        // that leaves last, which a vote has brought there ahead of the other lanes' last arrivals.
        let born = matches!(phase.act, PhaseAct::Init | PhaseAct::Invalidate);
        let relaxed = Order { strength: Strength::Relaxed, scope: Scope::System };
        let (kind, order) =
            if phase.act == PhaseAct::Init { (AccessKind::Store, Order::WEAK) } else { (AccessKind::Atomic, relaxed) };
        let (who, site, mask, space) = (phase.who, phase.site, phase.mask, Space::Shared);
        let addresses = Addresses::Each(&offsets);
        let access = Access { who, site, kind, space, mask, addresses, bytes: 8, order, stored: None };
        if born {
            self.blocks[owner].shared_written.access(&access, false, true);
        }
        self.races_at(index, owner, &access, AccessDetails::default());
        if born || !self.blocks[owner].ended_barriers.is_empty() {
            self.barrier_is_alive(phase, (index, owner), &offsets);
        }
        let mut phases = std::mem::take(&mut self.blocks[owner].phases);
        if matches!(phase.act, PhaseAct::Test { over } if over != 0) {
            self.blocks[index].knows_who_waited(who.warp);
        }
        if let Some(clock) = self.blocks[index].warps.clocks.get_mut(who.warp as usize) {
            signals::phase(clock, &mut phases, &Phase { addresses: &offsets, ..*phase });
        }
        self.blocks[owner].phases = phases;
    }

    fn copy_begins(&mut self, who: Who, site: u32, mask: u32, _addresses: &[u64; 32], _bytes: u32) {
        if let Some(index) = self.block(who.block_index) {
            let undefined = self.undefined.take_copied();
            let block = &mut self.blocks[index];
            block.copies.begin(&mut block.warps, who, site, mask, undefined);
        }
    }

    fn copy_reads(&mut self, access: &Access) {
        self.copy_has_read(access);
    }

    fn copy_abandoned(&mut self, access: &Access) {
        self.access(access);
    }
}
