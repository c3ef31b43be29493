//! Which folder of a submission is the workspace, and which entries of it are listed files.

use super::expected::Expected;
use super::limits::Most;
use super::names::{Kind, before, common_parts, is_archive, is_made, parts, plain, printable};
use super::notes::{Note, NoteKind};
use super::times::{Archive, Written};
use anyhow::{bail, ensure};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Names that are shown of a submission in which nothing was found, and of files that nobody asked for.
const MOST_LISTED: usize = 8;
/// Files that nobody asked for are looked at up to this number: a hand-out has some hundreds.
const MOST_OTHERS: usize = 4000;

/// A listed file under one of the folders that may be the workspace.
#[derive(Clone, Debug)]
struct Seen {
    /// The entry's number, and its name as the source has it.
    number: usize,
    name: Vec<u8>,
    kind: Kind,
    written: Option<Written>,
    times: usize,
}

/// A file that has a listed file's name and lies in another folder.
#[derive(Clone, Debug)]
struct Loose {
    number: usize,
    name: Vec<u8>,
}

/// All entries of a submission, of which only the listed ones are kept.
pub(super) struct Listing<'a> {
    expected: &'a Expected,
    /// Listed files by the last part of their names, in small letters.
    by_last: BTreeMap<String, Vec<&'a str>>,
    /// Folders that listed files lie in, by the last part of their names.
    above: BTreeMap<&'a [u8], Vec<&'a str>>,
    most: Most,
    entries: usize,
    roots: BTreeMap<Vec<u8>, BTreeMap<&'a str, Seen>>,
    loose: Vec<Loose>,
    archives: Vec<(usize, Vec<u8>)>,
    /// Archives that were looked into, in the order of their entries.
    inside: Vec<Archive>,
    /// Files that are neither listed nor made by programs, by their names, and how many there are.
    others: Vec<Vec<u8>>,
    /// Links in the place of a folder that listed files lie in: what stands before it, and the folder.
    links: BTreeSet<(Vec<u8>, &'a str)>,
    first: Vec<String>,
    /// Students whose names a learning platform put into the entries' names; two are enough to see that it is a class.
    students: BTreeSet<String>,
}

/// The files to be read.
#[derive(Default)]
pub(super) struct Chosen {
    /// By the entry's number: its name in the source, and its path in the workspace.
    pub(super) files: BTreeMap<usize, (Vec<u8>, String)>,
    /// Entries' numbers, their names, and the listed files that each may be. Its text has to tell.
    pub(super) undecided: Vec<(usize, Vec<u8>, Vec<String>)>,
    pub(super) notes: Vec<Note>,
    /// The workspace's folder, in words.
    pub(super) place: String,
    /// The archives that were looked into.
    inside: Vec<Archive>,
    /// Listed files that are in another archive as well, where nothing says that the one which was taken is the newer one: its path, the entry
    /// that was taken, the other one.
    pub(super) doubts: Vec<(String, Entry, Entry)>,
}

/// An entry's number, and its name in the source.
pub(super) type Entry = (usize, Vec<u8>);

impl<'a> Listing<'a> {
    pub(super) fn new(expected: &'a Expected, most: Most) -> Self {
        let listed: BTreeSet<&str> = expected.listed().chain(expected.elsewhere.iter().map(String::as_str)).collect();
        let last = |path: &'a str| path.rsplit('/').next().unwrap_or(path);
        let (mut by_last, mut above) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
        for path in listed {
            by_last.entry(last(path).to_lowercase()).or_default().push(path);
        }
        let folders: BTreeSet<&str> =
            expected.listed().flat_map(|path| path.match_indices('/').map(|(at, _)| &path[..at])).collect();
        for folder in folders {
            above.entry(last(folder).as_bytes()).or_default().push(folder);
        }
        Listing {
            expected,
            by_last,
            above,
            most,
            entries: 0,
            roots: BTreeMap::new(),
            loose: Vec::new(),
            archives: Vec::new(),
            inside: Vec::new(),
            others: Vec::new(),
            links: BTreeSet::new(),
            first: Vec::new(),
            students: BTreeSet::new(),
        }
    }

    /// How many archives were looked into.
    pub(super) fn inside(&self) -> usize {
        self.inside.len()
    }

    /// The entries that follow are an archive's; says which number is the first.
    pub(super) fn begin(&mut self, name: &[u8]) -> usize {
        self.inside.push(Archive { first: self.entries, name: name.to_owned(), newest: None });
        self.entries
    }

    /// Archives among the entries from a number on that have to be looked into, because no exercise lies beside them.
    pub(super) fn archives(&self, from: usize) -> Vec<(usize, Vec<u8>)> {
        let exercise = |(path, seen): (&&str, &Seen)| seen.number >= from && self.expected.exercises.contains(*path);
        let found = self.roots.values().flatten().any(exercise);
        let within = self.archives.iter().filter(|(number, _)| !found && *number >= from);
        within.cloned().collect()
    }

    /// Takes note of one entry.
    ///
    /// # Errors
    /// A name that leads out of the submission; a limit.
    pub(super) fn see(&mut self, name: &[u8], kind: Kind, written: Option<Written>) -> anyhow::Result<()> {
        let (number, most) = (self.entries, self.most);
        self.entries += 1;
        ensure!(self.entries <= most.entries, "more than {} entries", most.entries);
        ensure!(
            name.len() as u64 <= most.name,
            "a name of {} bytes; the longest that is read has {}",
            name.len(),
            most.name
        );
        let Some(parts) = parts(name) else { bail!("the name '{}' leads out of it", printable(name)) };
        if self.first.len() < MOST_LISTED && kind != Kind::Folder {
            self.first.push(printable(name));
        }
        if self.students.len() < 2 {
            let student =
                parts.first().and_then(|first| crate::platforms::student_of(std::str::from_utf8(first).ok()?));
            self.students.extend(student);
        }
        let Some(&last) = parts.last() else { return Ok(()) };
        if kind == Kind::Link
            && let Some(folders) = self.above.get(last)
        {
            let found = folders.iter().filter_map(|folder| Some((before(&parts, folder)?, *folder)));
            self.links.extend(found.take(most.roots.saturating_sub(self.links.len())));
        }
        let made = is_made(&parts);
        if let Some(archive) = self.inside.last_mut().filter(|_| kind == Kind::File && !made) {
            archive.newest = archive.newest.max(written);
        }
        let named: Vec<&str> = self.by_last.get(&plain(last)).into_iter().flatten().copied().collect();
        let mut listed = false;
        for (root, path) in named.iter().filter_map(|path| Some((before(&parts, path)?, *path))) {
            listed = true;
            if self.expected.elsewhere.contains(path) {
                continue;
            }
            let known = self.roots.len();
            let files = self.roots.entry(root).or_default();
            ensure!(!files.is_empty() || known < most.roots, "more than {} folders hold listed files", most.roots);
            let times = files.get(path).map_or(0, |seen| seen.times);
            // The last of several of one name, as unpacking leaves it.
            files.insert(path, Seen { number, name: name.to_owned(), kind, written, times: times + 1 });
        }
        if listed || kind != Kind::File || made {
            return Ok(());
        }
        if !named.is_empty() && self.loose.len() < most.roots {
            self.loose.push(Loose { number, name: name.to_owned() });
        }
        if is_archive(name) && self.archives.len() < most.roots {
            self.archives.push((number, name.to_owned()));
        }
        if self.others.len() < MOST_OTHERS {
            self.others.push(name.to_owned());
        }
        Ok(())
    }

    /// Chooses the workspace, the shallowest folder that holds at least half as many listed files as any; then, for each file that it lacks,
    /// one of another folder, or one that has only the file's name. The newest archive has all its files chosen before the next one's.
    ///
    /// # Errors
    /// Nothing found; a listed file, or a folder of listed files, that is a link or a device.
    pub(super) fn choose(self) -> Result<Chosen, String> {
        if self.students.len() > 1 {
            return Err("it is the export of a class; next: unpack it, and just grade FOLDER".to_owned());
        }
        if self.roots.is_empty() && self.loose.is_empty() {
            return Err(self.nothing());
        }
        let mut chosen = Chosen { inside: self.inside.clone(), ..Chosen::default() };
        let mut roots = Vec::new();
        for own in self.by_age() {
            for root in self.in_order(&own) {
                if roots.is_empty() {
                    chosen.place = self.told(&root);
                }
                if chosen.files.is_empty() {
                    self.choose_of(&root, &mut chosen)?;
                } else {
                    self.choose_missing(&root, &mut chosen);
                }
                roots.push(root);
            }
            self.choose_by_name(&own, &mut chosen);
        }
        if let Some((root, others)) = roots.split_first().filter(|(_, others)| !others.is_empty()) {
            let others: Vec<String> = others.iter().take(MOST_LISTED).map(|root| self.counted(root)).collect();
            let what = format!("taken from {}; listed files lie also in {}", self.counted(root), others.join(", "));
            chosen.notes.insert(0, Note::new(NoteKind::Chosen, "", what));
        }
        if chosen.files.is_empty() && chosen.undecided.is_empty() && chosen.notes.is_empty() {
            return Err(self.nothing());
        }
        chosen.notes.extend(self.unexpected(&chosen));
        Ok(chosen)
    }

    fn choose_of(&self, root: &[u8], chosen: &mut Chosen) -> Result<(), String> {
        if let Some((_, folder)) = self.links.iter().find(|(before, _)| *before == root) {
            return Err(format!("{folder} is a link"));
        }
        for (&path, seen) in &self.roots[root] {
            match seen.kind {
                Kind::File => drop(chosen.files.insert(seen.number, (seen.name.clone(), path.to_owned()))),
                Kind::Folder => chosen.notes.push(Note::new(NoteKind::NotTaken, path, "not taken: it is a folder")),
                Kind::Link => return Err(format!("{path} is a link")),
                Kind::Device => return Err(format!("{path} is a device")),
            }
            if seen.times > 1 {
                let what = format!("there {} times; the last one was taken", seen.times);
                chosen.notes.push(Note::new(NoteKind::Chosen, path, what));
            }
        }
        Ok(())
    }

    /// Files of another folder that the chosen ones lack, such as those of a second archive.
    fn choose_missing(&self, root: &[u8], chosen: &mut Chosen) {
        for (&path, seen) in &self.roots[root] {
            if seen.kind != Kind::File {
                continue;
            }
            chosen.compare(path, (seen.number, &seen.name));
            if !chosen.has(path) {
                chosen.files.insert(seen.number, (seen.name.clone(), path.to_owned()));
                let what = format!("taken from {}", self.told(root));
                chosen.notes.push(Note::new(NoteKind::Chosen, path, what));
            }
        }
    }

    /// Files that have a missing one's name and lie elsewhere: those that share most of its folders, the shallowest of them.
    fn choose_by_name(&self, own: &Range<usize>, chosen: &mut Chosen) {
        let missing: Vec<&str> = self.expected.listed().filter(|path| !chosen.has(path)).collect();
        let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
        let loose = self.loose.iter().filter(|loose| own.contains(&loose.number));
        let mut loose: Vec<(&Loose, Vec<&[u8]>)> =
            loose.filter_map(|loose| Some((loose, parts(&loose.name)?))).collect();
        // The shallow ones first, and those whose name was not changed.
        let changed = |parts: &[&[u8]]| parts.last().is_some_and(|last| plain(last).as_bytes() != *last);
        loose.sort_by_key(|(loose, parts)| (parts.len(), changed(parts), loose.number));
        for (loose, parts) in loose {
            let last = parts.last().copied().unwrap_or_default();
            let all = self.by_last.get(&plain(last)).into_iter().flatten().copied();
            let common: Vec<(usize, &str)> = all.map(|path| (common_parts(&parts, path), path)).collect();
            let most = common.iter().map(|(count, _)| *count).max().unwrap_or(0);
            let best: Vec<&str> = common.iter().filter(|(count, _)| *count == most).map(|(_, path)| *path).collect();
            if let [path] = best[..] {
                if !missing.contains(&path) {
                    chosen.compare(path, (loose.number, &loose.name));
                    continue;
                }
                let times = taken.entry(path).or_default();
                *times += 1;
                if *times == 1 {
                    chosen.files.insert(loose.number, (loose.name.clone(), path.to_owned()));
                    let what = format!("taken from '{}', by its name", printable(&loose.name));
                    chosen.notes.push(Note::new(NoteKind::Chosen, path, what));
                }
            } else if best.iter().any(|path| missing.contains(path)) || !self.inside.is_empty() {
                let paths = best.into_iter().map(str::to_owned).collect();
                chosen.undecided.push((loose.number, loose.name.clone(), paths));
            }
        }
        for (path, times) in taken.into_iter().filter(|(_, times)| *times > 1) {
            let what = format!("there are {times} files of this name; the others were not taken");
            chosen.notes.push(Note::new(NoteKind::Chosen, path, what));
        }
    }

    /// Files that nobody asked for. Those of the hand-out are none, wherever the workspace lies.
    fn unexpected(&self, chosen: &Chosen) -> Option<Note> {
        let taken = |name: &&Vec<u8>| {
            let numbers = chosen.files.values().map(|(name, _)| name);
            numbers.chain(chosen.undecided.iter().map(|(_, name, _)| name)).any(|own| own == *name)
                // An archive of which files were taken.
                || chosen.files.values().any(|(own, _)| own.starts_with(name) && own.get(name.len()) == Some(&b'/'))
        };
        let known = |name: &&Vec<u8>| {
            let Some(parts) = parts(name) else { return false };
            let text: Vec<String> = parts.iter().map(|part| String::from_utf8_lossy(part).into_owned()).collect();
            (0..text.len()).any(|from| self.expected.hands_out(&text[from..].join("/")))
        };
        let names: Vec<&Vec<u8>> = self.others.iter().filter(|name| !taken(name) && !known(name)).collect();
        let more = if names.len() > MOST_LISTED { ", …" } else { "" };
        let printable: Vec<String> = names.iter().take(MOST_LISTED).map(|name| printable(name)).collect();
        let files = if names.len() == 1 { "file" } else { "files" };
        let what = format!("{} other {files}, which nothing looks at: {}{more}", names.len(), printable.join(", "));
        (!names.is_empty()).then(|| Note::new(NoteKind::Unexpected, "", what))
    }

    /// The entries of each archive that was looked into, the newest first, and those that lie in none.
    fn by_age(&self) -> Vec<Range<usize>> {
        let ends = self.inside.iter().skip(1).map(|archive| archive.first).chain([self.entries]);
        let mut all: Vec<(&Archive, usize)> = self.inside.iter().zip(ends).collect();
        all.sort_by_key(|(archive, _)| Reverse(archive.age()));
        let outside = 0..self.inside.first().map_or(self.entries, |archive| archive.first);
        all.into_iter().map(|(archive, end)| archive.first..end).chain([outside]).collect()
    }

    /// The folders among some entries that may be the workspace, the best one first; of equal ones the newest.
    fn in_order(&self, own: &Range<usize>) -> Vec<Vec<u8>> {
        let roots: BTreeMap<&Vec<u8>, &BTreeMap<&str, Seen>> =
            self.roots.iter().filter(|(_, files)| files.values().any(|seen| own.contains(&seen.number))).collect();
        // Where there is an exercise, answers alone make no workspace.
        let exercises =
            |files: &BTreeMap<&str, Seen>| files.keys().filter(|path| self.expected.exercises.contains(**path)).count();
        let any = roots.values().any(|files| exercises(files) > 0);
        let count = |files: &BTreeMap<&str, Seen>| if any { exercises(files) } else { files.len() };
        let most = roots.values().map(|files| count(files)).max().unwrap_or(0);
        let key = |root: &Vec<u8>| {
            let count = count(&self.roots[root]);
            let depth = if root.is_empty() { 0 } else { 1 + root.iter().filter(|&&byte| byte == b'/').count() };
            let newest = self.roots[root].values().map(|seen| seen.written).max();
            (2 * count < most, depth, most - count, Reverse(newest))
        };
        let mut all: Vec<Vec<u8>> = roots.into_keys().cloned().collect();
        all.sort_by_key(key);
        all
    }

    fn told(&self, root: &[u8]) -> String {
        if root.is_empty() { "the top".to_owned() } else { format!("'{}'", printable(root)) }
    }

    fn counted(&self, root: &[u8]) -> String {
        format!("{} ({} files)", self.told(root), self.roots.get(root).map_or(0, BTreeMap::len))
    }

    fn nothing(&self) -> String {
        let links: Vec<String> =
            self.links.iter().take(MOST_LISTED).map(|(_, path)| format!("{path} is a link")).collect();
        let found = match (self.entries, &self.first[..]) {
            (_, []) => "it is empty".to_owned(),
            (1, first) => format!("1 entry: {}", first.join(", ")),
            (entries, first) => format!("{entries} entries: {}", first.join(", ")),
        };
        let more = if self.entries > self.first.len() { ", …" } else { "" };
        let links = if links.is_empty() { String::new() } else { format!("; {}", links.join(", ")) };
        let packed = self.first.iter().map(|name| name.to_lowercase());
        let packed = packed.into_iter().any(|name| [".rar", ".7z"].iter().any(|ending| name.ends_with(ending)));
        let packed = if packed { "; .rar and .7z are not read: unpack it, and grade the folder" } else { "" };
        format!(
            "none of the expected files found, {}; in it: {found}{more}{links}{packed}; next: hand in the zip that just submission writes",
            self.example()
        )
    }

    fn example(&self) -> String {
        self.expected.exercises.first().map_or(String::new(), |path| format!("for example {path}"))
    }
}

impl Chosen {
    /// Returns whether a listed file is among the files to be read, or has a note of its own that says why not.
    fn has(&self, path: &str) -> bool {
        let not_taken = |note: &Note| note.kind == NoteKind::NotTaken && note.path == path;
        self.files.values().any(|(_, own)| own == path) || self.notes.iter().any(not_taken)
    }

    /// Another entry for a path that was taken: takes it instead where it is certainly newer, and notes a doubt where neither is.
    pub(super) fn compare(&mut self, path: &str, (number, name): (usize, &[u8])) -> bool {
        let Some((&taken, (own, _))) = self.files.iter().find(|(_, (_, own))| own == path) else { return false };
        let newer = match [taken, number].map(|number| self.archive_of(number)) {
            [None, None] => return false,
            [Some(one), Some(other)] if one.first == other.first || one.is_newer(other) => return false,
            [Some(one), Some(other)] => other.is_newer(one),
            _ => false,
        };
        if newer {
            self.files.remove(&taken);
            self.files.insert(number, (name.to_owned(), path.to_owned()));
        } else {
            self.doubts.push((path.to_owned(), (taken, own.clone()), (number, name.to_owned())));
        }
        newer
    }

    /// The archive that an entry lies in.
    fn archive_of(&self, number: usize) -> Option<&Archive> {
        self.inside.iter().rfind(|archive| archive.first <= number)
    }

    /// A doubt in words.
    pub(super) fn asked(&self, (path, taken, other): &(String, Entry, Entry)) -> String {
        let told = |(number, name): &Entry| {
            self.archive_of(*number).map_or_else(|| format!("'{}'", printable(name)), Archive::told)
        };
        format!(
            "which is to be judged? {} and {} hold {path}, not the same, and nothing says which is newer",
            told(taken),
            told(other)
        )
    }
}
