//! A file lies in the results for as long as a submission is judged. One that is found lying there says that the grader ended in the middle of
//! that submission, and how often; so nothing that a submission does keeps the rest of its class from being graded.

use crate::record::write_whole;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Deaths during one submission after which it is put off.
pub const MOST_DEATHS: u32 = 2;

/// The work that was being done.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Text {
    /// Beginnings without an end.
    begun: u32,
    /// The hashes of the files, once they were read.
    hashes: Option<BTreeMap<String, String>>,
    /// The exercise in hand; none while the submission was read.
    exercise: Option<String>,
}

/// The judging of one submission that has not come to its end.
#[derive(Debug)]
pub struct Unfinished {
    file: PathBuf,
    /// The text of earlier calls.
    found: Text,
    now: Text,
}

impl Unfinished {
    /// Looks for one.
    pub fn of(out: &Path, name: &str) -> Self {
        let file = out.join("marks").join(format!("{name}.json"));
        let read = std::fs::read_to_string(&file).ok();
        // One that was cut off is of a grader that ended as well.
        let found = read.map(|text| serde_json::from_str(&text).unwrap_or(Text { begun: 1, ..Text::default() }));
        let found = found.unwrap_or_default();
        Unfinished { file, now: found.clone(), found }
    }

    /// Returns whether the grader ended before it had read the files.
    pub fn while_reading(&self) -> bool {
        self.found.begun > 0 && self.found.hashes.is_none()
    }

    /// How often the grader ended in the middle of it.
    pub fn deaths(&self) -> u32 {
        self.found.begun
    }

    /// The files are read. Others than those that the grader ended with are another submission.
    pub fn taken(&mut self, hashes: &BTreeMap<String, String>) {
        if self.found.hashes.as_ref().is_some_and(|old| old != hashes) {
            self.found = Text::default();
            self.now.begun = 1;
        }
        self.now.hashes = Some(hashes.clone());
    }

    /// Where the grader ended, in words.
    pub fn words(&self) -> String {
        let place = match &self.found.exercise {
            Some(exercise) => format!("judged its {exercise}"),
            None => "read it".to_owned(),
        };
        format!(
            "the grader ended {} times in the middle of this submission, the last time while it {place}",
            self.deaths()
        )
    }

    /// Begins once more.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn begin(&mut self) -> anyhow::Result<()> {
        self.now = Text { begun: self.found.begun + 1, ..Text::default() };
        self.write()
    }

    /// Notes the exercise that is in hand now.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn at(&mut self, exercise: &str) -> anyhow::Result<()> {
        self.now.exercise = Some(exercise.to_owned());
        self.write()
    }

    /// The submission is put off. The next call tries it once more, and puts it off again if the grader ends there.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn put_off(&mut self) -> anyhow::Result<()> {
        self.now = Text { begun: MOST_DEATHS - 1, ..self.found.clone() };
        self.write()
    }

    /// The submission came to its end.
    pub fn end(self) {
        // One that cannot be taken away makes the submission come last the next time.
        let _ = std::fs::remove_file(&self.file);
    }

    fn write(&self) -> anyhow::Result<()> {
        if let Some(folder) = self.file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        write_whole(&self.file, &self.now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_deaths_are_counted_over_calls_and_other_files_begin_anew() {
        let out = tempfile::tempdir().unwrap();
        let files = BTreeMap::from([("a".to_owned(), "1".to_owned())]);
        for deaths in [0, 1] {
            let mut unfinished = Unfinished::of(out.path(), "x");
            assert_eq!(unfinished.deaths(), deaths);
            unfinished.begin().unwrap();
            unfinished.taken(&files);
            unfinished.at("gemm/naive").unwrap();
        }
        let mut unfinished = Unfinished::of(out.path(), "x");
        assert_eq!(unfinished.deaths(), MOST_DEATHS);
        assert!(
            unfinished.words().contains("2 times") && unfinished.words().contains("gemm/naive"),
            "{}",
            unfinished.words()
        );
        unfinished.taken(&BTreeMap::new());
        assert_eq!(unfinished.deaths(), 0, "other files");

        let mut unfinished = Unfinished::of(out.path(), "x");
        unfinished.put_off().unwrap();
        let mut again = Unfinished::of(out.path(), "x");
        assert_eq!(again.deaths(), 1, "tried once more");
        again.begin().unwrap();
        assert_eq!(Unfinished::of(out.path(), "x").deaths(), 2);
        again.end();
        assert_eq!(Unfinished::of(out.path(), "x").deaths(), 0);
    }
}
