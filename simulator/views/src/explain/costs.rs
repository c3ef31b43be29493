//! Costs by line: shares of the warps' time, and each line's part of the clock's terms.

use super::kernel::{Kernel, LEAST_PERCENT};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The term that is no part of the card: what a warp's own chain of instructions takes.
pub const LATENCY: &str = "latency";

/// The costs of the lines of a launch.
pub struct Costs<'a> {
    /// Share in %, and line; the dearest first.
    pub dearest: Vec<(f64, &'a Map<String, Value>)>,
    /// The quantity that the shares are of.
    pub measure: &'static str,
    /// Each term's time in nanoseconds, all lines together.
    pub terms: BTreeMap<&'a str, f64>,
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
        let mut terms = BTreeMap::new();
        for (term, ns) in lines.iter().flat_map(|line| each(line, "clock_ns")) {
            *terms.entry(term).or_default() += ns;
        }
        Some(Costs { dearest, measure: measure.0, terms })
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

    /// A line's part of a term.
    pub fn share(&self, line: &Map<String, Value>, term: &str) -> f64 {
        let all = self.terms.get(term).copied().unwrap_or(0.0);
        if all > 0.0 { of(line, "clock_ns", term) / all } else { 0.0 }
    }

    /// How many times as fast the launch could be at most if a line had only `left` of its part of these terms: the busiest term over the
    /// one that is then the busiest.
    pub fn gain(&self, line: &Map<String, Value>, terms: &[&str], left: f64) -> f64 {
        let largest =
            |of: &dyn Fn(&str, f64) -> f64| self.terms.iter().map(|(term, &ns)| of(term, ns)).fold(0.0, f64::max);
        let before = largest(&|_, ns| ns);
        let after = largest(&|term, ns| {
            if terms.contains(&term) { ns - (1.0 - left) * of(line, "clock_ns", term) } else { ns }
        });
        if after > 0.0 { before / after } else { 1.0 }
    }

    /// The same if warps no longer waited for a part of their time, given in %: no more than the busiest unit of the card leaves.
    pub fn gain_of_waits(&self, percent: f64) -> f64 {
        let without = 1.0 / (1.0 - percent.min(95.0) / 100.0);
        let units = self.terms.iter().filter(|(term, _)| **term != LATENCY).map(|(_, &ns)| ns).fold(0.0, f64::max);
        let all = self.terms.values().copied().fold(0.0, f64::max);
        if units > 0.0 { without.min(all / units) } else { without }
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
