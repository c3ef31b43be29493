//! Grading: submissions in, one record each out. Whatever becomes of one submission, the others are graded and the class has its records.

use super::company::{Company, said};
use crate::intake::{self, Note, NoteKind, Submission};
use crate::platforms::Entry;
use crate::record::{self, Record, write_whole};
use crate::unfinished::{MOST_DEATHS, Unfinished};
use anyhow::ensure;
use exercises::confine::{Confinement, Limits};
use exercises::judge::Judge;
use exercises::lines::{LONGEST_STORY, capped};
use exercises::process::{Answer, Workers};
use exercises::table::{Course, Exercise};
use exercises::technique::References;
use exercises::text::hash;
use exercises::verdict::{Failure, State, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How to grade.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where records and reports go.
    pub out: PathBuf,
    /// Submissions at a time.
    pub jobs: usize,
    /// The time on the clock after which what is left of a submission is judged after all others.
    pub budget: Duration,
    /// The same seed for all, instead of a fresh one each.
    pub seed: Option<u64>,
    /// True if a machine grades that cannot confine the students' code, or not completely. The confinement that it has is applied even so.
    pub unconfined: bool,
}

/// The round of those that are over their budget has so many budgets for each of them.
const LAST_ROUND: u32 = 5;

/// Told a record before its first verdict and after each one.
pub type Keep<'a> = dyn Fn(&Record) -> anyhow::Result<()> + Sync + 'a;

/// Told how far the grader is.
pub type Tell<'a> = dyn Fn(Step) + Sync + 'a;

/// How far a grader is.
pub enum Step<'a> {
    /// An exercise is come to.
    At(&'a str, &'a str),
    /// A submission has its record.
    Done(&'a Record),
}

/// The outcome of a class.
#[derive(Debug, Default)]
pub struct Graded {
    /// In the order of the class.
    pub records: Vec<Record>,
    /// Troubles beside the verdicts: a record that could not be written, one that was not believed.
    pub troubles: Vec<String>,
}

/// A grader for one course on one machine.
pub struct Grader<'a> {
    course: &'a Course,
    judge: Judge,
    company: Company,
    starters: BTreeMap<String, String>,
    blank: Record,
    confinement: Confinement,
    options: Options,
    troubles: Mutex<Vec<String>>,
    /// Submissions over their budget.
    over: Mutex<BTreeSet<String>>,
    tell: &'a Tell<'a>,
}

impl<'a> Grader<'a> {
    /// Looks at the machine. `tell` is told how far it is.
    ///
    /// # Errors
    /// No exercise; no compiler; a machine without confinement, unless the options accept that.
    pub fn new(course: &'a Course, options: Options, tell: &'a Tell<'a>) -> anyhow::Result<Self> {
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
        let compilers = vec![kernels::compiler()?, line_of(Command::new("rustc").arg("--version"))];
        Ok(Grader {
            course,
            judge: Judge { workers, references },
            company: Company::default(),
            starters: starters.collect::<anyhow::Result<_>>()?,
            blank: Record { compilers, confinement: Some(confinement), ..blank(course)? },
            confinement,
            options,
            troubles: Mutex::default(),
            over: Mutex::default(),
            tell,
        })
    }

    /// The confinement of students' code here.
    pub fn confinement(&self) -> Confinement {
        self.confinement
    }

    /// Grades a class, several at a time. What is complete already is taken as it is; of the rest, what is to be repeated is judged. What is left
    /// of a submission after its budget is judged in a second round, within five budgets, so that one that hangs stops no other. Submissions that a grader ended with before come last, one after the other; `before_them` is told the class as it is then. `keep` is told each
    /// record, beside the file that it is written to.
    pub fn grade(&self, class: &[Entry], keep: &Keep, before_them: &dyn Fn(&[Record])) -> Graded {
        let deaths = |entry: &Entry| Unfinished::of(&self.options.out, &entry.name).deaths();
        let (mut last, calm): (Vec<usize>, Vec<usize>) = (0..class.len()).partition(|&index| deaths(&class[index]) > 0);
        last.sort_by_key(|&index| deaths(&class[index]));
        let done: Mutex<BTreeMap<usize, Record>> = Mutex::default();
        let put = |index: usize, record| done.lock().unwrap_or_else(PoisonError::into_inner).insert(index, record);
        let round = |indexes: &[usize], budget: Duration| {
            let next = AtomicUsize::new(0);
            let work = || {
                while let Some(&index) = indexes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    put(index, self.one(&class[index], keep, budget));
                }
            };
            std::thread::scope(|scope| (0..self.options.jobs.max(1)).for_each(|_| drop(scope.spawn(work))));
        };
        round(&calm, self.options.budget);
        let over = std::mem::take(&mut *self.over.lock().unwrap_or_else(PoisonError::into_inner));
        let slow: Vec<usize> = calm.into_iter().filter(|&index| over.contains(&class[index].name)).collect();
        let most = self.options.budget.saturating_mul(LAST_ROUND);
        round(&slow, most);
        if !last.is_empty() {
            for &index in &last {
                put(index, self.waiting(&class[index]));
            }
            before_them(&done.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect::<Vec<_>>());
        }
        for &index in &last {
            put(index, self.one(&class[index], keep, most));
        }
        let records = done.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect();
        Graded { records, troubles: self.troubles() }
    }

    /// The troubles so far, told once.
    pub fn troubles(&self) -> Vec<String> {
        std::mem::take(&mut self.troubles.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A submission whose turn comes last, as far as an earlier call came with it.
    fn waiting(&self, entry: &Entry) -> Record {
        let mut record = record::read(&self.file(entry), self.course).unwrap_or_else(|_| self.empty(entry, 0));
        if record.defects(self.course).is_empty() {
            record.put_off(&Unfinished::of(&self.options.out, &entry.name).words());
            return record;
        }
        self.empty(entry, record.seed)
    }

    /// One submission in company. Whatever goes wrong, it has a record, and the others go on.
    fn one(&self, entry: &Entry, also: &Keep, budget: Duration) -> Record {
        let file = self.file(entry);
        // The record last: whoever finds a verdict in it finds that everywhere.
        let keep = |record: &Record| {
            also(record)?;
            write_whole(&file, record)
        };
        let kept = match record::read(&file, self.course) {
            Ok(kept) => Some(kept),
            Err(_) if !file.exists() => None,
            Err(error) => {
                self.trouble(format!("{error:#}; it is judged anew"));
                None
            }
        };
        let seed = kept.as_ref().map(|record| record.seed).or(self.options.seed);
        let record = self.guarded(entry, seed.unwrap_or_else(|| u64::from(rand::random::<u32>())), kept, &keep, budget);
        // One whose second round is to come is not done.
        let over = self.over.lock().unwrap_or_else(PoisonError::into_inner).contains(&entry.name);
        if !over || budget > self.options.budget {
            (self.tell)(Step::Done(&record));
        }
        record
    }

    /// Judges one submission anew with a seed. Whatever goes wrong, it has a record.
    pub fn again(&self, entry: &Entry, seed: u64) -> Record {
        self.guarded(entry, seed, None, &|_| Ok(()), Duration::MAX)
    }

    fn guarded(
        &self,
        entry: &Entry,
        seed: u64,
        kept: Option<Record>,
        keep: &dyn Fn(&Record) -> anyhow::Result<()>,
        budget: Duration,
    ) -> Record {
        let mut record = self.empty(entry, seed);
        let done = catch_unwind(AssertUnwindSafe(|| self.tried(entry, kept, keep, &mut record, budget)));
        let why = match done {
            Ok(Ok(())) => return record,
            Ok(Err(error)) => format!("{error:#}"),
            Err(panic) => format!("the grader panicked: {}", said(&*panic)),
        };
        self.trouble(format!("{}: {why}", entry.name));
        record.put_off(&format!("the grader could not go on with this submission: {why}"));
        // If that does not work either, the reports say so and there is no such record.
        let _ = keep(&record);
        record
    }

    fn tried(
        &self,
        entry: &Entry,
        kept: Option<Record>,
        keep: &dyn Fn(&Record) -> anyhow::Result<()>,
        record: &mut Record,
        budget: Duration,
    ) -> anyhow::Result<()> {
        let start = Instant::now();
        let mut unfinished = Unfinished::of(&self.options.out, &entry.name);
        if unfinished.deaths() >= MOST_DEATHS && unfinished.while_reading() {
            return put_off(unfinished, keep, record);
        }
        unfinished.begin()?;
        let submission = self.take(entry, record)?;
        unfinished.taken(&record.hashes);
        // Other files than the record's are another submission, of the same seed.
        let same = |kept: &Record| kept.hashes == record.hashes && kept.refused == record.refused;
        if let Some(kept) = kept.filter(|kept| same(kept)) {
            let defects = kept.defects(self.course);
            if !defects.is_empty() {
                self.trouble(format!(
                    "{}: its record is of another course ({}); it is judged anew",
                    entry.name,
                    defects.join("; ")
                ));
            } else if kept.complete {
                *record = kept;
                record.belongs_to(entry);
            } else if (&kept.commit, &kept.compilers, &kept.inputs)
                == (&record.commit, &record.compilers, &record.inputs)
            {
                (record.verdicts, record.seconds) = (kept.verdicts, kept.seconds);
                record.add_up();
            }
        }
        if unfinished.deaths() >= MOST_DEATHS && !record.complete {
            return put_off(unfinished, keep, record);
        }
        keep(record)?;
        let mut over = false;
        for place in 0..record.verdicts.len() {
            if record.verdicts[place].state.is_final() {
                continue;
            }
            let exercise = &self.course.exercises[place];
            // Files that were not handed in take no time.
            if start.elapsed() > budget && submission.files.contains_key(&exercise.file) {
                over = true;
                continue;
            }
            unfinished.at(&exercise.id())?;
            (self.tell)(Step::At(&entry.name, &exercise.id()));
            let begun = Instant::now();
            record.verdicts[place] = self.verdict(exercise, &submission, record);
            // Milliseconds are enough.
            let seconds = (begun.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
            record.seconds.insert(exercise.id(), seconds);
            record.add_up();
            keep(record)?;
        }
        if over {
            let seconds = budget.as_secs();
            record.put_off(&format!(
                "not judged so far, because what was judged of this submission took more than {seconds} s"
            ));
            keep(record)?;
            self.over.lock().unwrap_or_else(PoisonError::into_inner).insert(entry.name.clone());
        }
        unfinished.end();
        Ok(())
    }

    fn verdict(&self, exercise: &Exercise, submission: &Submission, record: &Record) -> Verdict {
        let not_taken = |note: &&Note| note.kind == NoteKind::NotTaken && note.path == exercise.file;
        if let Some(note) = record.notes.iter().find(not_taken) {
            let failure = Failure::new("refused", note.what.clone());
            return Verdict::without_points(exercise, State::Refused, record.seed, failure);
        }
        let starter = &self.starters[&exercise.id()];
        let Some(text) = submission.files.get(&exercise.file) else {
            let failure = Failure::new("missing", format!("{} was not handed in", exercise.file));
            return Verdict::without_points(exercise, State::NotStarted, record.seed, failure);
        };
        let verdict = self.company.verdict(&self.judge, exercise, text, starter, record.seed);
        Verdict { story: capped(&verdict.story, LONGEST_STORY), ..verdict }
    }

    /// A submission's files; a refusal is the verdict on all exercises.
    fn take(&self, entry: &Entry, record: &mut Record) -> anyhow::Result<Submission> {
        let Taken { submission, refused, hashes } = taken(&self.judge.workers, self.course, &entry.paths())?;
        (record.refused, record.hashes, record.notes) = (refused, hashes, submission.notes.clone());
        if let Some(why) = &record.refused {
            let refused = |exercise| {
                Verdict::without_points(exercise, State::Refused, record.seed, Failure::new("refused", why.clone()))
            };
            record.verdicts = self.course.exercises.iter().map(refused).collect();
            record.add_up();
        }
        Ok(submission)
    }

    fn empty(&self, entry: &Entry, seed: u64) -> Record {
        let mut record = Record { seed, ..self.blank.clone() };
        record.belongs_to(entry);
        record.open(self.course);
        record
    }

    fn file(&self, entry: &Entry) -> PathBuf {
        file_of(&self.options.out, &entry.name)
    }

    fn trouble(&self, what: String) {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }
}

fn put_off(
    mut unfinished: Unfinished,
    keep: &dyn Fn(&Record) -> anyhow::Result<()>,
    record: &mut Record,
) -> anyhow::Result<()> {
    record.put_off(&format!("{}; the next call tries it again", unfinished.words()));
    keep(record)?;
    unfinished.put_off()
}

/// Where a record lies.
pub fn file_of(out: &Path, name: &str) -> PathBuf {
    out.join("records").join(format!("{name}.json"))
}

/// A record of this course, of no submission yet.
///
/// # Errors
/// A table or figures that cannot be read.
pub fn blank(course: &Course) -> anyhow::Result<Record> {
    let mut inputs = BTreeMap::new();
    for name in [Course::FILE, References::FILE] {
        inputs.insert(name.to_owned(), hash(&std::fs::read_to_string(course.root.join(name))?));
    }
    let device = format!("sim:{}", course.card);
    Ok(Record { inputs, commit: commit_of(&course.root), device, ..Record::default() })
}

/// The part of a submission that was taken.
pub struct Taken {
    /// Its files.
    pub submission: Submission,
    /// Why nothing was.
    pub refused: Option<String>,
    /// Hashes of its files.
    pub hashes: BTreeMap<String, String>,
}

/// Reads a submission.
///
/// # Errors
/// As [`intake::read`]: this machine's affair. What is wrong with the submission itself is a refusal.
pub fn taken(workers: &Workers, course: &Course, paths: &[PathBuf]) -> anyhow::Result<Taken> {
    let (submission, refused) = match intake::read(workers, course, paths)? {
        intake::Taken::Files(submission) => (submission, None),
        intake::Taken::Refused(why) => (Submission::default(), Some(why)),
    };
    let hashes = submission.files.iter().map(|(path, text)| (path.clone(), hash(text))).collect();
    Ok(Taken { submission, refused, hashes })
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
