//! Grading: submissions in, one record each out. A record holds all that it takes to reproduce it.

use crate::intake::{self, Submission};
use anyhow::{Context, ensure};
use exercises::confine::{Confinement, Limits};
use exercises::judge::Judge;
use exercises::process::{Answer, Workers};
use exercises::table::{Course, Kind};
use exercises::technique::References;
use exercises::verdict::{State, Verdict};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The grade of one submission, and where it comes from.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// The submission's name: its file's or folder's.
    pub name: String,
    /// Where it lay.
    pub path: PathBuf,
    /// SHA-256 of each file that was taken.
    pub hashes: BTreeMap<String, String>,
    /// The workspace's commit.
    pub commit: String,
    /// All random data follows from it; a student replays a failure with it.
    pub seed: u64,
    /// The simulated card.
    pub device: String,
    /// The kernels' compiler and rustc.
    pub compilers: Vec<String>,
    /// What the students' code was confined by.
    pub confinement: Option<Confinement>,
    /// Why nothing was taken; the verdicts are then all without points.
    pub refused: Option<String>,
    /// One per exercise, in the table's order; fewer while the grading goes on.
    pub verdicts: Vec<Verdict>,
    /// Whether all exercises have theirs.
    pub complete: bool,
}

impl Record {
    /// Reached.
    pub fn points(&self) -> u32 {
        self.verdicts.iter().map(|verdict| verdict.points).sum()
    }

    /// Of the exercises that have a verdict; optional ones come on top.
    pub fn of(&self) -> u32 {
        self.verdicts.iter().filter(|verdict| !verdict.bonus).map(|verdict| verdict.of).sum()
    }
}

/// How to grade.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where records and reports go.
    pub out: PathBuf,
    /// Submissions at a time.
    pub jobs: usize,
    /// The same seed for all, instead of a fresh one each.
    pub seed: Option<u64>,
    /// Whether to grade on a machine that cannot confine the students' code, or not completely. What it has is applied even so.
    pub unconfined: bool,
}

/// Told a record before its first verdict and after each one.
pub type Keep<'a> = dyn Fn(&Record) -> anyhow::Result<()> + Sync + 'a;

/// A grader for one course on one machine.
pub struct Grader<'a> {
    course: &'a Course,
    judge: Judge,
    starters: BTreeMap<String, String>,
    commit: String,
    compilers: Vec<String>,
    confinement: Confinement,
    options: Options,
}

impl<'a> Grader<'a> {
    /// Looks at the machine.
    ///
    /// # Errors
    /// No exercise; no compiler; a machine without confinement, unless the options accept that.
    pub fn new(course: &'a Course, options: Options) -> anyhow::Result<Self> {
        ensure!(!course.exercises.is_empty(), "a course without exercises grades nothing");
        let workers = Workers::of_this_program(true)?;
        let limits = Limits { memory_bytes: 0, cpu_seconds: 10, file_bytes: 0 };
        let confinement = match workers.ask("probe", &(), limits)? {
            Answer::Given(confinement) => confinement,
            Answer::Exceeded(_) | Answer::Died(_) | Answer::Machine(_) => Confinement::default(),
        };
        ensure!(
            confinement.complete() || options.unconfined,
            "this machine does not confine untrusted code completely: {confinement}\n  next: a kernel with Landlock and seccomp; or --unconfined, in a container that holds nothing but the grader"
        );
        let starters = course.exercises.iter().map(|exercise| Ok((exercise.id(), course.starter(exercise)?)));
        let references = References::read(&course.root)?;
        std::fs::create_dir_all(options.out.join("records"))?;
        Ok(Grader {
            course,
            judge: Judge { workers, references },
            starters: starters.collect::<anyhow::Result<_>>()?,
            commit: commit_of(&course.root),
            compilers: vec![kernels::compiler()?, line_of(Command::new("rustc").arg("--version"))],
            confinement,
            options,
        })
    }

    /// What students' code is confined by here.
    pub fn confinement(&self) -> Confinement {
        self.confinement
    }

    /// Grades all, several at a time, and returns the records in the order of the paths. What is complete already is taken as it is. `keep` is
    /// told each record, beside the file that it is written to.
    ///
    /// # Errors
    /// The machine's; a submission that is refused has a record like any other.
    pub fn grade(&self, paths: &[PathBuf], keep: &Keep) -> anyhow::Result<Vec<Record>> {
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, anyhow::Result<Record>)>> = Mutex::new(Vec::new());
        let work = || {
            while let Some((index, path)) = {
                let i = next.fetch_add(1, Ordering::Relaxed);
                paths.get(i).map(|path| (i, path))
            } {
                let record = self.one(path, keep);
                done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, record));
            }
        };
        std::thread::scope(|scope| (0..self.options.jobs.max(1)).for_each(|_| drop(scope.spawn(work))));
        let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        done.sort_by_key(|(index, _)| *index);
        done.into_iter().map(|(_, record)| record).collect()
    }

    fn one(&self, path: &Path, also: &Keep) -> anyhow::Result<Record> {
        let name = name_of(path);
        let file = self.options.out.join("records").join(format!("{name}.json"));
        // The record last: whoever finds a verdict in it finds that everywhere.
        let keep = |record: &Record| {
            also(record)?;
            write_whole(&file, record)
        };
        let kept = read_record(&file);
        let seed = kept.as_ref().map(|record| record.seed).or(self.options.seed);
        let (mut record, submission) =
            self.begin(path, &name, seed.unwrap_or_else(|| u64::from(rand::random::<u32>())));
        // Other files than the record's are another submission, of the same seed.
        let same = kept.filter(|kept| kept.hashes == record.hashes && kept.refused == record.refused);
        if let Some(kept) = same {
            if kept.complete {
                keep(&kept)?;
                return Ok(kept);
            }
            if (&kept.commit, &kept.compilers) == (&record.commit, &record.compilers) {
                record.verdicts = kept.verdicts;
            }
        }
        self.finish(record, &submission, keep)
    }

    /// Judges one submission with a seed.
    ///
    /// # Errors
    /// The machine's.
    pub fn judge_all(&self, path: &Path, name: &str, seed: u64) -> anyhow::Result<Record> {
        let (record, submission) = self.begin(path, name, seed);
        self.finish(record, &submission, |_| Ok(()))
    }

    /// A submission's files, and its record before any verdict.
    fn begin(&self, path: &Path, name: &str, seed: u64) -> (Record, Submission) {
        let (submission, refused) = match intake::read(self.course, path) {
            Ok(submission) => (submission, None),
            Err(error) => (Submission::default(), Some(format!("{error:#}"))),
        };
        let hash = |text: &String| Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        let record = Record {
            name: name.to_owned(),
            // Found again from another folder.
            path: path.canonicalize().unwrap_or_else(|_| path.to_owned()),
            hashes: submission.files.iter().map(|(path, text)| (path.clone(), hash(text))).collect(),
            commit: self.commit.clone(),
            seed,
            device: format!("sim:{}", exercises::card::PROFILE),
            compilers: self.compilers.clone(),
            confinement: Some(self.confinement),
            refused,
            verdicts: Vec::new(),
            complete: false,
        };
        (record, submission)
    }

    /// Judges what has no verdict yet; `keep` is given the record before the first and after each exercise.
    fn finish(
        &self,
        mut record: Record,
        submission: &Submission,
        keep: impl Fn(&Record) -> anyhow::Result<()>,
    ) -> anyhow::Result<Record> {
        keep(&record)?;
        let done = record.verdicts.len();
        for exercise in &self.course.exercises[done..] {
            let starter = &self.starters[&exercise.id()];
            let text = submission.files.get(&exercise.file).unwrap_or(starter);
            let verdict = self.judge.judge(exercise, text, starter, record.seed).unwrap_or_else(|error| {
                let kind = if exercise.kind() == Some(Kind::Kernel) { "compiler" } else { "rustc" };
                let story = format!("the grader could not judge this: {error:#}");
                Verdict { story, kind: kind.to_owned(), ..Verdict::new(exercise, State::NoVerdict, record.seed) }
            });
            record.verdicts.push(verdict);
            record.complete = record.verdicts.len() == self.course.exercises.len();
            keep(&record)?;
        }
        Ok(record)
    }
}

/// The workspace's commit: git's, or the one that an autograder was made from.
fn commit_of(root: &Path) -> String {
    let kept = std::fs::read_to_string(root.join(".commit"));
    kept.map_or_else(
        |_| line_of(Command::new("git").args(["rev-parse", "HEAD"]).current_dir(root)),
        |commit| commit.trim().to_owned(),
    )
}

/// The first line that a command prints, or that it does not.
fn line_of(command: &mut Command) -> String {
    let output = command.output().ok().filter(|output| output.status.success());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or("unknown").to_owned()
}

/// A submission's name: the last part of its path, without an archive's endings.
pub fn name_of(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("submission");
    let short = [".tar.gz", ".tgz", ".tar", ".zip"].iter().find_map(|ending| name.strip_suffix(ending));
    short.unwrap_or(name).to_owned()
}

/// Records are found by name, so two submissions of one name would be one.
///
/// # Errors
/// Two paths of one name.
pub fn different_names(paths: &[PathBuf]) -> anyhow::Result<()> {
    let mut seen: BTreeMap<String, &PathBuf> = BTreeMap::new();
    for path in paths {
        if let Some(other) = seen.insert(name_of(path), path) {
            let (name, other, path) = (name_of(path), other.display(), path.display());
            anyhow::bail!("two submissions are named {name}: {other} and {path}\n  next: rename one of them");
        }
    }
    Ok(())
}

/// A record, if there is a readable one.
pub fn read_record(file: &Path) -> Option<Record> {
    serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()
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

/// What differs between two records of one submission, a line each.
pub fn changes(before: &Record, after: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    for verdict in &after.verdicts {
        let old = before.verdicts.iter().find(|old| old.exercise == verdict.exercise);
        if old.is_none_or(|old| (old.points, old.state) != (verdict.points, verdict.state)) {
            let was =
                old.map_or("no verdict".to_owned(), |old| format!("{} points ({})", old.points, old.state.words()));
            let why = verdict.story.lines().next().map_or(String::new(), |line| format!(": {line}"));
            lines.push(format!(
                "{} {}: {was}, now {} points ({}){why}",
                after.name,
                verdict.exercise,
                verdict.points,
                verdict.state.words()
            ));
        }
    }
    let about = [
        ("files", before.hashes != after.hashes),
        ("commit", before.commit != after.commit),
        ("compilers", before.compilers != after.compilers),
        ("seed", before.seed != after.seed),
    ];
    let causes: Vec<&str> = about.iter().filter(|(_, differs)| *differs).map(|(what, _)| *what).collect();
    if !lines.is_empty() && !causes.is_empty() {
        lines.push(format!("{}: what is not the same: {}", after.name, causes.join(", ")));
    }
    lines
}
