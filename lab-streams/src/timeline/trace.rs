//! Timelines in Chrome's trace event format: opens in <https://ui.perfetto.dev> and chrome://tracing.
//!
//! One process per row of the report, one thread per track and device; times in microseconds, as the format has them.

use super::{Span, Timeline, Track};
use serde_json::{Value, json};

/// The JSON document.
pub fn render(timelines: &[Timeline]) -> String {
    let mut events: Vec<Value> = Vec::new();
    for (process, timeline) in timelines.iter().enumerate() {
        events.push(name("process_name", process, 0, &timeline.title));
        let mut threads: Vec<(usize, Track)> = Vec::new();
        for span in &timeline.spans {
            let thread = (span.device, span.track);
            if !threads.contains(&thread) {
                threads.push(thread);
            }
        }
        threads.sort_unstable();
        for &(device, track) in &threads {
            let title = format!("device {device}: {}", track.name());
            events.push(name("thread_name", process, thread_number(device, track), &title));
        }
        events.extend(timeline.spans.iter().map(|span| complete(process, span)));
    }
    let document = json!({ "displayTimeUnit": "ms", "traceEvents": events });
    serde_json::to_string(&document).expect("JSON values serialise")
}

fn thread_number(device: usize, track: Track) -> usize {
    device * Track::ALL.len() + track as usize
}

fn name(kind: &str, process: usize, thread: usize, title: &str) -> Value {
    json!({ "ph": "M", "name": kind, "pid": process, "tid": thread, "args": { "name": title } })
}

fn complete(process: usize, span: &Span) -> Value {
    let Span { track, device, item, start_ms, end_ms } = *span;
    let title = match (track, item) {
        (Track::Host, Some(item)) => format!("calls for item {item}"),
        (Track::Host, None) => "wait".to_owned(),
        (_, Some(item)) => format!("{} {item}", track.name()),
        (_, None) => track.name().to_owned(),
    };
    json!({
        "ph": "X",
        "name": title,
        "cat": track.name(),
        "pid": process,
        "tid": thread_number(device, track),
        "ts": start_ms * 1e3,
        "dur": (end_ms - start_ms).max(0.0) * 1e3,
        "args": { "item": item, "device": device },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_span_is_an_event_and_every_row_has_a_name() {
        let span = |track, device, item| Span { track, device, item, start_ms: 0.5, end_ms: 2.0 };
        let timeline = Timeline {
            title: "pipelined".into(),
            elapsed_ms: 2.0,
            spans: vec![span(Track::CopyIn, 0, Some(3)), span(Track::Kernel, 1, Some(4)), span(Track::Host, 0, None)],
        };
        let document: Value = serde_json::from_str(&render(&[timeline.clone(), timeline])).unwrap();
        let events = document["traceEvents"].as_array().unwrap();
        let count = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
        assert_eq!((count("X"), count("M")), (6, 2 * (1 + 3)));
        let copy = events.iter().find(|event| event["name"] == "copy in 3").unwrap();
        assert_eq!((copy["ts"].as_f64(), copy["dur"].as_f64()), (Some(500.0), Some(1500.0)));
        for event in events.iter().filter(|event| event["ph"] == "X") {
            let named = |other: &&Value| {
                other["name"] == "thread_name" && other["pid"] == event["pid"] && other["tid"] == event["tid"]
            };
            assert!(events.iter().any(|other| named(&other)), "{event} is in a row without a name");
        }
    }
}
