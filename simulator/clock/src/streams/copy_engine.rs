//! A copy engine: one copy at a time, and a moment for each stream that it turns to.
use super::calendar::Calendar;
use super::span::Span;
use crate::constants::TURN_NS;

/// What a copy comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Stream(usize),
    Graph,
}

/// When a copy engine is busy, and with which streams.
#[derive(Default)]
pub struct CopyEngine {
    calendar: Calendar,
    /// Those of the copies since it was idle, the last one at the end.
    streams: Vec<usize>,
    busy_until_ns: u64,
}

impl CopyEngine {
    /// Takes the first gap from `ready_ns` on that holds `alone_ns`, and of it what `stretched` makes of that at its start.
    pub fn reserve(&mut self, from: Source, ready_ns: u64, alone_ns: u64, stretched: impl Fn(u64, u64) -> u64) -> Span {
        let alone_ns = alone_ns + self.turn_ns(from, ready_ns);
        let start_ns = self.calendar.first_gap(ready_ns, alone_ns);
        let span = self.calendar.reserve(ready_ns, stretched(start_ns, alone_ns));
        self.busy_until_ns = self.busy_until_ns.max(span.end_ns);
        span
    }

    /// What it takes to turn to the stream.
    fn turn_ns(&mut self, from: Source, ready_ns: u64) -> u64 {
        // What a graph's copies come from is made ready with the graph.
        let Source::Stream(stream) = from else { return 0 };
        if ready_ns > self.busy_until_ns {
            self.streams.drain(..self.streams.len().saturating_sub(1));
        }
        let known = self.streams.iter().position(|&other| other == stream);
        let first_of_all = self.streams.is_empty();
        if let Some(at) = known {
            self.streams.remove(at);
        }
        self.streams.push(stream);
        if known.is_some() || first_of_all { 0 } else { TURN_NS }
    }

    /// See [`Calendar::stretch`].
    pub fn stretch(&self, start_ns: u64, duration_ns: u64, slowdown: f64) -> u64 {
        self.calendar.stretch(start_ns, duration_ns, slowdown)
    }

    /// See [`Calendar::forget`].
    pub fn forget(&mut self, before_ns: u64) {
        self.calendar.forget(before_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When a copy of a microsecond that the stream has ready at that time ends.
    fn end(engine: &mut CopyEngine, from: Source, ready_ns: u64) -> u64 {
        engine.reserve(from, ready_ns, 1_000, |_, duration_ns| duration_ns).end_ns
    }

    #[test]
    fn a_stream_costs_a_moment_once_while_the_engine_is_busy() {
        let mut engine = CopyEngine::default();
        let of = Source::Stream;
        assert_eq!(end(&mut engine, of(1), 0), 1_000, "nothing to turn from");
        assert_eq!(end(&mut engine, of(2), 0), 2_000 + TURN_NS);
        assert_eq!(end(&mut engine, of(1), 0), 3_000 + TURN_NS, "known since");
        assert_eq!(end(&mut engine, of(2), 0), 4_000 + TURN_NS);
        assert_eq!(end(&mut engine, of(2), 10_000), 11_000, "the last one, after a rest");
        assert_eq!(end(&mut engine, of(1), 20_000), 21_000 + TURN_NS, "forgotten in the rest");
        assert_eq!(end(&mut engine, Source::Graph, 20_000), 22_000 + TURN_NS);
    }
}
