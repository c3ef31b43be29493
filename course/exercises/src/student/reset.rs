//! An exercise as it was handed out again. Nothing that a student wrote is lost by it: the old file goes to `.backup/`.

use crate::table::{Course, Exercise};
use anyhow::Context;
use std::fs;
use std::path::PathBuf;

/// Where old files are kept, in the workspace; git does not track it. Their names end with a number, so that no intake takes one for an
/// exercise's file.
const BACKUP: &str = ".backup";

/// The changes that a reset would make.
pub struct Reset<'a> {
    course: &'a Course,
    exercise: &'a Exercise,
    starter: String,
    /// The bytes that would be replaced; none where the file is gone, or is the starter.
    lost: Option<Vec<u8>>,
}

impl<'a> Reset<'a> {
    /// Looks at an exercise. Refuses in the workspace that holds the solutions.
    ///
    /// # Errors
    /// No starters here; a file that cannot be read.
    pub fn of(course: &'a Course, exercise: &'a Exercise) -> anyhow::Result<Self> {
        let starter = course.kept_starter(exercise)?.with_context(|| {
            let root = course.root.display();
            format!("{root} holds solutions, not a student's work: there is nothing to go back to")
        })?;
        let path = course.root.join(&exercise.file);
        let lost = match path.exists() {
            true => Some(fs::read(&path).with_context(|| format!("{}", path.display()))?),
            false => None,
        };
        Ok(Reset { course, exercise, lost: lost.filter(|bytes| *bytes != starter.as_bytes()), starter })
    }

    /// The question that is asked before a student's work is replaced; nothing is asked where there is none.
    pub fn question(&self) -> Option<String> {
        let lost = self.lost.as_ref()?;
        let lines = String::from_utf8_lossy(lost).lines().count();
        let lines = if lines == 1 { "1 line goes".to_owned() } else { format!("{lines} lines go") };
        Some(format!(
            "put {} back as it was handed out? Your {lines} to {}",
            self.exercise.file,
            self.backup().display()
        ))
    }

    /// Writes the starter, and the old file to `.backup/` before that. Says what was done.
    ///
    /// # Errors
    /// A file that cannot be written; the student's is as it was then.
    pub fn carry_out(self) -> anyhow::Result<String> {
        let mut said = format!("{} is as it was handed out", self.exercise.file);
        if let Some(bytes) = &self.lost {
            let place = self.backup();
            let path = self.course.root.join(&place);
            fs::create_dir_all(path.parent().expect("in a folder")).with_context(|| format!("{}", path.display()))?;
            fs::write(&path, bytes).with_context(|| format!("{}", path.display()))?;
            said.push_str(&format!("; yours is in {}", place.display()));
        }
        let path = self.course.root.join(&self.exercise.file);
        fs::create_dir_all(path.parent().expect("in a folder")).with_context(|| format!("{}", path.display()))?;
        fs::write(&path, self.starter).with_context(|| format!("{}", path.display()))?;
        Ok(said)
    }

    /// The first free name, in the workspace.
    fn backup(&self) -> PathBuf {
        let numbered = |number: u32| PathBuf::from(format!("{BACKUP}/{}.{number}", self.exercise.file));
        (1..).map(numbered).find(|place| !self.course.root.join(place).exists()).expect("numbers do not end")
    }
}
