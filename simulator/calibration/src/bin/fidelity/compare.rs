//! The table: what the simulator counted beside what the profiler counted.

use anyhow::{Context, bail};
use serde_json::{Map, Value};
use simulator::counters::PROFILED;
use std::collections::HashMap;
use std::fmt::Write;

/// Markdown: one line per row; a cell is one number where both agree, else `simulator ≠ profiler`.
pub fn table(simulated: &str, profiled: &str) -> anyhow::Result<String> {
    let simulated: Vec<Value> = serde_json::from_str(simulated).context("the simulator's counters")?;
    let launches = launches(profiled)?;
    if launches.len() != simulated.len() {
        bail!("{} launches were profiled, {} simulated", launches.len(), simulated.len());
    }
    let heads: Vec<&str> = PROFILED.iter().map(|(head, ..)| *head).collect();
    let mut text = format!("| row | {} |\n|---|{}\n", heads.join(" | "), "---:|".repeat(heads.len()));
    let (mut equal, mut cells, mut whole) = (0, 0, 0);
    for (row, (kernel, metrics)) in simulated.iter().zip(&launches) {
        if row["kernel"] != kernel.as_str() {
            bail!("{} was simulated where {kernel} was profiled", row["kernel"]);
        }
        let mut counters =
            row["counters"].as_object().cloned().context("a row without counters: was it run on a GPU?")?;
        counters.insert("threads".into(), row["threads"].clone());
        write!(text, "| {} |", row["row"].as_str().unwrap_or_default())?;
        let before = (equal, cells);
        for (_, key, metric) in PROFILED {
            let Some(&hardware) = metrics.get(*metric) else {
                text.push_str(" – |");
                continue;
            };
            let ours = count(&counters, key);
            cells += 1;
            if ours == hardware {
                equal += 1;
                write!(text, " {ours} |")?;
            } else {
                write!(text, " **{ours} ≠ {hardware}** |")?;
            }
        }
        whole += usize::from(equal - before.0 == cells - before.1);
        text.push('\n');
    }
    writeln!(text, "\n{whole} of {} rows agree in every cell; {equal} of {cells} cells agree.", simulated.len())?;
    Ok(text)
}

fn count(counters: &Map<String, Value>, key: &str) -> u64 {
    counters.get(key).and_then(Value::as_u64).unwrap_or(0)
}

/// The profiler's launches in order: kernel and metrics. Its CSV has a line per launch and metric, and words of its own before the head.
fn launches(csv: &str) -> anyhow::Result<Vec<(String, HashMap<String, u64>)>> {
    let start = csv.find("\"ID\"").context("no line that starts with \"ID\": not the profiler's CSV")?;
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(&csv.as_bytes()[start..]);
    let head = reader.headers()?.clone();
    let place = |name: &str| head.iter().position(|field| field == name).with_context(|| format!("no column {name}"));
    let (id, kernel, metric, value) =
        (place("ID")?, place("Kernel Name")?, place("Metric Name")?, place("Metric Value")?);
    let mut launches: Vec<(String, HashMap<String, u64>)> = Vec::new();
    let mut last = None;
    for record in reader.records() {
        let record = record?;
        let field = |index: usize| record.get(index).unwrap_or_default().to_owned();
        if last.as_ref() != Some(&field(id)) {
            last = Some(field(id));
            let name = field(kernel);
            launches.push((name.split('(').next().unwrap_or_default().to_owned(), HashMap::new()));
        }
        if let (Some((_, metrics)), Ok(number)) = (launches.last_mut(), field(value).replace(',', "").parse::<f64>()) {
            metrics.insert(field(metric), number as u64);
        }
    }
    Ok(launches)
}
