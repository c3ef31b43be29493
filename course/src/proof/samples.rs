//! Programs that are right: cheats, which reach the result without the technique and lose its points, and honest ones in unusual styles, which
//! keep all of them.
//!
//! Each is kept as an edit of its exercise's solution, `course/cheats/LAB/EXERCISE/NAME.edit`, so that the rest follows the solution:
//! ```text
//! due: 15 of 25                  a cheat's first line: the points that are left; an honest one keeps all
//! Words about it, up to an empty line.
//!
//! @from FIRST LINE               a passage of the solution, which the following lines replace; without @to, one line
//! @to LAST LINE
//! @after LINE                    the following lines come after it
//! @onwards LINE                  the following lines replace all from it on
//! ```
//! A line is the first of that text after the passage before. `course sample LAB/EXERCISE/NAME` shows the whole file.

use anyhow::{Context, bail, ensure};
use exercises::table::{Course, Exercise};
use exercises::technique::{References, broken};
use exercises::verdict::{State, Verdict};
use rayon::prelude::*;
use std::fs;

/// Cheats that an exercise with a technique must have: one may be caught by accident.
const LEAST_CHEATS: usize = 3;

/// A right program and the points that it must get.
pub struct Sample {
    /// The file's stem, or what it is.
    pub name: String,
    /// The whole file.
    pub text: String,
    /// Points.
    pub due: u32,
}

/// The samples of a kind, `cheats` or `honest`, of an exercise, by name; none where there is no folder.
///
/// # Errors
/// A file that cannot be read, that does not fit the solution, or a cheat whose first line does not say what is due.
pub fn of(course: &Course, kind: &str, exercise: &Exercise) -> anyhow::Result<Vec<Sample>> {
    let folder = course.root.join("course").join(kind).join(&exercise.lab).join(&exercise.name);
    let solution = course.text(exercise)?;
    let mut samples = Vec::new();
    for entry in fs::read_dir(&folder).into_iter().flatten() {
        let path = entry?.path();
        let place = || format!("{}", path.display());
        ensure!(path.extension().is_some_and(|extension| extension == "edit"), "{} is no edit", path.display());
        let edit = fs::read_to_string(&path).with_context(place)?;
        let (words, edit) = edit.split_once("\n\n").with_context(place)?;
        ensure!(!words.contains("\n@"), "{} begins with words about it and an empty line", path.display());
        let due = || {
            let (due, of) = words.lines().next()?.strip_prefix("due: ")?.split_once(" of ")?;
            (of.trim() == exercise.points.to_string()).then(|| due.parse().ok())?
        };
        let due = if kind == "honest" { Some(exercise.points) } else { due() };
        let due = due.with_context(|| format!("{}: its first line is not 'due: N of {}'", place(), exercise.points))?;
        let name = format!("{kind}/{}", path.file_stem().unwrap_or_default().to_string_lossy());
        samples.push(Sample { name, text: edited(&solution, edit).with_context(place)?, due });
    }
    samples.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(samples)
}

/// The whole text of a sample by its name, "gemm/shared/no_tile".
///
/// # Errors
/// No sample has that name.
pub fn whole(course: &Course, name: &str) -> anyhow::Result<String> {
    let (id, name) = name.rsplit_once('/').with_context(|| format!("{name} is not LAB/EXERCISE/NAME"))?;
    for (exercise, kind) in course.select(Some(id))?.into_iter().flat_map(|of| [(of, "cheats"), (of, "honest")]) {
        let mut samples = of(course, kind, exercise)?.into_iter();
        if let Some(sample) = samples.find(|sample| sample.name == format!("{kind}/{name}")) {
            return Ok(sample.text);
        }
    }
    bail!("neither course/cheats/{id} nor course/honest/{id} has {name}.edit")
}

/// A solution with the passages of an edit replaced.
fn edited(solution: &str, edit: &str) -> anyhow::Result<String> {
    let lines: Vec<&str> = solution.lines().collect();
    let mut at = 0;
    let mut text = Vec::new();
    let mut edit = edit.lines().peekable();
    while let Some(line) = edit.next() {
        let Some((word, first)) = line.strip_prefix('@').and_then(|rest| rest.split_once(' ')) else {
            text.push(line);
            continue;
        };
        let find = |from: usize, line: &str| {
            let found = lines[from..].iter().position(|other| *other == line);
            found.map(|found| from + found).with_context(|| format!("the solution has no such line left: {line}"))
        };
        let first = find(at, first)?;
        let last = edit.next_if(|next| word == "from" && next.starts_with("@to "));
        let (kept, next) = match (word, last) {
            ("from", Some(last)) => (first, find(first + 1, &last["@to ".len()..])? + 1),
            ("from", None) => (first, first + 1),
            ("after", _) => (first + 1, first + 1),
            ("onwards", _) => (first, lines.len()),
            _ => bail!("@{word} is none of @from, @to, @after, @onwards"),
        };
        text.extend(&lines[at..kept]);
        at = next;
    }
    text.extend(&lines[at..]);
    Ok(text.join("\n") + "\n")
}

/// The defects of an exercise's cheats: points that are not those due, too few, a technique that none of them does without.
pub fn defects_of_cheats(
    exercise: &Exercise,
    cheats: &[Sample],
    verdicts: &[Verdict],
    references: &References,
) -> Vec<String> {
    let mut defects = Vec::new();
    for (cheat, verdict) in cheats.iter().zip(verdicts) {
        let right = verdict.state == State::Right && verdict.points == cheat.due;
        defects.extend(defect(&format!("{}, due {} points", cheat.name, cheat.due), right, verdict));
    }
    if !exercise.idea.is_empty() && !cheats.iter().any(|cheat| cheat.due == exercise.points_without_idea()) {
        defects.push("no cheat is without anything of the exercise's idea".to_owned());
    }
    if exercise.techniques.is_empty() {
        return defects;
    }
    if cheats.len() < LEAST_CHEATS {
        let folder = format!("course/cheats/{}", exercise.id());
        defects.push(format!("{folder} has {} right programs without the technique, not {LEAST_CHEATS}", cheats.len()));
    }
    for technique in &exercise.techniques {
        let loses = |verdict: &Verdict| broken(exercise, technique, &verdict.panel, references).is_some();
        if !verdicts.iter().any(loses) {
            defects.push(format!("no cheat loses the {} points of: {}", technique.points, technique.say));
        }
    }
    defects
}

/// A verdict that is not the expected one, in a line or more.
pub fn defect(what: &str, right: bool, verdict: &Verdict) -> Option<String> {
    let Verdict { state, kind, points, story, .. } = verdict;
    (!right).then(|| format!("{what}: {} ({kind}), {points} points: {story}", state.words()))
}

/// The results for all items, in their order, worked out on all processors.
///
/// # Errors
/// The first error in that order.
pub fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> anyhow::Result<R> + Sync + Send,
) -> anyhow::Result<Vec<R>> {
    let results: Vec<anyhow::Result<R>> = items.par_iter().map(work).collect();
    results.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use exercises::verdict::Panel;
    use std::collections::BTreeMap;

    fn exercise() -> Exercise {
        let row = "lab = 'l'
name = 'e'
file = 'e.cu'
points = 3
hints = ['a', 'b', 'c']
technique = [{ points = 1, value = 'v', most = 1, say = 'do' }]";
        toml::from_str(row).unwrap()
    }

    fn verdict(points: u32, value: f64) -> Verdict {
        let panel = Panel::from([("v".to_owned(), value)]);
        Verdict { points, panel, ..Verdict::new(&exercise(), State::Right, 1) }
    }

    fn sample(due: u32) -> Sample {
        Sample { name: "s".to_owned(), text: String::new(), due }
    }

    #[test]
    fn three_cheats_must_lose_just_what_is_due() {
        let references = References(BTreeMap::new());
        let found = |cheats: usize, verdict: Verdict| {
            let cheats: Vec<Sample> = (0..cheats).map(|_| sample(2)).collect();
            defects_of_cheats(&exercise(), &cheats, &vec![verdict; cheats.len()], &references).len()
        };
        assert_eq!(found(3, verdict(2, 5.0)), 0);
        assert_eq!(found(2, verdict(2, 5.0)), 1, "too few");
        assert_eq!(found(3, verdict(3, 5.0)), 3, "points kept");
        assert_eq!(found(3, verdict(2, 1.0)), 1, "no technique is broken");
        let idea = toml::from_str("value = 'v'\nmost = 1").unwrap();
        let exercise = Exercise { idea: vec![idea], ..exercise() };
        let missing = |due| defects_of_cheats(&exercise, &[sample(due)], &[verdict(due, 5.0)], &references).len();
        assert_eq!([missing(0), missing(2)], [1, 2], "too few, and none without the idea");
    }

    #[test]
    fn an_edit_replaces_passages_in_their_order_and_keeps_the_rest() {
        let whole = |edit: &str| edited("a\n}\nb\nc\n}\nd\n", edit);
        assert_eq!(whole("@from b\n@to }\nnew").unwrap(), "a\n}\nnew\nd\n");
        assert_eq!(whole("@from }\n@after c\nnew\n@from d").unwrap(), "a\nb\nc\nnew\n}\n");
        assert_eq!(whole("@onwards b\nnew").unwrap(), "a\n}\nnew\n");
        assert_eq!(whole("").unwrap(), "a\n}\nb\nc\n}\nd\n");
        let failure = |edit: &str| whole(edit).unwrap_err().to_string();
        assert_eq!(failure("@from d\n@after a"), "the solution has no such line left: a");
        assert_eq!(failure("@befor a"), "@befor is none of @from, @to, @after, @onwards");
    }
}
