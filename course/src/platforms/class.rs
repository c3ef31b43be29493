//! A class as it is handed to the grader: paths, among them the exports of learning platforms. What of an export belongs to one student is
//! one submission, and has that student's name.

use super::exports::{Exported, Owner, PLATFORMS, Platform, handed_in_later};
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

impl Entry {
    /// Everything of it.
    pub fn paths(&self) -> Vec<PathBuf> {
        std::iter::once(&self.path).chain(&self.more).cloned().collect()
    }
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
            if handed_in_later(&owner, &group.owner) {
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

/// Returns whether a folder holds several folders or archives.
fn several(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let archive = |path: &Path| {
        path.extension().is_some_and(|ending| ["zip", "tar", "gz", "tgz"].iter().any(|one| ending == *one))
    };
    paths.filter(|path| path.is_dir() || archive(path)).take(2).count() > 1
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
