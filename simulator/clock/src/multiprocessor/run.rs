//! One multiprocessor, cycle by cycle, for the blocks that it would have of a launch: a scoreboard for each warp, schedulers that issue
//! one instruction at a time, units with rates and latencies, a first-level cache, and its share of what lies below as queues.
//!
//! Blocks beyond those that were followed are copies of them, each with lines of its own where the blocks that were followed share none.
use super::choice::Candidates;
use super::machine::{Block, Machine};
use super::meet::Woken;
use super::phases::Phases;
use super::resident_warp::{NEVER, Warp};
use super::setting::Setting;
use crate::analytic::stalls::Stalls;
use crate::cards::Device;
use crate::compiler::code::Code;
use crate::constants::{
    APART_CYCLES_PER_INSTRUCTION, ARRIVAL_CYCLES, BARRIER_CYCLES, BLOCK_START_CYCLES, BLOCK_STARTS_PER_CLOCK,
    COLD_CYCLES, INSTRUCTIONS_PER_MARK, MIDDLE_BEGINS, MIDDLE_ENDS, MOST_INSTRUCTIONS_OF_BLOCKS, MOST_SCHEDULERS,
    MOST_WAVES, MOST_WEIGHT_OF_A_WHOLE, RELEASE_CYCLES, SHORT_CODE, WARP_START_CYCLES,
};
use crate::listeners::trace::Trace;
use crate::listeners::warp_trace::WarpTrace;
use ptx::isa::machine::Unit;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The time of the busiest multiprocessor, and why.
pub struct Simulated {
    /// From the first to the last of the busiest multiprocessor's blocks.
    pub cycles: f64,
    /// Instructions that warps of one block issue, on average.
    pub issued_per_block: f64,
    pub stalls: Stalls,
    /// When the first atomic on global memory was issued.
    pub first_atomic: Option<f64>,
}

/// Plays the blocks of one multiprocessor through.
pub fn run(card: &Device, setting: &Setting, trace: &Trace, codes: &FxHashMap<u32, Arc<Code>>) -> Simulated {
    let traces: Vec<&Vec<WarpTrace>> = trace.kept.values().collect();
    let mut machine = Machine::new(card, setting, &traces, codes);
    let of_block: u64 =
        traces.iter().flat_map(|warps| warps.iter()).map(|warp| u64::from(warp.instructions)).sum::<u64>()
            / traces.len().max(1) as u64;
    let resident = setting.resident.min(setting.blocks).max(1);
    let affordable = (MOST_INSTRUCTIONS_OF_BLOCKS / of_block.max(1)).max(resident);
    let cut = setting.weight > MOST_WEIGHT_OF_A_WHOLE && setting.alike;
    let waves = if cut { 1 } else { (affordable / resident).clamp(1, MOST_WAVES) };
    let played = setting.blocks.min(waves * resident);
    let ends = machine.play(&traces, resident as usize, played);
    let first_atomic = machine.load_store.first_atomic;
    if cut {
        // The rest goes on as the middle of what was played: at its end some warps are through before others.
        let at = |share: f64| {
            let mark = (machine.marks.len() as f64 * share) as usize;
            let (time, text) = machine.marks.get(mark).copied().unwrap_or_default();
            (time as f64, text, ((mark + 1) as u64 * INSTRUCTIONS_PER_MARK) as f64)
        };
        let ((from, first, issued), (to, last, later)) = (at(MIDDLE_BEGINS), at(MIDDLE_ENDS));
        let of = |many: f64| if last > first { many / (last - first) } else { 0.0 };
        let all = of_block as f64 * setting.weight * played as f64;
        let wave = from + of(to - from) * (all - first);
        let cycles = wave * setting.blocks as f64 / played as f64;
        let issued_per_block = (issued + of(later - issued) * (all - first)) / played.max(1) as f64;
        return Simulated { cycles, issued_per_block, stalls: machine.stalls, first_atomic };
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
    Simulated { cycles: cycles * setting.weight, issued_per_block, stalls: machine.stalls, first_atomic }
}

/// The blocks of one multiprocessor while they are played through.
struct Playing<'a> {
    warps: Vec<Warp<'a>>,
    candidates: Candidates,
    blocks: Vec<Block>,
    /// By scheduler: the warp that it issued last.
    last: Vec<usize>,
    /// Until when each scheduler has nothing to issue; it is asked again when a block begins or a barrier lets go.
    idle: Vec<u64>,
    /// When the next block starts.
    starts: f64,
    begun: u64,
    /// The scheduler of the next block's first warp, modulo their number.
    first: usize,
    live: usize,
    /// The times at which blocks ended.
    ends: Vec<u64>,
}

impl<'a> Machine<'a> {
    /// The times at which blocks end.
    fn play(&mut self, traces: &[&'a Vec<WarpTrace>], resident: usize, total: u64) -> Vec<u64> {
        let schedulers = self.free.len();
        let phases: Vec<Phases> = traces.iter().map(|warps| Phases::of(warps)).collect();
        // Nothing of the code is in the multiprocessor's cache yet; that of an empty kernel comes with the launch.
        let long = self.codes.values().map(|code| code.instructions.len()).sum::<usize>() > SHORT_CODE;
        let mut playing = Playing {
            warps: Vec::new(),
            candidates: Candidates::new(schedulers),
            blocks: Vec::new(),
            last: vec![usize::MAX; schedulers],
            idle: vec![0; schedulers],
            starts: if long { COLD_CYCLES } else { 0.0 },
            begun: 0,
            first: 0,
            live: 0,
            ends: Vec::new(),
        };
        let mut now = 0u64;
        loop {
            while playing.live < resident && playing.begun < total {
                let followed = (playing.begun % traces.len() as u64) as usize;
                if !playing.candidates.has_room(traces[followed].len()) {
                    break;
                }
                let copy = playing.begun / traces.len() as u64;
                self.begin(&mut playing, traces[followed], &phases[followed], copy, now);
            }
            if playing.live == 0 {
                break;
            }
            let mut next = NEVER;
            let mut issued = false;
            for scheduler in 0..schedulers {
                if playing.idle[scheduler] > now {
                    next = next.min(playing.idle[scheduler]);
                    continue;
                }
                let among = (&mut playing.warps[..], &mut playing.candidates);
                let (chosen, others) = self.choose(scheduler, playing.last[scheduler], among, now);
                let Some(chosen) = chosen else {
                    playing.idle[scheduler] = others;
                    next = next.min(others);
                    continue;
                };
                issued = true;
                self.go(&mut playing, scheduler, (chosen, others), now);
            }
            if !issued && next == NEVER {
                if !self.let_go((&mut playing.warps, &mut playing.candidates), &mut playing.blocks, now) {
                    break;
                }
                playing.idle.fill(0);
                next = now + 1;
            }
            now = if issued { now + 1 } else { next };
        }
        playing.ends.sort_unstable();
        playing.ends
    }

    /// Begins a block: the `copy`th of one that was followed.
    fn begin(&self, playing: &mut Playing<'a>, trace: &'a [WarpTrace], phases: &Phases, copy: u64, now: u64) {
        let schedulers = self.free.len();
        let start = f64::max(playing.starts, now as f64);
        playing.starts = start + self.setting.active / BLOCK_STARTS_PER_CLOCK;
        let first_warp = (start + BLOCK_START_CYCLES) as u64;
        let block = playing.blocks.len();
        let mut count = 0;
        for (place, one) in trace.iter().enumerate().filter(|(_, one)| !one.runs.is_empty()) {
            let at = first_warp + place as u64 * WARP_START_CYCLES;
            let mut warp = Warp::new(one, block, copy, at, self.codes);
            warp.number = playing.warps.len() as u64;
            if warp.advance(self.codes) {
                playing.candidates.push((playing.first + place) % schedulers, &warp);
                playing.warps.push(warp);
                count += 1;
            }
        }
        // A block's warps are dealt out to the schedulers in turn from where the last block's ended; one further where that would be
        // where it began. Measured on an H200 with blocks of 1, 2, 3, 4 and 8 warps of which one, two or four work.
        playing.first += trace.len() + usize::from(trace.len().is_multiple_of(schedulers));
        playing.blocks.push(Block {
            live: count,
            stored: 0,
            arrived: 0,
            waiting: Vec::new(),
            issued: [0; MOST_SCHEDULERS],
            phases: phases.clone(),
        });
        playing.idle.fill(0);
        playing.begun += 1;
        if count == 0 {
            playing.ends.push(first_warp + trace.len().saturating_sub(1) as u64 * WARP_START_CYCLES);
        } else {
            playing.live += 1;
        }
    }

    /// Issues the chosen warp's instruction. `others`: when another warp of its scheduler can issue.
    fn go(&mut self, playing: &mut Playing<'a>, scheduler: usize, (chosen, others): (usize, u64), now: u64) {
        let Playing { warps, candidates, blocks, last, idle, live, ends, .. } = playing;
        last[scheduler] = chosen;
        let warp = &mut warps[chosen];
        let barrier = warp.unit == Unit::Barrier && self.is_waited_for(warp);
        let (acts, block) = (warp.acts(), warp.block);
        self.issue(scheduler, warp, now);
        let phases = &mut blocks[block].phases;
        let woken = if acts.is_empty() { Woken::default() } else { self.act(chosen, warp, acts, now, phases) };
        if self.issued.is_multiple_of(INSTRUCTIONS_PER_MARK) {
            self.marks.push((now, self.text));
        }
        let done = !warp.advance(self.codes);
        candidates.note(chosen, warp);
        // Nothing more is issued before its operands are read, nor before a warp can.
        idle[scheduler] = self.read_at(scheduler).max(others.min(if done { NEVER } else { warp.ready }));
        if !woken.warps.is_empty() {
            self.wake(warps, candidates, &woken);
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
                *live -= 1;
                ends.push(now.max(own.stored));
            }
        }
        if own.arrived > 0 && own.arrived >= own.live {
            own.arrived = 0;
            self.barriers += RELEASE_CYCLES;
            idle.fill(0);
            let busiest = own.issued.iter().copied().max().unwrap_or(0);
            own.issued = [0; MOST_SCHEDULERS];
            let apart = (f64::from(busiest) * APART_CYCLES_PER_INSTRUCTION) as u64;
            for index in own.waiting.drain(..) {
                let warp = &mut warps[index];
                warp.ready = (self.barriers as u64).max(now) + BARRIER_CYCLES + apart;
                candidates.note(index, warp);
            }
        }
    }
}
