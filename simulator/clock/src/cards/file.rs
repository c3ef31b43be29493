//! A card from a file: the row of one card as JSON, with the names of the table's fields.
//!
//! Beside them stand `sources`, which says of each field where its number comes from, and `base`: the card of the table that has what the
//! file does not say. Both may be missing; a field may be missing only where there is a base.
use super::fields::Device;
use super::table::{DEVICES, find};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Keys of a file that are no fields of the table.
pub const BASE: &str = "base";
pub const SOURCES: &str = "sources";
const ARCHITECTURE: &str = "architecture";
const TIME_ERROR: &str = "time_error_percent";

/// The card of a name: a row of the table, or the card of a file whose name ends in `.json`.
///
/// # Errors
/// Says why the name is wrong, or which field of the file is wrong and what is expected there.
pub fn choose(name: &str) -> Result<&'static Device, String> {
    if let Some(card) = find(name) {
        return Ok(card);
    }
    if !name.ends_with(".json") {
        return Err(format!(
            "no card is called `{name}`; known: {}, or a file such as my-card.json",
            keys().join(", ")
        ));
    }
    // A file is read once: a process goes on with the numbers that it began with. The rows live as long as those of the table.
    static READ: Mutex<BTreeMap<PathBuf, &'static Device>> = Mutex::new(BTreeMap::new());
    let failed =
        |error: std::io::Error| format!("{name} cannot be read: {error}; docs/adding.md says what such a file has");
    let path = std::fs::canonicalize(name).map_err(failed)?;
    let mut known = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(card) = known.get(&path) {
        return Ok(card);
    }
    let text = std::fs::read_to_string(&path).map_err(failed)?;
    let card: &'static Device = Box::leak(Box::new(parse(&text).map_err(|why| format!("{name}: {why}"))?));
    known.insert(path, card);
    Ok(card)
}

fn keys() -> Vec<&'static str> {
    DEVICES.iter().map(|device| device.key).collect()
}

/// A card from the text of a file.
fn parse(text: &str) -> Result<Device, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("this is not JSON: {error}"))?;
    let Value::Object(mut given) = value else { return Err("a JSON object is expected".into()) };
    let sources = given.remove(SOURCES).unwrap_or_else(|| Value::Object(Map::new()));
    let base = match given.remove(BASE) {
        None => None,
        Some(Value::String(key)) => {
            let unknown = || format!("`{BASE}` is `{key}`, no card of the table; known: {}", keys().join(", "));
            Some(row(find(&key).ok_or_else(unknown)?))
        }
        Some(other) => return Err(format!("`{BASE}` is {other}; the key of a card of the table is expected")),
    };
    // A field that is wrong is told by putting each alone into a row that is right.
    let right = row(&DEVICES[0]);
    let mut made = base.clone().unwrap_or_else(|| right.clone());
    // Nobody compared this card's times, whichever card it is based on.
    given.entry(TIME_ERROR).or_insert_with(|| 0.into());
    let architecture = match given.remove(ARCHITECTURE) {
        None if base.is_some() => Map::new(),
        Some(Value::Object(fields)) => fields,
        None => return Err(format!("`{ARCHITECTURE}` is missing: an object of its fields is expected")),
        Some(other) => return Err(format!("`{ARCHITECTURE}` is {other}; an object of its fields is expected")),
    };
    let complete = base.is_some();
    take(&right, &mut made, given, complete, &|row| row)?;
    take(&right, &mut made, architecture, complete, &|row| &mut row[ARCHITECTURE])?;
    let Value::Object(sources) = sources else { return Err(format!("`{SOURCES}` is no object of texts by field")) };
    for (field, source) in &sources {
        if right.get(field).is_none() && right[ARCHITECTURE].get(field).is_none() {
            return Err(format!("`{SOURCES}` names `{field}`, which is no field"));
        }
        if !source.is_string() {
            return Err(format!("`{SOURCES}` has {source} for `{field}`; a text is expected"));
        }
    }
    let card: Device = serde_json::from_value(made).map_err(|error| error.to_string())?;
    if find(card.key).is_some() {
        return Err(format!("`key` is `{}`, which is a card of the table; another name is expected", card.key));
    }
    let a = card.architecture;
    if a.shared_bytes_per_block > a.shared_bytes_per_block_opt_in
        || a.shared_bytes_per_block_opt_in > a.shared_bytes_per_multiprocessor
    {
        return Err(
            "`shared_bytes_per_block`, `…_opt_in` and `shared_bytes_per_multiprocessor` are expected to ascend".into(),
        );
    }
    Ok(card)
}

/// A card as a file has it.
fn row(card: &Device) -> Value {
    serde_json::to_value(card).unwrap_or_default()
}

/// The part of a row that has certain fields: the row itself, or its architecture.
type Part<'p> = &'p dyn Fn(&mut Value) -> &mut Value;

/// Puts fields into a row. `complete`: it has those that are not given already.
fn take(right: &Value, made: &mut Value, given: Map<String, Value>, complete: bool, part: Part) -> Result<(), String> {
    let mut template = right.clone();
    let known: Vec<String> =
        part(&mut template).as_object().into_iter().flatten().map(|(field, _)| field.clone()).collect();
    if let Some(field) = given.keys().find(|field| !known.contains(field)) {
        let near = known.iter().min_by_key(|known| distance(known, field)).map_or("", |near| near);
        return Err(format!("no field is called `{field}`; the nearest is `{near}`"));
    }
    for field in known.iter().filter(|field| *field != ARCHITECTURE) {
        let Some(value) = given.get(field) else {
            if complete {
                continue;
            }
            return Err(format!(
                "`{field}` is missing: {} is expected, or `{BASE}` with a card of the table",
                expected(field)
            ));
        };
        let mut trial = right.clone();
        part(&mut trial)[field] = value.clone();
        let is_zero = value.as_f64().is_some_and(|number| number <= 0.0);
        if serde_json::from_value::<Device>(trial).is_err() || is_zero && !may_be_zero(field, part) {
            // A number that could not be but 0 is answered with the rule.
            let least = if is_zero && value.is_i64() { ", 1 or more," } else { "" };
            return Err(format!("`{field}` is {value}; {}{least} is expected", expected(field)));
        }
        part(made)[field] = value.clone();
    }
    Ok(())
}

/// True if some card of the table has none of it.
fn may_be_zero(field: &str, part: Part) -> bool {
    DEVICES.iter().any(|card| part(&mut row(card))[field].as_f64() == Some(0.0))
}

/// The expected value of a field in words, by its name and its value in the table.
fn expected(field: &str) -> String {
    let mut right = row(&DEVICES[0]);
    let value = right.get(field).cloned().unwrap_or_else(|| right[ARCHITECTURE][field].take());
    let unit = [
        ("_bytes_per_s", "bytes per second"),
        ("_bytes_per_clock", "bytes per clock"),
        ("_per_clock", "a clock"),
        ("_hz", "hertz"),
        ("_ns", "nanoseconds"),
        ("_cycles", "clock cycles"),
        ("_bits", "bits"),
        ("_bytes", "bytes"),
    ];
    let unit =
        unit.iter().find(|(end, _)| field.ends_with(end)).map_or(String::new(), |(_, unit)| format!(" ({unit})"));
    match value {
        Value::Null => format!("a number{unit}, or null for none"),
        Value::Bool(_) => "true or false".into(),
        Value::String(_) => "a text".into(),
        Value::Array(_) => "[major, minor], such as [8, 9],".into(),
        Value::Number(number) if number.is_f64() => format!("a number above 0{unit}"),
        _ => format!("a whole number{unit}"),
    }
}

/// Letters that differ, roughly: those of either name that the other has not at that place from the front or the back.
pub fn distance(a: &str, b: &str) -> usize {
    let same = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
        a.zip(b).take_while(|(a, b)| a == b).count()
    };
    let alike = same(&mut a.chars(), &mut b.chars()) + same(&mut a.chars().rev(), &mut b.chars().rev());
    (a.len() + b.len()).saturating_sub(2 * alike)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The file of a card of the table, under another key, with a change.
    fn file(of: &str, change: impl FnOnce(&mut Value)) -> Result<Device, String> {
        let mut file = row(find(of).unwrap());
        file["key"] = json!("mine");
        change(&mut file);
        parse(&file.to_string())
    }

    #[test]
    fn every_row_of_the_table_can_be_read_back_from_a_file() {
        for card in DEVICES.iter() {
            let read = file(card.key, |_| ()).unwrap_or_else(|why| panic!("{}: {why}", card.key));
            let mut same = row(&read);
            same["key"] = json!(card.key);
            assert_eq!(same, row(card), "{}", card.key);
        }
    }

    #[test]
    fn a_wrong_field_is_named_with_what_is_expected() {
        type Case = (&'static str, fn(&mut Value), &'static [&'static str]);
        let cases: [Case; 11] = [
            ("a text", |file| file["l2_bytes"] = json!("50 MB"), &["`l2_bytes`", "50 MB", "whole number (bytes)"]),
            (
                "none",
                |file| file["multiprocessors"] = json!(0),
                &["`multiprocessors` is 0; a whole number, 1 or more, is expected"],
            ),
            ("a fraction", |file| file["multiprocessors"] = json!(1.5), &["`multiprocessors`", "1.5", "whole number"]),
            ("nothing", |file| file["clock_hz"] = json!(0), &["`clock_hz`", "above 0 (hertz)"]),
            (
                "too much",
                |file| file["l2_bytes_per_clock"] = json!(1u64 << 40),
                &["`l2_bytes_per_clock`", "bytes per clock"],
            ),
            (
                "of the architecture",
                |file| file["architecture"]["l1_latency_cycles"] = json!(-3),
                &["`l1_latency_cycles`", "-3", "clock cycles"],
            ),
            (
                "a pair",
                |file| file["architecture"]["compute_capability"] = json!(9.0),
                &["`compute_capability`", "[major, minor]"],
            ),
            (
                "missing",
                |file| drop(file.as_object_mut().unwrap().remove("copy_latency_ns")),
                &["`copy_latency_ns` is missing", "nanoseconds", "`base`"],
            ),
            ("unknown", |file| file["l2_byte"] = json!(1), &["`l2_byte`", "nearest is `l2_bytes`"]),
            ("no base", |file| file["base"] = json!("voodoo2"), &["`base`", "voodoo2", "h200"]),
            ("a card of the table", |file| file["key"] = json!("h200"), &["`key`", "h200"]),
        ];
        for (what, change, words) in cases {
            let why = file("h200", change).expect_err(what);
            for word in words {
                assert!(why.contains(word), "{what}: `{word}` is not in: {why}");
            }
        }
        assert!(parse("{").unwrap_err().contains("not JSON"));
        assert!(choose("no-such-card.json").unwrap_err().contains("docs/adding.md"));
        assert!(choose("voodoo2").unwrap_err().contains("h200"));
    }

    #[test]
    fn a_base_has_what_a_file_does_not_say() {
        let card =
            parse(r#"{"key": "mine", "base": "rtx4090", "l2_bytes": 1048576, "sources": {"l2_bytes": "guessed"}}"#);
        let card = card.unwrap();
        assert_eq!((card.key, card.l2_bytes, card.multiprocessors), ("mine", 1 << 20, 128));
    }
}
