//! The table of `docs/measurements/h200-model.md`: measured times, the model's, and how well they agree.

use anyhow::{Context, bail};
use serde_json::Value;
use std::fmt::Write;

/// Rows that no kernel of the project stands behind.
const YARDSTICKS: [&str; 2] = ["cublas", "memcpy"];
/// Times of a card that are this close say nothing about their order; nor do those within two standard errors of their medians.
const NOISE: f64 = 0.03;

struct Pair {
    variant: String,
    size: String,
    block: String,
    measured_us: f64,
    /// Standard error of the measured median.
    uncertain_us: f64,
    model_us: f64,
}

/// Markdown of pairs of reports: a measured one, then a simulated one of the same command.
pub fn print(files: &[&str]) -> anyhow::Result<()> {
    if files.is_empty() || !files.len().is_multiple_of(2) {
        bail!("usage: model table MEASURED.json SIMULATED.json [MEASURED.json SIMULATED.json …]");
    }
    let mut summary =
        String::from("| lab | size | rungs | τ | τ beyond noise | median error |\n|---|---|---:|---:|---:|---:|\n");
    let mut table = String::from(
        "| lab | row | size | block | measured µs | model µs | error |\n|---|---|---|---|---:|---:|---:|\n",
    );
    for files in files.chunks(2) {
        let [measured, simulated] = [read(files[0])?, read(files[1])?];
        let lab = measured["lab"].as_str().unwrap_or_default().to_owned();
        let pairs = pairs(&measured, &simulated).with_context(|| format!("{} and {}", files[0], files[1]))?;
        let mut sizes: Vec<&str> = pairs.iter().map(|pair| pair.size.as_str()).collect();
        sizes.dedup();
        for size in sizes {
            let of_size: Vec<&Pair> = pairs.iter().filter(|pair| pair.size == size).collect();
            let (plain, judged) = (tau(&of_size, |_, _| 0.0), tau(&of_size, noise_us));
            let error = median(of_size.iter().map(|pair| pair.error().abs()));
            writeln!(
                summary,
                "| {lab} | {size} | {} | {plain:.2} | {judged:.2} | {:.0} % |",
                of_size.len(),
                error * 100.0
            )?;
        }
        let error = median(pairs.iter().map(|pair| pair.error().abs()));
        writeln!(summary, "| {lab} | all | {} | | | **{:.0} %** |", pairs.len(), error * 100.0)?;
        for pair in &pairs {
            let Pair { variant, size, block, measured_us, model_us, .. } = pair;
            let error = pair.error() * 100.0;
            writeln!(
                table,
                "| {lab} | {variant} | {size} | {block} | {measured_us:.2} | {model_us:.2} | {error:+.0} % |"
            )?;
        }
    }
    println!("{summary}\n{table}");
    Ok(())
}

impl Pair {
    fn error(&self) -> f64 {
        self.model_us / self.measured_us - 1.0
    }
}

fn read(path: &str) -> anyhow::Result<Value> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {path}"))?;
    serde_json::from_str(&text).with_context(|| format!("{path} is no report of a lab"))
}

/// Rows of both reports that agree in everything that a command line chooses, in the order of the first.
fn pairs(measured: &Value, simulated: &Value) -> anyhow::Result<Vec<Pair>> {
    let rows = |report: &Value| report["rows"].as_array().cloned().context("a report without rows");
    let key = |row: &Value| {
        ["variant", "size", "block", "dtype", "host_memory", "cache", "workload"].map(|key| row[key].clone())
    };
    let simulated = rows(simulated)?;
    let mut pairs = Vec::new();
    for row in rows(measured)? {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let time = |row: &Value| row["time_ms"]["median"].as_f64().map(|ms| ms * 1e3);
        let other = simulated.iter().find(|other| key(other) == key(&row));
        if let (Some(measured_us), Some(model_us)) = (time(&row), other.and_then(time))
            && !YARDSTICKS.contains(&row["variant"].as_str().unwrap_or_default())
        {
            let statistic = |name: &str| row["time_ms"][name].as_f64().unwrap_or(0.0);
            // The standard error of a normal distribution's median.
            let uncertain_us = 1.2533 * statistic("stddev") * 1e3 / statistic("runs").max(1.0).sqrt();
            let [variant, size, block] = ["variant", "size", "block"].map(text);
            pairs.push(Pair { variant, size, block, measured_us, uncertain_us, model_us });
        }
    }
    pairs.sort_by_key(|pair| pair.size.parse::<u64>().unwrap_or(u64::MAX));
    Ok(pairs)
}

/// By how much the measured times of two rungs must differ to say which is faster.
fn noise_us(a: &Pair, b: &Pair) -> f64 {
    (NOISE * a.measured_us.min(b.measured_us)).max(2.0 * a.uncertain_us.hypot(b.uncertain_us))
}

/// Kendall's τ over the pairs of rungs whose measured times differ by more than `noise_us`.
fn tau(pairs: &[&Pair], noise_us: impl Fn(&Pair, &Pair) -> f64) -> f64 {
    kendall(pairs, |pair| (pair.measured_us, pair.model_us), |a, b| noise_us(a, b))
}

/// The same of pairs (measured, model).
pub fn tau_of(pairs: &[(f64, f64)], noise_us: impl Fn(&(f64, f64), &(f64, f64)) -> f64) -> f64 {
    kendall(pairs, |&pair| pair, noise_us)
}

fn kendall<P>(pairs: &[P], times: impl Fn(&P) -> (f64, f64), noise_us: impl Fn(&P, &P) -> f64) -> f64 {
    let (mut agree, mut judged) = (0, 0);
    for (i, a) in pairs.iter().enumerate() {
        for b in &pairs[i + 1..] {
            let ((measured_a, model_a), (measured_b, model_b)) = (times(a), times(b));
            if (measured_a - measured_b).abs() > noise_us(a, b) {
                judged += 1;
                let same = (measured_a - measured_b) * (model_a - model_b);
                agree += i32::from(same > 0.0) - i32::from(same < 0.0);
            }
        }
    }
    f64::from(agree) / f64::from(judged.max(1))
}

/// The middle value; not a number of none.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}
