//! Which warp a scheduler issues next.
use super::machine::{Machine, waits_in_queue};
use super::resident_warp::{NEVER, Warp};
use crate::constants::{ARRIVAL_PORT_CYCLES, QUEUE_HOLDS};
use ptx::isa::machine::{UNITS, Unit};

/// The part of the warps that schedulers look at: when each may issue its next instruction at the earliest, and in which unit. It lies apart from the warps,
/// side by side for each scheduler, since a scheduler looks at all of its warps whenever one of them may issue.
pub(super) struct Candidates {
    of: Vec<OfScheduler>,
    /// Where each warp lies, its scheduler and its place there, until it comes to its end.
    places: Vec<Option<(usize, usize)>>,
}

/// Warps of a scheduler in the order of their coming. Sets of them have a bit for each place.
#[derive(Clone)]
struct OfScheduler {
    at: Vec<u64>,
    unit: Vec<Unit>,
    warp: Vec<usize>,
    /// Those that may issue as soon as their units are free, and no later time than that at which another one may.
    due: u64,
    next: u64,
    of_unit: [u64; UNITS],
}

impl OfScheduler {
    const EMPTY: OfScheduler =
        OfScheduler { at: Vec::new(), unit: Vec::new(), warp: Vec::new(), due: 0, next: NEVER, of_unit: [0; UNITS] };

    /// Looks for warps that have become due.
    fn look(&mut self, now: u64) {
        self.next = NEVER;
        for (place, &at) in self.at.iter().enumerate() {
            let due = at <= now;
            self.due |= u64::from(due) << place;
            self.next = if due { self.next } else { self.next.min(at) };
        }
    }
}

impl Candidates {
    /// Without any warps.
    pub fn new(schedulers: usize) -> Candidates {
        Candidates { of: vec![OfScheduler::EMPTY; schedulers], places: Vec::new() }
    }

    /// True if so many warps more have a place, whichever scheduler they come to: on every known card that holds them.
    pub fn has_room(&self, warps: usize) -> bool {
        self.of.iter().all(|own| own.at.len() + warps <= u64::BITS as usize)
    }

    /// Takes the next warp, which has come to its first instruction.
    pub fn push(&mut self, scheduler: usize, warp: &Warp) {
        let own = &mut self.of[scheduler];
        let place = own.at.len();
        own.warp.push(self.places.len());
        self.places.push(Some((scheduler, place)));
        own.at.push(warp.ready);
        own.unit.push(warp.unit);
        own.of_unit[warp.unit as usize] |= 1 << place;
        own.next = own.next.min(warp.ready);
    }

    /// A warp has come to another instruction or was let go. One that has ended may be let go too: its last instruction was a barrier.
    pub fn note(&mut self, index: usize, warp: &Warp) {
        let Some((scheduler, place)) = self.places[index] else { return };
        let own = &mut self.of[scheduler];
        own.of_unit[own.unit[place] as usize] &= !(1 << place);
        own.of_unit[warp.unit as usize] |= 1 << place;
        (own.at[place], own.unit[place]) = (warp.ready, warp.unit);
        own.due &= !(1 << place);
        own.next = own.next.min(warp.ready);
    }

    /// A warp has come to its end.
    pub fn remove(&mut self, index: usize) {
        let Some((scheduler, place)) = self.places[index].take() else { return };
        let own = &mut self.of[scheduler];
        own.at.remove(place);
        own.unit.remove(place);
        own.warp.remove(place);
        let before = (1 << place) - 1;
        for set in own.of_unit.iter_mut().chain([&mut own.due]) {
            *set = *set & before | *set >> 1 & !before;
        }
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
        let own = &mut candidates.of[scheduler];
        if own.next <= now {
            own.look(now);
        }
        let (mut rest, mut ready) = (own.due, 0);
        while rest != 0 {
            let first = rest.trailing_zeros() as usize;
            let unit = own.unit[first];
            // Products do not all wait for the same.
            let alike = if unit == Unit::Tensor { 1 << first } else { own.of_unit[unit as usize] & rest };
            rest &= !alike;
            let free = self.free_for(scheduler, unit, &warps[own.warp[first]], room);
            if free <= clock {
                ready |= alike;
                continue;
            }
            // The unit is not free before.
            let until = up(free);
            for place in places(alike) {
                own.at[place] = until;
                warps[own.warp[place]].throttled.wait(now, until);
            }
            own.due &= !alike;
            own.next = own.next.min(until);
        }
        if ready == 0 {
            return (None, own.next);
        }
        let place = match candidates.places.get(last) {
            Some(&Some((_, place))) if ready >> place & 1 == 1 => place,
            _ => ready.trailing_zeros() as usize,
        };
        (Some(own.warp[place]), if ready & (ready - 1) == 0 { own.next } else { now })
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

    /// Data that loads bring take the place where registers are read.
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
        let [one, other] = PLACES[unit as usize];
        let (one, other) = (free[usize::from(one)], free[usize::from(other)]);
        if other < one { other } else { one }
    }
}

/// The places of a set, lowest first.
fn places(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            place
        })
    })
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
