//! Names in the exports of learning platforms: whose a file or folder is, and when it came. What is peculiar to Moodle, Canvas or Brightspace
//! is here.

use super::dates::{clock, month};
use serde::{Deserialize, Serialize};
use time::{Date, PrimitiveDateTime};

/// Who handed a submission in, and when, as a learning platform writes it into names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The student's name.
    pub name: Option<String>,
    /// The platform's number, or the account's name.
    pub id: Option<String>,
    /// As the platform writes it: "Nov 25, 2025 312 PM".
    pub handed_in: Option<String>,
    /// True if the platform marked it as late.
    #[serde(default)]
    pub late: bool,
}

/// A name in an export, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Exported<'a> {
    /// The key that all that belongs to one student has in common.
    pub(super) key: String,
    pub(super) owner: Owner,
    /// The name of the file itself, or what the platform says of a folder; empty where it says nothing.
    file: &'a str,
}

/// How a platform names what a student handed in.
pub(super) struct Platform {
    pub(super) name: &'static str,
    pub(super) take: fn(&str) -> Option<Exported>,
    /// True if several hand-ins of a student are later versions of the same, of which the last counts.
    pub(super) versions: bool,
}

/// The platforms whose exports name their students. An archive of GitHub Classroom has a folder for each account, which needs no row.
pub(super) const PLATFORMS: &[Platform] = &[
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

/// Returns whether a file's name is one of an export of Canvas.
pub fn is_of_canvas(name: &str) -> bool {
    canvas(name).is_some()
}

/// The platform that takes feedback by the names of its own export, and the path in its zip of the page for whom a file or folder belongs to.
/// Moodle goes by the folder's name, Canvas by the two numbers, of which the second is that of the file that was handed in.
pub fn feedback_of(name: &str) -> Option<(&'static str, String)> {
    if moodle(name).is_some() {
        let (owner, _) = name.split_once("_assignsubmission_")?;
        return Some(("moodle", format!("{owner}_assignsubmission_file_/feedback.html")));
    }
    let file = canvas(name)?.file;
    Some(("canvas", format!("{}feedback.html", name.strip_suffix(file)?)))
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

/// A date of Brightspace, such as `Nov 25, 2025 312 PM`.
pub fn of_brightspace(text: &str) -> Option<PrimitiveDateTime> {
    let [name, day, year, at, half] = text.split([' ', ',']).filter(|part| !part.is_empty()).collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let at: u16 = at.replace(':', "").parse().ok()?;
    let time = clock(u8::try_from(at / 100).ok()?, u8::try_from(at % 100).ok()?, Some(half))?;
    let date = Date::from_calendar_date(year.parse().ok()?, month(name)?, day.parse().ok()?).ok()?;
    Some(PrimitiveDateTime::new(date, time))
}

/// Returns whether the one was handed in after the other.
pub(super) fn handed_in_later(one: &Owner, other: &Owner) -> bool {
    let at = |owner: &Owner| owner.handed_in.as_deref().and_then(of_brightspace);
    at(one) >= at(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platforms::dates::{At, text_of};

    #[test]
    fn names_of_exports_are_taken_apart() {
        let cases: &[(&str, &str, &str, &str)] = &include!("exported.txt");
        for &(name, key, file, id) in cases {
            let exported = PLATFORMS.iter().find_map(|platform| (platform.take)(name)).expect(name);
            assert_eq!((exported.key.as_str(), exported.file), (key, file), "{name}");
            assert_eq!(exported.owner.id.as_deref(), Some(id), "{name}");
            assert_eq!(exported.owner.late, name.contains("LATE"), "{name}");
            // Feedback goes back to the same student.
            let back = feedback_of(name).map(|(_, path)| student_of(path.split('/').next().unwrap()));
            assert_eq!(back.flatten().as_deref(), (!name.contains(" - ")).then_some(key), "{name}");
        }
        for name in
            ["anna", "2_naive.cu", "group_1_2.zip", "my_labs_v2.tar.gz", "Jane Doe - labs - final", "1-2 - a - b"]
        {
            assert!(PLATFORMS.iter().all(|platform| (platform.take)(name).is_none()), "{name}");
        }
    }

    #[test]
    fn dates_of_brightspace_are_read() {
        for (text, expected) in [
            ("Nov 25, 2025 312 PM", "2025-11-25 15:12"),
            ("Jan 1, 2026 1200 AM", "2026-01-01 00:00"),
            ("Jan 1, 2026 12:30 PM", "2026-01-01 12:30"),
        ] {
            assert_eq!(of_brightspace(text).map(|at| text_of(At::Local(at))).as_deref(), Some(expected), "{text}");
        }
        assert!(of_brightspace("Foo 1, 2026 100 PM").is_none() && of_brightspace("").is_none());
    }
}
