//! What is taken of a submission: the files that `course.toml` lists and the answers, as texts. Nothing else of it is ever written, run or
//! followed: no manifest, no build script, no `.cargo`, no test, no link.
//!
//! A worker process reads it, confined to that one path, with a limit on memory and on time, because a student feeds the parsers. It goes
//! through the submission twice: [`listing`] finds the folder in which the listed files lie, then only those files are read and become texts
//! ([`text`]). [`sources`] are folders, zips and tars.

mod limits;
mod listing;
mod notes;
mod sources;
#[cfg(test)]
mod tests;
mod text;

use anyhow::bail;
use exercises::confine::{self, Limits, Permissions};
use exercises::lines::capped;
use exercises::process::{Answer, Workers};
use exercises::table::Course;
use limits::{LONGEST_WHY, MOST, Most};
use listing::Listing;
pub use notes::{Note, NoteKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sources::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The worker's work by its name.
pub const WORK: &str = "intake";

/// Of the process that reads a submission: address space, processor time, and no file that it may write.
const WORKER: Limits = Limits { memory_bytes: exercises::judge::LARGEST, cpu_seconds: 60, file_bytes: 0 };

/// The texts of a submission by their path in the workspace, and what was done to take them.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// Exercises and answers that were handed in.
    pub files: BTreeMap<String, String>,
    /// What a person should know about how they were read.
    pub notes: Vec<Note>,
}

/// What reading a submission came to.
#[derive(Debug, Serialize, Deserialize)]
pub enum Taken {
    /// Its files.
    Files(Submission),
    /// Nothing, for this reason, which is the student's affair.
    Refused(String),
}

#[derive(Debug, Serialize, Deserialize)]
struct Question {
    /// The bytes of the path: a name need not be text.
    path: Vec<u8>,
    exercises: BTreeSet<String>,
    answers: BTreeSet<String>,
}

/// Reads a folder, a zip, a tar or a tar.gz, in a process of its own.
///
/// # Errors
/// The machine's: no worker, a path that is not there, a worker that ends twice without an answer and at no limit of its own.
pub fn read(workers: &Workers, course: &Course, path: &Path) -> anyhow::Result<Taken> {
    let question = Question {
        path: path.canonicalize()?.into_os_string().into_vec(),
        exercises: course.exercises.iter().map(|exercise| exercise.file.clone()).collect(),
        answers: course.labs.iter().map(|lab| lab.answers.clone()).collect(),
    };
    let refused = |why: &str| Ok(Taken::Refused(capped(&format!("{} is refused: {why}", path.display()), LONGEST_WHY)));
    let mut last = String::new();
    for _ in 0..2 {
        match workers.ask(WORK, &question, WORKER)? {
            Answer::Given(Taken::Files(submission)) => return Ok(Taken::Files(submission)),
            Answer::Given(Taken::Refused(why)) => return refused(&why),
            Answer::Exceeded(why) => return refused(&format!("reading it: {why}")),
            Answer::Died(why) => last = format!("the process that reads it ended: {why}"),
            Answer::Machine(why) => last = why,
        }
    }
    bail!("{}: {last}", path.display())
}

/// The worker's side of [`read`].
///
/// # Errors
/// A path that cannot be read.
pub fn work(question: Value, confined: bool) -> anyhow::Result<Value> {
    let Question { path, exercises, answers } = serde_json::from_value(question)?;
    let path = PathBuf::from(OsString::from_vec(path));
    if confined {
        confine::seal(&Permissions { read: vec![path.clone()], ..Permissions::default() })?;
    }
    let taken = match sources::open(&path, MOST)? {
        Ok(mut source) => take(source.as_mut(), &exercises, &answers, MOST),
        Err(why) => Taken::Refused(why),
    };
    Ok(serde_json::to_value(taken)?)
}

/// Finds the listed files, and takes them as texts.
fn take(source: &mut dyn Source, exercises: &BTreeSet<String>, answers: &BTreeSet<String>, most: Most) -> Taken {
    let mut listing = Listing::new(exercises, answers, most);
    let whole = match source.list(&mut |name, kind| listing.see(name, kind)) {
        Ok(whole) => whole,
        Err(why) => return Taken::Refused(format!("{why:#}")),
    };
    let chosen = match listing.choose() {
        Ok(chosen) => chosen,
        Err(why) => return Taken::Refused(why),
    };
    let mut submission = Submission { notes: chosen.notes, ..Submission::default() };
    if !whole {
        let what = format!("only its first {} entries were looked at, those of the upper folders first", most.entries);
        submission.notes.push(Note::new(NoteKind::Chosen, "", what));
    }
    let mut room = most.files;
    let mut give = |path: &str, bytes: anyhow::Result<Vec<u8>>| {
        let text = bytes.map_err(|why| format!("not taken: {why:#}")).and_then(|bytes| text::of(bytes, most.file));
        let not_taken = |why: String| Note::new(NoteKind::NotTaken, path, why);
        match text {
            Ok((text, _)) if text.len() > room => submission.notes.push(not_taken(format!(
                "not taken: the listed files are longer than {} KiB together",
                most.files >> 10
            ))),
            Ok((text, converted)) => {
                room -= text.len();
                submission.notes.extend(converted.map(|what| Note::new(NoteKind::Converted, path, what)));
                submission.files.insert(path.to_owned(), text);
            }
            Err(why) => submission.notes.push(not_taken(why)),
        }
    };
    if let Err(why) = source.contents(&chosen.files, most.file, &mut give) {
        return Taken::Refused(format!("{why:#}"));
    }
    if submission.files.is_empty() {
        let notes = submission.notes.iter().filter(|note| note.kind == NoteKind::NotTaken);
        let why: Vec<String> = notes.take(10).map(Note::to_string).collect();
        return Taken::Refused(format!("no file of it could be taken: {}", why.join("; ")));
    }
    Taken::Files(submission)
}
