//! The files that a submission may hold, as the grader tells them to the process that reads it.

use exercises::markers::bare;
use exercises::table::Course;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The files that a submission may hold.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Expected {
    pub(super) exercises: BTreeSet<String>,
    pub(super) answers: BTreeSet<String>,
    /// The exercises' files of each lab.
    pub(super) labs: Vec<(String, Vec<String>)>,
    /// Files of labs that are not looked at this time.
    pub(super) elsewhere: BTreeSet<String>,
    /// Patterns of what a student was given beside these.
    pub(super) handout: Vec<String>,
    /// Lines of the starters that tell exercises of one file name from each other.
    pub(super) marks: BTreeMap<String, BTreeSet<String>>,
}

impl Expected {
    pub(super) fn of(course: &Course) -> anyhow::Result<Self> {
        let whole = course.whole();
        let file_name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let names: Vec<String> = whole.exercises.iter().map(|exercise| file_name(&exercise.file)).collect();
        let mut starters: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for exercise in &whole.exercises {
            if names.iter().filter(|name| **name == file_name(&exercise.file)).count() > 1 {
                let text = whole.starter(exercise)?;
                let lines = text.lines().map(bare).filter(|line| line.len() > 8);
                starters.insert(&exercise.file, lines.collect());
            }
        }
        let only = |path: &str| {
            let others = || starters.iter().filter(|(other, _)| **other != path && file_name(other) == file_name(path));
            starters[path].iter().filter(|line| !others().any(|(_, lines)| lines.contains(*line))).cloned().collect()
        };
        let marks = starters.keys().map(|path| ((*path).to_owned(), only(path))).collect();
        let exercises: BTreeSet<String> = course.exercises.iter().map(|exercise| exercise.file.clone()).collect();
        let answers: BTreeSet<String> = course.labs.iter().map(|lab| lab.answers.clone()).collect();
        let all = whole.labs.iter().flat_map(|lab| whole.files_of(lab)).map(str::to_owned);
        let elsewhere = all.filter(|path| !exercises.contains(path) && !answers.contains(path)).collect();
        let labs = course
            .labs
            .iter()
            .map(|lab| (lab.name.clone(), course.of_lab(&lab.name).map(|exercise| exercise.file.clone()).collect()));
        let labs = labs.collect();
        Ok(Expected { labs, exercises, answers, elsewhere, handout: crate::handout::given(whole), marks })
    }

    pub(super) fn listed(&self) -> impl Iterator<Item = &str> {
        self.exercises.iter().chain(&self.answers).map(String::as_str)
    }

    pub(super) fn hands_out(&self, path: &str) -> bool {
        self.elsewhere.contains(path) || self.handout.iter().any(|entry| crate::handout::matches(entry, path))
    }

    /// Which of some files a text is, by the lines that only one starter has.
    pub(super) fn which(&self, text: &str, paths: &[String]) -> Option<String> {
        let lines: BTreeSet<String> = text.lines().map(bare).collect();
        let count = |path: &String| self.marks.get(path).map_or(0, |marks| marks.intersection(&lines).count());
        let most = paths.iter().map(count).max().filter(|most| *most > 0)?;
        let mut best = paths.iter().filter(|path| count(path) == most);
        best.next().filter(|_| best.next().is_none()).cloned()
    }
}
