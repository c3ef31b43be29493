//! Programs that are right: cheats, which reach the result without the technique and lose its points, and honest ones in unusual styles, which
//! keep all of them.
//!
//! `course/cheats/LAB/EXERCISE/NAME.cu` begins with `// due: 15 of 25`, the points that are left; `course/honest/LAB/EXERCISE/NAME.cu` is due
//! all of them.

use anyhow::{Context, ensure};
use exercises::table::{Course, Exercise};
use exercises::technique::{References, broken};
use exercises::verdict::{State, Verdict};
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// The cheats of an exercise.
///
/// # Errors
/// A file that cannot be read, or whose first line does not say what is due.
pub fn cheats(course: &Course, exercise: &Exercise) -> anyhow::Result<Vec<Sample>> {
    let due = |text: &str| {
        let (due, of) = text.lines().next()?.strip_prefix("// due: ")?.split_once(" of ")?;
        (of.trim() == exercise.points.to_string()).then(|| due.parse().ok())?
    };
    let files = files(&course.root.join("course/cheats"), exercise)?;
    let sample = |(name, text): (String, String)| {
        let due = due(&text).with_context(|| {
            format!("cheat {}/{name}: its first line is not '// due: N of {}'", exercise.id(), exercise.points)
        })?;
        Ok(Sample { name: format!("cheat {name}"), text, due })
    };
    files.into_iter().map(sample).collect()
}

/// The honest solutions of an exercise beside its own.
///
/// # Errors
/// A file that cannot be read.
pub fn honest(course: &Course, exercise: &Exercise) -> anyhow::Result<Vec<Sample>> {
    let files = files(&course.root.join("course/honest"), exercise)?;
    let sample = |(name, text)| Sample { name: format!("honest {name}"), text, due: exercise.points };
    Ok(files.into_iter().map(sample).collect())
}

/// Name and text of each file of an exercise's folder, by name; none where there is no folder.
fn files(folder: &Path, exercise: &Exercise) -> anyhow::Result<Vec<(String, String)>> {
    let folder = folder.join(&exercise.lab).join(&exercise.name);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let ending = Path::new(&exercise.file).extension();
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        ensure!(path.extension() == ending, "{} is no such file as {}", path.display(), exercise.file);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        files.push((name, fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?));
    }
    files.sort();
    Ok(files)
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
    work: impl Fn(&T) -> anyhow::Result<R> + Sync,
) -> anyhow::Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((index, item)) = items.iter().enumerate().nth(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = work(item);
                    results.lock().expect("no worker panics while it holds it").push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("all workers have ended");
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
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
    }

    #[test]
    fn results_come_in_the_order_of_their_items() {
        let items: Vec<usize> = (0..50).collect();
        assert_eq!(side_by_side(&items, |&item| Ok(2 * item)).unwrap()[49], 98);
        let failed = side_by_side(&items, |&item| if item > 3 { anyhow::bail!("{item}") } else { Ok(()) });
        assert_eq!(failed.unwrap_err().to_string(), "4");
        assert!(side_by_side(&[], |_: &u8| Ok(())).unwrap().is_empty());
    }
}
