//! The activities of a run: the two tables that nvprof made of them, and the trace.

use crate::observations::Activity;
use crate::result::Table;
use serde_json::Value;
use std::collections::HashMap;
use views::trace::{Process, Span};

/// GPU activities and API calls: share of the table's time, total, calls, mean, min, max, name; the longest first.
pub fn summaries(activities: &[Activity]) -> [Table; 2] {
    let (api, gpu): (Vec<&Activity>, Vec<&Activity>) = activities.iter().partition(|activity| activity.kind == "api");
    [summary("GPU activities", &gpu), summary("API calls", &api)]
}

/// The activities as a process of a trace, from the first on.
pub fn process(title: &str, activities: &[Activity]) -> serde_json::Result<Process> {
    let begin_ns = activities.iter().map(|activity| activity.start_ns).fold(f64::INFINITY, f64::min);
    let mut spans = Vec::new();
    for activity in activities {
        let shifted =
            Activity { start_ns: activity.start_ns - begin_ns, end_ns: activity.end_ns - begin_ns, ..activity.clone() };
        spans.extend(Span::of_activity(&serde_json::to_value(shifted)?));
    }
    Ok(Process { title: title.to_owned(), spans })
}

fn summary(title: &str, activities: &[&Activity]) -> Table {
    let mut groups: HashMap<&str, Vec<f64>> = HashMap::new();
    for activity in activities {
        let name = match activity.kind.as_str() {
            "kernel" | "api" => &activity.name,
            _ => &activity.kind,
        };
        let microseconds = (activity.end_ns - activity.start_ns) / 1e3;
        groups.entry(name).or_default().push(microseconds);
    }
    let all: f64 = groups.values().flatten().sum();
    let mut groups: Vec<(&str, Vec<f64>)> = groups.into_iter().collect();
    let total = |times: &Vec<f64>| times.iter().sum::<f64>();
    groups.sort_by(|a, b| total(&b.1).total_cmp(&total(&a.1)).then(a.0.cmp(b.0)));
    let rows = groups
        .into_iter()
        .map(|(name, times)| {
            let sum = total(&times);
            let share = if all > 0.0 { sum / all * 100.0 } else { 0.0 };
            vec![
                Value::from(share),
                sum.into(),
                times.len().into(),
                (sum / times.len() as f64).into(),
                times.iter().copied().fold(f64::INFINITY, f64::min).into(),
                times.iter().copied().fold(0.0, f64::max).into(),
                name.into(),
            ]
        })
        .collect();
    Table {
        title: title.to_owned(),
        columns: ["share %", "total µs", "calls", "mean µs", "min µs", "max µs", "name"].map(str::to_owned).to_vec(),
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn activity(kind: &str, name: &str, start_ns: f64, end_ns: f64) -> Activity {
        Activity { kind: kind.into(), name: name.into(), stream: 0, start_ns, end_ns, bytes: 0 }
    }

    #[test]
    fn activities_are_grouped_and_the_longest_comes_first() {
        let [gpu, api] = summaries(&[
            activity("memcpy HtoD", "", 0.0, 1000.0),
            activity("kernel", "naive_f32_32", 1000.0, 4000.0),
            activity("kernel", "naive_f32_32", 5000.0, 10_000.0),
            activity("api", "cuLaunchKernel", 0.0, 2000.0),
        ]);
        assert_eq!(gpu.rows.len(), 2);
        assert_eq!(gpu.rows[0][6], "naive_f32_32");
        assert_eq!(gpu.rows[0][1], 8.0);
        assert_eq!(gpu.rows[0][2], 2);
        assert_eq!(gpu.rows[0][3], 4.0);
        assert_eq!(gpu.rows[1][6], "memcpy HtoD");
        assert_eq!(
            api.rows,
            vec![vec![
                Value::from(100.0),
                2.0.into(),
                1.into(),
                2.0.into(),
                2.0.into(),
                2.0.into(),
                "cuLaunchKernel".into()
            ]]
        );
    }

    #[test]
    fn no_activity_gives_empty_tables() {
        assert!(summaries(&[]).iter().all(|table| table.rows.is_empty()));
    }

    #[test]
    fn a_trace_begins_with_its_first_activity() {
        let traced = process(
            "64 in f32",
            &[activity("api", "cuLaunchKernel", 500.0, 700.0), activity("kernel", "k", 600.0, 900.0)],
        )
        .unwrap();
        let spans: Vec<_> =
            traced.spans.iter().map(|span| (span.engine.as_str(), span.start_ns, span.end_ns)).collect();
        assert_eq!(spans, [("host calls", 0.0, 200.0), ("kernels", 100.0, 400.0)]);
    }
}
