//! Two records of one submission side by side: which grades changed, and every field in which they differ.

use crate::record::Record;
use exercises::verdict::Verdict;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The grades that differ between two records of one submission, a line each, and what else is not the same.
pub fn changes(before: &Record, after: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    let find = |record: &'_ Record, id: &str| record.verdicts.iter().find(|verdict| verdict.exercise == id).cloned();
    let grade = |verdict: Option<Verdict>| {
        verdict.map_or("no verdict".to_owned(), |one| format!("{} points ({})", one.points, one.state.words()))
    };
    let gone = before.verdicts.iter().filter(|old| find(after, &old.exercise).is_none());
    for id in after.verdicts.iter().chain(gone).map(|verdict| &verdict.exercise) {
        let (old, new) = (find(before, id), find(after, id));
        let why = new
            .as_ref()
            .and_then(|verdict| verdict.story.lines().next())
            .map_or(String::new(), |line| format!(": {line}"));
        let (old, new) = (grade(old), grade(new));
        if old != new {
            lines.push(format!("{} {id}: {old}, now {new}{why}", after.name));
        }
    }
    let about = [
        ("files", before.hashes != after.hashes),
        ("course", before.inputs != after.inputs),
        ("commit", before.commit != after.commit),
        ("compilers", before.compilers != after.compilers),
        ("seed", before.seed != after.seed),
    ];
    let causes: Vec<&str> = about.iter().filter(|(_, differs)| *differs).map(|(what, _)| *what).collect();
    if !lines.is_empty() && !causes.is_empty() {
        lines.push(format!("{}: what is not the same: {}", after.name, causes.join(", ")));
    }
    lines
}

/// The news of a class since the last call: who came, who handed in again, whose grade is another one; nothing where there was no call.
pub fn news(before: &BTreeMap<String, Record>, now: &[Record]) -> Vec<String> {
    if before.is_empty() {
        return Vec::new();
    }
    let (mut lines, mut new, mut same) = (Vec::new(), Vec::new(), 0);
    for record in now {
        let Some(old) = before.get(&record.name) else {
            new.push(record.name.as_str());
            continue;
        };
        let (was, is) = (old.points(), record.points());
        if (&old.hashes, &old.refused) != (&record.hashes, &record.refused) {
            lines.push(format!("{}: handed in again: {was} points, now {is}", record.name));
        } else if (was, old.complete) != (is, record.complete) {
            let open = if old.complete { "" } else { " so far" };
            lines.push(format!("{}: {was} points{open}, now {is}", record.name));
        } else {
            same += 1;
        }
    }
    let gone = before.keys().filter(|name| !now.iter().any(|record| record.name == **name));
    let gone: Vec<&str> = gone.map(String::as_str).collect();
    let told = |what: &str, names: &[&str]| format!("{what}: {}", names.join(", "));
    lines.extend((!new.is_empty()).then(|| told("new", &new)));
    lines.extend((!gone.is_empty()).then(|| told("graded before, and not given this time", &gone)));
    let head = format!("since the last call: {same} as before");
    std::iter::once(head).chain(lines.into_iter().map(|line| format!("  {line}"))).collect()
}

/// Every field in which a file differs from the record that comes out now, a line each, in both directions.
pub fn differences(before: &Value, after: &Record) -> Vec<String> {
    // As a file holds it: a number that was written and read may differ from the first one in its last digit.
    let text = serde_json::to_string(after).unwrap_or_default();
    let mut after: Value = serde_json::from_str(&text).unwrap_or_default();
    let mut before = before.clone();
    // Where it lay and how long it took are no grade.
    for record in [&mut before, &mut after].into_iter().filter_map(Value::as_object_mut) {
        ["seconds", "file_time", "owner", "more"].iter().for_each(|name| drop(record.shift_remove(*name)));
    }
    let mut lines = Vec::new();
    let [old, new] = [&mut before, &mut after]
        .map(|record| record.as_object_mut().and_then(|record| record.shift_remove("verdicts")).unwrap_or_default());
    compare("", &before, &after, &mut lines);
    verdicts(&old, &new, &mut lines);
    lines
}

/// Verdicts by their exercise, whatever their order, and then the order.
fn verdicts(before: &Value, after: &Value, lines: &mut Vec<String>) {
    let ids = |all: &Value| -> Vec<String> {
        let all = all.as_array().into_iter().flatten();
        all.map(|verdict| verdict["exercise"].as_str().unwrap_or("an exercise without a name").to_owned()).collect()
    };
    let (old_ids, new_ids) = (ids(before), ids(after));
    let known: BTreeSet<&String> = old_ids.iter().chain(&new_ids).collect();
    let begun = lines.len();
    for id in known {
        let of = |all: &Value, ids: &[String]| -> Vec<Value> {
            let places = ids.iter().enumerate().filter(|(_, own)| *own == id);
            places.map(|(place, _)| all[place].clone()).collect()
        };
        match (&of(before, &old_ids)[..], &of(after, &new_ids)[..]) {
            ([old], [new]) => compare(id, old, new, lines),
            (old, new) => lines.push(format!("{id}: {} times in the record, now {}", old.len(), new.len())),
        }
    }
    if lines.len() == begun && old_ids != new_ids {
        lines.push("the exercises' order is not the course's".to_owned());
    }
}

fn compare(place: &str, before: &Value, after: &Value, lines: &mut Vec<String>) {
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for name in names {
                let place = if place.is_empty() { name.clone() } else { format!("{place} {name}") };
                match (old.get(name), new.get(name)) {
                    (Some(old), Some(new)) => compare(&place, old, new, lines),
                    (Some(old), None) => lines.push(format!("{place}: {}, now not there", short(old))),
                    (None, Some(new)) => lines.push(format!("{place}: not there, now {}", short(new))),
                    (None, None) => {}
                }
            }
        }
        _ if before != after => lines.push(format!("{place}: {}, now {}", short(before), short(after))),
        _ => {}
    }
}

/// A value in at most so many characters.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use exercises::verdict::{Panel, State};

    fn record() -> Record {
        let verdict = |id: &str, points| Verdict {
            exercise: id.to_owned(),
            state: State::Passed,
            points,
            of: points,
            bonus: false,
            story: String::new(),
            kind: String::new(),
            panel: Panel::from([("time_us".to_owned(), 0.1 + 0.2)]),
            seed: 0,
            printed: Default::default(),
            case: String::new(),
        };
        let mut record =
            Record { verdicts: vec![verdict("gemm/naive", 15), verdict("gemm/shared", 25)], ..Record::default() };
        record.add_up();
        record
    }

    #[test]
    fn a_class_says_what_is_new() {
        let named = |name: &str, points: u32, file: &str| {
            let mut record = Record { name: name.into(), ..record() };
            record.verdicts[0].points = points;
            record.hashes.insert("a.cu".into(), file.into());
            record.add_up();
            record
        };
        let before = [named("anna", 15, "1"), named("bert", 0, "1"), named("carl", 0, "1"), named("dora", 0, "1")];
        let before = before.into_iter().map(|record| (record.name.clone(), record)).collect();
        let now = [named("anna", 15, "1"), named("bert", 15, "2"), named("carl", 5, "1"), named("emil", 0, "1")];
        assert_eq!(
            news(&before, &now),
            [
                "since the last call: 1 as before",
                "  bert: handed in again: 25 points, now 40",
                "  carl: 25 points, now 30",
                "  new: emil",
                "  graded before, and not given this time: dora"
            ]
        );
        assert!(news(&BTreeMap::new(), &now).is_empty(), "the first call has nothing to compare with");
    }

    fn of(change: impl Fn(&mut Value)) -> Vec<String> {
        let mut value: Value = serde_json::from_str(&serde_json::to_string(&record()).unwrap()).unwrap();
        change(&mut value);
        differences(&value, &record())
    }

    #[test]
    fn a_change_anywhere_is_named() {
        assert_eq!(of(|_| ()), Vec::<String>::new());
        assert_eq!(of(|value| value["verdicts"][1]["points"] = 20.into()), ["gemm/shared points: 20, now 25"]);
        assert_eq!(
            of(|value| value["verdicts"][1]["panel"]["time_us"] = 1.into()),
            ["gemm/shared panel time_us: 1, now 0.30000000000000004"]
        );
        assert_eq!(of(|value| value["points"] = 41.into()), ["points: 41, now 40"]);
        assert_eq!(of(|value| value["extra"] = true.into()), ["extra: true, now not there"]);
        let add = |id: &str, value: &mut Value| {
            let mut one = value["verdicts"][0].clone();
            one["exercise"] = id.into();
            value["verdicts"].as_array_mut().unwrap().push(one);
        };
        assert_eq!(of(|value| add("gemm/naive", value)), ["gemm/naive: 2 times in the record, now 1"]);
        assert_eq!(of(|value| add("gemm/more", value)), ["gemm/more: 1 times in the record, now 0"]);
        assert_eq!(
            of(|value| drop(value["verdicts"].as_array_mut().unwrap().pop())),
            ["gemm/shared: 0 times in the record, now 1"]
        );
        assert_eq!(
            of(|value| value["verdicts"].as_array_mut().unwrap().reverse()),
            ["the exercises' order is not the course's"]
        );
    }
}
