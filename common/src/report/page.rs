//! A run as one page: what the crate `views` needs for it.

use super::columns::{Column, LINE_COUNTERS};
use super::costs::title_of;
use super::figure;
use crate::result::{Report, Row};
use anyhow::Context;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use views::page::{Launch, Page, render};

/// Writes the page of a run. `columns` are the lab's own, as its table has them.
pub fn write_page(report: &Report, columns: &[Column], path: &Path) -> anyhow::Result<()> {
    let page = render(&page(report, columns)?);
    std::fs::write(path, page).with_context(|| format!("your host code: writing {}", path.display()))
}

fn page(report: &Report, columns: &[Column]) -> anyhow::Result<Page> {
    let device = &report.device;
    let how = if device.simulated { "simulated" } else { "measured on" };
    let figures = figure::pictures(report)?.into_iter().map(|picture| {
        let panels = picture.panels.iter().map(figure::Drawn::element).collect();
        (picture.title, picture.subtitle, panels)
    });
    Ok(Page {
        title: format!("lab-{}, {how} {}", report.lab, device.name),
        head: head(report),
        report: document(report, columns)?,
        columns: columns.iter().map(|column| json!({"heading": column.heading, "key": column.key})).collect(),
        counters: LINE_COUNTERS
            .iter()
            .map(|Column { key, heading, meaning, .. }| json!({"key": key, "heading": heading, "meaning": meaning}))
            .collect(),
        launches: launches(report),
        sources: sources(report),
        figures: figures.collect(),
        style: figure::style(),
    })
}

/// How to have this run again.
fn head(report: &Report) -> Vec<(&'static str, String)> {
    let command: Vec<String> = std::env::args().collect();
    let program = format!("lab-{}", report.lab);
    vec![
        ("command", [&[program], command.get(1..).unwrap_or_default()].concat().join(" ")),
        ("card", report.device.to_string()),
        ("seed", report.seed.to_string()),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("written", date(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())),
    ]
}

/// Year, month, day, hour and minute of a time of Unix. Days are counted in eras of 400 years that begin in March, so that a leap day is the
/// last of its year (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn date(seconds: u64) -> String {
    let (days, minutes) = (seconds / 86_400 + 719_468, seconds % 86_400 / 60);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + 400 * era + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

/// The run's document, of its rows what a page shows: lines go by launch, and of the counters those that are columns.
fn document(report: &Report, columns: &[Column]) -> anyhow::Result<Value> {
    let bare = Report { rows: Vec::new(), ..report.clone() };
    let mut document = serde_json::to_value(bare)?;
    let row = |row: &Row| -> anyhow::Result<Value> {
        let shown = |key: &String| columns.iter().any(|column| column.key == *key);
        let counters =
            row.counters.iter().filter(|(key, _)| shown(key)).map(|(key, value)| (key.clone(), value.clone()));
        let mut row = Row { lines: Vec::new(), counters: counters.collect(), ..row.clone() };
        row.figures.retain(|key, _| key != "phase_statistics_ms");
        Ok(serde_json::to_value(row)?)
    };
    document["rows"] = report.rows.iter().map(row).collect::<anyhow::Result<Vec<Value>>>()?.into();
    Ok(document)
}

/// A kernel counts the same wherever the host keeps its matrices: each launch once.
fn launches(report: &Report) -> Vec<Launch> {
    let launch = |row: &Row| (row.variant.clone(), row.size.clone(), row.block.clone(), row.dtype);
    let mut seen = Vec::new();
    let mut launches = Vec::new();
    for (index, row) in report.rows.iter().enumerate().filter(|(_, row)| !row.lines.is_empty()) {
        if !seen.contains(&launch(row)) {
            seen.push(launch(row));
            launches.push(Launch {
                row: index,
                title: title_of(row),
                time_ms: row.time_ms.median,
                bound_by: row.figures.get("bound_by").and_then(Value::as_str).map(str::to_owned),
                lines: row.lines.clone(),
            });
        }
    }
    launches
}

/// The text of every file that has counted lines, by its path.
fn sources(report: &Report) -> Map<String, Value> {
    let counted = |path: &str| {
        let mut lines = report.rows.iter().flat_map(|row| &row.lines);
        lines.any(|line| line.get("file").is_some_and(|file| file == path))
    };
    kernels::sources()
        .filter(|source| counted(source.path))
        .map(|source| (source.path.to_owned(), Value::from(source.text)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
        ] {
            assert_eq!(date(seconds), text);
        }
    }
}
