//! Files that several of a class handed in alike: a note for the instructor, which costs no points and stands on no student's page.

use crate::record::Record;
use exercises::table::Course;
use exercises::text::hash;
use std::collections::{BTreeMap, BTreeSet};

/// Others, and files, that are named.
const MOST_LISTED: usize = 6;

/// For each submission, by its name, the others that have the same files. What the hand-out gave to all is none of them.
pub fn of_class<'a>(course: &Course, class: impl Iterator<Item = &'a Record>) -> BTreeMap<&'a str, String> {
    let starters = course.exercises.iter().filter_map(|exercise| course.starter(exercise).ok());
    let answers = course.labs.iter().map(|lab| course.answers(lab));
    let given: BTreeSet<String> = starters.chain(answers).chain([String::new()]).map(|text| hash(&text)).collect();
    let mut owners: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for record in class {
        for (path, hash) in record.hashes.iter().filter(|(_, hash)| !given.contains(*hash)) {
            owners.entry((path, hash)).or_default().push(&record.name);
        }
    }
    let mut copies: BTreeMap<&str, BTreeMap<Vec<&str>, Vec<&str>>> = BTreeMap::new();
    for ((path, _), names) in owners.into_iter().filter(|(_, names)| names.len() > 1) {
        for own in &names {
            let others = names.iter().copied().filter(|name| name != own).collect();
            copies.entry(own).or_default().entry(others).or_default().push(path);
        }
    }
    let told = |(others, files): (Vec<&str>, Vec<&str>)| format!("same hash as {}: {}", first(&others), first(&files));
    let line = |all: BTreeMap<Vec<&str>, Vec<&str>>| all.into_iter().map(told).collect::<Vec<_>>().join("; ");
    copies.into_iter().map(|(name, all)| (name, line(all))).collect()
}

fn first(all: &[&str]) -> String {
    let more = if all.len() > MOST_LISTED { format!(" and {} more", all.len() - MOST_LISTED) } else { String::new() };
    all[..all.len().min(MOST_LISTED)].join(", ") + &more
}
