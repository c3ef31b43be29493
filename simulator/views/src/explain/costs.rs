//! Costs by line: shares of the warps' time.

use super::kernel::{Kernel, LEAST_PERCENT};
use serde_json::{Map, Value};

/// The costs of the lines of a launch.
pub struct Costs<'a> {
    /// Share in %, and line; the dearest first.
    pub dearest: Vec<(f64, &'a Map<String, Value>)>,
    /// The quantity that the shares are of.
    pub measure: &'static str,
}

impl<'a> Costs<'a> {
    /// By what warps wait for, where the clock has played blocks through; else by the term that bounds the launch; else by instructions.
    pub fn of(kernel: &Kernel<'a>) -> Option<Self> {
        let lines = kernel.lines;
        let waits = |line: &Map<String, Value>| each(line, "stalls").map(|(_, percent)| percent).sum::<f64>();
        let bound = |line: &Map<String, Value>| kernel.bound_by.map_or(0.0, |term| of(line, "clock_ns", term));
        let instructions = |line: &Map<String, Value>| number(line, "instructions");
        type Measure<'m> = (&'static str, &'m dyn Fn(&Map<String, Value>) -> f64);
        let measures: [Measure; 3] =
            [("its warps' time", &waits), ("the time that bounds it", &bound), ("its instructions", &instructions)];
        let total = |measure: &Measure| lines.iter().map(measure.1).sum::<f64>();
        let (measure, total) = measures.into_iter().map(|m| (m, total(&m))).find(|(_, total)| *total > 0.0)?;
        let mut dearest: Vec<_> = lines.iter().map(|line| (100.0 * measure.1(line) / total, line)).collect();
        dearest.sort_by(|a, b| b.0.total_cmp(&a.0));
        Some(Costs { dearest, measure: measure.0 })
    }

    /// The files of the lines that are told, the dearest first.
    pub fn files(&self) -> Vec<&'a str> {
        let mut files = Vec::new();
        for (_, line) in self.dearest.iter().filter(|(percent, _)| *percent >= LEAST_PERCENT) {
            if !files.contains(&place(line).0) {
                files.push(place(line).0);
            }
        }
        files
    }
}

/// File and line.
pub fn place(line: &Map<String, Value>) -> (&str, u64) {
    (
        line.get("file").and_then(Value::as_str).unwrap_or_default(),
        line.get("line").and_then(Value::as_u64).unwrap_or(0),
    )
}

/// A counter of a line; 0 where it has none.
pub fn number(line: &Map<String, Value>, key: &str) -> f64 {
    line.get(key).and_then(Value::as_f64).unwrap_or(0.0)
}

/// One entry of an object of a line.
pub fn of(line: &Map<String, Value>, object: &str, key: &str) -> f64 {
    each(line, object).find(|(name, _)| *name == key).map_or(0.0, |(_, value)| value)
}

/// The numbers of an object of a line: `clock_ns`, `stalls`.
pub fn each<'l>(line: &'l Map<String, Value>, object: &str) -> impl Iterator<Item = (&'l str, f64)> + use<'l> {
    let object = line.get(object).and_then(Value::as_object);
    object.into_iter().flatten().map(|(name, value)| (name.as_str(), value.as_f64().unwrap_or(0.0)))
}
