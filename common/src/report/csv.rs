//! The rows as comma-separated values (RFC 4180), one line each, objects flattened: `time_ms.median`. A cell is a word or a number;
//! what is a list in the JSON document (source lines, findings) is the number of its entries.

use super::number::six_digits;
use crate::result::{Report, distinct};
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
    let columns: Vec<&String> = distinct(rows.iter().flat_map(Map::keys));
    let mut text = line(columns.iter().map(|column| (*column).clone()));
    for row in &rows {
        text += &line(columns.iter().map(|column| match row.get(*column) {
            None => String::new(),
            Some(value) => cell(value),
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

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => six_digits(number.as_f64().unwrap_or(f64::NAN)),
        // A shape is as `--size` takes it, other lists are counted.
        Value::Array(entries) if !entries.is_empty() && entries.iter().all(Value::is_number) => {
            entries.iter().map(cell).collect::<Vec<_>>().join("x")
        }
        Value::Array(entries) => entries.len().to_string(),
        other => other.to_string(),
    }
}

/// Objects become dotted keys.
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
    fn a_cell_is_a_word_or_a_number() {
        for (value, text) in [
            (serde_json::json!([64, 32, 16]), "64x32x16"),
            (serde_json::json!([{"line": 1}, {"line": 2}]), "2"),
            (serde_json::json!([]), "0"),
            (serde_json::json!(0.006238000001758337), "0.006238"),
            (serde_json::json!(524_288), "524288"),
            (serde_json::json!(true), "true"),
            (Value::Null, ""),
        ] {
            assert_eq!(cell(&value), text);
        }
    }

    #[test]
    fn objects_become_dotted_keys() {
        let mut flat = Map::new();
        flatten("", serde_json::json!({"a": {"b": 1, "c": [2]}, "d": null}), &mut flat);
        assert_eq!(Value::Object(flat), serde_json::json!({"a.b": 1, "a.c": [2], "d": null}));
    }
}
