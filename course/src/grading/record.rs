//! A record: the grade of one submission, with all that it takes to reproduce it, and what makes one whole.

use crate::escape::without_paths;
use crate::intake::Note;
use crate::platforms::{Entry, Owner};
use anyhow::{Context, ensure};
use exercises::confine::Confinement;
use exercises::submission::receipt_of;
use exercises::table::{Course, Lab};
use exercises::verdict::{Failure, State, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The format of records that this program writes and reads.
pub const FORMAT: u32 = 2;
/// The kind of a verdict that the machine's failure put off.
pub const MACHINE: &str = "machine";

/// The grade of one submission, and where it comes from.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Which form of record this is.
    pub format: u32,
    /// The submission's name, which no other of its class has.
    pub name: String,
    /// Where it lay.
    #[serde(with = "crate::names")]
    pub path: PathBuf,
    /// Further files and folders of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<PathBuf>,
    /// Who handed it in, as far as an export's names say.
    #[serde(default)]
    pub owner: Owner,
    /// When its file was last written, in seconds since 1970; none for a folder.
    #[serde(default)]
    pub file_time: Option<i64>,
    /// SHA-256 of each file that was taken.
    pub hashes: BTreeMap<String, String>,
    /// SHA-256 of what the course judges by: its table, the solutions' figures.
    pub inputs: BTreeMap<String, String>,
    /// The workspace's commit.
    pub commit: String,
    /// All random data follows from it; a student replays a failure with it.
    pub seed: u64,
    /// The simulated card.
    pub device: String,
    /// The kernels' compiler and rustc.
    pub compilers: Vec<String>,
    /// The confinement of the students' code.
    pub confinement: Option<Confinement>,
    /// Why nothing was taken; the verdicts are then all without points.
    pub refused: Option<String>,
    /// The intake's report: what was converted, not taken, missing.
    #[serde(default)]
    pub notes: Vec<Note>,
    /// One per exercise, in the table's order.
    pub verdicts: Vec<Verdict>,
    /// How long each exercise took to be judged, in seconds.
    #[serde(default)]
    pub seconds: BTreeMap<String, f64>,
    /// The verdicts' sum, as [`Record::points`] adds it up.
    pub points: u32,
    /// The sum of what is possible, as [`Record::of`] adds it up.
    pub of: u32,
    /// True if no exercise is to be repeated.
    pub complete: bool,
}

impl Record {
    /// Reached.
    pub fn points(&self) -> u32 {
        self.verdicts.iter().map(|verdict| verdict.points).sum()
    }

    /// Possible points of all exercises; optional ones come on top.
    pub fn of(&self) -> u32 {
        self.verdicts.iter().filter(|verdict| !verdict.bonus).map(|verdict| verdict.of).sum()
    }

    /// The verdicts of one lab.
    pub fn of_lab<'a>(&'a self, lab: &'a str) -> impl Iterator<Item = &'a Verdict> + Clone {
        let own = move |verdict: &&Verdict| verdict.exercise.split_once('/').is_some_and(|(of, _)| of == lab);
        self.verdicts.iter().filter(own)
    }

    /// The lab that all of its verdicts are of; none where they are of several.
    pub fn only_lab(&self) -> Option<String> {
        let labs: BTreeSet<&str> =
            self.verdicts.iter().filter_map(|verdict| Some(verdict.exercise.split_once('/')?.0)).collect();
        labs.first().filter(|_| labs.len() == 1).map(|lab| (*lab).to_owned())
    }

    /// Returns whether any file of a lab came.
    pub fn has_lab(&self, course: &Course, lab: &Lab) -> bool {
        course.files_of(lab).any(|path| self.hashes.contains_key(path))
            || self.of_lab(&lab.name).any(|verdict| verdict.state == State::Refused)
    }

    /// Returns whether nothing of a lab was handed in, and that is final.
    pub fn lacks_lab(&self, course: &Course, lab: &Lab) -> bool {
        !self.has_lab(course, lab) && self.of_lab(&lab.name).all(|verdict| verdict.state == State::NotStarted)
    }

    /// Points of a lab and those that are possible, without optional ones; none where nothing of it came.
    pub fn points_of(&self, course: &Course, lab: &Lab) -> Option<(u32, u32)> {
        let verdicts = self.of_lab(&lab.name);
        let of = verdicts.clone().filter(|verdict| !verdict.bonus).map(|verdict| verdict.of).sum();
        self.has_lab(course, lab).then(|| (verdicts.map(|verdict| verdict.points).sum(), of))
    }

    /// The receipts of the labs that came, as `just submission` printed them.
    pub fn receipts(&self, course: &Course) -> Vec<(String, String)> {
        let of = |lab: &Lab| Some((lab.name.clone(), receipt_of(course, lab, &self.hashes)?));
        course.labs.iter().filter_map(of).collect()
    }

    /// Is of this submission.
    pub fn belongs_to(&mut self, entry: &Entry) {
        (self.name, self.path, self.more) = (entry.name.clone(), entry.path.clone(), entry.more.clone());
        self.owner = entry.owner.clone();
        let meta = std::fs::metadata(&entry.path).ok().filter(|meta| meta.is_file());
        let written = meta.and_then(|meta| meta.modified().ok()?.duration_since(UNIX_EPOCH).ok());
        self.file_time = written.and_then(|time| i64::try_from(time.as_secs()).ok());
    }

    /// The submission that it is of.
    pub fn entry(&self) -> Entry {
        Entry { name: self.name.clone(), path: self.path.clone(), more: self.more.clone(), owner: self.owner.clone() }
    }

    /// How many exercises have no verdict, which is the machine's affair.
    pub fn to_be_repeated(&self) -> usize {
        self.verdicts.iter().filter(|verdict| !verdict.state.is_final()).count()
    }

    /// That there are exercises without a verdict, in words; none where there are none.
    pub fn open_exercises(&self) -> Option<String> {
        let count = self.to_be_repeated();
        (count > 0).then(|| format!("{count} {} to be repeated", if count == 1 { "exercise" } else { "exercises" }))
    }

    /// How many notes of the intake a person should look at; that files are missing is no news.
    pub fn remarkable_notes(&self) -> usize {
        self.notes.iter().filter(|note| note.is_remarkable()).count()
    }

    /// Begins anew: no exercise has been come to.
    pub fn open(&mut self, course: &Course) {
        let story = "not judged: the grading ended before this exercise";
        let open = |exercise| {
            let failure = Failure::new("pending", story);
            Verdict::without_points(exercise, State::ToBeRepeated, self.seed, failure)
        };
        self.verdicts = course.exercises.iter().map(open).collect();
        self.add_up();
    }

    /// Says of each exercise without a final verdict why it has none.
    pub fn put_off(&mut self, why: &str) {
        for verdict in self.verdicts.iter_mut().filter(|verdict| !verdict.state.is_final()) {
            (verdict.kind, verdict.story) = (MACHINE.to_owned(), why.to_owned());
        }
        self.add_up();
    }

    /// Makes the sums those of the verdicts.
    pub fn add_up(&mut self) {
        (self.format, self.points, self.of) = (FORMAT, self.points(), self.of());
        self.complete = self.to_be_repeated() == 0;
    }

    /// The contradictions within the record or with the table, a line each.
    pub fn defects(&self, course: &Course) -> Vec<String> {
        let mut defects = self.own_defects(course);
        let rows: Vec<String> = course.exercises.iter().map(|exercise| exercise.id()).collect();
        let own: Vec<&String> = self.verdicts.iter().map(|verdict| &verdict.exercise).collect();
        defects.extend(rows.iter().filter(|row| !own.contains(row)).map(|row| format!("{row} is missing")));
        for verdict in &self.verdicts {
            let id = &verdict.exercise;
            let Some(row) = course.exercises.iter().find(|exercise| exercise.id() == *id) else {
                defects.push(format!("{id} is no exercise of the course"));
                continue;
            };
            if (verdict.of, verdict.bonus) != (row.points, row.bonus) {
                defects.push(format!("{id} is of {} points; the course has {}", verdict.of, row.worth()));
            }
        }
        if defects.is_empty() && !own.into_iter().eq(&rows) {
            defects.push("its exercises are not in the course's order".to_owned());
        }
        defects
    }

    /// The contradictions within the record; the course says which file is an exercise's.
    fn own_defects(&self, course: &Course) -> Vec<String> {
        let mut defects = Vec::new();
        for (place, verdict) in self.verdicts.iter().enumerate() {
            let Verdict { exercise: id, points, of, state, .. } = verdict;
            if self.verdicts[..place].iter().any(|other| other.exercise == *id) {
                defects.push(format!("{id} is there twice"));
            }
            let fits = match state {
                State::Passed => points == of,
                State::Right => points < of,
                _ => *points == 0,
            };
            if !fits {
                defects.push(format!("{id} has {points} of {of} points, and its state is '{}'", state.words()));
            }
            // Only a file that came is judged.
            let row = course.whole().exercises.iter().find(|row| row.id() == *id);
            if let Some(file) = row.map(|row| &row.file).filter(|file| !self.hashes.contains_key(*file))
                && matches!(state, State::Passed | State::Right | State::Failed | State::NotCompiled)
            {
                let words = state.words();
                defects.push(format!("{id} has {points} points, its state is '{words}', and {file} was not handed in"));
            }
            if verdict.seed != self.seed {
                defects.push(format!("{id} has the seed {}, the record {}", verdict.seed, self.seed));
            }
        }
        // Before anything is added up: what stands in a file may be any number.
        let sum =
            |of: &dyn Fn(&Verdict) -> u32| self.verdicts.iter().map(|verdict| u64::from(of(verdict))).sum::<u64>();
        let points = sum(&|verdict| verdict.points);
        if points != u64::from(self.points) {
            defects.push(format!("its total is {} points; its verdicts have {points}", self.points));
        }
        let of = sum(&|verdict| if verdict.bonus { 0 } else { verdict.of });
        if of != u64::from(self.of) {
            defects.push(format!("its total is of {} points; its verdicts are of {of}", self.of));
        }
        let complete = self.to_be_repeated() == 0;
        if complete != self.complete {
            defects.push(format!(
                "it says complete: {}; {} exercises are to be repeated",
                self.complete,
                self.to_be_repeated()
            ));
        }
        defects
    }
}

/// Why a verdict is as it is, for the student.
pub fn story(verdict: &Verdict) -> String {
    if verdict.state.is_final() { verdict.story.clone() } else { without_paths(&verdict.story) }
}

/// A record as it lies in a file, and as this program understands it.
pub struct Kept {
    /// The record.
    pub record: Record,
    /// All of the file.
    pub raw: Value,
}

/// Reads a record.
///
/// # Errors
/// No such file, no record, one of another format.
pub fn parsed(file: &Path) -> anyhow::Result<Kept> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
    let raw: Value = serde_json::from_str(&text).with_context(|| format!("{} is no record", file.display()))?;
    let record = understood(&raw).with_context(|| format!("{} is no record", file.display()))?;
    Ok(Kept { record, raw })
}

/// Reads a record that is to be believed.
///
/// # Errors
/// As [`parsed`]; one that contradicts itself.
pub fn read(file: &Path, course: &Course) -> anyhow::Result<Record> {
    let record = parsed(file)?.record;
    let defects = record.own_defects(course);
    ensure!(defects.is_empty(), "{} contradicts itself: {}", file.display(), defects.join("; "));
    Ok(record)
}

/// The files of the records in a folder of results, sorted.
///
/// # Errors
/// No such folder, or none in it.
pub fn files(out: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let folder = out.join("records");
    let none = || format!("{}: no records; next: just grade SUBMISSIONS", folder.display());
    let entries = std::fs::read_dir(&folder).with_context(none)?;
    let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    ensure!(!files.is_empty(), "{}", none());
    Ok(files)
}

/// All records in a folder of results that are to be believed.
///
/// # Errors
/// As [`files`] and [`read`].
pub fn all(out: &Path, course: &Course) -> anyhow::Result<Vec<Record>> {
    files(out)?.iter().map(|file| read(file, course)).collect()
}

/// The records of an earlier call, by their names; those that are not to be read are left out, because they are judged anew.
pub fn of_class(out: &Path) -> BTreeMap<String, Record> {
    let kept = files(out).unwrap_or_default().into_iter().filter_map(|file| Some(parsed(&file).ok()?.record));
    kept.map(|record| (record.name.clone(), record)).collect()
}

fn understood(raw: &Value) -> anyhow::Result<Record> {
    let format = &raw["format"];
    ensure!(
        *format == FORMAT,
        "its format is {format}, this program's {FORMAT}; next: the grader of the record's commit"
    );
    Ok(serde_json::from_value(raw.clone())?)
}

/// Writes a JSON document beside its place and moves it there: whoever reads it finds it whole, and a grader that is stopped leaves the last
/// whole one.
///
/// # Errors
/// A folder that cannot be written.
pub fn write_whole(file: &Path, document: &impl Serialize) -> anyhow::Result<()> {
    let beside = file.with_extension("tmp");
    std::fs::write(&beside, serde_json::to_string_pretty(document)?)
        .with_context(|| format!("{}", beside.display()))?;
    std::fs::rename(&beside, file).with_context(|| format!("{}", file.display()))
}
