//! Which folder of a submission is the workspace, and which entries of it are listed files.

use super::limits::Most;
use super::notes::{Note, NoteKind};
use anyhow::{bail, ensure};
use std::collections::{BTreeMap, BTreeSet};

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    Link,
    Device,
}

/// Names that are shown of a submission in which nothing was found.
const SHOWN: usize = 8;
/// Bytes of each.
const LONGEST_SHOWN: usize = 80;

/// A listed file under one of the folders that may be the workspace.
#[derive(Clone, Debug)]
struct Seen {
    /// The entry's number, and its name as the source has it.
    number: usize,
    name: Vec<u8>,
    kind: Kind,
    times: usize,
}

/// All entries of a submission, of which only the listed ones are kept.
pub(super) struct Listing<'a> {
    exercises: &'a BTreeSet<String>,
    answers: &'a BTreeSet<String>,
    /// Listed files by the last part of their names.
    by_last: BTreeMap<&'a [u8], Vec<&'a str>>,
    /// Folders that listed files lie in, by the last part of their names.
    above: BTreeMap<&'a [u8], Vec<&'a str>>,
    most: Most,
    entries: usize,
    roots: BTreeMap<Vec<u8>, BTreeMap<&'a str, Seen>>,
    /// Links in the place of a folder that listed files lie in: what stands before it, and the folder.
    links: BTreeSet<(Vec<u8>, &'a str)>,
    first: Vec<String>,
}

/// The files to be read.
pub(super) struct Chosen {
    /// By the entry's number: its name in the source, and its path in the workspace.
    pub(super) files: BTreeMap<usize, (Vec<u8>, String)>,
    pub(super) notes: Vec<Note>,
}

impl<'a> Listing<'a> {
    pub(super) fn new(exercises: &'a BTreeSet<String>, answers: &'a BTreeSet<String>, most: Most) -> Self {
        let by_last = |paths: BTreeSet<&'a str>| {
            let mut map: BTreeMap<&[u8], Vec<&str>> = BTreeMap::new();
            for path in paths {
                map.entry(path.rsplit('/').next().unwrap_or(path).as_bytes()).or_default().push(path);
            }
            map
        };
        let listed: BTreeSet<&str> = exercises.iter().chain(answers).map(String::as_str).collect();
        let above = listed.iter().flat_map(|path| path.match_indices('/').map(|(at, _)| &path[..at])).collect();
        Listing {
            exercises,
            answers,
            above: by_last(above),
            by_last: by_last(listed),
            most,
            entries: 0,
            roots: BTreeMap::new(),
            links: BTreeSet::new(),
            first: Vec::new(),
        }
    }

    /// Takes note of one entry.
    ///
    /// # Errors
    /// A name that leads out of the submission; a limit.
    pub(super) fn see(&mut self, name: &[u8], kind: Kind) -> anyhow::Result<()> {
        let (number, most) = (self.entries, self.most);
        self.entries += 1;
        ensure!(self.entries <= most.entries, "more than {} entries", most.entries);
        ensure!(
            name.len() as u64 <= most.name,
            "a name of {} bytes; the longest that is read has {}",
            name.len(),
            most.name
        );
        let Some(parts) = parts(name) else { bail!("the name '{}' leads out of it", shown(name)) };
        if self.first.len() < SHOWN && kind != Kind::Folder {
            self.first.push(shown(name));
        }
        let Some(&last) = parts.last() else { return Ok(()) };
        if kind == Kind::Link
            && let Some(folders) = self.above.get(last)
        {
            let found = folders.iter().filter_map(|folder| Some((before(&parts, folder)?, *folder)));
            self.links.extend(found.take(most.roots.saturating_sub(self.links.len())));
        }
        let found = self.by_last.get(last).into_iter().flatten();
        for (root, path) in found.filter_map(|path| Some((before(&parts, path)?, *path))) {
            let known = self.roots.len();
            let files = self.roots.entry(root).or_default();
            ensure!(!files.is_empty() || known < most.roots, "more than {} folders hold listed files", most.roots);
            let times = files.get(path).map_or(0, |seen| seen.times);
            // The last of several of one name, as unpacking leaves it.
            files.insert(path, Seen { number, name: name.to_owned(), kind, times: times + 1 });
        }
        Ok(())
    }

    /// Chooses the workspace: the shallowest folder that holds at least half as many listed files as any.
    ///
    /// # Errors
    /// Nothing found; a listed file, or a folder of listed files, that is a link or a device.
    pub(super) fn choose(self) -> Result<Chosen, String> {
        let Some((root, others)) = self.workspace() else { return Err(self.nothing()) };
        let mut notes = Vec::new();
        if !others.is_empty() {
            let others: Vec<String> = others.iter().take(SHOWN).map(|root| self.told(root)).collect();
            let what = format!("taken from {}; listed files lie also in {}", self.told(&root), others.join(", "));
            notes.push(Note::new(NoteKind::Chosen, "", what));
        }
        if let Some((_, folder)) = self.links.iter().find(|(before, _)| *before == root) {
            return Err(format!("{folder} is a link"));
        }
        let mut files = BTreeMap::new();
        for (&path, seen) in &self.roots[&root] {
            match seen.kind {
                Kind::File => drop(files.insert(seen.number, (seen.name.clone(), path.to_owned()))),
                Kind::Folder => notes.push(Note::new(NoteKind::NotTaken, path, "not taken: it is a folder")),
                Kind::Link => return Err(format!("{path} is a link")),
                Kind::Device => return Err(format!("{path} is a device")),
            }
            if seen.times > 1 {
                let what = format!("there {} times; the last one was taken", seen.times);
                notes.push(Note::new(NoteKind::Chosen, path, what));
            }
        }
        let missing = |listed: &BTreeSet<String>| -> Vec<String> {
            listed.iter().filter(|path| !self.roots[&root].contains_key(path.as_str())).cloned().collect()
        };
        for (listed, what) in [(self.exercises, "exercises, which count as not started"), (self.answers, "answers")] {
            let missing = missing(listed);
            if !missing.is_empty() {
                let what = format!("missing {} of {} {what}: {}", missing.len(), listed.len(), missing.join(", "));
                notes.push(Note::new(NoteKind::Missing, "", what));
            }
        }
        Ok(Chosen { files, notes })
    }

    /// The workspace and the other folders that might be one.
    fn workspace(&self) -> Option<(Vec<u8>, Vec<Vec<u8>>)> {
        // Where there is an exercise, answers alone make no workspace.
        let exercises =
            |files: &BTreeMap<&str, Seen>| files.keys().filter(|path| self.exercises.contains(**path)).count();
        let count = |files: &BTreeMap<&str, Seen>| match self.roots.values().any(|files| exercises(files) > 0) {
            true => exercises(files),
            false => files.len(),
        };
        let most = self.roots.values().map(count).max()?;
        let order = |(root, files): &(&Vec<u8>, &BTreeMap<&str, Seen>)| {
            let depth = if root.is_empty() { 0 } else { 1 + root.iter().filter(|&&byte| byte == b'/').count() };
            (depth, most - count(files))
        };
        let enough = self.roots.iter().filter(|(_, files)| 2 * count(files) >= most);
        let root = enough.min_by_key(order)?.0.clone();
        let others = self.roots.keys().filter(|other| **other != root).cloned().collect();
        Some((root, others))
    }

    fn told(&self, root: &[u8]) -> String {
        let name = if root.is_empty() { "the top".to_owned() } else { format!("'{}'", shown(root)) };
        format!("{name} ({} files)", self.roots.get(root).map_or(0, BTreeMap::len))
    }

    fn nothing(&self) -> String {
        let links: Vec<String> = self.links.iter().take(SHOWN).map(|(_, path)| format!("{path} is a link")).collect();
        let found = match (self.entries, &self.first[..]) {
            (_, []) => "it is empty".to_owned(),
            (entries, first) => format!("{entries} entries: {}", first.join(", ")),
        };
        let more = if self.entries > self.first.len() { ", …" } else { "" };
        let links = if links.is_empty() { String::new() } else { format!("; {}", links.join(", ")) };
        format!("none of the expected files found, {}; in it: {found}{more}{links}", self.example())
    }

    fn example(&self) -> String {
        self.exercises.first().map_or(String::new(), |path| format!("for example {path}"))
    }
}

/// The parts of a name; `None` for one that leads out of the folder it would be unpacked to. Some programs of Windows separate them by
/// backslashes.
fn parts(name: &[u8]) -> Option<Vec<&[u8]>> {
    if name.first().is_some_and(|&byte| separates(byte)) || name.contains(&0) {
        return None;
    }
    let parts = name.split(|&byte| separates(byte)).filter(|part| !part.is_empty() && *part != b".");
    let parts: Vec<&[u8]> = parts.collect();
    (!parts.contains(&&b".."[..])).then_some(parts)
}

fn separates(byte: u8) -> bool {
    byte == b'/' || byte == b'\\'
}

/// What stands before a path at the end of a name.
fn before(parts: &[&[u8]], path: &str) -> Option<Vec<u8>> {
    let mut rest = parts;
    for part in path.rsplit('/') {
        rest = rest.split_last().filter(|(last, _)| **last == part.as_bytes())?.1;
    }
    Some(rest.join(&b'/'))
}

/// A name as it is told, shortened.
fn shown(name: &[u8]) -> String {
    exercises::lines::capped(&String::from_utf8_lossy(name), LONGEST_SHOWN)
}
