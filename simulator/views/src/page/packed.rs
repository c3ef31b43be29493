//! Data of a page in fewer letters.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Digits of a line's figures: a page shows three, and sums some.
const DIGITS: usize = 4;

/// The lines of a launch by column, without the columns that are 0 on every line: `files`, `file` (which of them, absent where there is one),
/// `line`, `numbers` by counter, `clock_ns` by term, `stalls` by reason, and `accesses` of the lines that have some, by their place.
pub fn packed(lines: &[Map<String, Value>]) -> Value {
    let mut files: Vec<&Value> = Vec::new();
    let mut file: Vec<usize> = Vec::new();
    for line in lines {
        let own = line.get("file").unwrap_or(&Value::Null);
        file.push(files.iter().position(|known| *known == own).unwrap_or_else(|| {
            files.push(own);
            files.len() - 1
        }));
    }
    let numbers = |line: &Map<String, Value>| -> Vec<(String, Value)> {
        let counters = line.iter().filter(|(key, value)| *key != "line" && value.is_number());
        counters.map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    let entries = |object: &'static str| {
        move |line: &Map<String, Value>| -> Vec<(String, Value)> {
            let entries = line.get(object).and_then(Value::as_object).into_iter().flatten();
            entries.map(|(key, value)| (key.clone(), value.clone())).collect()
        }
    };
    let accesses = lines.iter().enumerate().filter_map(|(index, line)| {
        let accesses =
            line.get("accesses").filter(|accesses| accesses.as_array().is_some_and(|list| !list.is_empty()))?;
        Some((index.to_string(), accesses.clone()))
    });
    let mut packed = json!({
        "files": files,
        "line": lines.iter().map(|line| line.get("line").cloned().unwrap_or(Value::Null)).collect::<Value>(),
        "numbers": columns(lines, numbers),
        "clock_ns": columns(lines, entries("clock_ns")),
        "stalls": columns(lines, entries("stalls")),
        "accesses": accesses.collect::<Map<_, _>>(),
    });
    if files.len() > 1 {
        packed["file"] = json!(file);
    }
    packed
}

/// The values of each name, line by line; 0 where a line has none.
fn columns(lines: &[Map<String, Value>], entries: impl Fn(&Map<String, Value>) -> Vec<(String, Value)>) -> Value {
    let mut columns: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (index, line) in lines.iter().enumerate() {
        for (name, value) in entries(line) {
            let column = columns.entry(name).or_insert_with(|| vec![0.into(); lines.len()]);
            column[index] = shortened(&value, DIGITS);
        }
    }
    let counts = |column: &Vec<Value>| column.iter().any(|value| value.as_f64() != Some(0.0));
    let columns = columns.into_iter().filter(|(_, column)| counts(column));
    columns.map(|(name, column)| (name, Value::from(column))).collect::<Map<_, _>>().into()
}

/// A file of more lines than this is cut to those near counted ones.
const LONG: usize = 400;
/// Lines before and after a counted one that are near it.
const AROUND: usize = 3;
/// Stands for a line that is far from all of them (`FAR` of `source.js`).
const FAR: &str = "\u{c}";

/// A file's text, of a long one the lines near those that were counted. The others keep their places.
pub fn near<'l>(text: &str, counted: impl Iterator<Item = &'l Map<String, Value>>, path: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    if lines.len() <= LONG {
        return text.to_owned();
    }
    let mut pieces = vec![FAR; lines.len()];
    let own = counted.filter(|line| line.get("file").is_some_and(|file| file == path));
    for number in own.filter_map(|line| line.get("line")?.as_u64()) {
        let index = (number as usize).saturating_sub(1);
        let range = index.saturating_sub(AROUND)..(index + AROUND + 1).min(lines.len());
        if let (Some(pieces), Some(lines)) = (pieces.get_mut(range.clone()), lines.get(range)) {
            pieces.copy_from_slice(lines);
        }
    }
    pieces.join("\n")
}

/// The same value, its fractions to so many significant digits.
pub fn shortened(value: &Value, digits: usize) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let exact = number.as_f64().unwrap_or(0.0);
            let short: f64 = format!("{exact:.*e}", digits - 1).parse().unwrap_or(exact);
            // A whole number without its point is shorter still.
            if short.fract() == 0.0 && short.abs() < 1e15 { Value::from(short as i64) } else { short.into() }
        }
        Value::Array(list) => list.iter().map(|value| shortened(value, digits)).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), shortened(value, digits))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lie_by_column_and_what_is_0_everywhere_is_left_out() {
        let lines: Vec<Map<String, Value>> = serde_json::from_value(json!([
            {"file": "a.cu", "line": 3, "instructions": 12, "atomics": 0, "clock_ns": {"latency": 1.234_567}, "accesses": []},
            {"file": "a.cu", "line": 4, "instructions": 0, "atomics": 0, "stalls": {"wait": 2.0}, "accesses": [1]},
        ]))
        .unwrap();
        let wanted = json!({"files": ["a.cu"], "line": [3, 4], "numbers": {"instructions": [12, 0]},
            "clock_ns": {"latency": [1.235, 0]}, "stalls": {"wait": [0, 2]}, "accesses": {"1": [1]}});
        assert_eq!(packed(&lines), wanted);
    }

    #[test]
    fn of_a_long_file_the_lines_near_counted_ones_keep_their_places() {
        let text: Vec<String> = (1..=LONG + 1).map(|number| format!("line {number}")).collect();
        let counted: Vec<Map<String, Value>> = serde_json::from_value(json!([
            {"file": "a.cu", "line": 10}, {"file": "a.cu", "line": 9999}, {"file": "b.cu", "line": 100},
        ]))
        .unwrap();
        let cut = near(&text.join("\n"), counted.iter(), "a.cu");
        let cut: Vec<&str> = cut.split('\n').collect();
        assert_eq!(cut.len(), text.len());
        let kept: Vec<usize> = (0..cut.len()).filter(|&index| cut[index] != FAR).collect();
        assert_eq!(kept, (6..=12).collect::<Vec<_>>());
        assert_eq!(cut[9], "line 10");
        assert_eq!(near(&text[..LONG].join("\n"), counted.iter(), "a.cu"), text[..LONG].join("\n"));
    }

    #[test]
    fn numbers_keep_their_first_digits_and_whole_ones_stay() {
        let short = shortened(&json!({"a": [0.123_456_789, 1_234_567_890, 2.0, "x", null]}), 6);
        assert_eq!(short, json!({"a": [0.123457, 1_234_567_890, 2, "x", null]}));
    }
}
