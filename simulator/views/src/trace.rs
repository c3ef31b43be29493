//! A trace of what ran when, in Chrome's trace event format: opens in <https://ui.perfetto.dev> and chrome://tracing.
//!
//! The format's rule: complete events (`X`) of one thread nest or are disjoint. Perfetto drops those that cross. So an engine whose work
//! overlaps in time, as kernels of several streams do, has as many threads as it needs: each event goes to the first one that is free.
//! Times are microseconds there; a reader of the format keeps whole nanoseconds, and so do the threads here.

use serde_json::{Map, Value, json};

/// Events that belong together: one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Its name in the picture.
    pub title: String,
    /// In any order; engines stand in the order of their first span.
    pub spans: Vec<Span>,
}

/// One thing that took time.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The part of the machine that did it: "device 0: kernels".
    pub engine: String,
    /// Its name in the picture.
    pub name: String,
    /// In nanoseconds after the run began.
    pub start_ns: f64,
    /// Likewise.
    pub end_ns: f64,
    /// Details for a reader who chooses it.
    pub arguments: Map<String, Value>,
}

impl Span {
    /// An entry of the driver's activities (`labs_sim_take("activities")`): kernels, copies and memsets by engine, and the host's calls.
    pub fn of_activity(activity: &Value) -> Option<Span> {
        let text = |key: &str| activity.get(key).and_then(Value::as_str).unwrap_or_default();
        let number = |key: &str| activity.get(key).and_then(Value::as_f64);
        let (engine, name) = match text("kind") {
            "api" => ("host calls", text("name")),
            "kernel" => ("kernels", text("name")),
            "memcpy HtoD" => ("copies to the device", "copy to the device"),
            "memcpy DtoH" => ("copies to the host", "copy to the host"),
            other => ("copies and sets within the device", other),
        };
        let arguments =
            ["stream", "bytes"].into_iter().filter_map(|key| Some((key.to_owned(), activity.get(key)?.clone())));
        Some(Span {
            engine: engine.to_owned(),
            name: name.to_owned(),
            start_ns: number("start_ns")?,
            end_ns: number("end_ns")?,
            arguments: arguments.collect(),
        })
    }
}

/// The JSON document.
pub fn render(processes: &[Process]) -> String {
    let mut events: Vec<Value> = Vec::new();
    for (pid, process) in processes.iter().enumerate() {
        events.push(named("process_name", pid, 0, json!({"name": process.title})));
        events.push(named("process_sort_index", pid, 0, json!({"sort_index": pid})));
        let mut threads = 0;
        for engine in engines(&process.spans) {
            for (lane, spans) in lanes(&process.spans, engine).into_iter().enumerate() {
                let beside = if lane == 0 { String::new() } else { format!(", beside ({})", lane + 1) };
                events.push(named("thread_name", pid, threads, json!({"name": format!("{engine}{beside}")})));
                events.push(named("thread_sort_index", pid, threads, json!({"sort_index": threads})));
                events.extend(spans.into_iter().map(|(span, from, to)| {
                    json!({ "ph": "X", "name": span.name, "cat": engine, "pid": pid, "tid": threads,
                        "ts": microseconds(from), "dur": microseconds(to - from), "args": span.arguments })
                }));
                threads += 1;
            }
        }
    }
    json!({ "displayTimeUnit": "ms", "traceEvents": events }).to_string()
}

/// Engines in the order of their first span.
fn engines(spans: &[Span]) -> Vec<&str> {
    let mut engines: Vec<&str> = Vec::new();
    for span in spans {
        if !engines.contains(&span.engine.as_str()) {
            engines.push(&span.engine);
        }
    }
    engines
}

/// A span with its begin and end in whole nanoseconds.
type Placed<'s> = (&'s Span, i64, i64);

/// An engine's spans by begin, each in the first lane that is free by then: no two of a lane overlap.
fn lanes<'s>(spans: &'s [Span], engine: &str) -> Vec<Vec<Placed<'s>>> {
    let mut placed: Vec<Placed> = spans
        .iter()
        .filter(|span| span.engine == engine)
        .map(|span| (span, span.start_ns.round() as i64, span.end_ns.max(span.start_ns).round() as i64))
        .collect();
    placed.sort_by_key(|&(_, from, to)| (from, to));
    let mut lanes: Vec<Vec<Placed>> = Vec::new();
    for span in placed {
        match lanes.iter_mut().find(|lane| lane.last().is_none_or(|last| last.2 <= span.1)) {
            Some(lane) => lane.push(span),
            None => lanes.push(vec![span]),
        }
    }
    lanes
}

fn named(kind: &str, process: usize, thread: usize, arguments: Value) -> Value {
    json!({ "ph": "M", "name": kind, "pid": process, "tid": thread, "args": arguments })
}

/// Microseconds that a reader, who multiplies by 1000 and cuts, takes for exactly so many nanoseconds.
fn microseconds(ns: i64) -> f64 {
    let us = ns as f64 / 1e3;
    if nanoseconds(us) < ns { us.next_up() } else { us }
}

/// As Perfetto reads a time of the format.
fn nanoseconds(us: f64) -> i64 {
    (us * 1e3) as i64
}

/// Each pair of complete events that share a thread and neither nest nor are disjoint: the format's rule forbids them. For tests.
pub fn crossings(document: &Value) -> Vec<String> {
    let empty = Vec::new();
    let events = document["traceEvents"].as_array().unwrap_or(&empty);
    let mut complete: Vec<(String, i64, i64, &Value)> = events
        .iter()
        .filter(|event| event["ph"] == "X")
        .map(|event| {
            let time = |key: &str| nanoseconds(event[key].as_f64().unwrap_or(f64::NAN));
            let thread = format!("{} {}", event["pid"], event["tid"]);
            (thread, time("ts"), time("ts") + time("dur"), event)
        })
        .collect();
    // The longer one of two that begin together is outside.
    complete.sort_by(|a, b| (&a.0, a.1, -a.2).cmp(&(&b.0, b.1, -b.2)));
    let mut crossings = Vec::new();
    let mut open: Vec<&(String, i64, i64, &Value)> = Vec::new();
    for event in &complete {
        open.retain(|outer| outer.0 == event.0 && outer.2 > event.1);
        crossings
            .extend(open.iter().filter(|outer| outer.2 < event.2).map(|outer| format!("{} and {}", outer.3, event.3)));
        open.push(event);
    }
    crossings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(engine: &str, name: &str, start_ns: f64, end_ns: f64) -> Span {
        Span { engine: engine.into(), name: name.into(), start_ns, end_ns, arguments: Map::new() }
    }

    fn document(spans: Vec<Span>) -> Value {
        serde_json::from_str(&render(&[Process { title: "a run".into(), spans }])).unwrap()
    }

    #[test]
    fn kernels_beside_each_other_have_threads_of_their_own_and_the_rest_shares_one() {
        let document = document(vec![
            span("kernels", "0", 0.0, 2000.0),
            span("kernels", "1", 1000.0, 3000.0),
            span("kernels", "2", 2000.0, 4000.0),
            span("copies", "3", 0.0, 1000.0),
        ]);
        let events = document["traceEvents"].as_array().unwrap();
        let thread = |name: &str| events.iter().find(|e| e["ph"] == "X" && e["name"] == name).unwrap()["tid"].clone();
        assert_eq!((thread("0"), thread("1"), thread("2"), thread("3")), (0.into(), 1.into(), 0.into(), 2.into()));
        let names: Vec<&Value> =
            events.iter().filter(|e| e["name"] == "thread_name").map(|e| &e["args"]["name"]).collect();
        assert_eq!(names, ["kernels", "kernels, beside (2)", "copies"]);
        assert_eq!(crossings(&document), [] as [String; 0]);
    }

    #[test]
    fn events_that_cross_are_found_and_those_that_nest_or_touch_are_not() {
        let event = |name: &str, from: f64, long: f64| json!({"ph": "X", "name": name, "pid": 0, "tid": 0, "ts": from, "dur": long});
        let of = |events: &[Value]| crossings(&json!({"traceEvents": events})).len();
        assert_eq!(of(&[event("outer", 0.0, 9.0), event("inner", 2.0, 3.0), event("next", 9.0, 1.0)]), 0);
        assert_eq!(of(&[event("a", 0.0, 5.0), event("b", 4.0, 5.0)]), 1);
        assert_eq!(of(&[event("outer", 0.0, 9.0), event("inner", 2.0, 3.0), event("b", 4.0, 9.0)]), 2);
    }

    #[test]
    fn a_reader_that_cuts_has_the_same_nanoseconds() {
        for ns in (0..2_000_000).step_by(7).chain([1_234_567_891, 28_163_999, 9_007_199_254]) {
            assert_eq!(nanoseconds(microseconds(ns)), ns);
        }
    }

    #[test]
    fn an_activity_of_the_driver_is_a_span_on_its_engine() {
        let copy = json!({"kind": "memcpy HtoD", "name": "", "stream": 3, "start_ns": 5.0, "end_ns": 9.0, "bytes": 64});
        let span = Span::of_activity(&copy).unwrap();
        assert_eq!((span.engine.as_str(), span.start_ns, span.end_ns), ("copies to the device", 5.0, 9.0));
        assert_eq!(span.arguments["bytes"], 64);
        assert_eq!(Span::of_activity(&json!({"kind": "kernel"})), None);
    }
}
