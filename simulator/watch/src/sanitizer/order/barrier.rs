//! Barrier discipline: a barrier of the block is reached by all of its threads, the same barrier, equally often.
//!
//! The machine counts threads and does not look where they come from, and counts those that have left the kernel as
//! arrived. So wrong code may run through, here as on hardware; it is judged when the barrier lets go. A thread that did not
//! come is excused if it left early (`if (i >= n) return;`): it ran nothing that lies after the barrier. That is a note.
use super::geometry::Geometry;
use super::strictly_after::{RanBlocks, StrictlyAfter};
use super::transfer_party::PROXIES;
use super::vector_clock::{ArrivalKnowledge, ReleaseKnowledge};
use crate::sanitizer::findings::finding::Misuse;
use crate::sanitizer::findings::sites::Sites;
use machine::probe::{Arrival, Place, Who};
use rustc_hash::FxHashMap;

/// The barriers of one running block.
pub struct BarrierState {
    waiting: FxHashMap<u32, Vec<(Arrival, ArrivalKnowledge)>>,
    /// Per barrier instruction (function, site), by warp: lanes that have come to it at least once.
    came: FxHashMap<(u32, u32), Vec<u32>>,
    warps: usize,
    reported: bool,
}

/// The lanes that may go on after a barrier, and their knowledge then.
pub struct Release {
    /// Warps and their lanes.
    pub leaving: Vec<(u32, u32)>,
    pub knowledge: ReleaseKnowledge,
}

impl BarrierState {
    pub fn new(warps: usize) -> Self {
        Self { waiting: FxHashMap::default(), came: FxHashMap::default(), warps, reported: false }
    }

    /// Lanes arrive, with what they know.
    pub fn arrive(&mut self, arrival: &Arrival, brought: ArrivalKnowledge) {
        self.waiting.entry(arrival.id).or_default().push((*arrival, brought));
    }

    /// A barrier lets go: who leaves it, and what is wrong with how they met.
    pub fn release(
        &mut self,
        after: &mut StrictlyAfter,
        ran: &RanBlocks,
        sites: &Sites,
        geometry: &Geometry,
        id: u32,
        report: &mut dyn FnMut(Misuse),
    ) -> Release {
        let (arrivals, brought): (Vec<Arrival>, Vec<(u32, ArrivalKnowledge)>) = self
            .waiting
            .remove(&id)
            .unwrap_or_default()
            .into_iter()
            .map(|(arrival, brought)| (arrival, (arrival.who.warp, brought)))
            .unzip();
        // Barrier 0 is __syncthreads(). Others are named by hand, to meet at different places.
        let whole_block =
            id == 0 && arrivals.iter().all(|arrival| arrival.expected == geometry.threads() && arrival.aligned);
        if let (Some(first), true, false) = (arrivals.first(), whole_block, self.reported) {
            let wrong = self.judge(after, ran, sites, geometry, &arrivals, first);
            if let Some(misuse) = wrong {
                self.reported = !matches!(misuse, Misuse::PassedBarrier { .. });
                report(misuse);
            }
        }
        let mut leaving: Vec<(u32, u32)> = Vec::new();
        for arrival in &arrivals {
            let warps = self.warps;
            let came = self.came.entry((arrival.who.function, arrival.site)).or_insert_with(|| vec![0; warps]);
            came[arrival.who.warp as usize] |= arrival.mask;
            match leaving.iter_mut().find(|(warp, _)| *warp == arrival.who.warp) {
                _ if !arrival.waits => {}
                Some((_, lanes)) => *lanes |= arrival.mask,
                None => leaving.push((arrival.who.warp, arrival.mask)),
            }
        }
        Release { leaving, knowledge: ReleaseKnowledge::new(self.warps + PROXIES, &brought) }
    }

    fn came_before(&self, meeting: (u32, u32), warp: u32) -> u32 {
        self.came.get(&meeting).map_or(0, |warps| warps[warp as usize])
    }

    fn judge(
        &self,
        after: &mut StrictlyAfter,
        ran: &RanBlocks,
        sites: &Sites,
        geometry: &Geometry,
        arrivals: &[Arrival],
        first: &Arrival,
    ) -> Option<Misuse> {
        let line = |arrival: &Arrival| sites.line(arrival.who.function, arrival.site);
        let elsewhere = |other: &&Arrival| {
            (other.who.function, other.site) != (first.who.function, first.site) && line(other) != line(first)
        };
        if let Some(other) = arrivals.iter().find(elsewhere) {
            return Some(Misuse::MismatchedBarrier { first: place(geometry, first), at: place(geometry, other) });
        }
        let meeting = (first.who.function, first.site);
        let mut came = vec![0; self.warps];
        arrivals.iter().for_each(|arrival| came[arrival.who.warp as usize] |= arrival.mask);
        let mut passed = None;
        for (warp, came) in (0u32..).zip(came) {
            let missing = geometry.lanes(warp) & !came;
            if missing == 0 {
                continue;
            }
            let who = Who { warp, ..first.who };
            if let Some((block, lanes)) = ran.find(after, sites, meeting, warp, missing) {
                let at = place(geometry, first);
                let site = sites.reported_site(meeting.0, block, first.site).unwrap_or(first.site);
                let missing = geometry.place(who, site, lanes);
                return Some(if self.came_before(meeting, warp) & missing.lanes != 0 {
                    Misuse::UnequalBarrier { at, missing }
                } else {
                    Misuse::SkippedBarrier { at, missing }
                });
            }
            let before = self.came_before(meeting, warp) & missing;
            if before != 0 {
                let missing = geometry.place(who, first.site, before);
                return Some(Misuse::UnequalBarrier { at: place(geometry, first), missing });
            }
            let gone = || geometry.place(who, first.site, missing);
            passed.get_or_insert_with(|| Misuse::PassedBarrier { at: place(geometry, first), missing: gone() });
        }
        passed
    }
}

fn place(geometry: &Geometry, arrival: &Arrival) -> Place {
    geometry.place(arrival.who, arrival.site, arrival.mask)
}
