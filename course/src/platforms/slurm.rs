//! A class on a cluster: one job of a Slurm array per submission, each graded as on one machine; the records lie in the folder that all nodes
//! share, and are collected from there.

use crate::grade::{Graded, blank, file_of, taken};
use crate::platforms::Entry;
use crate::record::{self, Record, write_whole};
use anyhow::{Context, ensure};
use exercises::process::Workers;
use exercises::table::Course;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Memory of one job in MiB: the largest box of a worker, and the grader beside it.
const MEMORY: u64 = (exercises::judge::LARGEST >> 20) + 384;
/// Minutes of one job; a whole submission takes one.
const MINUTES: u32 = 20;

/// The data that the jobs need beyond the class.
pub struct Array<'a> {
    /// The course.
    pub course: &'a Course,
    /// Where records go; on a file system that all nodes share.
    pub out: &'a Path,
    /// Further arguments of `course grade`.
    pub arguments: Vec<String>,
    /// Further options of `sbatch`.
    pub options: &'a [String],
}

/// The class as a file holds it for the jobs.
///
/// # Errors
/// No such list.
pub fn listed(file: &Path) -> anyhow::Result<Vec<Entry>> {
    let text = fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no list of submissions", file.display()))
}

/// The contents that a record must have: the hashes of a submission's files, and why it is refused. Or why that cannot be said here.
type Expected = anyhow::Result<(BTreeMap<String, String>, Option<String>)>;

impl Array<'_> {
    /// Submits a job for each submission, waits for all of them, and collects the records, in the order of the class.
    ///
    /// # Errors
    /// No Slurm here. A job that left no record of its submission's files leaves one whose exercises are to be repeated.
    pub fn grade(&self, class: &[Entry]) -> anyhow::Result<Graded> {
        let folder = self.out.join("slurm");
        fs::create_dir_all(&folder)?;
        fs::create_dir_all(self.out.join("records"))?;
        let folder = folder.canonicalize()?;
        // As they are now: a record of anything else is another submission's.
        let workers = Workers::of_this_program(true)?;
        let now =
            |entry: &Entry| taken(&workers, self.course, &entry.paths()).map(|taken| (taken.hashes, taken.refused));
        let expected: Vec<Expected> = class.iter().map(now).collect();
        let script = folder.join("job.sh");
        fs::write(&script, self.script(&folder, class)?)?;
        let logs = folder.join("%a.log");
        for number in 1..=class.len() {
            // An earlier call's log would be taken for this one's.
            let _ = fs::remove_file(folder.join(format!("{number}.log")));
        }
        let mut command = Command::new("sbatch");
        command.args(["--wait", "--parsable", "--job-name=grade", "--ntasks=1"]);
        command.arg(format!("--mem={MEMORY}M")).arg(format!("--time={MINUTES}"));
        command.arg(format!("--array=1-{}", class.len())).arg("--output").arg(&logs);
        command.args(self.options).arg(&script);
        // A reader that has left must not keep the jobs from being submitted.
        let _ = writeln!(std::io::stdout(), "{} jobs, one a submission; their output: {}", class.len(), logs.display());
        let output =
            command.output().context("starting sbatch\n  next: a node of the cluster with Slurm's commands")?;
        // A job that failed makes `--wait` fail as well; which one it was, and why, is found below.
        let submitted = !String::from_utf8_lossy(&output.stdout).trim().is_empty();
        ensure!(submitted, "sbatch: {}", String::from_utf8_lossy(&output.stderr).trim());
        self.collect(&folder, class, expected)
    }

    fn collect(&self, folder: &Path, class: &[Entry], expected: Vec<Expected>) -> anyhow::Result<Graded> {
        let blank = blank(self.course)?;
        let mut graded = Graded::default();
        for ((entry, expected), number) in class.iter().zip(expected).zip(1..) {
            let file = file_of(self.out, &entry.name);
            let log = folder.join(format!("{number}.log"));
            let record = self.collected(entry, &file, expected, &blank, &log);
            if let Err((record, why)) = &record {
                graded.troubles.push(format!("{}: {why}", entry.name));
                // In the place of what lies there, so that no other file's grade is told for this one.
                if let Err(error) = write_whole(&file, record) {
                    graded.troubles.push(format!("{error:#}"));
                }
            }
            graded.records.push(record.unwrap_or_else(|(record, _)| *record));
        }
        Ok(graded)
    }

    /// A job's record; or one without verdicts, and why.
    fn collected(
        &self,
        entry: &Entry,
        file: &Path,
        expected: Expected,
        blank: &Record,
        log: &Path,
    ) -> Result<Record, (Box<Record>, String)> {
        let found = record::read(file, self.course);
        let seed = found.as_ref().map_or_else(|_| u64::from(rand::random::<u32>()), |record| record.seed);
        let mut open = Record { seed, ..blank.clone() };
        open.belongs_to(entry);
        let why = match (found, expected) {
            (_, Err(error)) => format!("it cannot be read here: {error:#}"),
            (Err(error), Ok((hashes, refused))) => {
                (open.hashes, open.refused) = (hashes, refused);
                format!("its job left no record: {error:#}")
            }
            (Ok(record), Ok(own)) => {
                let defects = record.defects(self.course);
                if (&record.hashes, &record.refused) == (&own.0, &own.1) && defects.is_empty() {
                    return Ok(record);
                }
                (open.hashes, open.refused) = own;
                let defects = if defects.is_empty() { String::new() } else { format!(" ({})", defects.join("; ")) };
                format!("its job left no record of the files that are handed in now{defects}")
            }
        };
        let why = format!("{why}; {} may say why", log.display());
        open.open(self.course);
        open.put_off(&why);
        Err((Box::new(open), why))
    }

    /// The job: its number says which submission of the list is its own.
    fn script(&self, folder: &Path, class: &[Entry]) -> anyhow::Result<String> {
        let list = folder.join("submissions.json");
        write_whole(&list, &class)?;
        let out = self.out.canonicalize()?;
        let program = std::env::current_exe()?;
        let text = |path: &Path| {
            path.to_str().map(quoted).with_context(|| format!("{}: a path that is no text", path.display()))
        };
        let arguments: Vec<String> = self.arguments.iter().map(|argument| quoted(argument)).collect();
        Ok(format!(
            "#!/bin/sh\nset -eu\nexport COURSE_ROOT={}\nexec {} grade --out {} {} --task {} --number \"$SLURM_ARRAY_TASK_ID\"\n",
            text(&self.course.root)?,
            text(&program)?,
            text(&out)?,
            arguments.join(" "),
            text(&list)?,
        ))
    }
}

/// A word of a shell's command line.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_word_stays_one_word() {
        let word = "it's $HOME; a \"b\" `c`";
        let output = Command::new("sh").arg("-c").arg(format!("printf %s {}", quoted(word))).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), word);
    }

    #[test]
    fn only_a_record_of_the_files_that_are_handed_in_counts() {
        let folder = tempfile::tempdir().unwrap();
        let course = Course::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()).unwrap();
        fs::create_dir_all(folder.path().join("records")).unwrap();
        let class = crate::platforms::class(&[folder.path().join("anna")]).unwrap().0;
        let array = Array { course: &course, out: folder.path(), arguments: Vec::new(), options: &[] };
        let collect = |hash: &str| {
            let files = course.exercises.iter().map(|exercise| (exercise.file.clone(), hash.to_owned()));
            let now = (files.collect(), None);
            array.collect(folder.path(), &class, vec![Ok(now)]).unwrap()
        };
        let none = collect("first");
        assert!(!none.records[0].complete && none.records[0].verdicts.len() == course.exercises.len());
        assert!(none.troubles[0].contains("anna") && none.troubles[0].contains("1.log"), "{:?}", none.troubles);

        // The record that a job would have left.
        let mut record = none.records[0].clone();
        for verdict in &mut record.verdicts {
            (verdict.state, verdict.points) = (exercises::verdict::State::Passed, verdict.of);
        }
        record.add_up();
        write_whole(&file_of(folder.path(), "anna"), &record).unwrap();
        let whole = collect("first");
        assert!(whole.troubles.is_empty() && whole.records[0].complete && whole.records[0].points() > 0);

        let again = collect("handed in again, and its job died");
        assert_eq!((again.records[0].points(), again.records[0].complete), (0, false));
        assert!(again.troubles[0].contains("handed in now"), "{:?}", again.troubles);
        let kept = record::read(&file_of(folder.path(), "anna"), &course).unwrap();
        assert_eq!((kept.points(), kept.seed), (0, record.seed), "the old points are nowhere");
    }
}
