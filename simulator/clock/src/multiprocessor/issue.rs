//! Issues a warp's next instruction.
use super::machine::{Machine, waits_in_queue};
use super::resident_warp::{NEVER, Ready, Warp};
use super::units::product;
use crate::analytic::stalls::Reason;
use crate::compiler::code::Instruction;
use crate::constants::{
    BARRIER_TURN_CYCLES, BRANCH_CYCLES, SWITCHED_OFF_LATENCY, TENSOR_LATENCY, WARP_LANES, WARPS_OF_GROUP,
};
use crate::listeners::warp_trace::Touch;
use ptx::isa::machine::{Pipe, Unit};
use std::collections::VecDeque;

impl Machine<'_> {
    /// Issues a warp's next instruction: what it keeps busy, and when what it writes is there.
    pub(super) fn issue(&mut self, scheduler: usize, warp: &mut Warp, now: u64) {
        let a = self.card.architecture;
        let code = warp.code;
        let instruction = &code.instructions[warp.at as usize];
        let ready = now.saturating_sub(warp.ready);
        let throttled = std::mem::take(&mut warp.throttled).cycles.min(ready);
        let touch = matches!(instruction.unit, Unit::Memory | Unit::Copy).then(|| warp.touch(instruction)).flatten();
        let beyond = throttled > 0 && touch.is_some_and(|touch| !touch.shared);
        self.stalls.add(
            (warp.function, instruction.site),
            warp.why,
            now - warp.issued.min(now),
            ready,
            (Reason::of_unit(instruction.unit, beyond), throttled),
        );
        let (busy, latency, why) = match instruction.unit {
            Unit::Tensor => product(a, self.free.len(), instruction),
            unit => self.costs[unit as usize],
        };
        let at = now as f64;
        self.take_pipe(scheduler, warp.number, instruction, (at, busy));
        if waits_in_queue(instruction.unit) {
            self.queue_up(scheduler, warp.stores(), at);
        }
        let ready =
            self.result(scheduler, warp, instruction, touch, (now, busy), (now + latency, why, instruction.pipe));
        if instruction.unit == Unit::Memory && !code.writes(instruction).is_empty() {
            self.expect(scheduler, ready.0, code.writes(instruction).len() as u16);
        }
        let ready = if self.is_waited_for(warp) { ready } else { (now + 1, Reason::Wait, Pipe::Other) };
        for &register in code.writes(instruction) {
            warp.registers[register as usize] = ready;
        }
        self.issued += 1;
        self.text += warp.each;
        warp.issued = now;
        warp.ready = now + 1;
        warp.why = Reason::Selected;
        // A loop of swaps keeps the warp itself, whoever reads its result.
        if touch.is_some_and(|touch| touch.swaps > 0) {
            (warp.ready, warp.why) = (ready.0, ready.1);
        }
        if self.is_waited_for(warp) {
            go_on(warp, instruction, now);
        }
        warp.at += 1;
    }

    /// False for a barrier or a load of a warp that is tried without waiting.
    pub(super) fn is_waited_for(&self, warp: &Warp) -> bool {
        let waits = self.setting.waits;
        waits.is_empty() || !waits.contains(&(warp.function, warp.code.instructions[warp.at as usize].site))
    }

    /// Keeps the read ports and the pipe of an instruction busy, for so long from a time on.
    fn take_pipe(&mut self, scheduler: usize, warp: u64, instruction: &Instruction, (at, busy): (f64, f64)) {
        // Two registers are read a clock. Registers that the same warp's instruction before has read too are still there, and half a clock
        // that is left is the next one's.
        let port = &mut self.ports[scheduler];
        let same = port.1 == warp;
        let reads = match same {
            true => f64::from(instruction.ports - instruction.kept) / 2.0,
            false => f64::from(instruction.ports.div_ceil(2)),
        };
        let from = if same { port.0.max(at - 0.5) } else { at };
        *port = (from + reads.max(1.0), warp);
        let free = &mut self.free[scheduler];
        match instruction.unit {
            Unit::Fp32 => {
                let half = usize::from(free[1] < free[0]);
                free[half] = at + 2.0 * busy;
            }
            Unit::Multiply | Unit::Wide => free[0] = at + busy,
            Unit::Check => free[Unit::Special as usize] = at + busy,
            Unit::Tensor if instruction.of_four => {}
            // Where the other pipe has less to do.
            Unit::Add if free[0] <= at => free[0] = at + busy,
            Unit::Add => free[Unit::Integer as usize] = at + busy,
            unit => free[unit as usize] = at + busy,
        }
    }

    /// Puts an instruction in the queue to the load/store units.
    fn queue_up(&mut self, scheduler: usize, stores: bool, at: f64) {
        let queue = &mut self.queues[scheduler];
        while queue.front().is_some_and(|front| front.0 <= at) {
            queue.pop_front();
        }
        queue.push_back((f64::max(self.load_store.busy, at), stores));
        if stores {
            let with_stores =
                |queue: &&VecDeque<(f64, bool)>| queue.iter().any(|&(leaves, stores)| stores && leaves > at);
            self.load_store.stored.come_from(scheduler, self.queues.iter().filter(with_stores).count());
        }
    }

    /// When an instruction's result is there: that of its pipe, unless it goes through units that others may keep busy.
    fn result(
        &mut self,
        scheduler: usize,
        warp: &mut Warp,
        instruction: &Instruction,
        touch: Option<Touch>,
        (now, busy): (u64, f64),
        mut ready: Ready,
    ) -> Ready {
        let (a, code, at, latency) = (self.card.architecture, warp.code, now as f64, ready.0 - now);
        if instruction.unit == Unit::Barrier && self.is_waited_for(warp) {
            self.load_store.busy = f64::max(self.load_store.busy, at) + BARRIER_TURN_CYCLES;
        }
        if instruction.unit == Unit::Shuffle {
            let start = f64::max(self.load_store.busy, at);
            self.load_store.busy = start + f64::from(WARP_LANES) / f64::from(a.load_store_lanes_per_multiprocessor);
            ready.0 = start as u64 + latency;
        }
        if instruction.unit == Unit::Memory {
            ready = match touch {
                Some(touch) => self.load_store.access(warp, touch, at),
                None if instruction.shared => self.load_store.none_active(at),
                None => (now + SWITCHED_OFF_LATENCY, Reason::Wait, Pipe::Other),
            };
            if touch.is_some_and(|touch| !touch.shared && code.writes(instruction).is_empty()) {
                warp.stored = warp.stored.max(ready.0);
            }
        }
        if instruction.unit == Unit::Copy
            && let Some(touch) = touch
        {
            let there = self.load_store.access(warp, touch, at).0;
            // The bytes that arrive are written to shared memory.
            self.load_store.busy +=
                f64::from(touch.wavefronts) * f64::from(WARP_LANES) / f64::from(a.load_store_lanes_per_multiprocessor);
            warp.ungrouped = if self.is_waited_for(warp) { warp.ungrouped.max(there) } else { now };
        }
        if instruction.unit == Unit::Tensor && instruction.of_four {
            // Each of the four warps reads a quarter of the operands. Nobody waits for the sums but who waits for their group.
            let read = self.load_store.operands(f64::from(instruction.shared_bytes) / f64::from(WARPS_OF_GROUP), at);
            let free = &mut self.free[scheduler][Unit::Tensor as usize];
            let begins = f64::max(*free, at);
            *free = f64::max(begins + busy, read);
            self.begun[scheduler] = begins;
            let there = *free as u64 + TENSOR_LATENCY + u64::from(a.shared_latency_cycles);
            warp.ungrouped_products = warp.ungrouped_products.max(there);
            ready = (now, Reason::Wait, Pipe::Other);
        }
        ready
    }
}

/// Notes what a warp waits for after an instruction.
fn go_on(warp: &mut Warp, instruction: &Instruction, now: u64) {
    match instruction.unit {
        Unit::Commit if instruction.of_four => warp.products.push(std::mem::take(&mut warp.ungrouped_products)),
        Unit::Commit => warp.groups.push(std::mem::take(&mut warp.ungrouped)),
        Unit::Await => {
            let (groups, why) = match instruction.of_four {
                true => (&warp.products, Reason::MathPipeThrottle),
                false => (&warp.groups, Reason::LongScoreboard),
            };
            let ended = groups.len().saturating_sub(instruction.open.into());
            let there = groups[..ended].iter().copied().max().unwrap_or(0);
            if there > warp.ready {
                (warp.ready, warp.why) = (there, why);
            }
        }
        Unit::Barrier => (warp.ready, warp.why) = (NEVER, Reason::Barrier),
        Unit::Detour => (warp.ready, warp.why) = (now + BRANCH_CYCLES, Reason::BranchResolving),
        Unit::Control if warp.at + 1 == warp.end => {
            (warp.ready, warp.why) = (now + BRANCH_CYCLES, Reason::BranchResolving)
        }
        _ => {}
    }
}
