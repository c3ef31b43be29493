//! The assignment's two comparisons, per phase and size: other host memory over pageable, and shared over naive.

use crate::data::PHASES;
use crate::options::Placement;
use common::result::figures::{Figure, HOST_BOUND};
use common::result::{Comparison, ComparisonRow, Report, Row, distinct, gain_of_rate, gain_of_time};

/// The rate of a series of launches.
const SERIES_GFLOPS: Figure<f64> = Figure::new("series_gflops");

/// Adds every comparison for which the report has both sides. `placement` says which matrices the host memory is of.
pub fn add(report: &mut Report, placement: Placement) {
    let memories = report.rows.iter().map(|row| row.host_memory.as_str());
    let memories = distinct(memories.filter(|&memory| memory != "pageable" && !memory.is_empty()));
    let mut found = Vec::new();
    for memory in memories {
        let remark = match placement {
            Placement::Result => "of C alone (A and B stay pageable)",
            Placement::All => "of A, B and C",
        };
        let compared = compare(
            &report.rows,
            &format!("{memory} over pageable host memory"),
            ["variant", "block", "dtype"],
            &["variant", "block"],
            |row| row.host_memory == memory,
            |row, baseline| baseline.host_memory == "pageable" && row.variant == baseline.variant,
            |row| vec![row.variant.clone(), row.block.clone(), row.dtype.to_string()],
        );
        found.push(Comparison { remark: remark.to_owned(), ..compared });
    }
    found.push(compare(
        &report.rows,
        "shared over naive",
        ["block", "host memory", "dtype"],
        &["host memory"],
        |row| row.variant == "shared",
        |row, baseline| baseline.variant == "naive" && row.host_memory == baseline.host_memory,
        |row| vec![row.block.clone(), row.host_memory.clone(), row.dtype.to_string()],
    ));
    found.retain(|comparison| !comparison.rows.is_empty());
    report.comparisons.extend(found);
}

/// To each row of a problem its share, in %, of the rate of cuBLAS on the same problem. `key` names the rate.
pub fn add_cublas_shares(rows: &mut [Row], key: &str) {
    let is_timed = |row: &&Row| row.variant == "cublas" && !row.is_host_bound();
    let best = rows.iter().find(is_timed).and_then(|row| row.number(key));
    for row in rows {
        if row.is_host_bound() || best.is_none() {
            row.figures.remove("cublas_percent");
            continue;
        }
        if let (Some(rate), Some(best)) = (row.number(key), best) {
            row.figures.insert("cublas_percent".into(), (rate / best * 100.0).into());
        }
    }
}

/// To each row its rate where many launches follow each other: cuBLAS at n = 1024 has half of it when it is called once.
pub fn add_series(rows: &mut [Row], series: &[Row]) {
    for (row, series) in rows.iter_mut().zip(series) {
        if let Some(rate) = series.gflops {
            row.set(&SERIES_GFLOPS, rate);
        }
        if series.is_host_bound() {
            row.set(&HOST_BOUND, true);
        }
        if row.correct && !series.correct {
            row.correct = false;
            row.mismatch = series.mismatch.clone();
        }
    }
}

/// Pairs each candidate with the row that matches it and has the same size, block and type.
fn compare(
    rows: &[Row],
    title: &str,
    labels: [&str; 3],
    spread: &[&str],
    is_candidate: impl Fn(&Row) -> bool,
    is_baseline: impl Fn(&Row, &Row) -> bool,
    label: impl Fn(&Row) -> Vec<String>,
) -> Comparison {
    let alike = |a: &Row, b: &Row| a.size == b.size && a.block == b.block && a.dtype == b.dtype;
    let pair = |row: &Row| {
        let baseline = rows.iter().find(|other| alike(row, other) && is_baseline(row, other))?;
        Some(ComparisonRow { label: label(row), size: row.size.clone(), gain_percent: gains(baseline, row) })
    };
    let mut columns: Vec<String> = PHASES.map(str::to_owned).to_vec();
    columns.extend(["total", "total GFLOP/s"].map(str::to_owned));
    Comparison {
        title: title.to_owned(),
        remark: String::new(),
        columns,
        labels: labels.map(str::to_owned).to_vec(),
        spread: spread.iter().map(|&part| part.to_owned()).collect(),
        rows: rows.iter().filter(|row| is_candidate(row)).filter_map(pair).collect(),
    }
}

fn gains(baseline: &Row, candidate: &Row) -> Vec<Option<f64>> {
    let gain = |key: &str, of: fn(f64, f64) -> Option<f64>| of(baseline.number(key)?, candidate.number(key)?);
    let phases = PHASES.iter().copied().chain(["total"]);
    let times = phases.map(|phase| gain(&format!("phases_ms.{phase}"), gain_of_time));
    times.chain([gain("total_gflops", gain_of_rate)]).collect()
}
