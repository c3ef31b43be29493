//! One batch as spans of time on the tracks of its devices.

use serde_json::{Value, json};

/// A row of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Track {
    /// The host makes calls, or waits.
    Host,
    /// Host to device.
    CopyIn,
    /// On the multiprocessors.
    Kernel,
    /// Device to host.
    CopyOut,
}

impl Track {
    /// Every row, from top to bottom.
    pub const ALL: [Track; 4] = [Track::Host, Track::CopyIn, Track::Kernel, Track::CopyOut];

    /// As the picture labels it.
    pub const fn name(self) -> &'static str {
        match self {
            Track::Host => "host",
            Track::CopyIn => "copy in",
            Track::Kernel => "kernels",
            Track::CopyOut => "copy out",
        }
    }
}

/// One thing that took time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The kind of work.
    pub track: Track,
    /// On which device; for the host: calls to which.
    pub device: usize,
    /// For which item; `None` where the host waits for all, or launches all at once.
    pub item: Option<usize>,
    /// In milliseconds after the batch began.
    pub start_ms: f64,
    /// Likewise.
    pub end_ms: f64,
}

/// One run of one row of the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// Variant and workload.
    pub title: String,
    /// Time of this run, with an event around each part.
    pub elapsed_ms: f64,
    /// Median of the runs without those events: `time_ms` of the row.
    pub median_ms: f64,
    /// In any order.
    pub spans: Vec<Span>,
}

impl Timeline {
    /// As `timelines[]` of the JSON document has it.
    pub fn json(&self) -> Value {
        let span = |span: &Span| {
            let Span { track, device, item, start_ms, end_ms } = *span;
            json!({"track": track.name(), "device": device, "item": item, "start_ms": start_ms, "end_ms": end_ms})
        };
        let spans: Vec<Value> = self.spans.iter().map(span).collect();
        let Timeline { title, elapsed_ms, median_ms, .. } = self;
        json!({"title": title, "elapsed_ms": elapsed_ms, "median_ms": median_ms, "spans": spans})
    }
}

/// The event before a copy is passed when its *stream* gets there, which is not yet when the copy starts: with many streams, several copies
/// wait for one engine. An engine does one copy at a time, so a copy begins no sooner than the one before it has ended.
pub fn one_copy_at_a_time(spans: &mut [Span]) {
    spans.sort_by(|a, b| a.end_ms.total_cmp(&b.end_ms));
    for index in 1..spans.len() {
        let (earlier, later) = spans.split_at_mut(index);
        let span = &mut later[0];
        if matches!(span.track, Track::CopyIn | Track::CopyOut) {
            let engine = |other: &&Span| (other.track, other.device) == (span.track, span.device);
            if let Some(before) = earlier.iter().rev().find(engine) {
                span.start_ms = span.start_ms.max(before.end_ms);
            }
        }
    }
    spans.sort_by(|a, b| a.start_ms.total_cmp(&b.start_ms).then(a.track.cmp(&b.track)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(track: Track, start_ms: f64, end_ms: f64) -> Span {
        Span { track, device: 0, item: Some(0), start_ms, end_ms }
    }

    #[test]
    fn copies_that_queued_for_one_engine_follow_each_other() {
        let mut spans = [
            span(Track::CopyIn, 0.0, 3.0),
            span(Track::CopyIn, 0.0, 1.0),
            span(Track::CopyIn, 0.5, 2.0),
            span(Track::CopyOut, 0.0, 2.5),
            span(Track::Kernel, 0.0, 4.0),
            span(Track::Kernel, 0.0, 5.0),
        ];
        one_copy_at_a_time(&mut spans);
        let of = |track| spans.iter().filter(|s| s.track == track).map(|s| (s.start_ms, s.end_ms)).collect::<Vec<_>>();
        assert_eq!(of(Track::CopyIn), [(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)]);
        assert_eq!(of(Track::CopyOut), [(0.0, 2.5)]);
        // Kernels do run side by side.
        assert_eq!(of(Track::Kernel), [(0.0, 4.0), (0.0, 5.0)]);
    }
}
