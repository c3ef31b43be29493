//! The sanitizer: a probe that judges.
//!
//! It watches every access of a launch, in the order in which one thread of the host runs it, and keeps what it needs to
//! tell wrong code: who touched each word last (`cells`), who has learnt of whom (`clock`), what was never written
//! (`written`), and how barriers were met (`barrier`). What it finds is data (`finding`).
//!
//! Out-of-bounds and misaligned accesses never get here: they stop the launch as faults. A load that begins inside an
//! allocation and ends behind it does not stop a card, and is told here.
mod barrier;
mod behind;
mod block;
mod cells;
mod clock;
mod copies;
pub mod finding;
mod knowledge;
pub mod leaks;
mod pages;
mod plane;
mod proxy;
mod race;
mod shadow;
mod signals;
mod sites;
mod updates;
mod written;

use crate::isa::Space;
use crate::probe::{Access, Addresses, Arrival, Gather, Launch, Order, Phase, PhaseAct, Probe, Scope, Strength, Who};
use crate::probe::{AccessKind, Completed, Place, Transfer, TransferEnd, lanes};
use crate::program::Hazard;
use behind::Behind;
use block::{BlockState, Shape};
use finding::{Between, Finding, Kind};
use knowledge::{Outside, join};
use proxy::Transfers;
use race::{Races, Way};
use rustc_hash::FxHashMap;
use signals::Signals;
use sites::Sites;
use std::sync::Arc;
use updates::Updates;
use written::Global;

/// The probe. [`Sanitizer::findings`] tells what is wrong once the launch is over.
#[derive(Default)]
pub struct Sanitizer {
    shape: Shape,
    races: Races,
    /// What was published at which global address.
    signals: Signals,
    behind: Behind,
    sites: Sites,
    initialised: Option<Global>,
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
    /// Sites with hazards of products of four warps: by function and basic block.
    hazards: FxHashMap<(u32, u32), Vec<(u32, Hazard)>>,
}

/// Findings, once for each kind and pair of lines.
#[derive(Default)]
struct Found {
    findings: Vec<Finding>,
    index: FxHashMap<Key, usize>,
}

/// Kind, and the lines of both parties (of the sites, where there are no lines), the smaller one first: a race that is
/// met from both sides is one race.
type Key = (std::mem::Discriminant<Kind>, Line, Line);
type Line = (u32, u32, u32);

/// Findings of one launch beyond this number are dropped: the first ones tell the story.
const MOST_FINDINGS: usize = 64;

impl Found {
    fn add(&mut self, sites: &Sites, kind: Kind) {
        let line = |at: &Place| match sites.line(at.function, at.site) {
            Some(line) if line.1 != 0 => line,
            _ => (u32::MAX, at.function, at.site),
        };
        let at = line(kind.at());
        let other = kind.other().map_or(at, line);
        let key = (std::mem::discriminant(&kind), at.min(other), at.max(other));
        if let Some(&index) = self.index.get(&key) {
            let known = &mut self.findings[index];
            known.count += 1;
            // The widest tells most: what orders warps orders the lanes of a warp too.
            if let (Kind::Race { between: known, .. }, Kind::Race { between, .. }) = (&known.kind, &kind)
                && between > known
            {
                self.findings[index].kind = kind;
                self.mark_other_blocks(sites);
            }
        } else if self.findings.len() < MOST_FINDINGS {
            self.index.insert(key, self.findings.len());
            let is_race = matches!(kind, Kind::Race { .. });
            self.findings.push(Finding { kind, count: 1 });
            if is_race {
                self.mark_other_blocks(sites);
            }
        }
    }

    /// Tells races inside a block of global memory that blocks race on the same lines.
    fn mark_other_blocks(&mut self, sites: &Sites) {
        let line = |at: &Place| sites.line(at.function, at.site);
        let between_blocks = |kind: &Kind| matches!(kind, Kind::Race { between: Between::Blocks, .. });
        let parties = |kind: &Kind| [Some(line(kind.at())), kind.other().map(line)];
        let lines: Vec<_> = self
            .findings
            .iter()
            .map(|finding| &finding.kind)
            .filter(|kind| between_blocks(kind))
            .flat_map(parties)
            .flatten()
            .collect();
        for finding in &mut self.findings {
            let shared = parties(&finding.kind).into_iter().flatten().any(|line| lines.contains(&line));
            if let Kind::Race { space: Space::Global, other_blocks, .. } = &mut finding.kind {
                *other_blocks |= shared;
            }
        }
    }

    /// Whether a finding says anything that another does not say better: memory that is read before it is written is
    /// what a race on that line means, and lanes that race where warps race too lack the same barrier.
    fn says_something(&self, sites: &Sites, finding: &Finding) -> bool {
        let line = |at: &Place| sites.line(at.function, at.site);
        let races_at = |at: &Place, least: Between| {
            let races = self
                .findings
                .iter()
                .filter(|other| matches!(other.kind, Kind::Race { between, .. } if between >= least));
            let mut parties = races.flat_map(|race| [Some(race.kind.at()), race.kind.other()]).flatten();
            parties.any(|party| line(party) == line(at))
        };
        match &finding.kind {
            Kind::Uninitialised { at, .. } => !races_at(at, Between::Lanes),
            Kind::Race { between: Between::Lanes, first, second, .. } => {
                !races_at(&first.at, Between::Warps) && !races_at(&second.at, Between::Warps)
            }
            _ => true,
        }
    }
}

impl Sanitizer {
    /// A sanitizer for one launch.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was found, the likeliest cause first: a barrier that not all threads reach makes races behind it. Else in the order in
    /// which it happened.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        let mut findings: Vec<&Finding> =
            self.found.findings.iter().filter(|finding| self.found.says_something(&self.sites, finding)).collect();
        findings.sort_by_key(|finding| !finding.kind.is_of_a_barrier());
        findings.into_iter()
    }

    fn block(&mut self, index: u64) -> Option<usize> {
        if self.blocks.get(self.recent).is_none_or(|block| block.warps.index != index) {
            self.recent = self.blocks.iter().position(|block| block.warps.index == index)?;
        }
        Some(self.recent)
    }
}

impl Sanitizer {
    /// Products of four warps in a basic block that lack a fence, or whose results are read too early.
    fn run_products(&mut self, who: Who, block: u32, mask: u32) {
        let Some(hazards) = self.hazards.remove(&(who.function, block)) else { return };
        for (site, hazard) in hazards {
            let at = self.shape.place(who, site, mask);
            self.found.add(
                &self.sites,
                match hazard {
                    Hazard::NoFence => Kind::NoProductFence { at },
                    Hazard::NotWaitedFor => Kind::ProductNotWaitedFor { at },
                },
            );
        }
    }

    /// An access of a block whose cluster has others.
    fn access_of_cluster(&mut self, access: &Access) {
        let access = &self.widened(access);
        let outside = access.space == Space::Shared && access.lanes().any(|lane| access.address(lane) >> 24 != 0);
        match outside && access.order.strength != Strength::Phase {
            false => self.access_of_block(access),
            true => self.access_cluster(access),
        }
    }

    /// An access to the block's own memory, or to memory of all.
    #[inline]
    fn access_of_block(&mut self, access: &Access) {
        let Some(index) = self.block(access.who.block_index) else { return };
        let block = &mut self.blocks[index];
        let reads = access.kind != AccessKind::Store;
        let writes = access.kind != AccessKind::Load;
        if access.order.strength == Strength::Phase {
            return;
        }
        let unwritten = match access.space {
            Space::Shared => written::shared(block, access, reads, writes),
            Space::Local => written::local(block, access, reads, writes),
            Space::Global => self.initialised.as_mut().and_then(|global| global.access(access, reads, writes)),
            Space::Const | Space::Param | Space::Generic => None,
        };
        if let Some(unwritten) = unwritten {
            self.found.add(
                &self.sites,
                Kind::Uninitialised {
                    at: self.shape.place(access.who, access.site, unwritten.lanes),
                    space: access.space,
                    address: unwritten.address,
                    bytes: access.bytes,
                    kind: access.kind,
                },
            );
        }
        if !matches!(access.space, Space::Shared | Space::Global) {
            return;
        }
        let found = &mut self.found;
        if access.order.is_weak() && (access.kind == AccessKind::Load || writes && !reads && block.copies.is_empty()) {
            let report = &mut |kind| found.add(&self.sites, kind);
            return self.races.access(block, &self.shape, access, Way::default(), report);
        }
        let mut updates = Updates::default();
        let mut releases = false;
        if !access.order.is_weak() || access.kind == AccessKind::Atomic {
            releases = signals::strong(block, &mut self.signals, access);
            if let Some(loads) = block.volatile_loads.get_mut(access.who.warp as usize) {
                updates = loads.access(access, |function, site| self.sites.block_of(function, site));
            }
        }
        let copy = match access {
            Access { space: Space::Shared, kind: AccessKind::Store, .. } => block.copies.end(&mut block.warps, access),
            _ => None,
        };
        let way = Way { updates, copy: copy.as_deref(), ..Way::default() };
        self.races.access(block, &self.shape, access, way, &mut |kind| found.add(&self.sites, kind));
        if releases && let Some(clock) = block.warps.clocks.get_mut(access.who.warp as usize) {
            clock.released();
        }
    }

    /// An access whose scope is what it means among the blocks of the launch.
    fn widened<'a>(&self, access: &Access<'a>) -> Access<'a> {
        let order = Order { scope: self.shape.widened(access.order.scope), ..access.order };
        Access { order, ..*access }
    }
}

/// The hazards of a program's products, by function and basic block.
fn hazards(program: &crate::program::Program) -> FxHashMap<(u32, u32), Vec<(u32, Hazard)>> {
    let mut found: FxHashMap<_, Vec<_>> = FxHashMap::default();
    for (number, function) in (0..).zip(program.functions.iter()) {
        for &(site, hazard) in &function.hazards {
            let block = function.blocks.partition_point(|block| block.sites.end <= site) as u32;
            found.entry((number, block)).or_default().push((site, hazard));
        }
    }
    found
}

impl Probe for Sanitizer {
    /// Judging needs the order of events, so there are no workers to split it over; one that is made all the same
    /// judges its own part.
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Self::default())
    }

    fn join(&mut self, worker: Box<dyn Probe>) {
        if let Ok(worker) = worker.into_any().downcast::<Self>() {
            worker.found.findings.into_iter().for_each(|finding| self.found.add(&self.sites, finding.kind));
        }
    }

    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any> {
        self
    }

    fn one_thread(&self) -> bool {
        true
    }

    fn launch(&mut self, launch: &Launch) {
        self.shape = Shape::of(launch);
        self.races = Races::new(launch.program.functions.iter().map(|function| function.sites.len()));
        self.signals = Signals::default();
        self.behind = Behind::default();
        self.sites = Sites::new(launch.program);
        self.transfers = Transfers::default();
        self.clusters = FxHashMap::default();
        self.arrivals = FxHashMap::default();
        self.hazards = hazards(launch.program);
        self.initialised = Some(Global::new(launch));
    }

    fn block_start(&mut self, block: [u32; 3], block_index: u64) {
        self.blocks.push(BlockState::new(block_index, block, &self.shape, self.ended.pop()));
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
            self.run_products(who, block, mask);
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
        let at = self.shape.place(access.who, access.site, access.mask);
        let (space, address, bytes) = (access.space, access.first_address(), access.bytes);
        self.found.add(&self.sites, Kind::AcrossTheEnd { at, space, address, bytes });
    }

    fn access(&mut self, access: &Access) {
        match self.shape.is_clustered() {
            false => self.access_of_block(access),
            true => self.access_of_cluster(access),
        }
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
        let release = block.barriers.release(&mut self.behind, &block.ran, &self.sites, &self.shape, id, &mut |kind| {
            found.add(&self.sites, kind)
        });
        for (warp, lanes) in release.leaving {
            block.warps.clocks[warp as usize].leave(lanes, &release.met);
        }
    }

    fn gather(&mut self, gather: &Gather) {
        let index = self.block(gather.who.block_index);
        let mut missing = gather.members & gather.live & !gather.mask;
        let gone = gather.members & !gather.live;
        if gone != 0
            && let Some(index) = index
            && let Some((_, went_on)) = self.blocks[index].ran.find(
                &mut self.behind,
                &self.sites,
                (gather.who.function, gather.site),
                gather.who.warp,
                gone,
            )
        {
            missing |= went_on;
        }
        let unnamed = gather.mask & !gather.members;
        let at = self.shape.place(gather.who, gather.site, gather.mask);
        if missing != 0 || unnamed != 0 {
            self.found.add(&self.sites, Kind::WrongMask { at, members: gather.members, missing, unnamed });
        } else if gather.absent != 0 {
            self.found.add(&self.sites, Kind::AbsentLanes { at, members: gather.members, absent: gather.absent });
        }
        if let Some(index) = index
            && let Some(clock) = self.blocks[index].warps.clocks.get_mut(gather.who.warp as usize)
        {
            clock.set_live(gather.live);
            clock.gather(gather.mask);
        }
    }

    fn fence(&mut self, who: Who, _site: u32, mask: u32, scope: Scope) {
        if let Some(index) = self.block(who.block_index)
            && let Some(clock) = self.blocks[index].warps.clocks.get_mut(who.warp as usize)
        {
            clock.fence(mask, self.shape.widened(scope));
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
        let cluster = self.shape.owner(who, 1 << 24).0;
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
        let (owner, _) = self.shape.owner(phase.who, phase.addresses[first]);
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
            let block = &mut self.blocks[index];
            block.copies.begin(&mut block.warps, who, site, mask);
        }
    }
}
