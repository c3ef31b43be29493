//! A student's progress so far, kept between runs: verdicts by the text they were given on, and hints already seen.

use crate::hints;
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
pub(crate) const SEED: u64 = 1;

/// Between runs.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// By exercise: the text's fingerprint, and the verdict on it.
    verdicts: BTreeMap<String, (u64, Verdict)>,
    /// By exercise: the hints that were given.
    #[serde(default)]
    given: BTreeMap<String, Given>,
    #[serde(skip)]
    path: PathBuf,
}

/// Hints of one exercise that were given.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Given {
    /// How many of the table's three.
    count: usize,
    /// The last one that followed from a failure.
    of_failure: String,
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
    pub fn verdict(&mut self, course: &Course, judge: &Judge, exercise: &Exercise) -> anyhow::Result<Verdict> {
        let Ok(text) = course.text(exercise) else { return judge.judge_file(course, exercise, SEED) };
        if let Some(verdict) = self.kept(exercise, &text) {
            return Ok(verdict.clone());
        }
        let verdict = judge.judge(exercise, &text, &course.starter(exercise)?, SEED)?;
        if !verdict.state.is_final() {
            return Ok(verdict);
        }
        self.verdicts.insert(exercise.id(), (fingerprint(&text), verdict.clone()));
        self.write()?;
        Ok(verdict)
    }

    /// The verdict that is known on a text of an exercise.
    fn kept(&self, exercise: &Exercise, text: &str) -> Option<&Verdict> {
        let (known, verdict) = self.verdicts.get(&exercise.id())?;
        (*known == fingerprint(text) && verdict.state.is_final()).then_some(verdict)
    }

    /// How far an exercise is, as far as that is known without judging it now.
    pub fn state(&self, course: &Course, exercise: &Exercise) -> String {
        let Ok(text) = course.text(exercise) else { return "gone, or no text".to_owned() };
        let Some(verdict) = self.kept(exercise, &text) else { return "not judged yet".to_owned() };
        format!("{:>3} of {:<16} {}", verdict.points, exercise.worth(), verdict.state.words())
    }

    /// The next hint: first what the failure itself tells, once for each; then the table's three, one at a time.
    ///
    /// # Errors
    /// The progress cannot be written.
    pub fn hint(&mut self, course: &Course, exercise: &Exercise, verdict: &Verdict) -> anyhow::Result<String> {
        let given = self.given.entry(exercise.id()).or_default();
        let of_failure = hints::of_failure(verdict, &course.text(exercise).unwrap_or_default());
        let text = match of_failure.filter(|hint| *hint != given.of_failure) {
            Some(hint) => {
                given.of_failure = hint.clone();
                format!("hint on this failure: {hint}")
            }
            None => {
                let number = given.count.min(exercise.hints.len() - 1);
                given.count = number + 1;
                format!("hint {} of {}: {}", number + 1, exercise.hints.len(), exercise.hints[number])
            }
        };
        self.write()?;
        Ok(text)
    }
}

/// FNV-1a.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
