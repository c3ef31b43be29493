//! When an engine is busy.
use super::span::Span;
use std::collections::VecDeque;

/// Reservations of one engine, which does one thing at a time.
#[derive(Default)]
pub struct Calendar {
    /// By start, and so by end: they do not overlap.
    busy: VecDeque<Span>,
}

impl Calendar {
    /// Takes the first gap from `ready_ns` on that holds `duration_ns`.
    pub fn reserve(&mut self, ready_ns: u64, duration_ns: u64) -> Span {
        let start_ns = self.first_gap(ready_ns, duration_ns);
        let span = Span { start_ns, end_ns: start_ns + duration_ns };
        if duration_ns > 0 {
            let at = self.busy.partition_point(|other| other.start_ns <= start_ns);
            self.busy.insert(at, span);
        }
        span
    }

    /// Where that gap begins. A gap can only begin at `ready_ns` or where a reservation ends.
    pub fn first_gap(&self, ready_ns: u64, duration_ns: u64) -> u64 {
        let mut start_ns = ready_ns;
        for span in self.busy.range(self.ended_by(ready_ns)..) {
            // Work of no time fits where nothing is under way.
            if start_ns + duration_ns.max(1) <= span.start_ns {
                break;
            }
            start_ns = span.end_ns;
        }
        start_ns
    }

    /// How long `duration_ns` of work takes from `start_ns` on, if it goes `slowdown` times slower while this engine is busy.
    pub fn stretch(&self, start_ns: u64, duration_ns: u64, slowdown: f64) -> u64 {
        let mut at = start_ns;
        let mut left = duration_ns as f64;
        for span in self.busy.range(self.ended_by(start_ns)..) {
            let free = span.start_ns.saturating_sub(at) as f64;
            if left <= free {
                break;
            }
            left -= free;
            at = at.max(span.start_ns);
            let shared = (span.end_ns - at) as f64 / slowdown;
            if left <= shared {
                return (at - start_ns) + (left * slowdown) as u64;
            }
            left -= shared;
            at = span.end_ns;
        }
        (at - start_ns) + left as u64
    }

    /// Drops reservations that ended before `before_ns`.
    pub fn forget(&mut self, before_ns: u64) {
        self.busy.drain(..self.ended_by(before_ns));
    }

    /// The number of reservations that have ended by a time.
    fn ended_by(&self, at_ns: u64) -> usize {
        self.busy.partition_point(|span| span.end_ns <= at_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_the_first_gap_that_holds_it() {
        let mut calendar = Calendar::default();
        assert_eq!(calendar.reserve(0, 10), Span { start_ns: 0, end_ns: 10 });
        assert_eq!(calendar.reserve(30, 10), Span { start_ns: 30, end_ns: 40 });
        assert_eq!(calendar.reserve(5, 20), Span { start_ns: 10, end_ns: 30 });
        assert_eq!(calendar.reserve(0, 1), Span { start_ns: 40, end_ns: 41 });
    }

    #[test]
    fn work_beside_a_busy_engine_is_slower_only_while_both_run() {
        let mut calendar = Calendar::default();
        calendar.reserve(10, 20);
        assert_eq!(calendar.stretch(0, 10, 2.0), 10);
        assert_eq!(calendar.stretch(0, 20, 2.0), 30);
        assert_eq!(calendar.stretch(0, 25, 2.0), 35);
        assert_eq!(calendar.stretch(20, 3, 2.0), 6);
    }
}
