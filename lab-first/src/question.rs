//! The lab's question, and the run that answers it.

use common::device::ByDevice;
use common::question::{Bars, Question, Run};
use common::report::screen::{percent, times};
use common::result::Report;

/// The last steps of the sheet: the sum of a block as a tree with barriers, and by shuffles. The sums within warps alone are what both have to do
/// at least.
pub const QUESTION: Question = Question {
    asks: "The threads of a block have a number each. What does it cost to add them up?",
    runs: &[Run {
        rungs: &["barrier", "shuffle", "block_sum"],
        flags: ByDevice { simulator: &["--size", "2048x8192", "--sample"], gpu: &["--size", "4096x16384"] },
    }],
    ceiling: Some("shuffle"),
    rate: Some("gbytes_per_s"),
    columns: &["barriers"],
    beside: |_| None,
    learnt,
};

fn learnt(_: &Report, bars: &Bars) -> String {
    let Some((worst, best, gain)) = bars.ends() else { return "nothing, since no rung ran.".to_owned() };
    let limit = bars.bars.iter().find(|bar| bar.is_reference);
    let reached = limit.map_or(String::new(), |limit| {
        format!(", {} of `{}`, which adds within warps alone", percent(100.0 * best.value / limit.value), limit.name)
    });
    format!(
        "at a barrier all warps wait for the slowest, and a shuffle needs none: `{}` is {} `{}`{reached}.",
        best.name,
        times(gain),
        worst.name
    )
}
