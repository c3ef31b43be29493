//! What a student has done so far, kept between runs: verdicts by the text they were given on, and hints already seen.

use crate::judge::Judge;
use crate::table::{Course, Exercise};
use crate::verdict::Verdict;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The file, in the workspace's root; git does not track it.
const FILE: &str = ".progress.json";
/// Verdicts of the loop are for the same data each time, as in the tests.
const SEED: u64 = 1;

/// Between runs.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// By exercise: the text's fingerprint, and the verdict on it.
    verdicts: BTreeMap<String, (u64, Verdict)>,
    /// By exercise: how many of its three hints were given.
    hints: BTreeMap<String, usize>,
    #[serde(skip)]
    path: PathBuf,
}

impl Progress {
    /// Reads it; a workspace without the file has none yet.
    ///
    /// # Errors
    /// A damaged file.
    pub fn read(course: &Course) -> anyhow::Result<Self> {
        let path = course.root.join(FILE);
        let mut progress: Progress = match std::fs::read_to_string(&path) {
            Ok(text) => {
                serde_json::from_str(&text).with_context(|| format!("{}: delete it to begin anew", path.display()))?
            }
            Err(_) => Progress::default(),
        };
        progress.path = path;
        Ok(progress)
    }

    fn write(&self) -> anyhow::Result<()> {
        std::fs::write(&self.path, serde_json::to_string(self)?).with_context(|| format!("{}", self.path.display()))
    }

    /// The verdict on an exercise as it is now: the kept one where the text has not changed.
    ///
    /// # Errors
    /// As [`Judge::judge`].
    pub fn verdict(&mut self, course: &Course, judge: &Judge, exercise: &Exercise) -> anyhow::Result<Verdict> {
        let text = course.text(exercise)?;
        let fingerprint = fingerprint(&text);
        if let Some((known, verdict)) = self.verdicts.get(&exercise.id())
            && *known == fingerprint
        {
            return Ok(verdict.clone());
        }
        let verdict = judge.judge(exercise, &text, &course.starter(exercise)?, SEED)?;
        self.verdicts.insert(exercise.id(), (fingerprint, verdict.clone()));
        self.write()?;
        Ok(verdict)
    }

    /// The next hint: first what the failure itself tells, then the table's three, one at a time.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn hint(&mut self, exercise: &Exercise, verdict: &Verdict) -> anyhow::Result<String> {
        let given = self.hints.entry(exercise.id()).or_default();
        let number = *given;
        *given = (number + 1).min(exercise.hints.len());
        let own = if number == 0 { of_failure(verdict) } else { None };
        let number = number.min(exercise.hints.len() - 1);
        self.write()?;
        let own = own.map(|own| format!("{own}\n")).unwrap_or_default();
        Ok(format!("{own}hint {} of {}: {}", number + 1, exercise.hints.len(), exercise.hints[number]))
    }
}

/// What a failure says by itself, in a sentence that leads on.
fn of_failure(verdict: &Verdict) -> Option<String> {
    let places: Vec<&str> = verdict.story.lines().filter(|line| line.contains(".cu:")).map(str::trim).take(2).collect();
    let places = if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
    let number = |name: &str| verdict.panel.get(name).copied().unwrap_or(0.0);
    match verdict.kind.as_str() {
        "race" => Some(format!(
            "Two threads meet at one address and nothing orders them{places}: which barrier, or which atomic, lies between?"
        )),
        "out of bounds" => {
            Some(format!("An access leaves its buffer{places}: which size is no multiple of the block?"))
        }
        "barrier" => {
            Some(format!("Not all threads of the block reach the barrier{places}: look at the condition around it."))
        }
        "misaligned" => {
            Some(format!("A wide access starts at an odd place{places}: which rows are multiples of 16 bytes?"))
        }
        "technique" if number("shared_conflicts") > 0.0 => Some(format!(
            "{} passes through shared memory too many: by how many words do two neighbouring lanes differ?",
            number("shared_conflicts")
        )),
        "wrong result" => {
            Some("The first wrong element is named above: which thread owns it, and what did it add up?".to_owned())
        }
        _ => None,
    }
}

/// FNV-1a.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
