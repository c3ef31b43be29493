//! Names of submissions: each is the stem of that submission's record and reports, so it is short, it is text, and no two are the same.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Bytes of a name. File systems take 255 at the most, some 143; an ending follows.
const LONGEST: usize = 128;

/// A submission's name: the last part of its path, without an archive's endings. Bytes that are no text, and control characters, stand there as
/// `%1B`; such a name, and one that is too long, ends with a part of its hash, because another name could look the same.
pub fn name_of(path: &Path) -> String {
    let whole = path.file_name().map_or(b"submission".as_slice(), |name| name.as_bytes());
    let endings: [&[u8]; 4] = [b".tar.gz", b".tgz", b".tar", b".zip"];
    let short = endings.iter().find_map(|ending| whole.strip_suffix(*ending)).filter(|short| !short.is_empty());
    let raw = short.unwrap_or(whole);
    let name = printable(raw);
    if name.as_bytes() == raw && name.len() <= LONGEST {
        return name;
    }
    let hash = hash(raw);
    let most = LONGEST - hash.len() - 1;
    let kept: String = name.char_indices().take_while(|(at, c)| at + c.len_utf8() <= most).map(|(_, c)| c).collect();
    format!("{kept}~{hash}")
}

/// The names of a class, in its order: of each submission a name and a path. Where several have one name, each of them gets a part of its
/// path's hash.
pub fn unique(named: &[(String, PathBuf)]) -> Vec<String> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    named.iter().for_each(|(name, _)| *count.entry(name).or_default() += 1);
    let mut given = BTreeSet::new();
    let one = |(name, path): &(String, PathBuf)| {
        let mut name = name.clone();
        if count[name.as_str()] > 1 {
            name = format!("{name}~{}", hash(whole(path).as_os_str().as_bytes()));
        }
        // The same path twice, or a name that was chosen to look like another's.
        let mut number = 2;
        let plain = name.clone();
        while !given.insert(name.clone()) {
            name = format!("{plain}~{number}");
            number += 1;
        }
        name
    };
    named.iter().map(one).collect()
}

/// A name without the part of a hash that [`name_of`] or [`unique`] gave it.
pub fn without_hash(name: &str) -> &str {
    let is_hash = |text: &str| text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.rsplit_once('~').filter(|(_, end)| is_hash(end)).map_or(name, |(plain, _)| plain)
}

/// The path as it is found again from another folder.
pub fn whole(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

fn printable(raw: &[u8]) -> String {
    let mut text = String::new();
    for chunk in raw.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() {
                c.to_string().bytes().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
            } else {
                text.push(c);
            }
        }
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
    }
    text
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Stored {
    Text(String),
    Bytes(Vec<u8>),
}

/// A path in JSON: a string, or its bytes where it is no text.
///
/// # Errors
/// The serializer's.
pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    let stored = match path.to_str() {
        Some(text) => Stored::Text(text.to_owned()),
        None => Stored::Bytes(path.as_os_str().as_bytes().to_owned()),
    };
    stored.serialize(serializer)
}

/// The other direction.
///
/// # Errors
/// Neither a string nor bytes.
pub fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<PathBuf, D::Error> {
    Ok(match Stored::deserialize(deserializer)? {
        Stored::Text(text) => text.into(),
        Stored::Bytes(bytes) => OsString::from_vec(bytes).into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(bytes: &[u8]) -> PathBuf {
        OsString::from_vec(bytes.to_vec()).into()
    }

    fn names(paths: Vec<PathBuf>) -> Vec<String> {
        unique(&paths.into_iter().map(|path| (name_of(&path), path)).collect::<Vec<_>>())
    }

    #[test]
    fn ordinary_names_stay_as_they_are() {
        for (path, name) in [
            ("a/anna.zip", "anna"),
            ("b.tar.gz", "b"),
            ("100 % jürgen", "100 % jürgen"),
            (".zip", ".zip"),
            ("..", "submission"),
        ] {
            assert_eq!(name_of(Path::new(path)), name);
        }
    }

    #[test]
    fn every_other_name_is_short_text_that_no_other_has() {
        let long = |last: u8| [vec![b'x'; 254], vec![last]].concat();
        let wide = "ü".repeat(127).into_bytes();
        let all: Vec<PathBuf> =
            [long(b'a'), long(b'b'), wide, b"\xff".to_vec(), b"\xfe".to_vec(), b"%FF".to_vec(), b"\x1b[2J".to_vec()]
                .iter()
                .map(|bytes| path(bytes))
                .collect();
        let names = names(all.clone());
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), all.len(), "{names:?}");
        for name in &names {
            assert!(name.len() <= LONGEST && !name.contains(char::is_control), "{name}");
        }
        assert_eq!(names[5], "%FF");
    }

    #[test]
    fn one_name_for_several_becomes_several() {
        let one: Vec<PathBuf> = ["a/x.zip", "b/x.tar", "b/x.tar", "y"].map(PathBuf::from).to_vec();
        let names = names(one);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 4, "{names:?}");
        assert!(names[0].starts_with("x~") && names[3] == "y", "{names:?}");
    }

    #[test]
    fn any_path_survives_json() {
        #[derive(Serialize, Deserialize)]
        struct Of(#[serde(with = "super")] PathBuf);
        for bytes in [b"a b".as_slice(), b"\xff/\xfe"] {
            let text = serde_json::to_string(&Of(path(bytes))).unwrap();
            assert_eq!(serde_json::from_str::<Of>(&text).unwrap().0, path(bytes), "{text}");
        }
    }
}
