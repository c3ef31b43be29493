//! The lab's question, and the run that answers it.

use common::device::ByDevice;
use common::question::{Bars, Question, Run};
use common::report::screen::{percent, times};
use common::result::Report;

/// Assignment 3's ladder, for a matrix that no L2 cache holds: in a cache the stores of `naive` cost little, and its bank conflicts are the
/// larger part of what a tile takes.
pub const QUESTION: Question = Question {
    asks: "Aᵀ moves each element once. What keeps a transpose from being as fast as a copy?",
    runs: &[Run {
        rungs: &["copy", "naive", "shared_dynamic", "padded", "coarsened"],
        flags: ByDevice { simulator: &["--size", "4096", "--sample", "--no-yardsticks"], gpu: &["--size", "8192"] },
    }],
    ceiling: Some("copy"),
    rate: Some("gbytes_per_s"),
    columns: &["copy_percent", "global_store_efficiency", "conflicts_per_access"],
    beside: |_| None,
    learnt,
};

fn learnt(report: &Report, bars: &Bars) -> String {
    let Some((worst, best, gain)) = bars.ends() else { return "nothing, since no rung ran.".to_owned() };
    let share = report.rows.iter().find(|row| row.variant == best.name).and_then(|row| row.number("copy_percent"));
    let reached = share.map_or(String::new(), |share| format!(", {} of a copy", percent(share)));
    format!(
        "whole sectors first, then all banks, then several loads on their way: `{}` is {} `{}`{reached}.",
        best.name,
        times(gain),
        worst.name
    )
}
