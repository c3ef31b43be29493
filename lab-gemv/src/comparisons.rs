//! The assignment's comparisons: which block is best for each rung, and whether the cache preference matters.

use crate::options::CachePreference;
use common::result::{Comparison, ComparisonRow, Report, Row, Table, gain_of_time};
use serde_json::Value;

/// Adds every comparison for which the report has both sides.
pub fn add(report: &mut Report) {
    let best = best_blocks(&report.rows);
    if !best.rows.is_empty() {
        report.tables.push(best);
    }
    if let Some(comparison) = cache_effect(&report.rows) {
        report.notes.push(cache_note(&report.rows, &comparison));
        report.comparisons.push(comparison);
    }
}

/// The fastest block of each rung, size and type, where several were tried.
fn best_blocks(rows: &[Row]) -> Table {
    let mut best: Vec<(&Row, bool)> = Vec::new();
    for row in rows.iter().filter(|row| row.correct && row.gflops.is_some()) {
        let alike = |other: &Row| {
            (&other.variant, &other.size, &other.host_memory, other.dtype)
                == (&row.variant, &row.size, &row.host_memory, row.dtype)
        };
        match best.iter_mut().find(|(other, _)| alike(other)) {
            Some((champion, several)) => {
                *several |= champion.block != row.block;
                if row.time_ms.median < champion.time_ms.median {
                    *champion = row;
                }
            }
            None => best.push((row, false)),
        }
    }
    let keys = ["gflops", "peak_percent", "memory_percent"];
    let line = |(row, _): &(&Row, bool)| {
        let identity = [row.variant.as_str(), &row.size.to_string(), row.dtype.name(), &row.block].map(Value::from);
        identity.into_iter().chain(keys.map(|key| row.value(key).unwrap_or(Value::Null))).collect()
    };
    Table {
        title: "best block of each variant".to_owned(),
        columns: ["variant", "size", "dtype", "block", "GFLOP/s", "of peak %", "of memory %"]
            .map(str::to_owned)
            .to_vec(),
        rows: best.iter().filter(|(_, several)| *several).map(line).collect(),
    }
}

fn cache_of(row: &Row) -> Option<&str> {
    row.figures.get("cache")?.as_str()
}

/// Each preference over none, for the same kernel, block and problem.
fn cache_effect(rows: &[Row]) -> Option<Comparison> {
    let none = CachePreference::PreferNone.name();
    let others = [CachePreference::PreferL1, CachePreference::PreferShared].map(CachePreference::name);
    let tried: Vec<&str> =
        others.into_iter().filter(|name| rows.iter().any(|row| cache_of(row) == Some(name))).collect();
    let pairs: Vec<ComparisonRow> = rows
        .iter()
        .filter(|row| cache_of(row) == Some(none))
        .map(|row| {
            let gain = |name: &&str| {
                let other = rows.iter().find(|other| {
                    let identity = |row: &Row| {
                        (row.variant.clone(), row.size.clone(), row.block.clone(), row.dtype, row.host_memory.clone())
                    };
                    cache_of(other) == Some(name) && identity(other) == identity(row)
                })?;
                gain_of_time(row.time_ms.median, other.time_ms.median)
            };
            ComparisonRow {
                label: vec![row.variant.clone(), row.size.to_string(), row.block.clone()],
                size: row.size.clone(),
                gain_percent: tried.iter().map(gain).collect(),
            }
        })
        .collect();
    (!tried.is_empty() && !pairs.is_empty()).then(|| Comparison {
        title: "kernel time, cache preference over prefer-none".to_owned(),
        columns: tried.into_iter().map(str::to_owned).collect(),
        rows: pairs,
    })
}

/// What the comparison says, and why it cannot well say anything else.
fn cache_note(rows: &[Row], comparison: &Comparison) -> String {
    let gains = || comparison.rows.iter().flat_map(|row| &row.gain_percent).flatten();
    let largest = gains().fold(0.0f64, |largest, gain| largest.max(gain.abs()));
    let resident = |row: &Row| {
        Some(row.number("dynamic_shared_bytes")? * row.number("resident_blocks_per_multiprocessor")? / 1024.0)
    };
    let shared = rows.iter().filter_map(resident).fold(0.0f64, f64::max);
    format!(
        "cache preference: the largest change is {largest:.1} %. Blocks that add up in shared memory take {shared:.0} KiB of it per \
         multiprocessor at most, which every division of the memory has room for, so the preference changes no kernel's occupancy; \
         and A is read once, so more L1 has nothing to keep"
    )
}
