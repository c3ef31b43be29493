//! The lab's question, and the run that answers it.

use common::device::ByDevice;
use common::question::{Bars, Question, Run};
use common::report::screen::times;
use common::result::Report;

/// The ladder of the reduction; the other four are asked by `--variant`. On the simulator its elements fit into the card's L2 cache, so that the
/// way from memory, which is the same for all, hides no idea.
pub const QUESTION: Question = Question {
    asks: "A sum reads each element once. What keeps it from the rate of the memory?",
    runs: &[Run {
        rungs: &["reduce_interleaved", "reduce_sequential", "reduce_shuffle", "reduce_vectorised"],
        flags: ByDevice { simulator: &["--size", "4194304"], gpu: &["--size", "67108864"] },
    }],
    ceiling: None,
    rate: Some("gbytes_per_s"),
    columns: &["barriers", "atomics"],
    beside: |_| None,
    learnt,
};

fn learnt(_: &Report, bars: &Bars) -> String {
    let Some((worst, best, gain)) = bars.ends() else { return "nothing, since no rung ran.".to_owned() };
    format!(
        "whole warps first, then registers before shared memory, then bytes on their way: `{}` is {} `{}`.",
        best.name,
        times(gain),
        worst.name
    )
}
