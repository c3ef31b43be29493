//! The assignment's comparison: if the cache preference matters. Which block is best for each rung, the report's own table says.

use crate::options::CachePreference;
use common::result::figures::Figure;
use common::result::{Comparison, ComparisonRow, Report, Row, gain_of_time};

/// The preference between L1 cache and shared memory, as `--cache` takes it.
pub const CACHE: Figure<String> = Figure::new("cache");

/// Adds the comparison if the report has both sides.
pub fn add(report: &mut Report) {
    if let Some(comparison) = cache_effect(&report.rows) {
        report.notes.push(cache_note(&report.rows, &comparison).into());
        report.comparisons.push(comparison);
    }
}

fn cache_of(row: &Row) -> Option<String> {
    row.get(&CACHE)
}

/// Each preference over none, for the same kernel, block and problem.
fn cache_effect(rows: &[Row]) -> Option<Comparison> {
    let none = CachePreference::PreferNone.name();
    let others = [CachePreference::PreferL1, CachePreference::PreferShared].map(CachePreference::name);
    let tried: Vec<&str> =
        others.into_iter().filter(|name| rows.iter().any(|row| cache_of(row).as_deref() == Some(name))).collect();
    let identity = |row: &Row| {
        let chunks = row.number("chunks_per_thread");
        (row.variant.clone(), row.size.clone(), row.block.clone(), chunks, row.dtype, row.host_memory.clone())
    };
    let pairs: Vec<ComparisonRow> = rows
        .iter()
        .filter(|row| cache_of(row).as_deref() == Some(none))
        .map(|row| {
            let gain = |name: &&str| {
                let is_it =
                    |other: &&Row| cache_of(other).as_deref() == Some(*name) && identity(other) == identity(row);
                let other = rows.iter().find(is_it)?;
                gain_of_time(row.time_ms.median, other.time_ms.median)
            };
            ComparisonRow {
                label: vec![row.variant.clone(), row.block.clone()],
                size: row.size.clone(),
                gain_percent: tried.iter().map(gain).collect(),
            }
        })
        .collect();
    (!tried.is_empty() && !pairs.is_empty()).then(|| Comparison {
        title: "kernel time, cache preference over prefer-none".to_owned(),
        remark: String::new(),
        columns: tried.into_iter().map(str::to_owned).collect(),
        labels: ["variant", "block"].map(str::to_owned).to_vec(),
        spread: ["size", "block"].map(str::to_owned).to_vec(),
        rows: pairs,
    })
}

/// The comparison's result, and the reason for it.
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
