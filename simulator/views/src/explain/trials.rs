//! The words for what was tried: each cause that was taken away from the launch, what that gave, and how code comes near to it.

use serde_json::{Map, Value};

/// A cause: its key, its name after an array's and without one, and what to try.
const CAUSES: &[(&str, &str, &str, &str)] = include!("causes.txt");

/// The sentence on a trial, and what to try.
pub fn words(trial: &Map<String, Value>) -> Option<(String, String)> {
    let parts: Vec<_> = trial.get("parts")?.as_array()?.iter().filter_map(Value::as_object).collect();
    let known = |part: &Map<String, Value>| {
        let cause = part.get("cause")?.as_str()?;
        CAUSES.iter().find(|(key, ..)| *key == cause)
    };
    let named = |part: &Map<String, Value>| {
        let &(_, of_array, alone, _) = known(part)?;
        let name = match part.get("array").and_then(Value::as_str) {
            Some(array) => format!("{array}'s {of_array}"),
            None => alone.to_owned(),
        };
        Some(name + &place(part))
    };
    let names = parts.iter().map(|part| named(part)).collect::<Option<Vec<_>>>()?;
    let attempt = |part: &Map<String, Value>| {
        of_room(part).or_else(|| Some(otherwise(part).or(known(part).map(|cause| cause.3))?.to_owned()))
    };
    let attempts = parts.iter().filter_map(|part| attempt(part));
    let ns = |key: &str| trial.get(key).and_then(Value::as_f64);
    let (before, after) = (ns("time_ns")?, ns("without_ns")?);
    let together = if names.len() > 1 { ", which help only together" } else { "" };
    let sentence = format!(
        "{}{together}: without them {} µs for {} ({:.2}\u{a0}×), tried in the model",
        names.join("; and "),
        three_digits(after / 1e3),
        three_digits(before / 1e3),
        before / after
    );
    Some((sentence, attempts.collect::<Vec<_>>().join("; and ")))
}

/// The way that is left where what is mostly done does not help.
fn otherwise(part: &Map<String, Value>) -> Option<&'static str> {
    part.get("is_usual").filter(|usual| **usual == false)?;
    match part.get("cause")?.as_str()? {
        "conflicts" => Some("have the lanes of a warp access words of different banks; longer rows do not help here"),
        "latency" => Some("have more warps, or let each thread have several loads under way before it uses the first"),
        _ => None,
    }
}

/// The way that follows from the numbers of the launch, where they are why its multiprocessors, or places in them, are empty.
fn of_room(part: &Map<String, Value>) -> Option<String> {
    let room = part.get("room")?.as_object()?;
    let number = |key: &str| room.get(key).and_then(Value::as_u64);
    let [blocks, many, resident] = [number("blocks")?, number("multiprocessors")?, number("resident")?];
    let places = many * resident;
    let last = blocks.checked_rem(places)?;
    let less = |of: &str| {
        let (takes, next) = (number("takes")?, number("next")?);
        Some(format!("need less: {takes} {of} leave room for {resident} blocks, {next} for one more"))
    };
    match (part.get("cause")?.as_str()?, room.get("limit")?.as_str()?) {
        ("idle", _) if blocks < many => Some(format!(
            "have {many} blocks or more, of less work each: {blocks} leave {} of {many} multiprocessors without one",
            many - blocks
        )),
        ("idle", _) if blocks > places && last > 0 && 4 * last <= places => Some(format!(
            "have fewer blocks, or smaller ones: the last of {} rounds has {last} for {places} places",
            blocks.div_ceil(places)
        )),
        ("few_warps", "registers") => less("registers of each thread"),
        ("few_warps", "shared_memory") => less("bytes of shared memory of each block"),
        ("few_warps", "blocks") => {
            let threads = number("threads")?;
            Some(format!("have blocks of more than {threads} threads: a multiprocessor holds {resident} at most"))
        }
        _ => None,
    }
}

/// ", line 9" or ", lines 9 to 12".
fn place(part: &Map<String, Value>) -> String {
    let lines = part.get("lines").and_then(Value::as_array);
    let lines: Vec<u64> = lines.into_iter().flatten().filter_map(Value::as_u64).collect();
    match lines[..] {
        [] => String::new(),
        [one] => format!(", line\u{a0}{one}"),
        [first, .., last] => format!(", lines\u{a0}{first} to {last}"),
    }
}

/// A time as a table has it.
pub fn three_digits(value: f64) -> String {
    if value <= 0.0 {
        return "0".to_owned();
    }
    let decimals = (2 - value.log10().floor() as i32).clamp(0, 9) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(trial: Value) -> (String, String) {
        let (sentence, attempt) = words(trial.as_object().expect("an object")).expect("known causes");
        (sentence.replace('\u{a0}', " "), attempt)
    }

    #[test]
    fn a_trial_names_the_array_its_lines_and_what_was_gained() {
        let part = json!({"cause": "conflicts", "array": "`tile`", "file": "k.cu", "lines": [9, 10, 12]});
        let (sentence, attempt) = said(json!({"parts": [part], "time_ns": 33100, "without_ns": 11600}));
        let wanted =
            "`tile`'s bank conflicts, lines 9 to 12: without them 11.6 µs for 33.1 (2.85 ×), tried in the model";
        assert_eq!(sentence, wanted);
        assert!(attempt.starts_with("pad"));
    }

    #[test]
    fn two_that_only_help_together_are_said_together() {
        let parts = json!([{"cause": "idle"}, {"cause": "barriers", "lines": [7]}]);
        let (sentence, attempt) = said(json!({"parts": parts, "time_ns": 2000, "without_ns": 1000}));
        assert!(
            sentence.contains("others; and barriers' waits, line 7, which help only together: without them 1.00 µs"),
            "{sentence}"
        );
        assert_eq!(attempt.matches("; and ").count(), 1);
    }
}
