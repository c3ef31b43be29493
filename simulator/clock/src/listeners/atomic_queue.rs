//! Atomics on their way to L2's slices, in the order of the blocks that make them.
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The atomics that wait for the slices of L2.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Queue {
    /// By span.
    pub parts: Arc<Vec<Part>>,
    /// Steps of each span of blocks, of each access those of its busiest word.
    pub of_spans: Arc<Vec<f64>>,
    /// So many of them are on their way at once.
    pub under_way: f64,
    /// Steps of additions of floats to one word, by accesses that name no other: the most.
    pub floats: f64,
    /// So many times as many as are told of come besides, and are alike: those of the waves that were not run.
    pub besides: f64,
}

/// The turns of a span of blocks in one slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    pub span: u32,
    /// A number for 512 bytes.
    pub place: u32,
    /// Turns of the slice, without the waits of sums of floats for the one before.
    pub turns: f64,
    /// Such waits.
    pub floats: f64,
}

impl Queue {
    /// Turns from the first atomic until so many slices are through, where the blocks alone make the last one `alone` turns later, and a sum of
    /// floats waits `float_turns` for the one before.
    pub fn turns(&self, slices: f64, float_turns: f64, alone: f64) -> f64 {
        let all: f64 = self.parts.iter().map(|part| part.turns + part.floats * float_turns).sum();
        let times = 1.0 + self.besides;
        let alone = alone / times;
        // The work of all but the hottest place lies evenly on the slices.
        let at_once = all / slices + self.last(float_turns, 0.0) * (1.0 - 1.0 / slices);
        times * if alone > 0.0 { at_once.max(self.last(float_turns, alone)) } else { at_once }
    }

    /// The same where each place has a slice for itself.
    fn last(&self, float_turns: f64, alone: f64) -> f64 {
        let cost = |part: &Part| part.turns + part.floats * float_turns;
        let places = self.parts.iter().map(|part| part.place as usize + 1).max().unwrap_or(0);
        let mut free = vec![0.0f64; places];
        let between = alone / self.of_spans.len().max(1) as f64;
        let waits = self.of_spans.iter().sum::<f64>() > self.under_way;
        // The atomics that are under way, by their end.
        let mut open: BinaryHeap<Reverse<(u64, u64)>> = BinaryHeap::new();
        let (mut at, mut outstanding) = (0.0f64, 0.0f64);
        let mut parts = self.parts.as_slice();
        for (span, &steps) in self.of_spans.iter().enumerate() {
            while outstanding > 0.0 && outstanding + steps > self.under_way {
                let Some(Reverse((end, ended))) = open.pop() else { break };
                at = at.max(f64::from_bits(end));
                outstanding -= f64::from_bits(ended);
            }
            let own = &parts[..parts.partition_point(|part| part.span as usize <= span)];
            parts = &parts[own.len()..];
            let of_span: f64 = own.iter().map(cost).sum();
            for part in own {
                let end = &mut free[part.place as usize];
                *end = end.max(at) + cost(part);
                if waits {
                    let share = steps * cost(part) / of_span.max(f64::MIN_POSITIVE);
                    // Times are not negative: their bits have their order.
                    open.push(Reverse((end.to_bits(), share.to_bits())));
                    outstanding += share;
                }
            }
            at += between;
        }
        free.into_iter().fold(0.0, f64::max)
    }
}
