//! Folders, zips and tars as lists of entries, and the contents of some of them. Nothing is unpacked to a disk.

use super::limits::Most;
use super::names::Kind;
use super::times::Written;
use anyhow::{Context, anyhow, bail, ensure};
use flate2::read::MultiGzDecoder;
use rustix::fs::{Mode, OFlags};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Told each entry's name, its kind and when it was written; its number is how many were told before it.
pub(super) type Tell<'a> = dyn FnMut(&[u8], Kind, Option<Written>) -> anyhow::Result<()> + 'a;
/// Given a listed file's path and its bytes, at most one more than asked for, or why it cannot be read.
pub(super) type Give<'a> = dyn FnMut(&str, anyhow::Result<Vec<u8>>) + 'a;
/// By the entry's number: its name here, and its path in the workspace.
pub(super) type Wanted = BTreeMap<usize, (Vec<u8>, String)>;

/// A form that a submission can have.
pub(super) trait Source {
    /// Tells all entries, and says whether those were all.
    ///
    /// # Errors
    /// An archive that is damaged, or that `tell` refuses.
    fn list(&mut self, tell: &mut Tell) -> anyhow::Result<bool>;

    /// Gives the contents of some, each of at most `most` bytes and one.
    ///
    /// # Errors
    /// An archive that is damaged as a whole.
    fn contents(&mut self, wanted: &Wanted, most: u64, give: &mut Give) -> anyhow::Result<()>;

    /// True if its entries are packed, so that an archive among them is read into memory.
    fn is_archive(&self) -> bool {
        true
    }

    /// One entry by its number and its name, to be read as an archive.
    ///
    /// # Errors
    /// An entry that cannot be read, or is too long for that.
    fn inner(&mut self, number: usize, name: &[u8], most: u64) -> anyhow::Result<Box<dyn Stream>> {
        let mut found = Err(anyhow!("it is not there"));
        let wanted = Wanted::from([(number, (name.to_owned(), String::new()))]);
        self.contents(&wanted, most, &mut |_, bytes| found = bytes)?;
        let bytes = found?;
        ensure!(bytes.len() as u64 <= most, "an archive within, of more than the {} MiB that are left", most >> 20);
        Ok(Box::new(io::Cursor::new(bytes)))
    }
}

/// An archive's bytes.
pub(super) trait Stream: Read + Seek {}
impl<T: Read + Seek> Stream for T {}

/// Opens a submission. Several paths, and a file that is no archive, are read as a folder that holds them. The inner error is the student's.
///
/// # Errors
/// A path that cannot be read.
pub(super) fn open(paths: &[PathBuf], most: Most) -> anyhow::Result<Result<Box<dyn Source>, String>> {
    let [path] = paths else {
        return Ok(Ok(Box::new(Folder { held: named(paths), most })));
    };
    let meta = fs::metadata(path).context("reading the submission")?;
    if meta.is_dir() {
        return Ok(Ok(Box::new(Folder { held: vec![(PathBuf::new(), path.clone())], most })));
    }
    if !meta.is_file() {
        return Ok(Err("neither a folder nor a file".to_owned()));
    }
    let source = path.extension().is_some_and(|ending| ["cu", "rs", "md"].iter().any(|known| ending == *known));
    if source {
        return Ok(Ok(Box::new(Folder { held: named(paths), most })));
    }
    let file = File::open(path).context("reading the submission")?;
    Ok(archive(Box::new(file), path.file_name().unwrap_or_default().as_bytes(), most))
}

/// Paths by their last parts, without what a learning platform puts before a file's name, unless two would have one name.
fn named(paths: &[PathBuf]) -> Vec<(PathBuf, PathBuf)> {
    let whole = |path: &PathBuf| path.file_name().unwrap_or_default().to_owned();
    let short = |path: &PathBuf| whole(path).to_str().and_then(crate::platforms::file_of).map(OsString::from);
    let name = |path: &PathBuf| {
        let short = short(path).unwrap_or_else(|| whole(path));
        let others =
            paths.iter().filter(|other| crate::platforms::file_of(&whole(other).to_string_lossy()) == short.to_str());
        if others.count() > 1 { whole(path) } else { short }
    };
    paths.iter().map(|path| (name(path).into(), path.clone())).collect()
}

/// Opens an archive. Its first bytes say which kind it is; only for a damaged one its name's ending counts.
pub(super) fn archive(mut file: Box<dyn Stream>, name: &[u8], most: Most) -> Result<Box<dyn Source>, String> {
    let mut head = Vec::new();
    let read = (&mut file).take(512).read_to_end(&mut head).and_then(|_| file.rewind());
    read.map_err(|error| format!("it cannot be read: {error}"))?;
    let ends = |ending: &[u8]| name.to_ascii_lowercase().ends_with(ending);
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") || ends(b".zip") {
        zip(file)
    } else if head.starts_with(b"\x1f\x8b") || ends(b".tar.gz") || ends(b".tgz") {
        Ok(Box::new(Tar { file, packed: true, most }))
    } else if head.get(257..262) == Some(b"ustar") || ends(b".tar") {
        Ok(Box::new(Tar { file, packed: false, most }))
    } else {
        Err("neither a folder nor a .zip, .tar or .tar.gz".to_owned())
    }
}

/// At most so many bytes and one more, which shows that there are more.
fn bytes(reader: impl Read, most: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(most + 1).read_to_end(&mut bytes).context("it is damaged")?;
    Ok(bytes)
}

struct Folder {
    /// Its contents: by the name that it has here, the empty one for a folder that is this one.
    held: Vec<(PathBuf, PathBuf)>,
    most: Most,
}

impl Folder {
    /// Where an entry lies.
    fn place(&self, name: &Path) -> anyhow::Result<PathBuf> {
        let inside = |(own, path): &(PathBuf, PathBuf)| {
            let rest = name.strip_prefix(own).ok()?;
            Some(if rest.as_os_str().is_empty() { path.clone() } else { path.join(rest) })
        };
        self.held.iter().find_map(inside).context("it is not there")
    }

    /// An entry's file; neither a link nor a pipe that appeared meanwhile.
    fn open(&self, name: &[u8]) -> anyhow::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::open(self.place(Path::new(OsStr::from_bytes(name)))?, flags, Mode::empty());
        Ok(File::from(file.map_err(|error| anyhow!("it cannot be read: {error}"))?))
    }
}

impl Source for Folder {
    fn list(&mut self, tell: &mut Tell) -> anyhow::Result<bool> {
        // The shallow ones first: where there are too many, those further in are left out.
        let mut folders = std::collections::VecDeque::new();
        let mut seen = 0;
        for (name, path) in &self.held {
            if name.as_os_str().is_empty() || path.is_dir() {
                folders.push_back(name.clone());
            } else {
                seen += 1;
                tell(name.as_os_str().as_bytes(), if path.is_file() { Kind::File } else { Kind::Device }, None)?;
            }
        }
        while let Some(folder) = folders.pop_front() {
            // A folder that cannot be read holds nothing to be taken.
            let Ok(entries) = fs::read_dir(self.place(&folder)?) else { continue };
            let mut entries: Vec<fs::DirEntry> = entries.flatten().take(self.most.entries - seen).collect();
            entries.sort_by_key(fs::DirEntry::file_name);
            for entry in entries {
                let Ok(kind) = entry.file_type() else { continue };
                let path = folder.join(entry.file_name());
                let name = path.as_os_str().as_bytes();
                if name.len() as u64 > self.most.name {
                    continue;
                }
                seen += 1;
                let kind = match kind {
                    kind if kind.is_symlink() => Kind::Link,
                    kind if kind.is_dir() => Kind::Folder,
                    kind if kind.is_file() => Kind::File,
                    _ => Kind::Device,
                };
                // With its backslashes read as separators a name may lead out, which it does not here; then it is none that is listed.
                let leads =
                    name.contains(&b'\\') && name.windows(2).any(|pair| pair == b"..") || name.starts_with(b"\\");
                tell(if leads { b"?" } else { name }, kind, None)?;
                if kind == Kind::Folder {
                    folders.push_back(path);
                }
            }
        }
        Ok(seen < self.most.entries)
    }

    fn contents(&mut self, wanted: &Wanted, most: u64, give: &mut Give) -> anyhow::Result<()> {
        for (name, path) in wanted.values() {
            give(path, self.open(name).and_then(|file| bytes(file, most)));
        }
        Ok(())
    }

    fn is_archive(&self) -> bool {
        false
    }

    fn inner(&mut self, _: usize, name: &[u8], _: u64) -> anyhow::Result<Box<dyn Stream>> {
        Ok(Box::new(self.open(name)?))
    }
}

struct Zip(zip::ZipArchive<Box<dyn Stream>>);

fn zip(file: Box<dyn Stream>) -> Result<Box<dyn Source>, String> {
    match zip::ZipArchive::new(file) {
        Ok(archive) => Ok(Box::new(Zip(archive))),
        Err(error) => Err(format!("not a zip archive: {error}")),
    }
}

impl Source for Zip {
    fn list(&mut self, tell: &mut Tell) -> anyhow::Result<bool> {
        for index in 0..self.0.len() {
            let entry = self.0.by_index_data(index).context("a damaged archive")?;
            let kind = match entry.unix_mode().unwrap_or(0) & 0o170_000 {
                _ if entry.is_symlink() => Kind::Link,
                _ if entry.is_dir() || entry.name_raw().ends_with(b"\\") => Kind::Folder,
                0 | 0o100_000 => Kind::File,
                0o040_000 => Kind::Folder,
                _ => Kind::Device,
            };
            // In UTF-8, whichever encoding the archive's names have.
            let written = entry.last_modified().and_then(Written::in_zip);
            match entry.name() {
                Ok(name) => tell(name.as_bytes(), kind, written)?,
                Err(_) => tell(entry.name_raw(), kind, written)?,
            }
        }
        Ok(true)
    }

    fn contents(&mut self, wanted: &Wanted, most: u64, give: &mut Give) -> anyhow::Result<()> {
        for (&index, (_, path)) in wanted {
            give(path, self.0.by_index(index).context("it is damaged").and_then(|entry| bytes(entry, most)));
        }
        Ok(())
    }
}

struct Tar {
    file: Box<dyn Stream>,
    packed: bool,
    most: Most,
}

impl Source for Tar {
    fn list(&mut self, tell: &mut Tell) -> anyhow::Result<bool> {
        self.walk(&mut |_, name, kind, written, _| tell(name, kind, written)).map(|()| true)
    }

    fn contents(&mut self, wanted: &Wanted, most: u64, give: &mut Give) -> anyhow::Result<()> {
        self.walk(&mut |number, _, _, _, reader| {
            if let Some((_, path)) = wanted.get(&number) {
                give(path, bytes(reader, most));
            }
            Ok(())
        })
    }
}

/// Given an entry's number, name, kind, time and content.
type Visit<'a> = dyn FnMut(usize, &[u8], Kind, Option<Written>, &mut dyn Read) -> anyhow::Result<()> + 'a;

impl Tar {
    /// Goes through all entries. The library would read names of any length into memory, so the entries that hold them are read here.
    fn walk(&mut self, visit: &mut Visit) -> anyhow::Result<()> {
        let limits = self.most;
        self.file.rewind()?;
        let file = io::BufReader::new(&mut self.file);
        let reader: Box<dyn Read> = if self.packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
        let mut archive = tar::Archive::new(Metered { reader, left: self.most.bytes, most: self.most.bytes });
        let (mut number, mut long_name) = (0, None);
        for entry in archive.entries().context("not a tar archive")?.raw(true) {
            let mut entry = entry.context("a damaged archive")?;
            let kind = entry.header().entry_type();
            if kind.is_gnu_longname() {
                let mut name = Self::name(limits, entry.size(), &mut entry)?;
                name.truncate(name.iter().position(|&byte| byte == 0).unwrap_or(name.len()));
                long_name = Some(name);
                continue;
            }
            if kind.is_pax_local_extensions() {
                long_name = Self::pax(limits, &mut entry)?.or(long_name);
                continue;
            }
            if kind.is_pax_global_extensions() || kind.is_gnu_longlink() {
                continue;
            }
            ensure!(!kind.is_gnu_sparse(), "a sparse file; next: an archive without --sparse");
            let name = long_name.take().unwrap_or_else(|| entry.path_bytes().into_owned());
            let kind = match kind {
                kind if kind.is_file() || kind.is_contiguous() => Kind::File,
                kind if kind.is_dir() => Kind::Folder,
                kind if kind.is_symlink() || kind.is_hard_link() => Kind::Link,
                _ => Kind::Device,
            };
            let written = Written::in_tar(entry.header());
            visit(number, &name, kind, written, &mut entry)?;
            number += 1;
        }
        Ok(())
    }

    /// An entry that holds a name.
    fn name(most: Most, bytes: u64, entry: &mut impl Read) -> anyhow::Result<Vec<u8>> {
        ensure!(bytes <= most.name + 1, "a name of {bytes} bytes; the longest that is read has {}", most.name);
        let mut name = Vec::new();
        entry.read_to_end(&mut name).context("a damaged archive")?;
        Ok(name)
    }

    /// The name in an extended header, which also holds times and attributes, of which any name is the smallest part.
    fn pax(most: Most, entry: &mut tar::Entry<impl Read>) -> anyhow::Result<Option<Vec<u8>>> {
        let (bytes, most) = (entry.size(), 16 * most.name);
        ensure!(bytes <= most, "an extended header of {bytes} bytes; the longest that is read has {most}");
        let mut header = Vec::new();
        entry.read_to_end(&mut header).context("a damaged archive")?;
        let mut name = None;
        for extension in tar::PaxExtensions::new(&header) {
            let extension = extension.context("a damaged extended header")?;
            match extension.key_bytes() {
                b"path" => name = Some(extension.value_bytes().to_vec()),
                b"size" => bail!("a file of more than 8 GiB"),
                _ => {}
            }
        }
        Ok(name)
    }
}

/// Reads so many bytes and then no more.
struct Metered<R> {
    reader: R,
    left: u64,
    most: u64,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = into.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if length == 0 && !into.is_empty() {
            return Err(io::Error::other(format!("it unpacks to more than {} bytes", self.most)));
        }
        let read = self.reader.read(&mut into[..length])?;
        self.left -= read as u64;
        Ok(read)
    }
}
