//! The table of counters, launch by launch.

use super::csv::flattened;
use crate::result::{Row, Table, distinct};
use serde_json::{Map, Value};

/// Counters whose key would say the same as a column of the main table that is computed otherwise.
const OTHER_NAMES: &[(&str, &str)] = &[("cgma", "flops_per_global_access")];

/// All counters: one line per counter, one column per row of the report.
///
/// With the names of those that are 0 in all rows and so left out, unless all are wanted.
pub fn counter_table(rows: &[&Row], all: bool) -> (Table, Vec<String>) {
    let flat: Vec<Map<String, Value>> = rows.iter().map(|row| flattened(&row.counters)).collect();
    let names: Vec<&String> = distinct(flat.iter().flat_map(Map::keys));
    let is_zero = |name: &&String| flat.iter().all(|counters| counters.get(*name).and_then(Value::as_f64) == Some(0.0));
    let (zero, names): (Vec<&String>, Vec<&String>) = names.into_iter().partition(|name| !all && is_zero(name));
    let heading = |row: &&Row| format!("{} {} {}", row.variant, row.size, row.block).trim_end().to_owned();
    let line = |name: &String| {
        let cells = flat.iter().map(|counters| counters.get(name).cloned().unwrap_or(Value::Null));
        let label = OTHER_NAMES.iter().find(|(key, _)| key == name).map_or(name.as_str(), |(_, other)| other);
        std::iter::once(Value::from(label)).chain(cells).collect()
    };
    let table = Table {
        title: "counters of one launch".to_owned(),
        columns: std::iter::once("counter".to_owned()).chain(rows.iter().map(heading)).collect(),
        rows: names.into_iter().map(line).collect(),
    };
    (table, zero.into_iter().cloned().collect())
}
