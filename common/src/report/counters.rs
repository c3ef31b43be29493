//! The tables of counters: of whole launches, and of source lines.

use super::csv::flattened;
use crate::result::{Row, Table};
use serde_json::{Map, Value};

/// Characters of a source line that are shown beside its counters.
const SOURCE_WIDTH: usize = 40;

/// Counters whose key would say the same as a column of the main table that is computed otherwise.
const OTHER_NAMES: &[(&str, &str)] = &[("cgma", "flops_per_global_access")];

/// All counters: one line per counter, one column per row of the report.
///
/// With the names of those that are 0 in all rows and so left out, unless all are wanted.
pub fn counter_table(rows: &[&Row], all: bool) -> (Table, Vec<String>) {
    let flat: Vec<Map<String, Value>> = rows.iter().map(|row| flattened(&row.counters)).collect();
    let mut names: Vec<&String> = Vec::new();
    for name in flat.iter().flat_map(Map::keys) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let is_zero = |name: &&String| flat.iter().all(|counters| counters.get(*name).and_then(Value::as_f64) == Some(0.0));
    let (zero, names): (Vec<&String>, Vec<&String>) = names.into_iter().partition(|name| !all && is_zero(name));
    let heading = |row: &&Row| format!("{} {} {}", row.variant, row.size, row.block).trim_end().to_owned();
    let line = |name: &String| {
        let cells = flat.iter().map(|counters| counters.get(name).cloned().unwrap_or(Value::Null));
        let shown = OTHER_NAMES.iter().find(|(key, _)| key == name).map_or(name.as_str(), |(_, other)| other);
        std::iter::once(Value::from(shown)).chain(cells).collect()
    };
    let table = Table {
        title: "counters of one launch".to_owned(),
        columns: std::iter::once("counter".to_owned()).chain(rows.iter().map(heading)).collect(),
        rows: names.into_iter().map(line).collect(),
    };
    (table, zero.into_iter().cloned().collect())
}

/// The counters that are not zero on every line, and the line itself beside them.
pub fn line_table(row: &Row) -> Table {
    let is_place = |name: &str| matches!(name, "file" | "line");
    let counts = |value: &Value| value.as_f64().is_some_and(|number| number != 0.0);
    let mut counters: Vec<&String> = Vec::new();
    for (name, value) in row.lines.iter().flatten() {
        if !is_place(name) && counts(value) && !counters.contains(&name) {
            counters.push(name);
        }
    }
    let sources = sources_of(row);
    let cells = |line: &Map<String, Value>| {
        // Most counters are 0 on most lines: blanks let the others be seen.
        let cell = |name: &String| line.get(name).filter(|value| counts(value)).cloned().unwrap_or("".into());
        let place = [line.get("line").cloned().unwrap_or(Value::Null), text_of(&sources, line).into()];
        place.into_iter().chain(counters.iter().copied().map(cell)).collect()
    };
    let files: Vec<&str> = sources.iter().map(|source| source.path).collect();
    Table {
        title: format!("by source line: {} {} block {}, {}", row.variant, row.size, row.block, files.join(", ")),
        rows: row.lines.iter().map(cells).collect(),
        columns: ["line", "source"]
            .into_iter()
            .map(str::to_owned)
            .chain(counters.iter().map(|name| name.replace('_', " ")))
            .collect(),
    }
}

/// The kernels that a row's lines are of.
fn sources_of(row: &Row) -> Vec<kernels::Source> {
    let is_named = |source: &kernels::Source| {
        row.lines.iter().any(|line| line.get("file").is_some_and(|file| file == source.path))
    };
    kernels::sources().filter(is_named).collect()
}

/// The source line that a row's line is about; nothing where its file is no kernel of the labs.
fn text_of(sources: &[kernels::Source], line: &Map<String, Value>) -> String {
    let text = || -> Option<String> {
        let source = sources.iter().find(|source| line.get("file").is_some_and(|file| file == source.path))?;
        let index = usize::try_from(line.get("line")?.as_u64()?).ok()?.checked_sub(1)?;
        Some(source.text.lines().nth(index)?.trim().chars().take(SOURCE_WIDTH).collect())
    };
    text().unwrap_or_default()
}

/// Lines that are shown of one kernel, and the least part of its waits that a line must have.
const MOST_LINES: usize = 8;
const LEAST_PERCENT: f64 = 2.0;

/// What warps wait for and before which source lines, the longest waits first; `None` where the clock has not played blocks through.
pub fn stall_table(row: &Row) -> Option<Table> {
    let sources = sources_of(row);
    let mut found: Vec<(f64, Vec<Value>)> = Vec::new();
    for line in &row.lines {
        let Some(stalls) = line.get("stalls").and_then(Value::as_object) else { continue };
        let percent = |value: &Value| value.as_f64().unwrap_or(0.0);
        let all: f64 = stalls.values().map(percent).sum();
        let Some((reason, most)) = stalls.iter().max_by(|a, b| percent(a.1).total_cmp(&percent(b.1))) else { continue };
        if all >= LEAST_PERCENT {
            let number = line.get("line").cloned().unwrap_or(Value::Null);
            let mostly = format!("{reason} {:.0}", percent(most));
            found.push((all, vec![number, text_of(&sources, line).into(), all.round().into(), mostly.into()]));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(MOST_LINES);
    let rows: Vec<Vec<Value>> = found.into_iter().map(|(_, cells)| cells).collect();
    let title =
        format!("what warps wait for, in % of all their waits: {} {} block {}", row.variant, row.size, row.block);
    (!rows.is_empty()).then(|| Table {
        title,
        columns: ["line", "source", "%", "mostly"].map(str::to_owned).to_vec(),
        rows,
    })
}
