//! The simulated card of all verdicts, and a student's text as a source for it.

use anyhow::Context;
use kernels::{Source, Target};

/// The simulator's default, so that a lab without flags shows the same figures. `card` in `course/course.toml` chooses another one.
pub const PROFILE: &str = "rtx4060";

/// The compile target of kernels for a card of the simulator's table: PTX of its own architecture, so that a kernel may use all that it has.
///
/// # Errors
/// No simulator; a card that is not in its table.
pub fn target(card: &str) -> anyhow::Result<Target> {
    let profiles = common::device::profiles()?;
    let profile = profiles.iter().find(|profile| profile.key == card);
    let [major, minor] = profile.with_context(|| unknown(card))?.architecture.compute_capability;
    Ok(Target::ExactPtx { major, minor })
}

fn unknown(card: &str) -> String {
    format!("course.toml: the simulator has no card '{card}'; next: just lab gemm --list")
}

/// The source of a rung with a student's text; its PTX is found by that text. No file is read: a confined process could not.
///
/// # Errors
/// No such rung.
pub fn source(lab: &str, rung: &str, text: String) -> anyhow::Result<Source> {
    Ok(kernels::with_text(lab, rung, text)?)
}
