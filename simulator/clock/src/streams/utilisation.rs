//! How much of the last second something ran: what a management library calls utilisation.
use super::span::Span;
use crate::constants::{UTILISATION_NS, UTILISATION_SLOT_NS};
use std::collections::BTreeMap;

/// When something ran, each stretch once however many ran in it.
#[derive(Debug, Default)]
pub struct Utilisation {
    /// Nanoseconds by the slot's number.
    slots: BTreeMap<u64, u64>,
    /// Time before this is added already.
    until_ns: u64,
}

impl Utilisation {
    /// Something ran. Work comes nearly in the order of time; what lies before the end of all known work is not added again.
    pub fn add(&mut self, span: Span) {
        let mut at = span.start_ns.max(self.until_ns);
        while at < span.end_ns {
            let slot = at / UTILISATION_SLOT_NS;
            let end = span.end_ns.min((slot + 1) * UTILISATION_SLOT_NS);
            *self.slots.entry(slot).or_default() += end - at;
            at = end;
        }
        self.until_ns = self.until_ns.max(span.end_ns);
    }

    /// Forgets what no answer needs any more: what ran a period before this time.
    pub fn forget(&mut self, before_ns: u64) {
        let first = before_ns.saturating_sub(UTILISATION_NS) / UTILISATION_SLOT_NS;
        while self.slots.first_key_value().is_some_and(|(&slot, _)| slot < first) {
            self.slots.pop_first();
        }
    }

    /// Percent of the second before `now_ns`, or of the time since the clock began; in whole slots, the last one included.
    pub fn percent(&self, now_ns: u64) -> u32 {
        let last = now_ns / UTILISATION_SLOT_NS;
        let first = (last + 1).saturating_sub(UTILISATION_NS / UTILISATION_SLOT_NS);
        let ran: u64 = self.slots.range(first..=last).map(|(_, ns)| ns).sum();
        let all = (now_ns - (first * UTILISATION_SLOT_NS).min(now_ns)).max(1);
        (100 * ran).div_ceil(all).min(100) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn ran(spans: &[(u64, u64)]) -> Utilisation {
        let mut utilisation = Utilisation::default();
        spans.iter().for_each(|&(start, end)| utilisation.add(Span { start_ns: start * MS, end_ns: end * MS }));
        utilisation
    }

    #[test]
    fn a_share_of_the_last_second() {
        assert_eq!(ran(&[]).percent(5000 * MS), 0);
        assert_eq!(ran(&[(0, 10)]).percent(40 * MS), 25, "of the time since the clock began");
        assert_eq!(ran(&[(0, 500), (1500, 1750)]).percent(2000 * MS), 26, "99 slots lie between");
        assert_eq!(ran(&[(0, 3000)]).percent(3000 * MS - 1), 100);
        assert_eq!(ran(&[(0, 100)]).percent(2000 * MS), 0, "long ago");
    }

    #[test]
    fn what_runs_side_by_side_counts_once() {
        assert_eq!(ran(&[(0, 20), (5, 15), (10, 30)]).percent(60 * MS), 50);
    }

    #[test]
    fn what_is_forgotten_is_not_asked_for() {
        let mut utilisation = ran(&[(0, 100), (1000, 1100)]);
        let before = utilisation.percent(1200 * MS);
        utilisation.forget(1200 * MS);
        assert_eq!((utilisation.percent(1200 * MS), utilisation.slots.len()), (before, 10));
    }
}
