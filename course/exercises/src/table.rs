//! `course/course.toml`: the one table of labs and exercises, read and checked as a whole.

use crate::solutions::{self, packed};
use crate::{card, markers, text};
use anyhow::{Context, anyhow, bail, ensure};
use serde::Deserialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The course.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Course {
    /// The simulated card of all verdicts, by its key; kernels are compiled for its architecture.
    #[serde(default = "default_card")]
    pub card: String,
    /// `true` where a hand-out brings the model solutions, each of which is shown after full points.
    #[serde(default)]
    pub solutions: bool,
    /// The files that every student gets: paths, or patterns of paths. A lab's own are in its row.
    #[serde(default)]
    pub handout: Vec<String>,
    /// Those of all these files, by patterns, that a hand-out has which is a tool: the rest is what the tool is built of.
    #[serde(default)]
    pub tool: Vec<String>,
    /// The points that late work loses; none where lateness is told and costs nothing.
    pub late: Option<LateRule>,
    /// In the order in which they are taught.
    #[serde(rename = "lab")]
    pub labs: Vec<Lab>,
    /// In the order of the sheets.
    #[serde(rename = "exercise")]
    pub exercises: Vec<Exercise>,
    /// The workspace; all paths are relative to it.
    #[serde(skip)]
    pub root: PathBuf,
    /// The course that this one is a part of; none where it is all of it.
    #[serde(skip)]
    whole: Option<Box<Course>>,
}

/// One lab with its assignment sheet.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lab {
    /// "gemm".
    pub name: String,
    /// The assignment sheet.
    pub sheet: String,
    /// Where a student answers the written questions.
    pub answers: String,
    /// When it is due, with the offset from UTC: `due = 2026-11-30T23:59:00+01:00`. Lateness is a column of the class's table.
    pub due: Option<toml::value::Datetime>,
    /// The files that a student of this lab gets: paths, or patterns of paths.
    #[serde(default)]
    pub handout: Vec<String>,
    /// Kernels of that list that are no exercise: a student gets them whole, to start from.
    #[serde(default)]
    pub given: Vec<String>,
}

/// The rule for late work: `late = { free = "15 min", per_day = 10, most = 3 }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LateRule {
    /// The time after the due date that costs nothing, "15 min" or "2 h": days are counted from its end.
    #[serde(default)]
    pub free: String,
    /// Percent of the lab's points that each begun day costs.
    pub per_day: f64,
    /// Days after which work counts nothing.
    pub most: u32,
}

impl LateRule {
    /// The hours that cost nothing; none where that is no time.
    pub fn free_hours(&self) -> Option<f64> {
        if self.free.is_empty() {
            return Some(0.0);
        }
        let (number, unit) = self.free.trim().split_once(' ')?;
        let hours = match unit.trim() {
            "min" => 1.0 / 60.0,
            "h" => 1.0,
            "d" => 24.0,
            _ => return None,
        };
        number.parse::<f64>().ok().filter(|number| *number >= 0.0).map(|number| number * hours)
    }

    /// The begun days that count for work that is so many hours late.
    pub fn days(&self, hours: f64) -> u32 {
        let counted = (hours - self.free_hours().unwrap_or_default()) / 24.0;
        // A millionth of a day is the rounding of the hours.
        (counted - 1e-6).ceil().max(0.0) as u32
    }

    /// Percent of the lab's points that are lost after so many days.
    pub fn percent(&self, days: u32) -> f64 {
        if days > self.most { 100.0 } else { (self.per_day * f64::from(days)).min(100.0) }
    }
}

/// One exercise.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exercise {
    /// Its lab.
    pub lab: String,
    /// The course's card.
    #[serde(skip, default = "default_card")]
    pub card: String,
    /// Unique in the lab.
    pub name: String,
    /// The one file that a student hands in.
    pub file: String,
    /// Points of the whole exercise.
    pub points: u32,
    /// True if it is optional: its points come on top of the lab's.
    #[serde(default)]
    pub bonus: bool,
    /// `true` where the starter has a defect that is to be found: it is run as it was handed out, and its failure told.
    #[serde(default)]
    pub mend: bool,
    /// `false` where the kernel is one of f32 alone: what other kernels are asked in f64 it is asked in f32.
    #[serde(default = "yes")]
    pub f64: bool,
    /// A nudge, a pointer, nearly the answer.
    pub hints: [String; 3],
    /// To be answered in writing.
    #[serde(default)]
    pub questions: Vec<String>,
    /// Wide limits: who breaks one, and keeps no contract, has nothing of the exercise's idea.
    #[serde(default)]
    pub idea: Vec<Condition>,
    /// The contracts that the counters must keep beyond a right result.
    #[serde(default, rename = "technique")]
    pub techniques: Vec<Technique>,
}

/// A contract on figures of the exercise's measured run: points for conditions that must all hold.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "TechniqueRow")]
pub struct Technique {
    /// Part of the exercise's points.
    pub points: u32,
    /// Floors and ceilings, in the order in which they are looked at: the first broken one is told.
    pub conditions: Vec<Condition>,
    /// The advice about a broken contract.
    pub say: String,
}

/// A floor or a ceiling.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Names of values, joined by `+`.
    pub value: String,
    /// The least that keeps the contract.
    pub least: Option<f64>,
    /// The least, as a multiple of the reference's value.
    pub least_times: Option<f64>,
    /// The most that keeps it.
    pub most: Option<f64>,
    /// The most, as a multiple of the reference's value.
    pub times: Option<f64>,
    /// The exercise of the same lab whose reference counts; by default this one.
    pub of: Option<String>,
    /// The advice where this condition is the broken one; by default its technique's.
    pub say: Option<String>,
}

impl Condition {
    /// Returns whether it is about the time: of a condition that is broken, that alone does not say why.
    pub fn is_of_time(&self) -> bool {
        self.value.starts_with("time_us")
    }

    /// The limits that are given: one, in a right row.
    fn limits(&self) -> usize {
        [self.least, self.least_times, self.most, self.times].iter().flatten().count()
    }
}

/// A technique as it is written: a single condition may stand in its own row.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TechniqueRow {
    points: u32,
    say: String,
    value: Option<String>,
    least: Option<f64>,
    least_times: Option<f64>,
    most: Option<f64>,
    times: Option<f64>,
    of: Option<String>,
    #[serde(default, rename = "condition")]
    conditions: Vec<Condition>,
}

impl From<TechniqueRow> for Technique {
    fn from(row: TechniqueRow) -> Self {
        let TechniqueRow { points, say, value, least, least_times, most, times, of, conditions } = row;
        // A limit without its value stays a condition, so that it is found to be defective.
        let own = value.is_some() || [least, least_times, most, times].iter().any(Option::is_some);
        let value = value.unwrap_or_default();
        let own = own.then_some(Condition { value, least, least_times, most, times, of, say: None });
        Technique { points, say, conditions: own.into_iter().chain(conditions).collect() }
    }
}

/// True if a student writes a kernel or host code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// CUDA C++.
    Kernel,
    /// Rust that plans launches or copies.
    Strategy,
}

fn yes() -> bool {
    true
}

fn default_card() -> String {
    card::PROFILE.to_owned()
}

impl Course {
    /// Where the table lies in the workspace.
    pub const FILE: &str = "course/course.toml";
    /// Where a student's workspace keeps the exercises' files as they were handed out. The workspace that holds the solutions has no such folder.
    pub const STARTERS: &str = "course/exercises/starters";
    /// The same in one file, where a workspace has few.
    pub const PACKED_STARTERS: &str = "course/exercises/starters.z";

    /// Reads and checks the table in `root`.
    ///
    /// # Errors
    /// No table there; a table that does not parse; rows that contradict each other or the files, all of them named.
    pub fn read(root: &Path) -> anyhow::Result<Self> {
        let path = root.join(Self::FILE);
        let text = std::fs::read_to_string(&path).with_context(|| {
            format!("{}: the course's table is not there; run this from the workspace", path.display())
        })?;
        let mut course = Self::parse(&text).with_context(|| format!("{}", path.display()))?;
        course.root = root.to_owned();
        let defects = course.defects_of_files();
        ensure!(defects.is_empty(), "{}:\n  {}", path.display(), defects.join("\n  "));
        Ok(course)
    }

    /// The workspace that the working folder lies in.
    ///
    /// # Errors
    /// As [`Course::read`]; no table here or above.
    pub fn here() -> anyhow::Result<Self> {
        let start = match std::env::var_os("COURSE_ROOT") {
            Some(root) => PathBuf::from(root),
            None => std::env::current_dir()?,
        };
        let root = start.ancestors().find(|folder| folder.join(Self::FILE).is_file());
        let root = root.with_context(|| format!("no {} in {} or above it", Self::FILE, start.display()))?;
        Self::read(root)
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let mut course: Course = toml::from_str(text)?;
        course.exercises.iter_mut().for_each(|exercise| exercise.card.clone_from(&course.card));
        let defects = course.defects();
        ensure!(defects.is_empty(), "{}", defects.join("\n  "));
        Ok(course)
    }

    /// The part of the course that is one lab.
    ///
    /// # Errors
    /// An unknown name, with those that there are.
    pub fn only(self, lab: &str) -> anyhow::Result<Self> {
        self.lab(lab)?;
        let mut part = self.clone();
        part.labs.retain(|row| row.name == lab);
        part.exercises.retain(|exercise| exercise.lab == lab);
        part.whole = Some(Box::new(self));
        Ok(part)
    }

    /// All of the course.
    pub fn whole(&self) -> &Course {
        self.whole.as_deref().unwrap_or(self)
    }

    /// The defects of the rows by themselves.
    fn defects(&self) -> Vec<String> {
        let mut defects = Vec::new();
        let mut seen = HashSet::new();
        for exercise in &self.exercises {
            let id = exercise.id();
            let mut defect = |what: String| defects.push(format!("{id}: {what}"));
            if !seen.insert(&exercise.file) || self.exercises.iter().filter(|other| other.id() == id).count() > 1 {
                defect("its name or its file stands in two rows".to_owned());
            }
            if !self.labs.iter().any(|lab| lab.name == exercise.lab) {
                defect(format!("there is no lab '{}'", exercise.lab));
            }
            if exercise.hints.iter().any(|hint| hint.trim().is_empty()) {
                defect("a hint is empty".to_owned());
            }
            if exercise.kind().is_none() {
                defect(format!("{} is neither a .cu nor a .rs file", exercise.file));
            }
            if exercise.file.starts_with('/') || exercise.file.split('/').any(|part| part == "..") {
                defect(format!("{} leads out of the workspace", exercise.file));
            }
            let of_techniques: u32 = exercise.techniques.iter().map(|technique| technique.points).sum();
            if exercise.points == 0 || of_techniques >= exercise.points {
                defect(format!("{} points, {of_techniques} of them for technique: none are left", exercise.points));
            }
            for technique in &exercise.techniques {
                if technique.conditions.is_empty() || technique.say.trim().is_empty() {
                    defect("a technique needs a condition, and advice".to_owned());
                }
            }
            for condition in exercise.techniques.iter().flat_map(|one| &one.conditions).chain(&exercise.idea) {
                if condition.limits() != 1 || condition.value.trim().is_empty() {
                    defect(format!("the condition on '{}' needs a value and one limit", condition.value));
                }
                let known = |name: &String| self.find(&exercise.lab, name).is_some();
                if condition.of.as_ref().is_some_and(|of| !known(of)) {
                    defect(format!("the condition on '{}' is about an unknown exercise", condition.value));
                }
            }
        }
        if self.late.as_ref().is_some_and(|late| late.free_hours().is_none() || !(0.0..=100.0).contains(&late.per_day))
        {
            let example = "late = { free = \"15 min\", per_day = 10, most = 3 }";
            defects.push(format!("late: `free` is a time in min, h or d, `per_day` a percentage: {example}"));
        }
        for lab in &self.labs {
            if !self.of_lab(&lab.name).any(|_| true) {
                defects.push(format!("lab {} has no exercise", lab.name));
            }
            if lab.due.is_some_and(|due| due.date.is_none() || due.time.is_none() || due.offset.is_none()) {
                let example = "due = 2026-11-30T23:59:00+01:00";
                defects.push(format!("lab {}: its due date needs a day, a time and an offset: {example}", lab.name));
            }
        }
        defects
    }

    fn defects_of_files(&self) -> Vec<String> {
        let there = |file: &str| self.root.join(file).is_file();
        // A student's own file may be gone: its verdict says so, and `reset` brings it back.
        let handed_out = [Self::STARTERS, Self::PACKED_STARTERS].iter().any(|name| self.root.join(name).exists());
        let files = self.exercises.iter().filter(|_| !handed_out).map(|exercise| (exercise.id(), &exercise.file));
        let sheets = self.labs.iter().map(|lab| (lab.name.clone(), &lab.sheet));
        files.chain(sheets).filter(|(_, file)| !there(file)).map(|(id, file)| format!("{id}: no file {file}")).collect()
    }

    /// The exercises of a lab, in the sheet's order.
    pub fn of_lab(&self, lab: &str) -> impl Iterator<Item = &Exercise> + use<'_> {
        let lab = lab.to_owned();
        self.exercises.iter().filter(move |exercise| exercise.lab == lab)
    }

    /// A lab by its name.
    ///
    /// # Errors
    /// An unknown name, with those that there are.
    pub fn lab(&self, name: &str) -> anyhow::Result<&Lab> {
        let known = || self.labs.iter().map(|lab| lab.name.as_str()).collect::<Vec<_>>().join(", ");
        self.labs
            .iter()
            .find(|lab| lab.name == name)
            .with_context(|| format!("there is no lab '{name}', but {}", known()))
    }

    /// The files that are handed in for a lab: the exercises' files, in the sheet's order, and the answers.
    pub fn files_of<'a>(&'a self, lab: &'a Lab) -> impl Iterator<Item = &'a str> {
        self.of_lab(&lab.name).map(|exercise| exercise.file.as_str()).chain([lab.answers.as_str()])
    }

    /// The written questions of a lab, with room for the answers: the file as it is handed out.
    pub fn answers(&self, lab: &Lab) -> String {
        let mut text = format!(
            "# Answers: {}\n\nWrite below each question. A person marks them; say what you measured, with the command.\n",
            lab.name
        );
        for exercise in self.of_lab(&lab.name) {
            for question in &exercise.questions {
                text.push_str(&format!("\n## {}\n\n{question}\n\n> \n", exercise.name));
            }
        }
        text
    }

    /// An exercise by lab and name.
    pub fn find(&self, lab: &str, name: &str) -> Option<&Exercise> {
        self.of_lab(lab).find(|exercise| exercise.name == name)
    }

    /// The exercises that a word names: a lab's, or one as `shared` or `gemm/shared`; all for none.
    ///
    /// # Errors
    /// An unknown or ambiguous name, with what may be meant.
    pub fn select(&self, word: Option<&str>) -> anyhow::Result<Vec<&Exercise>> {
        let Some(word) = word else { return Ok(self.exercises.iter().collect()) };
        if self.labs.iter().any(|lab| lab.name == word) {
            return Ok(self.of_lab(word).collect());
        }
        let found: Vec<&Exercise> =
            self.exercises.iter().filter(|exercise| exercise.name == word || exercise.id() == word).collect();
        match found[..] {
            [_] => Ok(found),
            [] => {
                let ids = self.exercises.iter().flat_map(|e| [e.id(), e.name.clone()]);
                let near: Vec<String> = ids.filter(|id| strsim::jaro_winkler(word, id) > 0.8).take(3).collect();
                let next = match near.is_empty() {
                    true => "just progress lists them".to_owned(),
                    false => format!("did you mean {}?", near.join(" or ")),
                };
                bail!("there is no exercise or lab '{word}'; {next}")
            }
            _ => {
                let ids: Vec<String> = found.iter().map(|exercise| exercise.id()).collect();
                bail!("'{word}' is the name of several exercises: {}", ids.join(", "))
            }
        }
    }

    /// Points of a lab's exercises, without the optional ones.
    pub fn points(&self, lab: &str) -> u32 {
        self.of_lab(lab).filter(|exercise| !exercise.bonus).map(|exercise| exercise.points).sum()
    }

    /// The text of an exercise as it is handed out: from `starters/` of a student's workspace, else from the solution's markers.
    ///
    /// # Errors
    /// A file that cannot be read, or whose markers do not pair.
    pub fn starter(&self, exercise: &Exercise) -> anyhow::Result<String> {
        if let Some(kept) = self.kept_starter(exercise)? {
            return Ok(kept);
        }
        markers::starter(&self.text(exercise)?).with_context(|| exercise.file.clone())
    }

    /// The model solution of an exercise.
    ///
    /// # Errors
    /// A hand-out without solutions; a damaged file.
    pub fn solution(&self, exercise: &Exercise) -> anyhow::Result<String> {
        ensure!(self.solutions, "this course does not hand its solutions out");
        let text = packed(&self.root.join(solutions::FILE), &exercise.file)?;
        text.with_context(|| format!("{} has none of {}", solutions::FILE, exercise.file))
    }

    /// The text of an exercise as a student's workspace keeps it; none in the workspace that holds the solutions.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn kept_starter(&self, exercise: &Exercise) -> anyhow::Result<Option<String>> {
        let kept = self.root.join(Self::STARTERS).join(&exercise.file);
        match kept.is_file() {
            true => Ok(Some(std::fs::read_to_string(kept)?)),
            false => packed(&self.root.join(Self::PACKED_STARTERS), &exercise.file),
        }
    }

    /// The text of an exercise as it is now, in the form in which the grader takes it.
    ///
    /// # Errors
    /// A file that is gone, cannot be read, or is no text.
    pub fn text(&self, exercise: &Exercise) -> anyhow::Result<String> {
        let path = self.root.join(&exercise.file);
        ensure!(path.exists(), "{} is gone\nnext: just reset {}", exercise.file, exercise.id());
        let bytes = std::fs::read(&path).with_context(|| exercise.file.clone())?;
        text::of(bytes, text::MOST).map(|text| text.text).map_err(|why| anyhow!("{}: {why}", exercise.file))
    }
}

impl Exercise {
    /// "gemm/shared".
    pub fn id(&self) -> String {
        format!("{}/{}", self.lab, self.name)
    }

    /// "25 points", "10 bonus points": as lines of tests and the sheets' headings say it.
    pub fn worth(&self) -> String {
        let kind = if self.bonus { "bonus " } else { "" };
        format!("{} {kind}points", self.points)
    }

    /// By the file's ending.
    pub fn kind(&self) -> Option<Kind> {
        match self.file.rsplit_once('.')?.1 {
            "cu" => Some(Kind::Kernel),
            "rs" => Some(Kind::Strategy),
            _ => None,
        }
    }

    /// Points for a right result alone.
    pub fn points_for_result(&self) -> u32 {
        self.points - self.techniques.iter().map(|technique| technique.points).sum::<u32>()
    }

    /// Points at most for a right result that has nothing of the exercise's idea.
    pub fn points_without_idea(&self) -> u32 {
        self.points_for_result().min(self.points / 5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = include_str!("sample.toml");

    #[test]
    fn a_row_is_read() {
        let course = Course::parse(ROWS).unwrap();
        let naive = course.find("gemm", "naive").unwrap();
        assert_eq!(naive.card, card::PROFILE);
        let other = Course::parse(&format!("card = 'h200'\n{ROWS}")).unwrap();
        assert_eq!(other.exercises[0].card, "h200");
        assert_eq!((naive.kind(), naive.points_for_result()), (Some(Kind::Kernel), 10));
        assert!(course.select(Some("naiv")).unwrap_err().to_string().contains("naive"));
    }

    #[test]
    fn defects_are_named_with_their_row() {
        for (find, replace, said) in [
            ("\"c\"]", "\" \"]", "a hint is empty"),
            ("points = 10", "points = 0", "none are left"),
            ("naive.cu", "naive.txt", "neither"),
            ("naive.cu", "../naive.cu", "out of the workspace"),
            ("answers = \"answers\"", "answers = \"answers\"\ndue = 2026-11-30T23:59:00", "an offset"),
            ("lab = \"gemm\"", "lab = \"gem\"", "no lab 'gem'"),
            ("points = 10", "points = 10\nscore = 1", "score"),
            ("hints", "technique = [{ points = 1, say = \"a\" }]\nhints", "needs a condition"),
            ("hints", "technique = [{ points = 1, say = \"a\", most = 1 }]\nhints", "needs a value"),
            ("hints", "technique = [{ points = 1, say = \"a\", value = \"a\" }]\nhints", "one limit"),
            (
                "hints",
                "technique = [{ points = 1, say = \"a\", value = \"a\", most = 1, of = \"b\" }]\nhints",
                "unknown",
            ),
        ] {
            let error = Course::parse(&ROWS.replace(find, replace)).unwrap_err();
            assert!(format!("{error:#}").contains(said), "{said}: {error:#}");
        }
    }

    #[test]
    fn late_work_loses_a_share_for_each_begun_day_after_the_free_time() {
        let course = Course::parse(&format!("late = {{ free = '15 min', per_day = 10, most = 3 }}\n{ROWS}")).unwrap();
        let rule = course.late.unwrap();
        for (hours, days, percent) in
            [(0.0, 0, 0.0), (0.25, 0, 0.0), (0.26, 1, 10.0), (24.25, 1, 10.0), (24.3, 2, 20.0), (72.3, 4, 100.0)]
        {
            assert_eq!((rule.days(hours), rule.percent(rule.days(hours))), (days, percent), "{hours} h");
        }
        for wrong in ["free = 'soon', per_day = 10, most = 3", "per_day = 110, most = 3"] {
            let error = Course::parse(&format!("late = {{ {wrong} }}\n{ROWS}")).unwrap_err();
            assert!(error.to_string().contains("late: `free` is a time"), "{error}");
        }
    }

    #[test]
    fn a_technique_has_its_own_condition_and_those_below_it() {
        let rows = r#"
            [[exercise.technique]]
            points = 2
            value = "a"
            most = 1
            say = "do"
            [[exercise.technique.condition]]
            value = "b"
            least_times = 0.5
            say = "do more"
        "#;
        let course = Course::parse(&format!("{ROWS}{rows}")).unwrap();
        let technique = &course.exercises[1].techniques[0];
        let [own, other] = &technique.conditions[..] else { panic!("{technique:?}") };
        assert_eq!((own.value.as_str(), own.most, own.say.as_deref()), ("a", Some(1.0), None));
        assert_eq!((other.least_times, other.say.as_deref()), (Some(0.5), Some("do more")));
    }

    #[test]
    fn the_courses_own_table_is_right() {
        let course = Course::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))).unwrap();
        for lab in &course.labs {
            // A way in that nobody has to take counts none.
            let optional = course.of_lab(&lab.name).all(|exercise| exercise.bonus);
            assert_eq!(course.points(&lab.name), if optional { 0 } else { 100 }, "{}", lab.name);
        }
        let total: u32 = course.labs.iter().map(|lab| course.points(&lab.name)).sum();
        assert_eq!(total, 400);
    }
}
