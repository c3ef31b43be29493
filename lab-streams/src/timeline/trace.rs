//! Timelines for Perfetto: one process per row of the report, and the engines of each device as `views::trace` has them.

use super::{Span, Timeline, Track};
use serde_json::{Map, Value};
use views::trace::{self, Process};

/// Engines from top to bottom, as the picture has them.
pub fn process(timeline: &Timeline) -> Process {
    let mut spans: Vec<&Span> = timeline.spans.iter().collect();
    spans.sort_by_key(|span| (span.device, span.track));
    Process { title: timeline.title.clone(), spans: spans.into_iter().map(traced).collect() }
}

fn traced(span: &Span) -> trace::Span {
    let Span { track, device, item, start_ms, end_ms } = *span;
    let name = match (track, item) {
        (Track::Host, Some(item)) => format!("calls for item {item}"),
        (Track::Host, None) => "wait".to_owned(),
        (_, Some(item)) => format!("{} {item}", track.name()),
        (_, None) => track.name().to_owned(),
    };
    let arguments = [("item", Value::from(item)), ("device", device.into())];
    trace::Span {
        engine: format!("device {device}: {}", track.name()),
        name,
        start_ns: start_ms * 1e6,
        end_ns: end_ms * 1e6,
        arguments: arguments.map(|(key, value)| (key.to_owned(), value)).into_iter().collect::<Map<_, _>>(),
    }
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
            median_ms: 2.0,
            spans: vec![span(Track::CopyIn, 0, Some(3)), span(Track::Kernel, 1, Some(4)), span(Track::Host, 0, None)],
        };
        let document: Value = serde_json::from_str(&trace::render(&[process(&timeline), process(&timeline)])).unwrap();
        let events = document["traceEvents"].as_array().unwrap();
        let names = |kind: &str| events.iter().filter(|event| event["name"] == kind).count();
        assert_eq!((names("process_name"), names("thread_name")), (2, 2 * 3));
        assert_eq!(events.iter().filter(|event| event["ph"] == "X").count(), 6);
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
