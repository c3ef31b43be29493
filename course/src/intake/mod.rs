//! The part that is taken of a submission: the files that `course.toml` lists and the answers, as texts. Nothing else of it is ever written,
//! run or followed: no manifest, no build script, no `.cargo`, no test, no link.
//!
//! A worker process reads it, confined to its paths, with a limit on memory and on time, because a student feeds the parsers. It goes
//! through the submission twice: [`listing`] finds the folder in which the listed files lie, or files that have their names alone, then only
//! those files are read and become texts. [`sources`] are folders, zips and tars; where there is no exercise beside an archive in one of them,
//! that is looked into as well ([`parts`]).

mod expected;
mod limits;
mod listing;
mod names;
mod notes;
mod parts;
mod sources;
#[cfg(test)]
mod tests;
mod times;

use anyhow::{Context, anyhow, bail};
use exercises::confine::{self, Limits, Permissions};
use exercises::lines::capped;
use exercises::process::{Answer, Workers};
use exercises::table::Course;
use exercises::text;
use expected::Expected;
use limits::{LONGEST_WHY, MOST, Most};
use listing::Chosen;
pub use notes::{Note, NoteKind};
use parts::Parts;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The worker's work by its name.
pub const WORK: &str = "intake";

/// The limits of the process that reads a submission: address space, processor time, and no file that it may write.
const WORKER: Limits = Limits { memory_bytes: exercises::judge::LARGEST, cpu_seconds: 60, file_bytes: 0 };

/// The texts of a submission by their path in the workspace, and what was done to take them.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// Exercises and answers that were handed in.
    pub files: BTreeMap<String, String>,
    /// Notes that a person should know about how they were read.
    pub notes: Vec<Note>,
}

/// The result of reading a submission.
#[derive(Debug, Serialize, Deserialize)]
pub enum Taken {
    /// Its files.
    Files(Submission),
    /// Nothing, for this reason, which is the student's affair.
    Refused(String),
}

#[derive(Debug, Serialize, Deserialize)]
struct Question {
    /// The bytes of each path: a name need not be text.
    paths: Vec<Vec<u8>>,
    expected: Expected,
}

/// Reads a folder, a zip, a tar or a tar.gz, or several of them and single files, in a process of its own.
///
/// # Errors
/// As [`asked`]; a question.
pub fn read(workers: &Workers, course: &Course, paths: &[PathBuf]) -> anyhow::Result<Taken> {
    asked(workers, course, paths)?.map_err(|question| anyhow!(question))
}

/// As [`read`]; the inner error is a question that a person has to answer before anything is judged.
///
/// # Errors
/// The machine's: no worker, a path that is not there, a worker that ends twice without an answer and at no limit of its own.
pub fn asked(workers: &Workers, course: &Course, paths: &[PathBuf]) -> anyhow::Result<Result<Taken, String>> {
    let bytes = |path: &PathBuf| -> anyhow::Result<Vec<u8>> {
        let path = path.canonicalize().with_context(|| format!("{}", path.display()))?;
        Ok(path.into_os_string().into_vec())
    };
    let paths_of = paths.iter().map(bytes).collect::<anyhow::Result<_>>()?;
    let question = Question { paths: paths_of, expected: Expected::of(course)? };
    // Without its folders, which are the grader's affair: a student reads this.
    let name = paths.first().and_then(|path| path.file_name()).unwrap_or_default();
    let name = names::printable(name.as_encoded_bytes());
    let refused = |why: &str| Ok(Ok(Taken::Refused(capped(&format!("{name} is refused: {why}"), LONGEST_WHY))));
    let mut last = String::new();
    for _ in 0..2 {
        match workers.ask(WORK, &question, WORKER)? {
            Answer::Given(Ok(Taken::Refused(why))) => return refused(&why),
            Answer::Given(taken) => return Ok(taken),
            Answer::Exceeded(why) => return refused(&format!("reading it: {why}")),
            Answer::Died(why) => last = format!("the process that reads it ended: {why}"),
            Answer::Machine(why) => last = why,
        }
    }
    bail!("{last}")
}

/// The worker's side of [`read`].
///
/// # Errors
/// A path that cannot be read.
pub fn work(question: Value, confined: bool) -> anyhow::Result<Value> {
    let Question { paths, expected } = serde_json::from_value(question)?;
    let paths: Vec<PathBuf> = paths.into_iter().map(|path| PathBuf::from(OsString::from_vec(path))).collect();
    if confined {
        confine::seal(&Permissions { read: paths.clone(), ..Permissions::default() })?;
    }
    let taken = match sources::open(&paths, MOST)? {
        Ok(source) => take(Parts::new(source, MOST), &expected, MOST),
        Err(why) => Ok(Taken::Refused(why)),
    };
    Ok(serde_json::to_value(taken)?)
}

/// Finds the listed files, and takes them as texts. An error is a question that a person has to answer.
fn take(mut source: Parts, expected: &Expected, most: Most) -> Result<Taken, String> {
    let (mut chosen, whole) = match source.choose(expected) {
        Ok(chosen) => chosen,
        Err(why) => return Ok(Taken::Refused(why)),
    };
    if !whole {
        let what = format!("only its first {} entries were looked at, those of the upper folders first", most.entries);
        chosen.notes.push(Note::new(NoteKind::Chosen, "", what));
    }
    let decided = decide(&mut source, expected, &mut chosen, most);
    match decided.and_then(|()| doubt(&mut source, &chosen, most)) {
        Ok(None) => {}
        Ok(Some(question)) => return Err(question),
        Err(why) => return Ok(Taken::Refused(format!("{why:#}"))),
    }
    let Chosen { files, notes, place, .. } = chosen;
    let mut submission = Submission { notes, ..Submission::default() };
    let mut room = most.files;
    let mut line_ends = 0;
    let mut give = |path: &str, bytes: anyhow::Result<Vec<u8>>| {
        let text = bytes.map_err(|why| format!("not taken: {why:#}")).and_then(|bytes| text::of(bytes, most.file));
        let not_taken = |why: String| Note::new(NoteKind::NotTaken, path, why);
        match text {
            Ok(text) if text.text.len() > room => submission.notes.push(not_taken(format!(
                "not taken: the listed files are longer than {} KiB together",
                most.files >> 10
            ))),
            Ok(text) => {
                room -= text.text.len();
                line_ends += usize::from(text.line_ends);
                submission.notes.extend(text.encoding.map(|what| Note::new(NoteKind::Converted, path, what)));
                submission.files.insert(path.to_owned(), text.text);
            }
            Err(why) => submission.notes.push(not_taken(why)),
        }
    };
    if let Err(why) = source.contents(&files, most.file, &mut give) {
        return Ok(Taken::Refused(format!("{why:#}")));
    }
    if line_ends > 0 {
        let files = if line_ends == 1 { "file" } else { "files" };
        let what = format!("line ends of Windows became those of Unix in {line_ends} {files}");
        submission.notes.push(Note::new(NoteKind::Converted, "", what));
    }
    if submission.files.is_empty() {
        let why: Vec<String> = submission.notes.iter().take(10).map(Note::to_string).collect();
        let not_taken = submission.notes.iter().any(|note| note.kind == NoteKind::NotTaken);
        let what = if not_taken { "no file of it could be taken" } else { "none of the expected files found" };
        return Ok(Taken::Refused(format!("{what}: {}", why.join("; "))));
    }
    report(&mut submission, expected, &place);
    Ok(Taken::Files(submission))
}

/// Reads files that may be one of several, and chooses by their texts.
fn decide(source: &mut Parts, expected: &Expected, chosen: &mut Chosen, most: Most) -> anyhow::Result<()> {
    for (number, name, paths) in std::mem::take(&mut chosen.undecided) {
        let mut found = None;
        let wanted = BTreeMap::from([(number, (name.clone(), String::new()))]);
        source.contents(&wanted, most.file, &mut |_, bytes| {
            let text = bytes.ok().and_then(|bytes| text::of(bytes, most.file).ok());
            found = text.and_then(|text| expected.which(&text.text, &paths));
        })?;
        let printable = names::printable(&name);
        let taken = |path: &str| chosen.files.values().any(|(_, own)| own == path);
        match found {
            Some(path) if expected.elsewhere.contains(&path) => {
                let what = format!("'{printable}' reads as {path}, which is of another lab");
                chosen.notes.push(Note::new(NoteKind::Unexpected, "", what));
            }
            Some(path) if taken(&path) => {
                let was = if chosen.compare(&path, (number, &name)) { "is newer" } else { "was not taken" };
                let what = format!("'{printable}' reads as this file too, and {was}");
                chosen.notes.push(Note::new(NoteKind::Chosen, &path, what));
            }
            Some(path) => {
                let what = format!("taken from '{printable}', by its name and its lines");
                chosen.notes.push(Note::new(NoteKind::Chosen, &path, what));
                chosen.files.insert(number, (name, path));
            }
            None => {
                let mut notes = Vec::new();
                for path in paths.iter().filter(|path| expected.exercises.contains(*path) && !taken(path)) {
                    let others: Vec<&str> = paths.iter().filter(|other| *other != path).map(String::as_str).collect();
                    let what = format!(
                        "not taken: '{printable}' may be this file or {}; next: hand it in within its folder",
                        others.join(" or ")
                    );
                    notes.push(Note::new(NoteKind::NotTaken, path, what));
                }
                chosen.notes.extend(notes);
            }
        }
    }
    Ok(())
}

/// The first doubt about files that are not the same, as a question.
fn doubt(source: &mut Parts, chosen: &Chosen, most: Most) -> anyhow::Result<Option<String>> {
    let entries = chosen.doubts.iter().flat_map(|(_, taken, other)| [taken, other]);
    let wanted = entries.map(|(number, name)| (*number, (name.clone(), number.to_string()))).collect();
    let mut texts = BTreeMap::new();
    source.contents(&wanted, most.file, &mut |number, bytes| {
        let text = bytes.ok().and_then(|bytes| text::of(bytes, most.file).ok());
        texts.extend(text.map(|text| (number.to_owned(), text::hash(&text.text))));
    })?;
    let text = |(number, _): &listing::Entry| texts.get(&number.to_string());
    let differs = |(_, taken, other): &&(_, _, _)| text(taken).is_none() || text(taken) != text(other);
    Ok(chosen.doubts.iter().find(differs).map(|doubt| chosen.asked(doubt)))
}

/// Reports what was found and what is missing, before all other notes.
fn report(submission: &mut Submission, expected: &Expected, place: &str) {
    let found = |listed: &BTreeSet<String>| listed.iter().filter(|path| submission.files.contains_key(*path)).count();
    let place = if place.is_empty() { String::new() } else { format!(", in {place}") };
    let what = format!(
        "found {} of {} exercises and {} of {} answers{place}",
        found(&expected.exercises),
        expected.exercises.len(),
        found(&expected.answers),
        expected.answers.len(),
    );
    let mut notes = vec![Note::new(NoteKind::Found, "", what)];
    for (listed, what) in
        [(&expected.exercises, "exercises, which count as not started"), (&expected.answers, "answers")]
    {
        let told =
            |path: &str| submission.notes.iter().any(|note| note.kind == NoteKind::NotTaken && note.path == path);
        let missing = listed.iter().filter(|path| !submission.files.contains_key(*path) && !told(path));
        let missing: Vec<&str> = missing.map(String::as_str).collect();
        if !missing.is_empty() {
            // A lab of which nothing came is one word, and not a dozen files.
            let not_here =
                expected.labs.iter().filter(|(_, files)| files.iter().all(|file| missing.contains(&file.as_str())));
            let (labs, files): (Vec<String>, Vec<&Vec<String>>) =
                not_here.map(|(lab, files)| (format!("all of {lab}"), files)).unzip();
            let single =
                missing.iter().filter(|path| !files.iter().any(|files| files.iter().any(|file| file == *path)));
            let list: Vec<String> = labs.into_iter().chain(single.map(|path| (*path).to_owned())).collect();
            let what = format!("missing {} of {} {what}: {}", missing.len(), listed.len(), list.join(", "));
            notes.push(Note::new(NoteKind::Missing, "", what));
        }
    }
    submission.notes.splice(0..0, notes);
}
