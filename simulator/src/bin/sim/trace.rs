//! What ran when, in Chrome's trace event format: opens in <https://ui.perfetto.dev> and chrome://tracing.
//!
//! A process of the trace is a process of the command, since each has a clock of its own. A track is an engine of the card or the host's calls;
//! what runs beside another on the same engine has a further track, because events of one track must not overlap in part.
use crate::journal::Span;
use serde_json::{Value, json};
use simulator::diagnostics::kernel_name;
use std::collections::BTreeMap;

/// Kinds of tracks, from top to bottom.
const TRACKS: [&str; 5] =
    ["host calls", "copies to the card", "kernels", "copies from the card", "copies and sets on the card"];

/// The number of the track that a kind of span belongs to.
fn track(kind: &str) -> usize {
    match kind {
        "api" => 0,
        "memcpy HtoD" => 1,
        "kernel" => 2,
        "memcpy DtoH" => 3,
        _ => 4,
    }
}

/// Spans with the number of their kind of track and of the lane in it: the first lane that is free at their start. The spans are in the
/// order of their start.
pub fn laned(spans: &[Span]) -> Vec<(usize, usize, &Span)> {
    let mut ends: [Vec<u64>; TRACKS.len()] = Default::default();
    spans
        .iter()
        .map(|span| {
            let track = track(&span.kind);
            let lanes = &mut ends[track];
            let lane = lanes.iter().position(|&end| end <= span.start_ns).unwrap_or(lanes.len());
            lanes.resize(lanes.len().max(lane + 1), 0);
            lanes[lane] = span.end_ns;
            (track, lane, span)
        })
        .collect()
}

/// The name of a lane.
pub fn title(track: usize, lane: usize) -> String {
    let name = TRACKS[track];
    if lane == 0 { name.to_owned() } else { format!("{name}, beside ({})", lane + 1) }
}

/// What a span is called.
pub fn name(span: &Span) -> String {
    match span.kind.as_str() {
        "kernel" => kernel_name(&span.name),
        "api" => span.name.clone(),
        kind => kind.to_owned(),
    }
}

/// The JSON document; times in microseconds, as the format has them.
pub fn render(processes: &BTreeMap<u32, Vec<Span>>) -> String {
    /// Lanes of a track that have numbers of their own.
    const LANES: usize = 1000;
    let mut events: Vec<Value> = Vec::new();
    let named = |kind: &str, process: u32, thread: usize, name: &str| json!({ "ph": "M", "name": kind, "pid": process, "tid": thread, "args": { "name": name } });
    for (&process, spans) in processes {
        events.push(named("process_name", process, 0, &format!("process {process}")));
        let laned = laned(spans);
        let threads: BTreeMap<usize, String> =
            laned.iter().map(|&(track, lane, _)| (track * LANES + lane, title(track, lane))).collect();
        for (&thread, title) in &threads {
            events.push(named("thread_name", process, thread, title));
            events.push(json!({ "ph": "M", "name": "thread_sort_index", "pid": process, "tid": thread, "args": { "sort_index": thread } }));
        }
        events.extend(laned.into_iter().map(|(track, lane, span)| {
            json!({
                "ph": "X",
                "name": name(span),
                "cat": TRACKS[track],
                "pid": process,
                "tid": track * LANES + lane,
                "ts": span.start_ns as f64 / 1e3,
                "dur": span.end_ns.saturating_sub(span.start_ns) as f64 / 1e3,
                "args": { "stream": span.stream, "bytes": span.bytes },
            })
        }));
    }
    json!({ "displayTimeUnit": "ns", "traceEvents": events }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_a_track_are_apart() {
        let span = |kind: &str, start_ns, end_ns| Span {
            kind: kind.into(),
            name: "k".into(),
            stream: 0,
            start_ns,
            end_ns,
            bytes: 0,
        };
        let spans = [
            span("kernel", 0, 10),
            span("api", 1, 2),
            span("kernel", 5, 20),
            span("kernel", 10, 30),
            span("memset", 3, 4),
        ];
        let lanes: Vec<_> = laned(&spans).iter().map(|&(track, lane, _)| (track, lane)).collect();
        assert_eq!(lanes, [(2, 0), (0, 0), (2, 1), (2, 0), (4, 0)]);
        let document: Value = serde_json::from_str(&render(&BTreeMap::from([(7, spans.to_vec())]))).unwrap();
        let events = document["traceEvents"].as_array().unwrap();
        assert_eq!(events.iter().filter(|event| event["ph"] == "X").count(), 5);
        assert!(events.iter().any(|event| event["args"]["name"] == "kernels, beside (2)"), "{document}");
    }
}
