//! The sanitizer: a probe that judges.
//!
//! It watches every access of a launch, in the order in which one thread of the host runs it, and keeps what it needs to
//! tell wrong code: who touched each word last (`cells`), who has learnt of whom (`clock`), what was never written
//! (`written`), and how barriers were met (`barrier`). What it finds is data (`finding`), kept once for each fault (`found`).
//!
//! Out-of-bounds and misaligned accesses never get here: they stop the launch as faults. A load that begins inside an
//! allocation and ends after it does not stop a card, and is told here.
mod accesses;
mod barrier;
mod block;
mod by_lane;
mod cells;
mod clock;
mod contexts;
mod copies;
mod fences;
pub mod finding;
mod found;
mod knowledge;
pub mod leaks;
pub mod misuse;
mod one_instruction;
mod pages;
mod products;
mod proxy;
mod published;
mod race;
mod read_only;
mod role_cells;
mod scattered;
mod shadow;
mod signals;
mod sites;
mod strictly_after;
mod texture;
mod undefined;
mod updates;
mod visit;
mod warp_access;
mod warp_load;
mod written;

use block::{BlockState, Geometry};
use finding::{Finding, Kind, Misuse};
use found::Found;
use knowledge::{Outside, join};
use machine::memory::Footprint;
use machine::probe::{
    Access, Addresses, Arrival, Convergence, Following, Launch, Order, Phase, PhaseAct, Probe, Scope, Strength,
    TextureAccess, WarpElements, Who,
};
use machine::probe::{
    AccessKind, Completed, Origin, Transfer, TransferEnd, UndefinedByte, Use, lanes, warp_load_as_access,
};
use products::Hazards;
use proxy::Transfers;
use ptx::isa::Space;
use race::{Races, Way};
use rustc_hash::FxHashMap;
use signals::Signals;
use sites::Sites;
use std::sync::Arc;
use strictly_after::StrictlyAfter;
use undefined::UndefinedValues;
use written::Global;

/// The probe. [`Sanitizer::findings`] tells what is wrong once the launch is over.
#[derive(Default)]
pub struct Sanitizer {
    geometry: Geometry,
    races: Races,
    /// What was published at which global address.
    signals: Signals,
    strictly_after: StrictlyAfter,
    sites: Sites,
    initialised: Option<Global>,
    undefined: UndefinedValues,
    following: Arc<Following>,
    /// What the launch touches of global memory, where somebody asked for that.
    footprint: Option<Footprint>,
    blocks: Vec<BlockState>,
    /// Blocks that have ended.
    ended: Vec<BlockState>,
    /// Index in `blocks` of the one that was looked up last.
    recent: usize,
    found: Found,
    transfers: Transfers,
    /// What was told at each phase of the barrier of each cluster, and how often warps have arrived.
    clusters: FxHashMap<(u64, u32), Arc<Outside>>,
    arrivals: FxHashMap<(u64, u32, u32), u32>,
    hazards: Hazards,
    /// Whether the program has loads through the cache for data that nobody writes.
    loads_read_only: bool,
}

impl Sanitizer {
    /// A sanitizer for one launch.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that also keeps what the launch touches.
    pub fn with_footprint() -> Self {
        Self { footprint: Some(Footprint::default()), ..Self::default() }
    }

    /// What the launch has touched.
    pub fn take_footprint(&mut self) -> Option<Footprint> {
        self.footprint.take()
    }

    /// What was found, the likeliest cause first: a barrier that not all threads reach makes races after it. Else in the order in
    /// which it happened.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.found.likeliest_first(&self.sites)
    }

    /// What is wrong with values that were stored to global memory, if the host reads them: by the number under which the
    /// memory tells of that.
    pub fn pending(&self) -> impl Iterator<Item = (u32, &Finding)> {
        self.undefined.pending().filter(|(_, finding)| self.found.says_something(&self.sites, finding))
    }

    fn block(&mut self, index: u64) -> Option<usize> {
        if self.blocks.get(self.recent).is_none_or(|block| block.warps.index != index) {
            self.recent = self.blocks.iter().position(|block| block.warps.index == index)?;
        }
        Some(self.recent)
    }
}

impl Probe for Sanitizer {
    /// Judging needs the order of events, so there are no workers to split it over; one that is made all the same
    /// judges its own part.
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Self::default())
    }

    fn join(&mut self, worker: Box<dyn Probe>) {
        if let Ok(worker) = worker.into_any().downcast::<Self>() {
            self.found.join(&self.sites, worker.found);
        }
    }

    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any> {
        self
    }

    fn one_thread(&self) -> bool {
        true
    }

    fn following(&self) -> Option<Arc<Following>> {
        Some(self.following.clone())
    }

    fn undefined(&mut self) -> Vec<UndefinedByte> {
        self.undefined.take_read()
    }

    fn undefined_used(&mut self, who: Who, site: u32, mask: u32, what: Use, origin: Origin) {
        self.undefined_matters(who, site, mask, what, origin);
    }

    fn launch(&mut self, launch: &Launch) {
        self.geometry = Geometry::of(launch);
        self.races = Races::new(launch.program.functions.iter().map(|function| function.sites.len()));
        self.signals = Signals::default();
        self.strictly_after = StrictlyAfter::default();
        self.sites = Sites::new(launch.program);
        self.transfers = Transfers::default();
        self.clusters = FxHashMap::default();
        self.arrivals = FxHashMap::default();
        self.hazards = Hazards::of(launch.program);
        self.loads_read_only = launch.program.functions.iter().any(|function| function.loads_read_only);
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
        self.found.add(&self.sites, Kind::AcrossTheEnd { at, space, address, bytes });
    }

    fn warp_load(&mut self, who: &Who, site: u32, elements: WarpElements, address: u64) {
        if !self.note_warp_load(who, site, elements, address) {
            warp_load_as_access(self, who, site, elements, address);
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
            Space::Local => written::local(&mut self.blocks[index], &access, false, true),
            Space::Shared => written::shared(&mut self.blocks[index], &access, false, true),
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
        let found = &mut self.found;
        let release = block.barriers.release(
            &mut self.strictly_after,
            &block.ran,
            &self.sites,
            &self.geometry,
            id,
            &mut |kind| found.add(&self.sites, kind),
        );
        for (warp, lanes) in release.leaving {
            block.warps.clocks[warp as usize].leave(lanes, &release.met);
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
        } else if convergence.absent != 0 {
            self.found
                .add(&self.sites, Misuse::AbsentLanes { at, members: convergence.members, absent: convergence.absent });
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
            self.transfers.fence(who, mask, clock);
        }
    }

    fn transfer_begins(&mut self, transfer: &Transfer) {
        self.begin_transfer(transfer);
    }

    fn transfer_ends(&mut self, who: Who, number: u64, end: TransferEnd, completed: Option<Completed>) {
        self.end_transfer(who, number, end, completed);
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
        // To others the object is memory: its init a store, and what follows atomic.
        let born = matches!(phase.act, PhaseAct::Init | PhaseAct::Invalidate);
        let relaxed = Order { strength: Strength::Relaxed, scope: Scope::System };
        let (kind, order) = if born { (AccessKind::Store, Order::WEAK) } else { (AccessKind::Atomic, relaxed) };
        let (who, site, mask, space) = (phase.who, phase.site, phase.mask, Space::Shared);
        let addresses = Addresses::Each(&offsets);
        let access = Access { who, site, kind, space, mask, addresses, bytes: 8, order, stored: None };
        if born {
            written::shared(&mut self.blocks[owner], &access, false, true);
        }
        self.races_at(index, owner, &access, Way::default());
        let mut phases = std::mem::take(&mut self.blocks[owner].phases);
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
