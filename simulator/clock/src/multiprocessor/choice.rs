//! Which warp a scheduler issues next.
use super::machine::{Machine, waits_in_queue};
use super::resident_warp::{NEVER, Warp};
use crate::constants::{ARRIVAL_PORT_CYCLES, QUEUE_HOLDS};
use ptx::isa::machine::{UNITS, Unit};

/// What schedulers look at of their warps: when each may issue its next instruction at the earliest, and in which unit. It lies apart from the warps,
/// side by side for each scheduler, since a scheduler looks at all of its warps whenever one of them may issue.
pub(super) struct Candidates {
    of: Vec<OfScheduler>,
    /// Where each warp lies, its scheduler and its place there, until it comes to its end.
    places: Vec<Option<(usize, usize)>>,
}

/// Warps of a scheduler in the order of their coming.
#[derive(Clone, Default)]
struct OfScheduler {
    at: Vec<u64>,
    unit: Vec<Unit>,
    warp: Vec<usize>,
}

impl Candidates {
    /// Without any warps.
    pub fn new(schedulers: usize) -> Candidates {
        Candidates { of: vec![OfScheduler::default(); schedulers], places: Vec::new() }
    }

    /// Takes the next warp, which has come to its first instruction.
    pub fn push(&mut self, scheduler: usize, warp: &Warp) {
        let own = &mut self.of[scheduler];
        own.warp.push(self.places.len());
        self.places.push(Some((scheduler, own.at.len())));
        own.at.push(warp.ready);
        own.unit.push(warp.unit);
    }

    /// A warp has come to another instruction or was let go. One that has ended may be let go too: its last instruction was a barrier.
    pub fn note(&mut self, index: usize, warp: &Warp) {
        let Some((scheduler, place)) = self.places[index] else { return };
        let own = &mut self.of[scheduler];
        (own.at[place], own.unit[place]) = (warp.ready, warp.unit);
    }

    /// A warp has come to its end.
    pub fn remove(&mut self, index: usize) {
        let Some((scheduler, place)) = self.places[index].take() else { return };
        let own = &mut self.of[scheduler];
        own.at.remove(place);
        own.unit.remove(place);
        own.warp.remove(place);
        for (place, &later) in own.warp.iter().enumerate().skip(place) {
            self.places[later] = Some((scheduler, place));
        }
    }
}

impl Machine<'_> {
    /// When a scheduler's queue to the load/store units has room.
    fn room(&self, scheduler: usize) -> f64 {
        let queue = &self.queues[scheduler];
        queue.len().checked_sub(QUEUE_HOLDS).map_or(0.0, |first| queue[first].0)
    }

    /// The warp of a scheduler that issues now, the last one, else the first that can; and until when none of the others can.
    pub(super) fn choose(
        &mut self,
        scheduler: usize,
        last: usize,
        (warps, candidates): (&mut [Warp], &mut Candidates),
        now: u64,
    ) -> (Option<usize>, u64) {
        self.take_arrivals(scheduler, now);
        let port = self.ports[scheduler].0;
        let clock = now as f64;
        if port > clock {
            return (None, self.read_at(scheduler));
        }
        let room = self.room(scheduler);
        let mut until = NEVER;
        let mut chosen = None;
        let OfScheduler { at, unit, warp } = &mut candidates.of[scheduler];
        for ((at, &unit), &index) in at.iter_mut().zip(&*unit).zip(&*warp) {
            if *at <= now {
                let free = self.free_for(scheduler, unit, &warps[index], room);
                if free > clock {
                    // The unit is not free before.
                    *at = up(free);
                    warps[index].throttled.wait(now, *at);
                } else if chosen.is_none() {
                    chosen = Some(index);
                    continue;
                } else if index == last {
                    chosen = Some(index);
                }
            }
            until = until.min(*at);
        }
        (chosen, until)
    }

    /// When a scheduler has read its last instruction's operands.
    pub(super) fn read_at(&self, scheduler: usize) -> u64 {
        up(self.ports[scheduler].0)
    }

    /// A load's data will come then, for so many registers. Most come in the order of their asking.
    pub(super) fn expect(&mut self, scheduler: usize, at: u64, registers: u16) {
        let arriving = &mut self.arriving[scheduler];
        let later = arriving.iter().rev().take_while(|other| other.0 > at).count();
        arriving.insert(arriving.len() - later, (at, registers));
    }

    /// What loads bring takes the place where registers are read.
    fn take_arrivals(&mut self, scheduler: usize, now: u64) {
        let arriving = &mut self.arriving[scheduler];
        while let Some(&(at, registers)) = arriving.front()
            && at <= now
        {
            arriving.pop_front();
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
    // By way of signed numbers, for which the host has an instruction.
    let whole = time as i64;
    (whole + i64::from((whole as f64) < time)) as u64
}
