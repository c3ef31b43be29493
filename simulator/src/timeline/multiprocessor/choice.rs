//! Which warp a scheduler issues next.
use super::{ARRIVAL_PORT_CYCLES, Machine, QUEUE_HOLDS, waits_in_queue};
use crate::isa::machine::Unit;
use crate::timeline::resident_warp::{NEVER, Warp};
use std::cmp::Reverse;

impl Machine<'_> {
    /// When a scheduler's queue to the load/store units has room.
    fn room(&self, scheduler: usize) -> f64 {
        let queue = &self.queues[scheduler];
        queue.len().checked_sub(QUEUE_HOLDS).map_or(0.0, |first| queue[first].0)
    }

    /// The warp of a scheduler that issues now: the last one, else the first that can. Where none can: until when that stays so, at the least.
    pub(super) fn choose(
        &mut self,
        scheduler: usize,
        of_scheduler: &[usize],
        last: usize,
        warps: &mut [Warp],
        now: u64,
    ) -> Result<usize, u64> {
        self.take_arrivals(scheduler, now);
        let port = self.ports[scheduler].0;
        if port > now as f64 {
            return Err(port.ceil() as u64);
        }
        let room = self.room(scheduler);
        let mut until = NEVER;
        let mut chosen = None;
        for &index in of_scheduler {
            let warp = &mut warps[index];
            let mut at = warp.ready;
            if at <= now {
                let own = match warp.unit {
                    // One such product is carried out while the next one waits in the unit: slabs of lab-gemm's fp16x3 beside an H200.
                    Unit::Tensor if warp.code.instructions[warp.at as usize].of_four => self.begun[scheduler],
                    unit => self.free_at(scheduler, unit),
                };
                let free = if waits_in_queue(warp.unit) { own.max(room) } else { own };
                if free > now as f64 {
                    at = free.ceil() as u64;
                    warp.throttled.wait(now, at);
                } else if chosen.is_none() || index == last {
                    chosen = Some(index);
                }
            }
            until = until.min(at);
        }
        chosen.ok_or(until)
    }

    /// What loads bring takes the place where registers are read.
    fn take_arrivals(&mut self, scheduler: usize, now: u64) {
        let arriving = &mut self.arriving[scheduler];
        while let Some(&Reverse((at, registers))) = arriving.peek()
            && at <= now
        {
            arriving.pop();
            let port = &mut self.ports[scheduler].0;
            *port = f64::max(*port, at as f64) + f64::from(registers) * ARRIVAL_PORT_CYCLES;
        }
    }

    /// When a unit of the scheduler is free.
    fn free_at(&self, scheduler: usize, unit: Unit) -> f64 {
        let free = &self.free[scheduler];
        match unit {
            Unit::Fp32 => free[0].min(free[1]),
            Unit::Multiply | Unit::Wide => free[0],
            Unit::Add => free[0].min(free[Unit::Integer as usize]),
            Unit::Check => free[Unit::Special as usize],
            other => free[other as usize],
        }
    }
}
