//! The file that is handed in: a zip of the exercises' files and the answers, as they lie in the workspace now, committed or not.
//!
//! The zip is read back before it takes its place, and each lab in it has a receipt: a hash of its files, which the grader's page repeats.

use crate::answers;
use crate::judge::Judge;
use crate::progress::Progress;
use crate::table::{Course, Lab};
use crate::text;
use crate::verdict::Verdict;
use anyhow::{Context, ensure};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// Letters of a file's hash that are shown.
pub const SHORT: usize = 8;

/// The receipt of a lab: a hash over the paths and the hashes of its files, as the grader takes them.
pub fn receipt<'a>(hashes: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let sorted: BTreeMap<&str, &str> = hashes.into_iter().collect();
    let lines: String = sorted.iter().map(|(path, hash)| format!("{path} {hash}\n")).collect();
    let hash = text::hash(&lines);
    [0, 4, 8, 12].map(|at| &hash[at..at + 4]).join("-")
}

/// The receipt of a lab's files among those of a submission; none where it has none of them.
pub fn receipt_of(course: &Course, lab: &Lab, hashes: &BTreeMap<String, String>) -> Option<String> {
    let own: Vec<(&str, &str)> =
        course.files_of(lab).filter_map(|path| Some((path, hashes.get(path)?.as_str()))).collect();
    (!own.is_empty()).then(|| receipt(own))
}

/// One file to be handed in.
struct Row {
    path: String,
    /// The exercise's name, or the answers' file.
    title: String,
    /// None where the file is gone.
    bytes: Option<Vec<u8>>,
    /// None where the file is gone, or is no text.
    text: Option<String>,
    changed: bool,
    exercise: Option<usize>,
}

/// The submission that was written.
pub struct Written {
    /// The zip.
    pub file: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// Files in it.
    pub files: usize,
    /// Each lab in it, and its receipt.
    pub receipts: Vec<(String, String)>,
    /// Labs that are not in it, because nothing of them is changed.
    pub left_out: Vec<String>,
}

/// Writes the zip of some labs into a file. `line` is told what is packed, a line each. Labs in which nothing is changed are left out, unless
/// `allow_starter` says otherwise.
///
/// # Errors
/// Nothing is changed in any of the labs; a file that cannot be read or written; a zip that is not read back as it was written.
pub fn write(
    course: &Course,
    judge: &Judge,
    labs: &[&Lab],
    allow_starter: bool,
    file: &Path,
    line: &mut dyn FnMut(&str) -> anyhow::Result<()>,
) -> anyhow::Result<Written> {
    let rows: Vec<Vec<Row>> = labs.iter().map(|lab| rows(course, lab)).collect::<anyhow::Result<_>>()?;
    let begun = |rows: &[Row]| allow_starter || rows.iter().any(|row| row.changed);
    let names: Vec<&str> = labs.iter().map(|lab| lab.name.as_str()).collect();
    ensure!(
        rows.iter().any(|rows| begun(rows)),
        "nothing is changed in {}: every file is as it was handed out, so nothing was packed\n  \
         next: look whether this is the folder that you work in ({}); or just submission {} --allow-starter",
        names.join(", "),
        course.root.display(),
        if let [name] = names[..] { name } else { "" },
    );
    let mut progress = Progress::read(course)?;
    let mut packed: BTreeMap<&str, &[u8]> = BTreeMap::new();
    let (mut receipts, mut left_out) = (Vec::new(), Vec::new());
    for (lab, rows) in labs.iter().zip(&rows) {
        if !begun(rows) {
            left_out.push(lab.name.clone());
            continue;
        }
        line(&lab.due.map_or(lab.name.clone(), |due| format!("{}, due {due}", lab.name)))?;
        let mut verdicts = Vec::new();
        for row in rows {
            let verdict = row.exercise.map(|at| progress.verdict(course, judge, &course.exercises[at]));
            line(&described(row, verdict.as_ref()))?;
            verdicts.extend(verdict.and_then(Result::ok));
        }
        let sheet = rows.iter().find(|row| row.exercise.is_none()).and_then(|row| row.text.as_deref());
        if let Some(told) = without_answer(course, lab, sheet.unwrap_or_default()) {
            line(&told)?;
        }
        line(&format!("  {}", crate::lines::sum(&lab.name, &verdicts)))?;
        packed.extend(rows.iter().filter_map(|row| Some((row.path.as_str(), row.bytes.as_deref()?))));
        let hashes = rows.iter().filter_map(|row| Some((row.path.as_str(), text::hash(row.text.as_deref()?))));
        let hashes: Vec<(&str, String)> = hashes.collect();
        receipts.push((lab.name.clone(), receipt(hashes.iter().map(|(path, hash)| (*path, hash.as_str())))));
    }
    let bytes = put(file, &packed)?;
    Ok(Written { file: file.to_owned(), bytes, files: packed.len(), receipts, left_out })
}

fn rows(course: &Course, lab: &Lab) -> anyhow::Result<Vec<Row>> {
    let row = |path: &str, title: String, starter: String, exercise| -> anyhow::Result<Row> {
        let place = course.root.join(path);
        let bytes = match place.exists() {
            true => Some(fs::read(&place).with_context(|| path.to_owned())?),
            false => None,
        };
        let text = bytes.clone().and_then(|bytes| text::of(bytes, text::MOST).ok()).map(|text| text.text);
        let changed = bytes.is_some() && text.as_ref().is_none_or(|text| *text != starter);
        Ok(Row { path: path.to_owned(), title, bytes, text, changed, exercise })
    };
    let exercises = course.exercises.iter().enumerate().filter(|(_, exercise)| exercise.lab == lab.name);
    let mut rows: Vec<Row> = exercises
        .map(|(at, exercise)| row(&exercise.file, exercise.id(), course.starter(exercise)?, Some(at)))
        .collect::<anyhow::Result<_>>()?;
    rows.push(row(&lab.answers, lab.answers.clone(), course.answers(lab), None)?);
    Ok(rows)
}

/// The questions that have no answer, in a line of at most 80 columns; none where all have one.
fn without_answer(course: &Course, lab: &Lab, sheet: &str) -> Option<String> {
    let (empty, of) = answers::empty(course, lab, sheet);
    let mut line = format!("  {} of {of} answers are empty:", empty.len());
    for (at, key) in empty.iter().enumerate() {
        let key = format!(" {}{}", key.split_once('/')?.1, if at + 1 < empty.len() { "," } else { "" });
        if line.len() + key.len() > 78 {
            line.push_str(" …");
            break;
        }
        line.push_str(&key);
    }
    (!empty.is_empty()).then_some(line)
}

/// A line of at most 80 columns, unless a reason stands in it.
fn described(row: &Row, verdict: Option<&anyhow::Result<Verdict>>) -> String {
    let title = &row.title;
    let said = match verdict {
        None => String::new(),
        Some(Ok(verdict)) => format!("{:>2} of {:<2} {}", verdict.points, verdict.of, verdict.state.words()),
        // Work can be handed in where no compiler is.
        Some(Err(why)) => format!("not judged here: {why:#}").lines().next().unwrap_or_default().to_owned(),
    };
    let line = match (&row.bytes, &row.text) {
        (None, _) if row.exercise.is_some() => format!("  {title:<23} GONE: not in the zip; next: just reset {title}"),
        (None, _) => format!("  {title:<23} GONE: not in the zip"),
        (Some(_), None) => format!("  {title:<23} NO TEXT: the grader will not take it"),
        (Some(_), Some(text)) => {
            let state = if row.changed { "changed" } else { "starter" };
            let (lines, hash) = (text.lines().count(), text::hash(text));
            format!("  {title:<23} {state} {lines:>4} lines {} {said}", &hash[..SHORT])
        }
    };
    line.trim_end().to_owned()
}

/// Writes a zip beside its place, reads it back, and moves it there. Returns its length.
fn put(file: &Path, packed: &BTreeMap<&str, &[u8]>) -> anyhow::Result<u64> {
    let name = || format!("{}", file.display());
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut beside = tempfile::Builder::new().prefix(".submission").tempfile_in(folder).with_context(name)?;
    let mut zip = ZipWriter::new(beside.as_file_mut());
    for (path, bytes) in packed {
        zip.start_file(*path, SimpleFileOptions::default())?;
        zip.write_all(bytes)?;
    }
    zip.finish().with_context(name)?;
    beside.as_file().sync_all().with_context(name)?;
    check(beside.path(), packed)?;
    // The zip is read by others too, as a temporary file is not.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    fs::set_permissions(beside.path(), mode).with_context(name)?;
    beside.persist(file).with_context(name)?;
    Ok(fs::metadata(file).with_context(name)?.len())
}

/// Returns whether a zip holds just these files, byte for byte.
fn check(file: &Path, packed: &BTreeMap<&str, &[u8]>) -> anyhow::Result<()> {
    let mut zip = ZipArchive::new(File::open(file)?).context("the zip that was written is not read back")?;
    ensure!(zip.len() == packed.len(), "the zip that was written has {} files of {}", zip.len(), packed.len());
    for (path, bytes) in packed {
        let mut found = Vec::new();
        zip.by_name(path).with_context(|| format!("{path} in the zip that was written"))?.read_to_end(&mut found)?;
        ensure!(Sha256::digest(&found) == Sha256::digest(bytes), "{path} is not in the zip as it was written");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_follows_from_paths_and_hashes_in_any_order() {
        let [one, other] = [[("a", "1"), ("b", "2")], [("b", "2"), ("a", "1")]].map(receipt);
        assert_eq!(one, other);
        assert!(one.len() == 19 && one != receipt([("a", "2"), ("b", "1")]), "{one}");
    }

    #[test]
    fn a_zip_that_lacks_a_file_or_holds_another_text_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.zip");
        let packed = BTreeMap::from([("a.cu", &b"one"[..]), ("b.cu", b"two")]);
        put(&file, &packed).unwrap();
        check(&file, &packed).unwrap();
        for (path, bytes, why) in [("b.cu", &b"TWO"[..], "b.cu is not in the zip as"), ("c.cu", b"", "2 files of 3")] {
            let mut other = packed.clone();
            other.insert(path, bytes);
            let error = check(&file, &other).unwrap_err();
            assert!(error.to_string().contains(why), "{error:#}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    }
}
