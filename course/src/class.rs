//! A class as it is handed to the grader: paths, among them the exports of learning platforms. What of an export belongs to one student is
//! one submission, and has that student's name.

use crate::names::{name_of, unique, whole};
use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// One of a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// As no other is named.
    pub name: String,
    /// Where it lies.
    #[serde(with = "crate::names")]
    pub path: PathBuf,
    /// Further files and folders of the same student.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<PathBuf>,
    /// Who handed it in, as far as its name says.
    #[serde(default)]
    pub owner: Owner,
}

/// Who handed a submission in, and when, as a learning platform writes it into names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The student's name.
    pub name: Option<String>,
    /// The platform's number, or the account's name.
    pub id: Option<String>,
    /// As the platform writes it: "Nov 25, 2025 312 PM".
    pub handed_in: Option<String>,
    /// Whether the platform marked it as late.
    #[serde(default)]
    pub late: bool,
}

impl Entry {
    /// Everything of it.
    pub fn paths(&self) -> Vec<PathBuf> {
        std::iter::once(&self.path).chain(&self.more).cloned().collect()
    }
}

/// A name in an export, taken apart.
#[derive(Debug, PartialEq, Eq)]
struct Exported<'a> {
    /// The key that all that belongs to one student has in common.
    key: String,
    owner: Owner,
    /// The name of the file itself, or what the platform says of a folder; empty where it says nothing.
    file: &'a str,
}

/// All that belongs to one student.
#[derive(Default)]
struct Group {
    /// The key that its names have in common; none for a path that no platform has named.
    key: Option<String>,
    owner: Owner,
    paths: Vec<PathBuf>,
}

impl Group {
    /// The submission's name, unless another one has it too, and the path that tells it from that one.
    fn named(&self) -> (String, PathBuf) {
        let name = self.key.as_ref().map_or_else(|| name_of(&self.paths[0]), |key| name_of(Path::new(key)));
        (name, self.paths[0].clone())
    }
}

/// How a platform names what a student handed in.
struct Platform {
    name: &'static str,
    take: fn(&str) -> Option<Exported>,
    /// Whether several hand-ins of a student are later versions of the same, of which the last counts.
    versions: bool,
}

/// The platforms whose exports name their students. An archive of GitHub Classroom has a folder for each account, which needs no row.
const PLATFORMS: &[Platform] = &[
    Platform { name: "Moodle", take: moodle, versions: false },
    Platform { name: "Brightspace", take: brightspace, versions: true },
    Platform { name: "Canvas", take: canvas, versions: false },
];

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `Jane Doe_12345_assignsubmission_file_`, a folder, or the same before a file's name.
fn moodle(text: &str) -> Option<Exported<'_>> {
    let (head, rest) = text.split_once("_assignsubmission_")?;
    let (name, id) = head.rsplit_once('_').filter(|(_, id)| is_number(id))?;
    // `file` of a folder is "file" or "onlinetext".
    let file = rest.split_once('_').map(|(_, file)| file).filter(|file| !file.is_empty());
    let file = file.unwrap_or(rest.trim_end_matches('_'));
    let owner = Owner { name: Some(name.to_owned()), id: Some(id.to_owned()), ..Owner::default() };
    Some(Exported { key: format!("{name}_{id}"), owner, file })
}

/// `12345-678 - Jane Doe - Nov 25, 2025 312 PM`, a folder, or the same before a file's name.
fn brightspace(text: &str) -> Option<Exported<'_>> {
    let mut parts = text.splitn(4, " - ");
    let (numbers, name, date) = (parts.next()?, parts.next()?, parts.next()?);
    let (id, folder) = numbers.split_once('-')?;
    let is_date = date.ends_with(" AM") || date.ends_with(" PM");
    if !is_number(id) || !is_number(folder) || !is_date {
        return None;
    }
    let owner = Owner {
        name: Some(name.trim().to_owned()),
        id: Some(id.to_owned()),
        handed_in: Some(date.to_owned()),
        late: false,
    };
    Some(Exported { key: format!("{}_{id}", name.trim()), owner, file: parts.next().unwrap_or("") })
}

/// `doejane_LATE_12345_678_2_naive.cu`: always a file; the account's number and the hand-in's follow the name.
fn canvas(text: &str) -> Option<Exported<'_>> {
    let (name, rest) = text.split_once('_')?;
    let late = rest.strip_prefix("LATE_");
    let (id, rest) = late.unwrap_or(rest).split_once('_').filter(|(id, _)| is_number(id))?;
    let (_, file) = rest.split_once('_').filter(|(number, file)| is_number(number) && file.contains('.'))?;
    if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() && !c.is_uppercase()) {
        return None;
    }
    let owner = Owner { name: Some(name.to_owned()), id: Some(id.to_owned()), handed_in: None, late: late.is_some() };
    Some(Exported { key: format!("{name}_{id}"), owner, file })
}

/// A file's own name in that of an export.
pub fn file_of(name: &str) -> Option<&str> {
    let exported = PLATFORMS.iter().find_map(|platform| (platform.take)(name))?;
    Some(exported.file).filter(|file| !file.is_empty())
}

/// The student whom a name of an export belongs to.
pub fn student_of(name: &str) -> Option<String> {
    PLATFORMS.iter().find_map(|platform| Some((platform.take)(name)?.key))
}

/// A class by its paths, and what a person should know about how it was read. A folder that holds an export stands for all that it holds.
///
/// # Errors
/// A folder that cannot be read; an export of nobody.
pub fn class(paths: &[PathBuf]) -> anyhow::Result<(Vec<Entry>, Vec<String>)> {
    let mut all = Vec::new();
    for path in paths {
        match export(path)? {
            Some(inside) => all.extend(inside),
            None => all.push(path.clone()),
        }
    }
    ensure!(!all.is_empty(), "no submission is given");
    let mut said = Vec::new();
    let mut groups: Vec<Group> = Vec::new();
    let mut places: BTreeMap<(usize, String), usize> = BTreeMap::new();
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for path in all {
        let text = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if ["index.html", ".DS_Store", "__MACOSX"].contains(&text) {
            continue;
        }
        let found = PLATFORMS.iter().enumerate().find_map(|(at, platform)| Some((at, (platform.take)(text)?)));
        let Some((at, exported)) = found else {
            groups.push(Group { paths: vec![path], ..Group::default() });
            continue;
        };
        let Exported { key, owner, .. } = exported;
        let place = *places.entry((at, key.clone())).or_insert_with(|| {
            *counts.entry(at).or_default() += 1;
            groups.push(Group { key: Some(key.clone()), owner: owner.clone(), paths: Vec::new() });
            groups.len() - 1
        });
        let group = &mut groups[place];
        if !PLATFORMS[at].versions || group.owner.handed_in == owner.handed_in {
            group.owner.late |= owner.late;
            group.paths.push(path);
        } else {
            said.push(format!("{key}: handed in several times; the last one counts"));
            if later(&owner, &group.owner) {
                (group.owner, group.paths) = (owner, vec![path]);
            }
        }
    }
    // Who forgot the star would get one grade for all.
    if let ([path], [_]) = (paths, &groups[..])
        && path.is_dir()
        && !path.join("kernels").exists()
        && several(path)
    {
        let folder = path.display();
        said.push(format!("{folder} is read as one submission; if it holds a class, next: just grade {folder}/*"));
    }
    for (at, count) in counts {
        said.push(format!("{count} students of an export of {}", PLATFORMS[at].name));
    }
    let names = unique(&groups.iter().map(Group::named).collect::<Vec<_>>());
    let entry = |(name, group): (String, Group)| {
        let mut paths = group.paths.iter().map(|path| whole(path));
        let path = paths.next().expect("one at least");
        Entry { name, path, more: paths.collect(), owner: group.owner }
    };
    Ok((names.into_iter().zip(groups).map(entry).collect(), said))
}

/// Whether a folder holds several folders or archives.
fn several(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let archive = |path: &Path| {
        path.extension().is_some_and(|ending| ["zip", "tar", "gz", "tgz"].iter().any(|one| ending == *one))
    };
    paths.filter(|path| path.is_dir() || archive(path)).take(2).count() > 1
}

/// Whether the one was handed in after the other.
fn later(one: &Owner, other: &Owner) -> bool {
    let at = |owner: &Owner| owner.handed_in.as_deref().and_then(crate::dates::of_brightspace);
    at(one) >= at(other)
}

/// The entries of an export: a folder whose every entry a platform has named, or GitHub Classroom, whose folder of `labs-submissions` holds
/// `labs-anna` and so on.
fn export(folder: &Path) -> anyhow::Result<Option<Vec<PathBuf>>> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let entries = fs::read_dir(folder).with_context(|| format!("{}", folder.display()))?;
    let mut inside: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    let text = |path: &Path| path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    inside.retain(|path| !["index.html", ".DS_Store", "__MACOSX"].contains(&text(path).as_str()));
    inside.sort();
    let named = |platform: &Platform| inside.iter().all(|path| (platform.take)(&text(path)).is_some());
    let prefix = text(folder).strip_suffix("-submissions").map(|prefix| format!("{prefix}-"));
    let classroom =
        prefix.is_some_and(|prefix| inside.iter().all(|path| path.is_dir() && text(path).starts_with(&prefix)));
    Ok((!inside.is_empty() && (classroom || PLATFORMS.iter().any(named))).then_some(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_exports_are_taken_apart() {
        for (name, key, file, id) in [
            ("Jane Doe_12345_assignsubmission_file_", "Jane Doe_12345", "file", "12345"),
            ("Jane Doe_12345_assignsubmission_file", "Jane Doe_12345", "file", "12345"),
            ("Ana_Maria Sá_7_assignsubmission_onlinetext_", "Ana_Maria Sá_7", "onlinetext", "7"),
            ("Jane Doe_12345_assignsubmission_file_my_labs.zip", "Jane Doe_12345", "my_labs.zip", "12345"),
            ("1234-56 - Jane Doe - Nov 25, 2025 312 PM", "Jane Doe_1234", "", "1234"),
            ("1234-56 - Jane Doe - Nov 25, 2025 312 PM - 2_naive.cu", "Jane Doe_1234", "2_naive.cu", "1234"),
            ("doejane_1234_5678_2_naive.cu", "doejane_1234", "2_naive.cu", "1234"),
            ("doejane_LATE_1234_5678_labs.zip", "doejane_1234", "labs.zip", "1234"),
        ] {
            let exported = PLATFORMS.iter().find_map(|platform| (platform.take)(name)).expect(name);
            assert_eq!((exported.key.as_str(), exported.file), (key, file), "{name}");
            assert_eq!(exported.owner.id.as_deref(), Some(id), "{name}");
            assert_eq!(exported.owner.late, name.contains("LATE"), "{name}");
        }
        for name in
            ["anna", "2_naive.cu", "group_1_2.zip", "my_labs_v2.tar.gz", "Jane Doe - labs - final", "1-2 - a - b"]
        {
            assert!(PLATFORMS.iter().all(|platform| (platform.take)(name).is_none()), "{name}");
        }
    }

    #[test]
    fn what_belongs_to_one_student_is_one_submission() {
        let folder = tempfile::tempdir().unwrap();
        let export = folder.path().join("export");
        let file = |name: &str| {
            fs::create_dir_all(&export).unwrap();
            fs::write(export.join(name), "").unwrap();
        };
        ["doejane_1_2_2_naive.cu", "doejane_1_3_3_shared.cu", "roerich_LATE_4_5_labs.zip"].into_iter().for_each(file);
        let (entries, said) = class(std::slice::from_ref(&export)).unwrap();
        assert_eq!(entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["doejane_1", "roerich_4"]);
        assert_eq!((entries[0].paths().len(), entries[1].owner.late), (2, true));
        assert!(said[0].contains("2 students of an export of Canvas"), "{said:?}");
        // With another file among them it is one submission.
        file("notes.txt");
        assert_eq!(class(std::slice::from_ref(&export)).unwrap().0.len(), 1);

        let brightspace = folder.path().join("brightspace");
        for name in ["1-9 - Jane Doe - Nov 9, 2025 1112 PM", "1-9 - Jane Doe - Nov 10, 2025 912 AM"] {
            fs::create_dir_all(brightspace.join(name)).unwrap();
        }
        fs::write(brightspace.join("index.html"), "").unwrap();
        let (entries, said) = class(&[brightspace]).unwrap();
        assert!(entries.len() == 1 && entries[0].path.ends_with("1-9 - Jane Doe - Nov 10, 2025 912 AM"), "{entries:?}");
        assert!(said[0].contains("several times"), "{said:?}");

        let classroom = folder.path().join("labs-submissions");
        for name in ["labs-anna", "labs-bert"] {
            fs::create_dir_all(classroom.join(name)).unwrap();
        }
        assert_eq!(class(&[classroom]).unwrap().0.len(), 2);
        let plain = folder.path().join("class");
        for name in ["anna", "bert"] {
            fs::create_dir_all(plain.join(name)).unwrap();
        }
        let (entries, said) = class(std::slice::from_ref(&plain)).unwrap();
        assert!(entries.len() == 1 && said[0].contains("class/*"), "{said:?}");
    }
}
