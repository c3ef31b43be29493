//! Contracts on counters: whether a right kernel uses the technique that its exercise is about.

use crate::table::{Condition, Exercise, Technique};
use crate::verdict::Panel;
use anyhow::Context;
pub use common::exercise::{SIZES, TESTED};
use std::collections::BTreeMap;
use std::path::Path;

/// The reference's figures by exercise.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct References(pub BTreeMap<String, Panel>);

impl References {
    /// Where they lie, from the workspace's root.
    pub const FILE: &str = "course/exercises/reference.json";

    /// Reads them.
    ///
    /// # Errors
    /// No file, or one that is damaged.
    pub fn read(root: &Path) -> anyhow::Result<Self> {
        let path = root.join(Self::FILE);
        let text = std::fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{}", path.display()))
    }

    /// An exercise's figures.
    pub fn panel(&self, id: &str) -> Option<&Panel> {
        self.0.get(id)
    }
}

/// How much of a floor must hold over all runs of drawn sizes together: a quarter, because a kernel may leave out what lies beyond the edges,
/// which is most of a large tile there.
const IN_TESTED: f64 = 0.25;

/// The first broken condition of a contract: what was counted, what the limit is, what to do. Conditions must hold at the fixed size and, where
/// their limits follow from the reference or are zero, at the one that was drawn; floors over all runs of drawn sizes, too.
pub fn broken(exercise: &Exercise, technique: &Technique, panel: &Panel, references: &References) -> Option<String> {
    let sizes: Vec<String> = std::iter::once(String::new()).chain(drawn(panel)).chain([TESTED.to_owned()]).collect();
    technique.conditions.iter().find_map(|condition| {
        let why = sizes.iter().find_map(|size| broken_condition(exercise, condition, panel, references, size))?;
        let slow = "the time says that it is slow, and not why; the figures beside the reference's: just compare";
        let say = match condition.is_of_time() {
            true => format!("{slow} {}", exercise.id()),
            false => condition.say.as_ref().unwrap_or(&technique.say).clone(),
        };
        Some(format!("{why}\n  {say}"))
    })
}

/// The broken one of an exercise's wide limits: nothing of its idea is seen.
pub fn without_idea(exercise: &Exercise, panel: &Panel, references: &References) -> Option<String> {
    let why =
        exercise.idea.iter().find_map(|condition| broken_condition(exercise, condition, panel, references, ""))?;
    Some(why.replace("the technique asks", "the idea asks"))
}

/// How far a time may miss its limit and cost nothing: a tenth. Where it stands for shared work (limits of twice the reference's and more), and
/// warps and lanes are at work as in the reference, half as much again; slow for another reason is no missing technique.
fn leniency(times: f64, panel: &Panel, reference: Option<&Panel>) -> f64 {
    let few = ["eligible_warps", "active_lanes"].iter().any(|name| {
        let values = panel.get(*name).zip(reference.and_then(|reference| reference.get(*name)));
        values.is_none_or(|(value, reference)| *value < reference / 2.0)
    });
    if times >= 2.0 && !few { 1.5 } else { 1.1 }
}

/// The beginning of the names of figures at a drawn size: `at_64x80x64_`.
fn drawn(panel: &Panel) -> Option<String> {
    let (size, _) = panel.keys().find_map(|name| name.strip_prefix("at_")?.split_once('_'))?;
    Some(format!("at_{size}_"))
}

fn broken_condition(
    exercise: &Exercise,
    condition: &Condition,
    panel: &Panel,
    references: &References,
    size: &str,
) -> Option<String> {
    let of = condition.of.as_ref().map_or(exercise.id(), |of| format!("{}/{of}", exercise.lab));
    let reference = || references.panel(&of).and_then(|panel| sum(panel, &condition.value, size));
    if !size.is_empty() {
        // An absolute limit belongs to the fixed size, and not every figure is taken at another.
        let ceiling = condition.times.is_some() || condition.most == Some(0.0);
        let scales = condition.least_times.is_some() || (ceiling && size != TESTED);
        if !scales || reference().is_none() {
            return None;
        }
    }
    let at = match size {
        TESTED => " in the tested runs, for each unit of work,".to_owned(),
        size => size.trim_end_matches('_').replace("at_", " at "),
    };
    let name = format!("{}{at}", condition.value);
    let Some(value) = sum(panel, &condition.value, size) else { return Some(format!("{name} was not counted")) };
    let (kept, limit) = match *condition {
        Condition { least: Some(least), .. } => (value >= least, format!("at least {}", short(least))),
        Condition { most: Some(most), .. } => (value <= most, format!("at most {}", short(most))),
        Condition { least_times, times, .. } => {
            let Some(reference) = reference() else { return Some(format!("the reference of {of} has no {name}")) };
            // The limit of a count is a whole number, too.
            let whole = reference.fract() == 0.0;
            let rounded = |limit: f64, round: fn(f64) -> f64| if whole { round(limit) } else { limit };
            let (kept, side, limit) = match (least_times, times) {
                (Some(times), _) if size == TESTED => {
                    let least = times * IN_TESTED * reference;
                    (value >= least, "least", least)
                }
                (Some(times), _) => {
                    let least = rounded(times * reference, f64::ceil);
                    (value >= least, "least", least)
                }
                (_, Some(times)) => {
                    let most = rounded(times * reference, f64::floor);
                    let of_reference = || leniency(times, panel, references.panel(&of));
                    let lenient = if condition.is_of_time() { of_reference() } else { 1.0 };
                    (value <= most * lenient, "most", most)
                }
                _ => return Some(format!("{name} has no limit")),
            };
            (kept, format!("at {side} {} (the reference of {of} has {})", short(limit), short(reference)))
        }
    };
    (!kept).then(|| format!("{name} is {}; the technique asks for {limit}", short(value)))
}

/// To three digits after the point, and no more than are needed.
fn short(value: f64) -> String {
    format!("{}", (value * 1e3).round() / 1e3)
}

/// The sum of named values at a size; `None` if one of them is not there.
fn sum(panel: &Panel, names: &str, size: &str) -> Option<f64> {
    names.split('+').map(|name| panel.get(&format!("{size}{}", name.trim())).copied()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exercise() -> Exercise {
        toml::from_str("lab = 'l'\nname = 'e'\nfile = 'e.cu'\npoints = 2\nhints = ['a', 'b', 'c']").unwrap()
    }

    fn condition(row: &str) -> Condition {
        toml::from_str(&format!("value = 'a + b'\n{row}")).unwrap()
    }

    fn technique(conditions: Vec<Condition>) -> Technique {
        Technique { points: 1, conditions, say: "do".into() }
    }

    #[test]
    fn limits_are_inclusive_and_missing_values_break_a_contract() {
        let panel = Panel::from([("a".into(), 3.0), ("b".into(), 4.0)]);
        let references = References(BTreeMap::from([("l/e".to_owned(), panel.clone())]));
        let is_broken =
            |row: &str| broken(&exercise(), &technique(vec![condition(row)]), &panel, &references).is_some();
        for (kept, broken) in [
            ("least = 7", "least = 7.5"),
            ("most = 7", "most = 6"),
            ("times = 1.0", "times = 0.9"),
            ("times = 1.1", "times = 0.99"),
            ("least_times = 1.0", "least_times = 1.1"),
            ("least_times = 0.5", "least_times = 1.01"),
        ] {
            assert!(!is_broken(kept) && is_broken(broken), "{kept}, {broken}");
        }
        let most = technique(vec![condition("most = 1")]);
        assert!(broken(&exercise(), &most, &Panel::new(), &references).is_some());
        assert!(
            broken(&exercise(), &technique(vec![condition("times = 1")]), &panel, &References::default()).is_some()
        );
    }

    #[test]
    fn conditions_that_scale_hold_at_the_drawn_size_too() {
        let panel = |drawn: f64| {
            let at = |name: &str, value: f64| (name.to_owned(), value);
            Panel::from([at("a", 1.0), at("b", 1.0), at("at_8x9_a", drawn), at("at_8x9_b", 0.0)])
        };
        let references = References(BTreeMap::from([("l/e".to_owned(), panel(4.0))]));
        let told =
            |row: &str, drawn: f64| broken(&exercise(), &technique(vec![condition(row)]), &panel(drawn), &references);
        assert_eq!(told("times = 1.0", 4.0), None);
        assert!(told("times = 1.0", 5.0).unwrap().starts_with("a + b at 8x9 is 5"));
        assert!(told("least_times = 1.0", 3.0).is_some());
        assert_eq!(told("most = 2", 5.0), None, "an absolute limit is of the fixed size");
        let unknown =
            broken(&exercise(), &technique(vec![condition("times = 9")]), &panel(50.0), &References::default());
        assert!(unknown.is_some_and(|why| why.contains("has no a + b")));
    }

    #[test]
    fn the_first_broken_condition_is_told_with_its_own_advice() {
        let panel = Panel::from([("a".into(), 3.0), ("b".into(), 4.25)]);
        let told = |rows: [&str; 2]| {
            let conditions = rows.map(condition).to_vec();
            broken(&exercise(), &technique(conditions), &panel, &References::default())
        };
        assert_eq!(told(["most = 8", "least = 7"]), None);
        let expected = "a + b is 7.25; the technique asks for at least 8\n  more";
        assert_eq!(told(["most = 8", "least = 8\nsay = 'more'"]).as_deref(), Some(expected));
        assert!(told(["most = 7", "least = 8\nsay = 'more'"]).unwrap().ends_with("at most 7\n  do"));
    }
}
