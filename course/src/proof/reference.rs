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

/// Measures every solution.
///
/// # Errors
/// A solution that is not right; no compiler.
pub fn measure(course: &Course) -> anyhow::Result<References> {
    let judge = Judge { workers: Workers::of_this_program(false)?, references: References::default() };
    let mut panels = BTreeMap::new();
    for exercise in &course.exercises {
        let (text, starter) = (course.text(exercise)?, course.starter(exercise)?);
        let mut panel = Panel::new();
        // At all sizes that a seed may draw, where there are such.
        for seed in SEED..SEED + SIZES {
            let verdict = judge.judge(exercise, &text, &starter, seed)?;
            let is_right = matches!(verdict.state, State::Passed | State::Right);
            anyhow::ensure!(is_right, "{}: the solution is not right: {}", exercise.id(), verdict.story);
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
    Ok(References(panels))
}

/// Writes `course/exercises/reference.json` anew.
///
/// # Errors
/// As [`measure`]; a file that cannot be written.
pub fn write(course: &Course) -> anyhow::Result<()> {
    let references = measure(course)?;
    let text = serde_json::to_string_pretty(&references)? + "\n";
    std::fs::write(course.root.join(References::FILE), text)?;
    say!("{}: {} exercises", References::FILE, references.0.len());
    Ok(())
}
