//! Which warp a scheduler issues next.
use super::{ARRIVAL_PORT_CYCLES, Machine, QUEUE_HOLDS, waits_in_queue};
use crate::isa::machine::{UNITS, Unit};
use crate::timeline::resident_warp::{NEVER, Warp};
use std::cmp::Reverse;

/// When a warp may issue its next instruction at the earliest, and in which unit: apart from the warps, since a scheduler looks at those of all
/// its warps in each cycle.
#[derive(Clone, Copy)]
pub(super) struct Next {
    at: u64,
    unit: Unit,
}

impl Next {
    /// Of a warp that has come to another instruction or was let go.
    pub fn of(warp: &Warp) -> Next {
        Next { at: warp.ready, unit: warp.unit }
    }
}

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
        (warps, next): (&mut [Warp], &mut [Next]),
        now: u64,
    ) -> Result<usize, u64> {
        self.take_arrivals(scheduler, now);
        let port = self.ports[scheduler].0;
        let clock = now as f64;
        if port > clock {
            return Err(self.read_at(scheduler));
        }
        let room = self.room(scheduler);
        let mut until = NEVER;
        let mut chosen = None;
        for &index in of_scheduler {
            let Next { mut at, unit } = next[index];
            if at <= now {
                let free = self.free_for(scheduler, unit, &warps[index], room);
                if free > clock {
                    at = up(free);
                    warps[index].throttled.wait(now, at);
                    // The unit is not free before.
                    next[index].at = at;
                } else if chosen.is_none() || index == last {
                    chosen = Some(index);
                }
            }
            until = until.min(at);
        }
        chosen.ok_or(until)
    }

    /// When a scheduler has read its last instruction's operands.
    pub(super) fn read_at(&self, scheduler: usize) -> u64 {
        up(self.ports[scheduler].0)
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

    /// When the unit that a warp needs is free for it.
    #[inline]
    fn free_for(&self, scheduler: usize, unit: Unit, warp: &Warp, room: f64) -> f64 {
        let own = match unit {
            // One such product is carried out while the next one waits in the unit: slabs of lab-gemm's fp16x3 beside an H200.
            Unit::Tensor if warp.code.instructions[warp.at as usize].of_four => self.begun[scheduler],
            unit => self.free_at(scheduler, unit),
        };
        if waits_in_queue(unit) && own < room { room } else { own }
    }

    /// When a unit of the scheduler is free.
    #[inline]
    fn free_at(&self, scheduler: usize, unit: Unit) -> f64 {
        let free = &self.free[scheduler];
        let [one, other] = PLACES[unit as usize].map(|place| free[usize::from(place)]);
        if other < one { other } else { one }
    }
}

/// Where a unit's time is kept, and that of another place in which its instructions may be carried out: looked up, since no branch can tell
/// beforehand which unit a warp wants.
const PLACES: [[u8; 2]; UNITS] = {
    let mut places = [[0; 2]; UNITS];
    let mut unit = 0;
    while unit < UNITS {
        places[unit] = [unit as u8; 2];
        unit += 1;
    }
    let [multiply, other_half] = [0, 1];
    places[Unit::Fp32 as usize] = [multiply, other_half];
    places[Unit::Multiply as usize] = [multiply; 2];
    places[Unit::Wide as usize] = [multiply; 2];
    places[Unit::Add as usize] = [multiply, Unit::Integer as u8];
    places[Unit::Check as usize] = [Unit::Special as u8; 2];
    places
};

/// The first cycle that is not before a time.
fn up(time: f64) -> u64 {
    let whole = time as u64;
    whole + u64::from((whole as f64) < time)
}
