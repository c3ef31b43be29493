//! The rows as comma-separated values (RFC 4180), one line each, objects flattened: `time_ms.median`.

use crate::result::Report;
use serde_json::{Map, Value};

/// All rows under one heading; the device is in the first columns, so that files can be concatenated.
pub fn render(report: &Report) -> String {
    let device = Value::from(report.device.name.as_str());
    let simulated = Value::from(report.device.simulated);
    let rows: Vec<Map<String, Value>> = report
        .rows
        .iter()
        .map(|row| {
            let mut flat = Map::new();
            flat.insert("device".into(), device.clone());
            flat.insert("simulated".into(), simulated.clone());
            flat.insert("seed".into(), report.seed.into());
            flatten("", serde_json::to_value(row).expect("rows serialise"), &mut flat);
            flat
        })
        .collect();
    let mut columns: Vec<&String> = Vec::new();
    for key in rows.iter().flat_map(Map::keys) {
        if !columns.contains(&key) {
            columns.push(key);
        }
    }
    let mut text = line(columns.iter().map(|column| (*column).clone()));
    for row in &rows {
        text += &line(columns.iter().map(|column| match row.get(*column) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        }));
    }
    text
}

/// The fields of an object and of the objects in it, under dotted keys.
pub fn flattened(object: &Map<String, Value>) -> Map<String, Value> {
    let mut flat = Map::new();
    flatten("", Value::Object(object.clone()), &mut flat);
    flat
}

/// Objects become dotted keys; lists (findings, shapes) stay JSON.
fn flatten(prefix: &str, value: Value, into: &mut Map<String, Value>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let key = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
                flatten(&key, value, into);
            }
        }
        other => {
            into.insert(prefix.to_owned(), other);
        }
    }
}

fn line(fields: impl Iterator<Item = String>) -> String {
    let quoted = fields.map(|field| {
        if field.contains([',', '"', '\n', '\r']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
    });
    quoted.collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_and_quotes_are_quoted() {
        let fields = ["a,b", "say \"x\"", "plain"].map(str::to_owned).into_iter();
        assert_eq!(line(fields), "\"a,b\",\"say \"\"x\"\"\",plain\n");
    }

    #[test]
    fn objects_become_dotted_keys() {
        let mut flat = Map::new();
        flatten("", serde_json::json!({"a": {"b": 1, "c": [2]}, "d": null}), &mut flat);
        assert_eq!(Value::Object(flat), serde_json::json!({"a.b": 1, "a.c": [2], "d": null}));
    }
}
