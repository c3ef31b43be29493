//! What is taken of a submission: the files that `course.toml` lists and the answers, as bytes. Nothing else of it is ever written, run or
//! followed: no manifest, no build script, no `.cargo`, no test, no link.

use anyhow::{Context, bail, ensure};
use exercises::table::Course;
use flate2::read::GzDecoder;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// The largest file that an exercise needs, a hundred times over.
const LARGEST_FILE: u64 = 1 << 20;
/// Entries of an archive; a whole hand-out has a third of this.
const MOST_ENTRIES: usize = 10_000;
/// Bytes of an archive, unpacked, that are looked at.
const MOST_BYTES: u64 = 512 << 20;

/// The texts of a submission by their path in the workspace.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Submission {
    /// Exercises and answers that were handed in.
    pub files: BTreeMap<String, String>,
}

/// Reads a folder, a zip, a tar or a tar.gz.
///
/// # Errors
/// An archive with links, absolute names or `..`, or one that unpacks to more than is sensible; a listed file that is no text or a link.
pub fn read(course: &Course, path: &Path) -> anyhow::Result<Submission> {
    let exercises = course.exercises.iter().map(|exercise| exercise.file.as_str());
    let wanted: BTreeSet<&str> = exercises.chain(course.labs.iter().map(|lab| lab.answers.as_str())).collect();
    let mut taken = Taken { wanted, prefix: None, files: BTreeMap::new() };
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let read = if path.is_dir() {
        taken.folder(path)
    } else if name.ends_with(".zip") {
        taken.zip(path)
    } else if name.ends_with(".tar") {
        taken.tar(File::open(path)?)
    } else if name.ends_with(".tar.gz") || name.ends_with(".tgz") {
        taken.tar(GzDecoder::new(File::open(path)?))
    } else {
        bail!("{}: neither a folder nor a .zip, .tar or .tar.gz", path.display())
    };
    read.with_context(|| format!("{} is refused", path.display()))?;
    Ok(Submission { files: taken.files })
}

struct Taken<'a> {
    wanted: BTreeSet<&'a str>,
    /// What stands before the workspace's paths: many archives have one folder around everything.
    prefix: Option<String>,
    files: BTreeMap<String, String>,
}

impl Taken<'_> {
    fn folder(&mut self, root: &Path) -> anyhow::Result<()> {
        let root = &self.workspace_in(root)?;
        for path in self.wanted.clone() {
            // Each part of the way is looked at: a link anywhere leads out of the submission.
            let mut at = root.to_owned();
            let mut there = true;
            for part in path.split('/') {
                at.push(part);
                match fs::symlink_metadata(&at) {
                    Ok(meta) if meta.is_symlink() => bail!("{path}: {} is a link", at.display()),
                    Ok(_) => {}
                    Err(_) => there = false,
                }
            }
            if there && fs::metadata(&at)?.is_file() {
                self.put(path, File::open(&at)?)?;
            }
        }
        Ok(())
    }

    /// Where the listed files lie: in the folder, or in the one folder in it, as an unpacked archive has them.
    fn workspace_in(&self, root: &Path) -> anyhow::Result<PathBuf> {
        if self.wanted.iter().any(|path| root.join(path).exists()) {
            return Ok(root.to_owned());
        }
        let entries: Vec<fs::DirEntry> = fs::read_dir(root)?.collect::<Result<_, _>>()?;
        let folders: Vec<&fs::DirEntry> =
            entries.iter().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).collect();
        let holds = |entry: &&&fs::DirEntry| self.wanted.iter().any(|path| entry.path().join(path).exists());
        Ok(folders.iter().find(holds).map_or(root.to_owned(), |entry| entry.path()))
    }

    fn zip(&mut self, path: &Path) -> anyhow::Result<()> {
        let mut archive = zip::ZipArchive::new(File::open(path)?).context("not a zip archive")?;
        ensure!(archive.len() <= MOST_ENTRIES, "{} entries: more than any submission has", archive.len());
        let mut bytes = 0;
        for index in 0..archive.len() {
            let entry = archive.by_index(index)?;
            let name = entry.name()?.into_owned();
            plain(&name)?;
            let kind = entry.unix_mode().unwrap_or(0) & 0o170_000;
            ensure!(
                !entry.is_symlink() && (kind == 0 || kind == 0o100_000 || kind == 0o040_000),
                "{name} is a link or a device"
            );
            bytes += entry.size();
            ensure!(bytes <= MOST_BYTES, "it unpacks to more than {} MiB", MOST_BYTES >> 20);
            if entry.is_file() {
                self.entry(&name, entry)?;
            }
        }
        Ok(())
    }

    fn tar(&mut self, reader: impl Read) -> anyhow::Result<()> {
        let mut archive = tar::Archive::new(reader.take(MOST_BYTES));
        for (number, entry) in archive.entries().context("not a tar archive")?.enumerate() {
            ensure!(number < MOST_ENTRIES, "more than {MOST_ENTRIES} entries");
            let entry = entry.context("a damaged archive, or one that unpacks to more than is sensible")?;
            let name = entry.path()?.to_str().context("a name that is no text")?.to_owned();
            plain(&name)?;
            let kind = entry.header().entry_type();
            let header = kind.is_pax_global_extensions() || kind.is_pax_local_extensions() || kind.is_gnu_longname();
            ensure!(kind.is_file() || kind.is_dir() || header, "{name} is a link or a device");
            if kind.is_file() {
                self.entry(&name, entry)?;
            }
        }
        Ok(())
    }

    /// One file of an archive, taken if it is listed.
    fn entry(&mut self, name: &str, reader: impl Read) -> anyhow::Result<()> {
        let name = name.trim_start_matches("./");
        let ends = |wanted: &&&str| {
            name.strip_suffix(**wanted).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let Some(path) = self.wanted.iter().find(ends).copied() else { return Ok(()) };
        let prefix = name[..name.len() - path.len()].to_owned();
        // The first listed file says where the workspace lies; copies of it elsewhere in the archive are not the student's work.
        let known = self.prefix.get_or_insert_with(|| prefix.clone());
        if *known == prefix { self.put(path, reader) } else { Ok(()) }
    }

    fn put(&mut self, path: &str, reader: impl Read) -> anyhow::Result<()> {
        let mut bytes = Vec::new();
        reader.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
        ensure!(bytes.len() as u64 <= LARGEST_FILE, "{path} is longer than {} KiB", LARGEST_FILE >> 10);
        let text = String::from_utf8(bytes).with_context(|| format!("{path} is no text"))?;
        ensure!(self.files.insert(path.to_owned(), text).is_none(), "{path} is there twice");
        Ok(())
    }
}

/// Refuses names that lead out of the folder they are unpacked to.
fn plain(name: &str) -> anyhow::Result<()> {
    let parts = Path::new(name).components();
    let inside = parts.clone().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    ensure!(inside && !name.contains('\\') && !name.contains('\0'), "the name '{name}' leads out of the archive");
    Ok(())
}
