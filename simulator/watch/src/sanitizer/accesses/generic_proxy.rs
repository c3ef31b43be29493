//! The sanitizer's steps for an access: was its memory written, is it a race, what does its thread learn and tell.
use super::details::AccessDetails;
use super::state::Sanitizer;
use super::updates::{InStep, Updates};
use crate::sanitizer::findings::finding::{Between, Cause, Kind, Misuse, Party};
use crate::sanitizer::order::geometry::Geometry;
use crate::sanitizer::order::knowledge::When;
use crate::sanitizer::order::signals;
use crate::sanitizer::shadow::written::Undefined;
use machine::memory::Touch;
use machine::probe::{Access, AccessKind, Order, Phase, PhaseAct, Strength, lanes};
use ptx::isa::{Class, Space};

impl Sanitizer {
    /// An access of a block whose cluster has others.
    pub(crate) fn access_of_cluster(&mut self, access: &Access) {
        let access = &self.widened(access);
        let outside = access.space == Space::Shared && access.lanes().any(|lane| access.address(lane) >> 24 != 0);
        if outside && access.order.strength != Strength::Phase {
            self.stays_in_its_array(access);
        }
        match outside && access.order.strength != Strength::Phase {
            false => self.access_of_block(access),
            true => self.access_cluster(access),
        }
    }

    /// An access to the block's own memory, or to memory of all.
    #[inline]
    pub(crate) fn access_of_block(&mut self, access: &Access) {
        let Some(index) = self.block(access.who.block_index) else { return };
        if matches!(access.space, Space::Global | Space::Const) && self.touched.is_some() {
            self.note_footprint(access);
        }
        if access.space == Space::Shared {
            self.stays_in_its_array(access);
        }
        let block = &mut self.blocks[index];
        let reads = access.kind != AccessKind::Store;
        let writes = access.kind != AccessKind::Load;
        if access.order.strength == Strength::Phase {
            return;
        }
        let unwritten = match access.space {
            Space::Shared => block.shared_written.access(access, reads, writes),
            Space::Local => block.local_written.access(access, reads, writes),
            Space::Global => self.initialised.as_mut().and_then(|global| global.access(access, reads, writes)),
            Space::Const | Space::Param | Space::Generic => None,
        };
        if let Some(unwritten) = unwritten {
            self.unwritten_read(access, &unwritten);
        }
        if !matches!(access.space, Space::Shared | Space::Global) {
            return;
        }
        if access.kind == AccessKind::Store && self.following.has_twins() {
            self.undefined_store(index, access);
        }
        if access.kind == AccessKind::Load && access.space == Space::Global {
            if self.sites.is_read_only(access.who.function, access.site) {
                return self.access_of_read_only(index, access);
            }
            if self.begins_copy(access) {
                return;
            }
        }
        let block = &mut self.blocks[index];
        let found = &mut self.found;
        if access.order.is_weak() && (access.kind == AccessKind::Load || writes && !reads && block.copies.is_empty()) {
            let report = &mut |kind| found.add(&self.sites, kind);
            return self.races.access(block, (&self.geometry, access, AccessDetails::default()), report);
        }
        let mut updates = Updates::default();
        let mut releases = false;
        if !access.order.is_weak() || access.kind == AccessKind::Atomic {
            let signals = if access.space == Space::Global { &mut self.signals } else { &mut block.signals };
            releases = signals::strong(&mut block.warps, signals, access);
            let warp = access.who.warp as usize;
            if let (Some(known), Some(clock)) = (block.volatile.get_mut(warp), block.warps.clocks.get(warp)) {
                updates = known.access(access, clock.stamp(), |function, site| self.sites.block_of(function, site));
            }
            if let Some(in_step) = updates.in_step.filter(|_| !self.geometry.in_lock_step) {
                found.add(&self.sites, out_of_step(&self.geometry, access, in_step));
            }
        }
        let copy = match access {
            Access { space: Space::Shared, kind: AccessKind::Store, .. } => block.copies.end(&mut block.warps, access),
            _ => None,
        };
        let copy_clock = copy.as_ref().map(|(began, _)| &**began);
        let details = AccessDetails { updates, copy: copy_clock, ..AccessDetails::default() };
        self.races.access(block, (&self.geometry, access, details), &mut |kind| found.add(&self.sites, kind));
        if let Some((_, undefined)) = copy {
            self.undefined_copy(index, access, &undefined);
        }
        let block = &mut self.blocks[index];
        if releases && let Some(clock) = block.warps.clocks.get_mut(access.who.warp as usize) {
            clock.released();
        }
    }

    /// An `mbarrier` of the block `owner` begins, ends or is used. Threads that know of its end must not; others come after it by chance.
    pub(crate) fn barrier_is_alive(&mut self, phase: &Phase, (index, owner): (usize, usize), offsets: &[u64; 32]) {
        let (who, site) = (phase.who, phase.site);
        let Some(clock) = self.blocks[index].warps.clocks.get(who.warp as usize) else { return };
        let stamp = clock.stamp();
        for lane in lanes(phase.mask) {
            let (address, at) = (offsets[lane], self.geometry.place(who, site, 1 << lane));
            match phase.act {
                PhaseAct::Init => drop(self.blocks[owner].ended_barriers.remove(&address)),
                PhaseAct::Invalidate => {
                    let when = When { block: who.block_index as u32, warp: who.warp, lane: lane as u32, stamp };
                    self.blocks[owner].ended_barriers.insert(address, (when, at));
                }
                _ => {
                    let Some((when, first)) = self.blocks[owner].ended_barriers.get(&address) else { continue };
                    let knows = self.blocks[index].warps.clocks[who.warp as usize].is_after(*when, lane as u32);
                    let misuse = Misuse::BarrierHasEnded { at, first: first.clone(), address };
                    knows.then(|| self.found.add(&self.sites, misuse));
                }
            }
        }
    }

    /// A copy reads what it brings, at the latest now.
    pub(crate) fn copy_has_read(&mut self, access: &Access) {
        let Some(index) = self.block(access.who.block_index) else { return };
        let block = &mut self.blocks[index];
        let copies = std::mem::take(&mut block.copies);
        if let Some(began) = copies.began(access)
            && let Some(clock) = block.warps.clocks.get_mut(access.who.warp as usize)
        {
            // The access is noted at a new stamp: who has met the thread before it waited does not know of it.
            clock.released();
            let (found, details) = (&mut self.found, AccessDetails { copy: Some(began), ..AccessDetails::default() });
            self.races.access(block, (&self.geometry, access, details), &mut |kind| found.add(&self.sites, kind));
        }
        self.blocks[index].copies = copies;
    }

    /// Global or constant memory is touched.
    #[cold]
    pub(crate) fn note_footprint(&mut self, access: &Access) {
        let waited = self.has_waited(&access.who);
        let Some(touched) = &mut self.touched else { return };
        let touch = match access.kind {
            _ if !access.order.is_weak() || access.kind == AccessKind::Atomic => Touch::Strong,
            AccessKind::Load => Touch::Read,
            _ => Touch::Written,
        };
        let site = (access.who.function, access.site);
        if let Some((first, bytes)) = access.range() {
            return touched.add(waited, (first, bytes), touch, site);
        }
        lanes(access.distinct_lanes())
            .for_each(|lane| touched.add(waited, (access.address(lane), access.bytes.into()), touch, site));
    }

    /// Undefined bytes are read. What changes memory in place cannot be a copy, so it is told at once, but for an exchange:
    /// what it leaves does not depend on what was there.
    pub(crate) fn unwritten_read(&mut self, access: &Access, unwritten: &Undefined) {
        if access.kind == AccessKind::Load || self.exchanges(access) {
            return self.undefined_read(access, unwritten);
        }
        let at = self.geometry.place(access.who, access.site, unwritten.lanes);
        let (space, address, bytes, kind) = (access.space, unwritten.address, access.bytes, access.kind);
        self.found.add(&self.sites, Kind::Uninitialised { at, space, address, bytes, kind });
    }

    /// True if a load is what an asynchronous copy will read: it is judged when it is done.
    fn begins_copy(&self, access: &Access) -> bool {
        let function = self.sites.function(access.who.function);
        let site = function.and_then(|function| function.sites.get(access.site as usize));
        site.is_some_and(|site| site.class == Class::Async)
    }

    /// True if an atomic puts a value in the place of another, whatever that is.
    fn exchanges(&self, access: &Access) -> bool {
        let function = self.sites.function(access.who.function);
        let site = function.and_then(|function| function.sites.get(access.site as usize));
        site.is_some_and(|site| site.class == Class::Atomic && site.opcode.is_exchange())
    }

    /// An access whose scope is what it means among the blocks of the launch.
    fn widened<'a>(&self, access: &Access<'a>) -> Access<'a> {
        let order = Order { scope: self.geometry.widened(access.order.scope), ..access.order };
        Access { order, ..*access }
    }
}

/// Lanes of a warp that are taken to go in step.
#[cold]
fn out_of_step(geometry: &Geometry, access: &Access, step: InStep) -> Kind {
    let [first, second] = step.accesses.map(|(kind, site, lane)| Party {
        at: geometry.place(access.who, site, 1 << lane),
        kind,
        strong: true,
    });
    Kind::Race {
        between: Between::Lanes,
        space: access.space,
        address: step.address,
        bytes: access.bytes,
        first,
        second,
        cause: Cause::InStep,
        other_blocks: false,
    }
}
