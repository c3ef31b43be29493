//! Barrier discipline: a barrier of the block is reached by all of its threads, the same barrier, equally often.
//!
//! The machine counts threads and does not look where they come from, and counts those that have left the kernel as
//! arrived. So wrong code may run through, here as on hardware; it is judged when the barrier lets go. A thread that did not
//! come is excused if it left early (`if (i >= n) return;`): it ran nothing that lies behind the barrier.
use super::behind::{Behind, RanBehind, Sites};
use super::block::Shape;
use super::finding::Kind;
use crate::probe::{Arrival, Place, Who};
use std::collections::HashMap;

/// The barriers of one running block.
pub struct BarrierState {
    waiting: HashMap<u32, Vec<Arrival>>,
    /// Per barrier's number, by warp: lanes that have come to it at least once.
    came: Vec<Vec<u32>>,
    warps: usize,
    reported: bool,
}

impl BarrierState {
    pub fn new(warps: usize) -> Self {
        Self { waiting: HashMap::new(), came: Vec::new(), warps, reported: false }
    }

    /// Lanes arrive.
    pub fn arrive(&mut self, arrival: &Arrival) {
        self.waiting.entry(arrival.id).or_default().push(*arrival);
    }

    /// A barrier lets go: the warps that took part, and what is wrong with how they did.
    pub fn release(
        &mut self,
        behind: &Behind,
        ran: &RanBehind,
        program: &Sites,
        shape: &Shape,
        id: u32,
        report: &mut dyn FnMut(Kind),
    ) -> Vec<u32> {
        let arrivals = self.waiting.remove(&id).unwrap_or_default();
        let mut took_part: Vec<u32> = arrivals.iter().map(|arrival| arrival.who.warp).collect();
        took_part.sort_unstable();
        took_part.dedup();
        // Barrier 0 is __syncthreads(). Others are named by hand, to meet at different places.
        let whole_block =
            id == 0 && arrivals.iter().all(|arrival| arrival.expected == shape.threads() && arrival.aligned);
        if let (Some(first), true, false) = (arrivals.first(), whole_block, self.reported) {
            let wrong = self.judge(behind, ran, program, shape, &arrivals, first);
            if let Some(kind) = wrong {
                report(kind);
                self.reported = true;
            }
        }
        for arrival in &arrivals {
            if let Some(number) = behind.number(arrival.who.function, arrival.site) {
                if number >= self.came.len() {
                    self.came.resize_with(number + 1, || vec![0; self.warps]);
                }
                self.came[number][arrival.who.warp as usize] |= arrival.mask;
            }
        }
        took_part
    }

    fn came_before(&self, number: usize, warp: u32) -> u32 {
        self.came.get(number).map_or(0, |warps| warps[warp as usize])
    }

    fn judge(
        &self,
        behind: &Behind,
        ran: &RanBehind,
        program: &Sites,
        shape: &Shape,
        arrivals: &[Arrival],
        first: &Arrival,
    ) -> Option<Kind> {
        let line = |arrival: &Arrival| program.line(arrival.who.function, arrival.site);
        let elsewhere = |other: &&Arrival| {
            (other.who.function, other.site) != (first.who.function, first.site) && line(other) != line(first)
        };
        if let Some(other) = arrivals.iter().find(elsewhere) {
            return Some(Kind::MismatchedBarrier { first: place(shape, first), second: place(shape, other) });
        }
        let number = behind.number(first.who.function, first.site)?;
        let mut came = vec![0; self.warps];
        arrivals.iter().for_each(|arrival| came[arrival.who.warp as usize] |= arrival.mask);
        for (warp, came) in (0u32..).zip(came) {
            let missing = shape.lanes(warp) & !came;
            if missing == 0 {
                continue;
            }
            let who = Who { warp, ..first.who };
            if let Some(went_on) = ran.find(number, warp, missing) {
                let at = place(shape, first);
                let site = program.shown(went_on.who.function, went_on.block, first.site).unwrap_or(first.site);
                let missing = shape.place(went_on.who, site, went_on.lanes);
                return Some(if self.came_before(number, warp) & missing.lanes != 0 {
                    Kind::UnequalBarrier { at, missing }
                } else {
                    Kind::SkippedBarrier { at, missing }
                });
            }
            let before = self.came_before(number, warp) & missing;
            if before != 0 {
                let missing = shape.place(who, first.site, before);
                return Some(Kind::UnequalBarrier { at: place(shape, first), missing });
            }
        }
        None
    }
}

fn place(shape: &Shape, arrival: &Arrival) -> Place {
    shape.place(arrival.who, arrival.site, arrival.mask)
}
