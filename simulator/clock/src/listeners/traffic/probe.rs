//! Hears a launch's accesses.
use super::counts::Counts;
use super::sampled::Traffic;
use super::share::Share;
use crate::compiler::facts::{is_added_up, is_answered};
use crate::listeners::atomics::{Atomics, Sum};
use machine::memory::Kind;
use machine::probe::{Access, AccessKind, Launch, Passage, Probe, Step, Transfer, WarpLoad, Who};
use ptx::isa::Space;
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl Probe for Traffic {
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Traffic {
            touched: FxHashMap::default(),
            of_lines: Counts::default(),
            of_blocks: Counts::default(),
            accesses: [0; 2],
            more_lines: 0,
            atomics: Atomics::default(),
            arrivals: 0,
            ..self.clone()
        })
    }
    fn join(&mut self, worker: Box<dyn Probe>) {
        if let Some(other) = worker.concrete::<Traffic>() {
            self.longest = self.longest.max(other.longest());
            self.of_lines.add(other.of_lines);
            self.of_blocks.add(other.of_blocks);
            self.accesses.iter_mut().zip(other.accesses).for_each(|(own, other)| *own += other);
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
    fn launch(&mut self, launch: &Launch) {
        self.grid_barrier = launch.grid_barrier;
        self.functions = Arc::clone(&launch.program.functions);
        let live = launch.memory.live();
        let host = live.iter().filter(|a| matches!(a.kind, Kind::HostPinned | Kind::HostRegistered));
        self.host = host.map(|a| (a.address, a.address + a.bytes)).collect();
    }
    fn block_start(&mut self, _: [u32; 3], _: u64) {
        self.longest = self.longest();
        self.shares.iter_mut().for_each(Share::begin_block);
    }
    /// Transfers go past L1.
    fn transfer_begins(&mut self, transfer: &Transfer) {
        for region in transfer.regions.iter().filter(|region| region.space == Space::Global && region.bytes > 0) {
            let store = region.kind == AccessKind::Store;
            self.begin_access(transfer.who.block_index);
            self.range(region.address, region.address + region.bytes - 1, store, (store, None));
        }
    }
    fn in_hindsight(&self) -> bool {
        true
    }
    fn passed(&mut self, passage: &Passage, column: usize) {
        let who = passage.warps()[column];
        self.turn_to(who.block_index);
        let mut time = self.share().loads(who.warp);
        for step in passage.steps() {
            match *step {
                Step::Loads { elements, columns, row, .. }
                    if elements.space == Space::Global && columns >> column & 1 == 1 =>
                {
                    time += 1;
                    let first = passage.addresses(row)[column];
                    self.load_at(time, first, first + elements.span() - 1);
                }
                Step::Stores { site, elements, columns, row }
                    if elements.space == Space::Global && columns >> column & 1 == 1 =>
                {
                    self.share().set_loads(who.warp, time);
                    self.access(&passage.store(site, elements, row, column));
                }
                Step::Accesses { columns, first, .. } if columns >> column & 1 == 1 => {
                    self.share().set_loads(who.warp, time);
                    self.access(&passage.access_of(first, columns, column));
                    time = self.share().loads(who.warp);
                }
                _ => {}
            }
        }
        self.share().set_loads(who.warp, time);
    }
    fn warp_loads(&mut self, who: &Who, loads: &[WarpLoad]) {
        for load in loads.iter().filter(|load| load.elements.space == Space::Global) {
            self.load(who, load.address, load.last());
        }
    }
    fn access(&mut self, access: &Access) {
        if access.space != Space::Global {
            return;
        }
        self.begin_access(access.who.block_index);
        let loads = access.kind == AccessKind::Load;
        let time = loads.then(|| self.time(access.who.warp));
        let how = (!loads, time);
        let store = access.kind == AccessKind::Store;
        if access.kind == AccessKind::Atomic {
            let function = self.functions.get(access.who.function as usize);
            let added_up = function.is_some_and(|function| is_added_up(function, access.site));
            let site = function.and_then(|function| function.sites.get(access.site as usize));
            let sum = match site {
                _ if added_up => Sum::AddedUp,
                Some(site) if site.opcode.adds_floats_in_memory() => Sum::OfFloats,
                _ => Sum::Other,
            };
            let span = if self.in_order { self.span(access.who.block_index) } else { self.wave };
            let before = self.atomics.steps;
            self.atomics.access(access, span, sum);
            if function.is_some_and(|function| is_answered(function, access.site)) {
                self.atomics.answered += self.atomics.steps - before;
            }
            let at_barrier = |[from, to]: [u64; 2]| (from..to).contains(&access.first_address());
            self.arrivals += u64::from(self.grid_barrier.is_some_and(at_barrier));
        }
        match access.range() {
            Some((first, bytes)) => self.range(first, first + bytes - 1, store, how),
            None => self.scattered(access, how),
        }
    }
}
