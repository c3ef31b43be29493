//! One multiprocessor, cycle by cycle, for the blocks that it would have of a launch: a scoreboard for each warp, schedulers that issue
//! one instruction at a time, units with rates and latencies, a first-level cache, and its share of what lies below as queues.
//!
//! Blocks beyond those that were followed are copies of them, each with lines of its own where the blocks that were followed share none.
mod choice;
mod issue;
mod meet;
mod units;

use super::code::Code;
use super::kernel_time::{BLOCK_START_CYCLES, BLOCK_STARTS_PER_CLOCK, WARP_START_CYCLES};
use super::load_store::LoadStore;
use super::phases::Phases;
use super::resident_warp::{NEVER, Warp};
use super::setting::Setting;
use super::stalls::Stalls;
use super::trace::{Trace, WarpTrace};
use crate::device::Device;
use choice::Candidates;
use meet::Woken;
use ptx::isa::machine::{UNITS, Unit};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;
use units::{Cost, costs};

/// What was found.
pub struct Found {
    /// Of all of the busiest multiprocessor's blocks.
    pub cycles: f64,
    /// Instructions that warps of one block issue, on average.
    pub issued_per_block: f64,
    pub stalls: Stalls,
    /// When the first atomic on global memory was issued.
    pub first_atomic: Option<f64>,
}

/// What blocks did over what was followed of them, up to which the end of a block is taken to have been seen.
const MOST_OF_A_WHOLE: f64 = 1.02;
const MARK: u64 = 32;
/// Instructions that are played through at the most.
const MOST_INSTRUCTIONS: u64 = 100_000;

const MOST_SCHEDULERS: usize = 4;

struct Block {
    live: u32,
    stored: u64,
    arrived: u32,
    waiting: Vec<usize>,
    /// By scheduler: instructions of its warps since the last barrier.
    issued: [u32; MOST_SCHEDULERS],
    phases: Phases,
}

/// Whether instructions of a unit wait in the queue to the load/store units, which holds some.
fn waits_in_queue(unit: Unit) -> bool {
    matches!(unit, Unit::Memory | Unit::Copy | Unit::Shuffle)
}

struct Machine<'a> {
    card: &'a Device,
    setting: &'a Setting,
    codes: &'a FxHashMap<u32, Arc<Code>>,
    costs: [Cost; UNITS],
    /// When each scheduler's units are free; the fp32 unit has two halves.
    free: Vec<[f64; UNITS]>,
    /// When each scheduler's tensor unit begins with the last product of four warps that it was given.
    begun: Vec<f64>,
    load_store: LoadStore<'a>,
    barriers: f64,
    /// Of each scheduler, when what it has handed to the load/store units leaves its queue to them.
    queues: Vec<VecDeque<(f64, bool)>>,
    /// When each scheduler has read its last instruction's operands, and whose that was.
    ports: Vec<(f64, u64)>,
    /// Of each scheduler, when loads will write to how many registers.
    arriving: Vec<VecDeque<(u64, u16)>>,
    stalls: Stalls,
    issued: u64,
    /// Instructions of the text that these stand for.
    text: f64,
    /// The time of every so many instructions, and those of the text until then.
    marks: Vec<(u64, f64)>,
}

/// Plays the blocks of one multiprocessor through.
pub fn run(card: &Device, setting: &Setting, trace: &Trace, codes: &FxHashMap<u32, Arc<Code>>) -> Found {
    let traces: Vec<&Vec<WarpTrace>> = trace.kept.values().collect();
    let schedulers = card.architecture.schedulers_per_multiprocessor.max(1) as usize;
    let mut machine = Machine {
        card,
        setting,
        codes,
        costs: costs(card.architecture, schedulers),
        free: vec![[0.0; UNITS]; schedulers],
        begun: vec![0.0; schedulers],
        load_store: LoadStore::new(card, setting, &traces),
        barriers: 0.0,
        queues: vec![VecDeque::with_capacity(QUEUE_HOLDS); schedulers],
        ports: vec![(0.0, NEVER); schedulers],
        arriving: vec![VecDeque::new(); schedulers],
        stalls: Stalls::default(),
        issued: 0,
        text: 0.0,
        marks: Vec::new(),
    };
    let of_block: u64 =
        traces.iter().flat_map(|warps| warps.iter()).map(|warp| u64::from(warp.instructions)).sum::<u64>()
            / traces.len().max(1) as u64;
    let resident = setting.resident.min(setting.blocks).max(1);
    let affordable = (MOST_INSTRUCTIONS / of_block.max(1)).max(resident);
    let cut = setting.weight > MOST_OF_A_WHOLE && setting.alike;
    let waves = if cut { 1 } else { (affordable / resident).clamp(1, 8) };
    let played = setting.blocks.min(waves * resident);
    let ends = machine.play(&traces, resident as usize, played);
    let first_atomic = machine.load_store.first_atomic;
    if cut {
        // The rest goes on as the middle of what was played: at its end some warps are through before others.
        let at = |share: f64| {
            let mark = (machine.marks.len() as f64 * share) as usize;
            let (time, text) = machine.marks.get(mark).copied().unwrap_or_default();
            (time as f64, text, ((mark + 1) as u64 * MARK) as f64)
        };
        let ((from, first, issued), (to, last, later)) = (at(0.4), at(0.85));
        let of = |many: f64| if last > first { many / (last - first) } else { 0.0 };
        let all = of_block as f64 * setting.weight * played as f64;
        let wave = from + of(to - from) * (all - first);
        let cycles = wave * setting.blocks as f64 / played as f64;
        let issued_per_block = (issued + of(later - issued) * (all - first)) / played.max(1) as f64;
        return Found { cycles, issued_per_block, stalls: machine.stalls, first_atomic };
    }
    let last = ends.last().copied().unwrap_or(0) as f64;
    let cycles = if played < setting.blocks {
        // From the end of the first blocks on, each costs the same.
        let known = ends.len();
        let from = if known as u64 >= 2 * resident { resident as usize - 1 } else { 0 };
        let each = if known as u64 > resident {
            (last - ends[from] as f64) / (known - 1 - from).max(1) as f64
        } else {
            last / known.max(1) as f64
        };
        last + each * (setting.blocks - played) as f64
    } else {
        last
    };
    let issued_per_block = machine.issued as f64 / played.max(1) as f64 * setting.weight;
    Found { cycles: cycles * setting.weight, issued_per_block, stalls: machine.stalls, first_atomic }
}

impl<'a> Machine<'a> {
    /// The times at which blocks end.
    fn play(&mut self, traces: &[&'a Vec<WarpTrace>], resident: usize, total: u64) -> Vec<u64> {
        let schedulers = self.free.len();
        let phases: Vec<Phases> = traces.iter().map(|warps| Phases::of(warps)).collect();
        let between_starts = self.setting.active / BLOCK_STARTS_PER_CLOCK;
        // Nothing of the code is in the multiprocessor's cache yet; that of an empty kernel comes with the launch.
        let long = self.codes.values().map(|code| code.instructions.len()).sum::<usize>() > SHORT_CODE;
        let mut starts = if long { COLD_CYCLES } else { 0.0 };
        let mut begun = 0u64;
        let mut ends = Vec::new();
        let mut warps: Vec<Warp> = Vec::new();
        let mut candidates = Candidates::new(schedulers);
        let mut blocks: Vec<Block> = Vec::new();
        let mut last: Vec<usize> = vec![usize::MAX; schedulers];
        // Until when each scheduler has nothing to issue; it is asked again when a block begins or a barrier lets go.
        let mut idle = vec![0u64; schedulers];
        let mut first = 0;
        let mut now = 0u64;
        let mut live = 0usize;
        loop {
            while live < resident && begun < total {
                let followed = (begun % traces.len() as u64) as usize;
                let trace = traces[followed];
                let start = f64::max(starts, now as f64);
                starts = start + between_starts;
                let first_warp = (start + BLOCK_START_CYCLES) as u64;
                let block = blocks.len();
                let mut count = 0;
                for (place, one) in trace.iter().enumerate().filter(|(_, one)| !one.runs.is_empty()) {
                    let at = first_warp + place as u64 * WARP_START_CYCLES;
                    let mut warp = Warp::new(one, block, begun / traces.len() as u64, at, self.codes);
                    warp.number = warps.len() as u64;
                    if warp.advance(self.codes) {
                        candidates.push((first + place) % schedulers, &warp);
                        warps.push(warp);
                        count += 1;
                    }
                }
                // A block's warps are dealt out to the schedulers in turn from where the last block's ended; one further where that would be
                // where it began. Measured on an H200 with blocks of 1, 2, 3, 4 and 8 warps of which one, two or four work.
                first += trace.len() + usize::from(trace.len().is_multiple_of(schedulers));
                blocks.push(Block {
                    live: count,
                    stored: 0,
                    arrived: 0,
                    waiting: Vec::new(),
                    issued: [0; MOST_SCHEDULERS],
                    phases: phases[followed].clone(),
                });
                idle.fill(0);
                begun += 1;
                if count == 0 {
                    ends.push(first_warp + trace.len().saturating_sub(1) as u64 * WARP_START_CYCLES);
                } else {
                    live += 1;
                }
            }
            if live == 0 {
                break;
            }
            let mut next = NEVER;
            let mut issued = false;
            for scheduler in 0..schedulers {
                if idle[scheduler] > now {
                    next = next.min(idle[scheduler]);
                    continue;
                }
                let (chosen, others) = self.choose(scheduler, last[scheduler], (&mut warps, &mut candidates), now);
                let Some(chosen) = chosen else {
                    idle[scheduler] = others;
                    next = next.min(others);
                    continue;
                };
                issued = true;
                last[scheduler] = chosen;
                let (block, done, barrier, woken) = {
                    let warp = &mut warps[chosen];
                    let (barrier, acts) = (warp.unit == Unit::Barrier, warp.acts());
                    self.issue(scheduler, warp, now);
                    let phases = &mut blocks[warp.block].phases;
                    let woken =
                        if acts.is_empty() { Woken::default() } else { self.act(chosen, warp, acts, now, phases) };
                    if self.issued.is_multiple_of(MARK) {
                        self.marks.push((now, self.text));
                    }
                    let done = !warp.advance(self.codes);
                    candidates.note(chosen, warp);
                    // Nothing more is issued before its operands are read, nor before a warp can.
                    idle[scheduler] = self.read_at(scheduler).max(others.min(if done { NEVER } else { warp.ready }));
                    (warp.block, done, barrier, woken)
                };
                if !woken.warps.is_empty() {
                    self.wake(&mut warps, &mut candidates, &woken);
                    idle.fill(0);
                }
                let own = &mut blocks[block];
                own.issued[scheduler % MOST_SCHEDULERS] += 1;
                if barrier {
                    self.barriers = self.barriers.max(now as f64) + ARRIVAL_CYCLES;
                    own.arrived += 1;
                    own.waiting.push(chosen);
                }
                if done {
                    own.stored = own.stored.max(warps[chosen].stored);
                    own.live -= 1;
                    last[scheduler] = usize::MAX;
                    candidates.remove(chosen);
                    if own.live == 0 {
                        live -= 1;
                        ends.push(now.max(own.stored));
                    }
                }
                if own.arrived > 0 && own.arrived >= own.live {
                    own.arrived = 0;
                    self.barriers += RELEASE_CYCLES;
                    idle.fill(0);
                    let busiest = own.issued.iter().copied().max().unwrap_or(0);
                    own.issued = [0; MOST_SCHEDULERS];
                    let apart = (f64::from(busiest) * APART) as u64;
                    for index in own.waiting.drain(..) {
                        let warp = &mut warps[index];
                        warp.ready = (self.barriers as u64).max(now) + BARRIER_CYCLES + apart;
                        candidates.note(index, warp);
                    }
                }
            }
            if !issued && next == NEVER {
                if !self.let_go((&mut warps, &mut candidates), &mut blocks, now) {
                    break;
                }
                idle.fill(0);
                next = now + 1;
            }
            now = if issued { now + 1 } else { next };
        }
        ends.sort_unstable();
        ends
    }
}

// Cycles, measured on an H200 with `calibration.cu`.
/// Of the place where registers are read, for each that a load's data are written to: 64 multiply-adds beside 4 loads of 16 bytes from shared
/// memory take a scheduler 80 cycles, beside 16 loads of a word 102. Part of the former are operands that lie in one bank.
const ARRIVAL_PORT_CYCLES: f64 = 0.5;
/// Of a barrier, from the last arrival on; of each arrival of a warp of the multiprocessor, and of each time that its warps are let go: rounds of a
/// barrier by blocks of 2, 8 and 32 warps.
const BARRIER_CYCLES: u64 = 10;
/// Of the load/store units, for each arrival: rounds of a barrier and a sum in shared memory take longer than either, where many blocks have them.
const BARRIER_TURN_CYCLES: f64 = 0.6;
const ARRIVAL_CYCLES: f64 = 2.15;
const RELEASE_CYCLES: f64 = 0.8;
/// What the last of a block's warps comes to a barrier later, for each instruction of the busiest scheduler since the barrier before: schedulers
/// do not go on alike. Slabs of 16 steps of a 128 × 128 product have 100 to 250 cycles of 2800 between the first warp's coming and the last one's.
const APART: f64 = 0.06;
/// The first instructions of a launch come so much later than those of later blocks, if there are more than a few.
const COLD_CYCLES: f64 = 300.0;
const SHORT_CODE: usize = 8;
/// What a scheduler's queue to the load/store units holds. They take from all in the order of their coming, so that none of the schedulers
/// keeps the others from them: a naive product's warps end together.
const QUEUE_HOLDS: usize = 6;
