//! Contracts on counters: whether a right kernel uses the technique that its exercise is about.

use crate::table::{Exercise, Technique};
use crate::verdict::Panel;
use anyhow::Context;
use std::collections::BTreeMap;
use std::path::Path;

/// The reference's figures by exercise.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct References(pub BTreeMap<String, Panel>);

impl References {
    /// Where they lie, from the workspace's root.
    pub const FILE: &str = "exercises/reference.json";

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

/// A broken contract: what was counted, what the limit is, what to do.
pub fn broken(exercise: &Exercise, technique: &Technique, panel: &Panel, references: &References) -> Option<String> {
    let Some(value) = sum(panel, &technique.value) else {
        return Some(format!("{} was not counted", technique.value));
    };
    let (kept, limit) = match (technique.least, technique.most, technique.times) {
        (Some(least), ..) => (value >= least, format!("at least {least}")),
        (_, Some(most), _) => (value <= most, format!("at most {most}")),
        (.., Some(times)) => {
            let of = technique.of.as_ref().map_or(exercise.id(), |of| format!("{}/{of}", exercise.lab));
            let Some(reference) = references.panel(&of).and_then(|panel| sum(panel, &technique.value)) else {
                return Some(format!("the reference of {of} has no {}", technique.value));
            };
            let most = (times * reference).floor();
            (value <= most, format!("at most {most} (the reference of {of} has {reference})"))
        }
        _ => (false, "no limit".to_owned()),
    };
    (!kept).then(|| format!("{} is {value}; the technique asks for {limit}\n  {}", technique.value, technique.say))
}

/// The sum of named values; `None` if one of them is not there.
fn sum(panel: &Panel, names: &str) -> Option<f64> {
    names.split('+').map(|name| panel.get(name.trim()).copied()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn technique(limits: [Option<f64>; 3]) -> Technique {
        let [least, most, times] = limits;
        Technique { points: 1, value: "a + b".into(), least, most, times, of: None, say: "do".into() }
    }

    #[test]
    fn limits_are_inclusive_and_missing_values_break_a_contract() {
        let exercise: Exercise =
            toml::from_str("lab = 'l'\nname = 'e'\nfile = 'e.cu'\npoints = 2\nhints = ['a', 'b', 'c']").unwrap();
        let panel = Panel::from([("a".into(), 3.0), ("b".into(), 4.0)]);
        let references = References(BTreeMap::from([("l/e".to_owned(), panel.clone())]));
        let is_broken = |limits| broken(&exercise, &technique(limits), &panel, &references).is_some();
        assert!(!is_broken([Some(7.0), None, None]) && is_broken([Some(7.5), None, None]));
        assert!(!is_broken([None, Some(7.0), None]) && is_broken([None, Some(6.0), None]));
        assert!(!is_broken([None, None, Some(1.0)]) && is_broken([None, None, Some(0.9)]));
        let empty = Panel::new();
        assert!(broken(&exercise, &technique([None, Some(1.0), None]), &empty, &references).is_some());
    }
}
