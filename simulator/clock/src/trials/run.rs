//! Plays the launch again for each cause, and for two together where neither helps alone.
use super::accesses::{Kept, without_conflicts, without_repeats, without_sectors, without_turns};
use super::causes::{Candidate, Cause, candidates, more_warps};
use super::divergence::without_parts;
use crate::analytic::kernel_time::{Estimate, estimate};
use crate::analytic::terms::Launched;
use crate::analytic::work::Work;
use crate::cards::Device;
use crate::compiler::codes::Codes;
use crate::constants::{LEAST_GAIN, MOST_TOLD};
use crate::listeners::hand_over::HandOvers;
use crate::listeners::trace::Trace;
use crate::multiprocessor::play::{Without, play};
use crate::occupancy::Occupancy;
use std::cmp::Reverse;

/// A launch that was timed.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    pub card: &'static Device,
    pub occupancy: Occupancy,
    pub work: &'a Work,
    pub shared_bytes: u32,
    pub codes: &'a Codes,
    pub hand_overs: Option<&'a HandOvers>,
}

/// The gain of taking one cause away, or two together.
#[derive(Clone, Debug)]
pub struct Trial {
    pub parts: Vec<Candidate>,
    pub without_ns: u64,
}

impl Launch<'_> {
    /// The time without some causes.
    fn without(&self, trace: &Trace, candidates: &[&Candidate]) -> Option<Estimate> {
        let Launch { card, mut occupancy, codes, hand_overs, mut shared_bytes, .. } = *self;
        let mut work = self.work.clone();
        let mut kept: Kept = trace.kept.clone();
        let mut without = Without::default();
        for Candidate { cause, sites, .. } in candidates {
            match cause {
                Cause::Conflicts => without_conflicts(&mut kept, sites, &mut work),
                Cause::Sectors => without_sectors(&mut kept, sites, &mut work),
                Cause::Again => without_repeats(&mut kept, sites, &mut work),
                Cause::Atomics => without_turns(&mut kept, sites, &mut work),
                Cause::Barriers | Cause::Latency => without.waits.extend(sites),
                Cause::Issue => without.counting.extend(sites),
                Cause::Divergence => without_parts(&mut kept, sites, trace.functions(), &mut work),
                Cause::Idle => without.even = true,
                Cause::FewWarps => {
                    let before = occupancy.blocks_per_multiprocessor;
                    occupancy = more_warps(card, occupancy, work.threads_per_block)?;
                    shared_bytes = shared_bytes * before / occupancy.blocks_per_multiprocessor;
                }
            }
        }
        let played = play(card, occupancy, &work, shared_bytes, trace.with(kept), (codes, &without))?;
        if without.even {
            work.blocks = work.blocks.next_multiple_of(card.multiprocessors.into());
        }
        Some(estimate(Launched { card, occupancy, work: &work }, Some(played), hand_overs))
    }

    /// The trials of a launch that took so long from its turn in its stream, the best first.
    pub fn trials(&self, trace: &Trace, took_ns: u64) -> Vec<Trial> {
        let of = (self.work.blocks, self.work.threads_per_block);
        let all = candidates(self.card, self.occupancy, of, trace);
        let gap_ns = self.card.launch_device_ns;
        let tried = |causes: Vec<_>| Some((gap_ns + self.without(trace, &causes)?.duration_ns, causes));
        let mut alone: Vec<(u64, Vec<&Candidate>)> = all.iter().filter_map(|one| tried(vec![one])).collect();
        alone.sort_by_key(|(ns, _)| *ns);
        let is_worth = |ns: u64| took_ns as f64 >= (1.0 + LEAST_GAIN) * ns as f64;
        let mut best: Vec<_> = alone.iter().filter(|(ns, _)| is_worth(*ns)).cloned().collect();
        if best.is_empty() {
            // Where one hides the other, only both help.
            let most = alone.len().min(MOST_TOLD);
            let pairs = (0..most).flat_map(|one| (one + 1..most).map(move |other| (one, other)));
            best.extend(pairs.filter_map(|(one, other)| tried(vec![alone[one].1[0], alone[other].1[0]])));
            best.retain(|(ns, _)| is_worth(*ns));
        }
        best.sort_by_key(|(ns, _)| Reverse(took_ns.saturating_sub(*ns)));
        best.truncate(MOST_TOLD);
        let trial = |(without_ns, parts): (u64, Vec<&Candidate>)| Trial {
            parts: parts.into_iter().cloned().collect(),
            without_ns,
        };
        best.into_iter().map(trial).collect()
    }
}
