//! A run as one page: what the crate `views` needs for it.

use super::columns::Column;
use super::costs::title_of;
use super::figure;
use super::side_by_side::title;
use crate::result::figures::BOUND_BY;
use crate::result::{Report, Row};
use crate::whole_file;
use serde_json::{Map, Value, json};
use std::path::Path;
use views::page::{Launch, Page, now, render};

/// Writes the page of a run. `columns` are the lab's own, as its table has them.
/// `references` are the limits and yardsticks among its variants.
pub fn write_page(report: &Report, columns: &[Column], references: &[String], path: &Path) -> anyhow::Result<()> {
    let page = render(&Page { references: references.to_vec(), ..page(report, columns)? });
    Ok(whole_file::write(path, &page)?)
}

fn page(report: &Report, columns: &[Column]) -> anyhow::Result<Page> {
    let device = &report.device;
    let how = if device.simulated { "simulated" } else { "measured on" };
    let figures = figure::pictures(report)?.into_iter().map(|picture| {
        let panels = picture.panels.iter().map(figure::Drawn::element).collect();
        (picture.title, picture.subtitle, panels)
    });
    Ok(Page {
        title: match report.runs.as_slice() {
            [] => format!("lab-{}, {how} {}", report.lab, device.name),
            _ => title(report),
        },
        head: head(report),
        answer: if report.runs.is_empty() { Vec::new() } else { vec![title(report)] },
        report: document(report, columns)?,
        columns: columns
            .iter()
            .map(|column| json!({"heading": column.heading, "meaning": column.meaning, "key": column.key}))
            .collect(),
        launches: launches(report),
        sources: sources(report),
        figures: figures.collect(),
        style: figure::style(),
        ..Page::default()
    })
}

/// How to have this run again.
fn head(report: &Report) -> Vec<(&'static str, String)> {
    let command: Vec<String> = std::env::args().collect();
    let program = format!("lab-{}", report.lab);
    let cards: Vec<String> = match report.runs.as_slice() {
        [] => vec![report.device.to_string()],
        runs => runs.iter().map(|side| side.device.to_string()).collect(),
    };
    vec![
        ("command", [&[program], command.get(1..).unwrap_or_default()].concat().join(" ")),
        ("card", cards.join("; ")),
        ("seed", report.seed.to_string()),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("written", now()),
    ]
}

/// The run's document, of its rows what a page shows: lines go by launch, and of the counters those that are columns.
fn document(report: &Report, columns: &[Column]) -> anyhow::Result<Value> {
    let bare = Report { rows: Vec::new(), runs: Vec::new(), ..report.clone() };
    let mut document = serde_json::to_value(bare)?;
    let row = |row: &Row| -> anyhow::Result<Value> {
        let is_column = |key: &String| columns.iter().any(|column| column.key == *key);
        let counters =
            row.counters.iter().filter(|(key, _)| is_column(key)).map(|(key, value)| (key.clone(), value.clone()));
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
                bound_by: row.get(&BOUND_BY),
                trials: row.trials.clone(),
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
