//! How well the clock tells the times of a file of kernels: the table of `docs/measurements/clock.md`.

use super::table::{median, tau_of};
use anyhow::Context;
use serde_json::Value;

/// Markdown of two files that `model measure` wrote: a card's and the simulator's.
pub fn print(measured: &str, simulated: &str) -> anyhow::Result<()> {
    let [measured, simulated] = [read(measured)?, read(simulated)?];
    let rows = |report: &Value| report["rows"].as_array().cloned().context("no rows");
    let (measured_rows, simulated_rows) = (rows(&measured)?, rows(&simulated)?);
    let mut pairs = Vec::new();
    println!("| row | measured µs | model µs | error | bound by |\n|---|---:|---:|---:|---|");
    for row in &measured_rows {
        let Some(other) = simulated_rows.iter().find(|other| other["row"] == row["row"]) else { continue };
        let (Some(card), Some(model)) = (row["us"].as_f64(), other["us"].as_f64()) else { continue };
        let [name, bound] = [&row["row"], &other["bound_by"]].map(|text| text.as_str().unwrap_or_default());
        println!("| {name} | {card:.2} | {model:.2} | {:+.0} % | {bound} |", (model / card - 1.0) * 100.0);
        pairs.push((card, model));
    }
    let mut errors: Vec<f64> = pairs.iter().map(|(card, model)| (model / card - 1.0).abs() * 100.0).collect();
    errors.sort_by(f64::total_cmp);
    let at = |share: f64| errors.get((errors.len() as f64 * share) as usize).or(errors.last()).copied();
    let near = errors.iter().filter(|&&error| error <= 25.0).count();
    println!(
        "\n{} on {}, {} rows of {}: median |error| {:.1} %, 90th percentile {:.0} %, worst {:.0} %, within 25 %: {near}, τ {:.2}, τ beyond 3 % {:.2}",
        measured["file"].as_str().unwrap_or_default(),
        measured["device"].as_str().unwrap_or_default(),
        pairs.len(),
        measured_rows.len(),
        median(errors.iter().copied()),
        at(0.9).unwrap_or(f64::NAN),
        at(1.0).unwrap_or(f64::NAN),
        tau_of(&pairs, |_, _| 0.0),
        tau_of(&pairs, |one, other| 0.03 * one.0.min(other.0)),
    );
    Ok(())
}

fn read(path: &str) -> anyhow::Result<Value> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {path}"))?;
    serde_json::from_str(&text).with_context(|| format!("{path} is not what `model measure` prints"))
}
