//! The solutions' figures: what techniques are measured against, and what a student sees beside the own figures.

use exercises::judge::Judge;
use exercises::process::Workers;
use exercises::say;
use exercises::table::Course;
use exercises::technique::{References, SIZES, TESTED};
use exercises::verdict::{Panel, State};
use std::collections::BTreeMap;

/// The seed of every verdict here: figures of the measured run do not depend on its data.
const SEED: u64 = 1;

/// Measures the solutions of some exercises. Those that have no figures are told with the reason.
///
/// # Errors
/// No compiler.
pub fn measure(course: &Course, name: Option<&str>) -> anyhow::Result<(References, Vec<String>)> {
    let judge = Judge { workers: Workers::of_this_program(false)?, references: References::default() };
    let (mut panels, mut rest) = (BTreeMap::new(), Vec::new());
    'exercises: for exercise in course.select(name)? {
        let texts = course.text(exercise).and_then(|text| Ok((text, course.starter(exercise)?)));
        let (text, starter) = match texts {
            Ok(texts) => texts,
            Err(why) => {
                rest.push(format!("{}: {why:#}", exercise.id()));
                continue;
            }
        };
        let mut panel = Panel::new();
        // At all sizes that a seed may draw, where there are such.
        for seed in SEED..SEED + SIZES {
            let verdict = judge.judge(exercise, &text, &starter, seed)?;
            if !matches!(verdict.state, State::Passed | State::Right) {
                rest.push(format!("{}: the solution is not right: {}", exercise.id(), verdict.story));
                continue 'exercises;
            }
            // Times of the clock's model may be calibrated anew at any time; to five digits they are the same on every machine.
            let figures = verdict.panel.into_iter().map(|(name, value)| (name, (value * 1e5).round() / 1e5));
            for (name, value) in figures {
                // Over drawn sizes a floor is that of the seed with the least.
                let least = |kept: &mut f64| {
                    if name.starts_with(TESTED) {
                        *kept = kept.min(value)
                    }
                };
                panel.entry(name.clone()).and_modify(least).or_insert(value);
            }
            if !panel.keys().any(|name| name.starts_with("at_")) {
                break;
            }
        }
        panels.insert(exercise.id(), panel);
    }
    Ok((References(panels), rest))
}

/// Writes `course/exercises/reference.json` anew, or the figures of some exercises in it. Returns whether all have some; what has none keeps its old
/// ones, and is named.
///
/// # Errors
/// As [`measure`]; a file that cannot be written.
pub fn write(course: &Course, name: Option<&str>) -> anyhow::Result<bool> {
    let (References(mut new), rest) = measure(course, name)?;
    let count = new.len();
    let mut all = References::read(&course.root)?;
    all.0.retain(|id, _| course.exercises.iter().any(|exercise| exercise.id() == *id));
    all.0.append(&mut new);
    let text = serde_json::to_string_pretty(&all)? + "\n";
    std::fs::write(course.root.join(References::FILE), text)?;
    say!("{}: {count} exercises measured", References::FILE);
    for line in &rest {
        say!("without new figures: {line}");
    }
    Ok(rest.is_empty())
}
