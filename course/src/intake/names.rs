//! Names of entries: their parts, which of them are nobody's work, and how browsers and learning platforms change a file's name.

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    Link,
    Device,
}

/// Folders that programs make, in which nothing is handed in.
const MADE: &[&str] = &[
    "target",
    ".git",
    ".nvrtc",
    ".judge",
    ".venv",
    ".backup",
    ".idea",
    ".vscode",
    "__MACOSX",
    "__pycache__",
    "node_modules",
];
/// Files that systems make.
const LEFT: &[&str] = &[".DS_Store", "Thumbs.db", "desktop.ini", ".progress.json"];
/// Bytes of a name that are shown.
const LONGEST_NAME: usize = 80;
/// Endings of archives that are read.
const ARCHIVES: &[&str] = &[".zip", ".tar", ".tar.gz", ".tgz"];

/// The parts of a name; `None` for one that leads out of the folder it would be unpacked to. Some programs of Windows separate them by
/// backslashes.
pub(super) fn parts(name: &[u8]) -> Option<Vec<&[u8]>> {
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

/// The part of a name that stands before a path at its end.
pub(super) fn before(parts: &[&[u8]], path: &str) -> Option<Vec<u8>> {
    let mut rest = parts;
    for part in path.rsplit('/') {
        rest = rest.split_last().filter(|(last, _)| **last == part.as_bytes())?.1;
    }
    Some(rest.join(&b'/'))
}

/// How many of a path's last parts a name ends with, letters of either size being the same. The file's own name may have a copy's number.
pub(super) fn common_parts(parts: &[&[u8]], path: &str) -> usize {
    let same = |(number, (own, other)): &(usize, (&&[u8], &str))| match number {
        0 => plain(own).eq_ignore_ascii_case(other) || own.eq_ignore_ascii_case(other.as_bytes()),
        _ => own.eq_ignore_ascii_case(other.as_bytes()),
    };
    parts.iter().rev().zip(path.rsplit('/')).enumerate().take_while(same).count()
}

/// A file's name in small letters, without the number that a browser or a learning platform gives to a second one of it: `2_naive (1).cu`,
/// `2_naive-1.cu`.
pub(super) fn plain(name: &[u8]) -> String {
    copy(name).0
}

/// [`plain`], and that number: 0 where there is none.
fn copy(name: &[u8]) -> (String, u32) {
    let name = String::from_utf8_lossy(name).to_lowercase();
    let (stem, ending) = name.rsplit_once('.').map_or((name.as_str(), ""), |(stem, ending)| (stem, ending));
    let bare = match stem.strip_suffix(')').and_then(|stem| stem.rsplit_once('(')) {
        Some((bare, number)) => Some((bare.trim_end(), number)),
        None => stem.rsplit_once('-'),
    };
    let number = |text: &str| Some(text).filter(|text| text.len() < 3 && !text.starts_with('+'))?.parse().ok();
    let (stem, number) = bare.and_then(|(bare, text)| Some((bare, number(text)?))).unwrap_or((stem, 0));
    (if ending.is_empty() { stem.to_owned() } else { format!("{stem}.{ending}") }, number)
}

/// An archive's name without its folders and its ending, and a copy's number.
pub(super) fn attempt(name: &[u8]) -> (String, u32) {
    let last = name.rsplit(|&byte| separates(byte)).next().unwrap_or(name).to_ascii_lowercase();
    // The longest of its endings.
    let stem = ARCHIVES.iter().filter_map(|ending| last.strip_suffix(ending.as_bytes())).min_by_key(|stem| stem.len());
    copy(&[stem.unwrap_or(&last), b".zip"].concat())
}

/// Returns whether programs made it, so that nobody means to hand it in.
pub(super) fn is_made(parts: &[&[u8]]) -> bool {
    let one_of = |list: &[&str], part: &[u8]| list.iter().any(|name| name.as_bytes() == part);
    parts.iter().any(|part| one_of(MADE, part))
        || parts.last().is_some_and(|last| one_of(LEFT, last) || last.starts_with(b"._"))
}

/// A name as it is told, shortened.
pub(super) fn printable(name: &[u8]) -> String {
    exercises::lines::capped(&String::from_utf8_lossy(name), LONGEST_NAME)
}

/// Returns whether it is an archive by its ending.
pub(super) fn is_archive(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    ARCHIVES.iter().any(|ending| name.ends_with(ending.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copys_number_is_no_part_of_a_name() {
        for (name, plain_name) in [
            ("2_naive.cu", "2_naive.cu"),
            ("2_Naive (1).cu", "2_naive.cu"),
            ("2_naive(12).cu", "2_naive.cu"),
            ("2_naive-1.cu", "2_naive.cu"),
            ("2_naive-2025.cu", "2_naive-2025.cu"),
            ("2_naive-final.cu", "2_naive-final.cu"),
            ("-1", ""),
        ] {
            assert_eq!(plain(name.as_bytes()), plain_name);
        }
    }

    #[test]
    fn common_parts_are_counted_from_the_end() {
        let count = |name: &str| common_parts(&parts(name.as_bytes()).unwrap(), "kernels/gemm/2_naive.cu");
        assert_eq!(
            ["x/2_naive.cu", "GEMM/2_Naive (1).cu", "a/Kernels/gemm/2_naive.cu", "3.cu"].map(count),
            [1, 2, 3, 0]
        );
    }
}
