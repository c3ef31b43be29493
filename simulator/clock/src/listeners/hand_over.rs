//! Blocks that wait for other blocks: who waited for whose store, and how much later a launch ends because of it.
//!
//! A probe for kernels that ask for a word of global memory in a loop until another block has stored what they wait for. Blocks run on one
//! worker there, so that a store is heard of before the load that has waited for it. How often the loop went round, and what the word held
//! in the end, depends on the order in which blocks ran. On a card blocks run side by side: a block may go on as soon as the other one has
//! stored anything new, so it waits for the first store that it has not seen. In a scan that looks back these are the sums of single blocks,
//! which wait for nobody; where a block hands on what it was given, the stores make a chain.
use crate::cards::Device;
use crate::compiler::facts;
use crate::constants::{ALONE_BYTES_PER_CLOCK, FENCE_CYCLES, MOST_EVENTS, SEEN_CYCLES};
use machine::probe::{Access, AccessKind, Addresses, Launch, Probe, Scope, Strength, WarpLoad, Who, lanes};
use machine::program::Function;
use ptx::isa::Space;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The probe.
pub struct HandOvers {
    functions: Arc<Vec<Function>>,
    /// The block that was heard of last, and others that have begun.
    current: u64,
    own: Progress,
    others: FxHashMap<u64, Progress>,
    /// By word: who has stored there, in order.
    stores: FxHashMap<u64, Vec<Stored>>,
    /// By block and word: how many of the word's stores it has seen.
    seen: FxHashMap<(u64, u64), usize>,
    events: Vec<Event>,
    /// True if all that happened was told here, in order.
    complete: bool,
}

/// How far a block is.
#[derive(Default)]
struct Progress {
    /// Instructions of each warp.
    of_warps: Vec<u32>,
    /// Bytes that it has loaded from and stored to global memory since its last event.
    bytes: u64,
    /// True if that was a fence: the block's warps fence at the same time.
    fenced: bool,
}

/// A store to a word: the block, and its event.
#[derive(Clone, Copy)]
struct Stored {
    block: u64,
    event: u32,
}

/// A step of a block that concerns others, in the order in which the steps happened.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Event {
    block: u64,
    /// Instructions that its warp has run.
    at: u32,
    /// Bytes that the block has loaded and stored since its event before.
    bytes: u64,
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// The stores so far are to be seen by others.
    Fence,
    Store,
    /// A load saw the store of that event.
    Wait(u32),
    /// The block ends; `at` has the instructions of its longest warp.
    End,
}

impl HandOvers {
    /// For launches of a program; `None` where no block waits for others.
    pub fn of(functions: &Arc<Vec<Function>>) -> Option<HandOvers> {
        let waits = functions.iter().any(facts::waits_for_blocks);
        waits.then(|| HandOvers::fresh(functions))
    }

    /// One that has heard nothing.
    fn fresh(functions: &Arc<Vec<Function>>) -> HandOvers {
        HandOvers {
            functions: Arc::clone(functions),
            current: u64::MAX,
            own: Progress::default(),
            others: FxHashMap::default(),
            stores: FxHashMap::default(),
            seen: FxHashMap::default(),
            events: Vec::new(),
            complete: true,
        }
    }

    /// Clocks that a launch takes longer than the `cycles` that it would take if nobody waited. So many blocks are resident at once.
    pub fn cycles(&self, card: &Device, cycles: f64, blocks: u64, resident: u64) -> f64 {
        let waits = self.events.iter().any(|event| matches!(event.step, Step::Wait(_)));
        let ends = self.events.iter().filter(|event| event.step == Step::End);
        let mut lengths: Vec<(u64, u32)> = ends.map(|end| (end.block, end.at)).collect();
        lengths.sort_unstable();
        if !self.complete || !waits || lengths.len() as u64 != blocks {
            return 0.0;
        }
        let (starts, last) = starts(&lengths, resident.max(1));
        let of_instruction = cycles / last.max(1) as f64;
        let mut clocks: FxHashMap<u64, BlockTime> = starts
            .into_iter()
            .map(|(block, start)| (block, BlockTime { now: start as f64 * of_instruction, ..BlockTime::default() }))
            .collect();
        let mut stored = vec![0.0f64; self.events.len()];
        let mut end = cycles;
        for (number, event) in self.events.iter().enumerate() {
            let Some(clock) = clocks.get_mut(&event.block) else { continue };
            let ran = f64::from(event.at.saturating_sub(clock.at)) * of_instruction;
            // No data that a block asks for have come while it waited.
            let moved = match (clock.late, event.bytes) {
                (true, 1..) => {
                    f64::from(card.architecture.l2_latency_cycles) + event.bytes as f64 / ALONE_BYTES_PER_CLOCK
                }
                _ => 0.0,
            };
            clock.at = clock.at.max(event.at);
            clock.now += ran.max(moved);
            match event.step {
                Step::Fence => clock.now += FENCE_CYCLES,
                Step::Store => (clock.late, stored[number]) = (false, clock.now),
                Step::Wait(store) => {
                    let seen = stored[store as usize] + SEEN_CYCLES;
                    if seen > clock.now {
                        (clock.late, clock.now) = (true, seen);
                    }
                }
                Step::End => end = end.max(clock.now),
            }
        }
        end - cycles
    }

    #[inline]
    fn turn_to(&mut self, block: u64) {
        if self.current != block {
            let own = self.others.remove(&block).unwrap_or_default();
            let before = std::mem::replace(&mut self.own, own);
            if self.current != u64::MAX {
                self.others.insert(self.current, before);
            }
            self.current = block;
        }
    }

    /// Notes what the current block does.
    fn note(&mut self, warp: u32, step: Step) -> u32 {
        if self.events.len() == MOST_EVENTS {
            self.complete = false;
            return 0;
        }
        let at = match step {
            Step::End => self.own.of_warps.iter().copied().max().unwrap_or(0),
            _ => self.own.of_warps.get(warp as usize).copied().unwrap_or(0),
        };
        self.own.fenced = step == Step::Fence;
        let bytes = std::mem::take(&mut self.own.bytes);
        self.events.push(Event { block: self.current, at, bytes, step });
        self.events.len() as u32 - 1
    }

    /// The current block's load of a word, in a loop that waits.
    fn polled(&mut self, warp: u32, word: u64) {
        let Some(stores) = self.stores.get(&word) else { return };
        let seen = self.seen.entry((self.current, word)).or_default();
        let new = &stores[std::mem::replace(seen, stores.len())..];
        let Some(last) = new.last().filter(|last| last.block != self.current) else { return };
        if let Some(first) = new.iter().find(|store| store.block == last.block) {
            self.note(warp, Step::Wait(first.event));
        }
    }
}

#[derive(Default)]
struct BlockTime {
    now: f64,
    /// Instructions so far.
    at: u32,
    /// True if it has waited since it stored a word that others wait for.
    late: bool,
}

/// Deals blocks out to so many places as they get free: when each starts and the last one ends, in instructions.
fn starts(lengths: &[(u64, u32)], places: u64) -> (Vec<(u64, u64)>, u64) {
    let mut free: BinaryHeap<Reverse<u64>> = (0..places.min(lengths.len() as u64)).map(|_| Reverse(0)).collect();
    let mut last = 0;
    let starts = lengths.iter().map(|&(block, length)| {
        let start = free.pop().map_or(0, |Reverse(at)| at);
        let end = start + u64::from(length);
        last = last.max(end);
        free.push(Reverse(end));
        (block, start)
    });
    (starts.collect(), last)
}

impl Probe for HandOvers {
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(HandOvers { complete: self.complete, ..HandOvers::fresh(&self.functions) })
    }

    fn join(&mut self, worker: Box<dyn Probe>) {
        // Events on two workers have no order.
        if let Some(other) = worker.concrete::<HandOvers>() {
            self.complete &= other.complete && other.events.is_empty();
        }
    }

    fn launch(&mut self, launch: &Launch) {
        self.functions = Arc::clone(&launch.program.functions);
    }

    fn run(&mut self, who: Who, block: u32, _: u32, _: u32) {
        self.turn_to(who.block_index);
        let sites = &self.functions[who.function as usize].blocks[block as usize].sites;
        let warp = who.warp as usize;
        if self.own.of_warps.len() <= warp {
            self.own.of_warps.resize(warp + 1, 0);
        }
        self.own.of_warps[warp] += sites.end - sites.start;
    }

    fn block_end(&mut self, _: [u32; 3], block_index: u64) {
        self.turn_to(block_index);
        self.note(0, Step::End);
        self.own = Progress::default();
        self.current = u64::MAX;
    }

    fn fence(&mut self, who: Who, _: u32, _: u32, scope: Scope) {
        self.turn_to(who.block_index);
        if scope >= Scope::Device && !self.own.fenced {
            self.note(who.warp, Step::Fence);
        }
    }

    #[inline]
    fn warp_loads(&mut self, who: &Who, loads: &[WarpLoad]) {
        for load in loads.iter().filter(|load| load.elements.space == Space::Global) {
            self.turn_to(who.block_index);
            self.own.bytes += load.elements.span();
        }
    }

    fn access(&mut self, access: &Access) {
        if access.space != Space::Global {
            return;
        }
        let who = access.who;
        self.turn_to(who.block_index);
        let bytes = match access.addresses {
            Addresses::Same(_) => access.bytes,
            _ => access.bytes * access.lane_count(),
        };
        self.own.bytes += u64::from(bytes);
        let site = || &self.functions[who.function as usize].sites[access.site as usize];
        let stores = match access.kind {
            _ if access.order.is_weak() => return,
            AccessKind::Load => {
                let function = &self.functions[who.function as usize];
                if !facts::waits_for_a_block(function, access.site) {
                    return;
                }
                false
            }
            AccessKind::Store => true,
            AccessKind::Atomic if site().opcode.is_exchange() => true,
            // Counts, and barriers made of them, have a model of their own.
            AccessKind::Atomic => return,
        };
        let releases = matches!(access.order.strength, Strength::Release | Strength::AcquireRelease);
        if stores && releases && access.order.scope >= Scope::Device && !self.own.fenced {
            self.note(who.warp, Step::Fence);
        }
        for lane in lanes(access.distinct_lanes()) {
            let word = access.address(lane);
            if stores {
                let event = self.note(who.warp, Step::Store);
                self.stores.entry(word).or_default().push(Stored { block: self.current, event });
            } else {
                self.polled(who.warp, word);
            }
        }
    }
}
