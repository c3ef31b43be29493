//! The lab's question, and the run that answers it.

use common::device::ByDevice;
use common::question::{Bars, Question, Run};
use common::report::screen::{percent, times};
use common::result::Report;

/// The ladder of the reduction; the other four are asked by `--variant`. Its elements fit into no L2 cache of a card of today but the largest.
pub const QUESTION: Question = Question {
    asks: "A sum reads each element once. What keeps it from the rate of the memory?",
    runs: &[Run {
        rungs: &["reduce_interleaved", "reduce_sequential", "reduce_shuffle", "reduce_vectorised"],
        flags: ByDevice { simulator: &["--size", "16777216"], gpu: &["--size", "67108864"] },
    }],
    ceiling: None,
    rate: Some("gbytes_per_s"),
    columns: &["barriers", "atomics"],
    beside: |_| None,
    learnt,
};

/// A rung with this part of the memory's rate leaves nothing to gain to those after it.
const REACHED: f64 = 0.85;

fn learnt(report: &Report, bars: &Bars) -> String {
    let Some((worst, best, gain)) = bars.ends() else { return "nothing, since no rung ran.".to_owned() };
    let memory = report.roof.and_then(|roof| roof.memory_gbytes_per_s).unwrap_or(f64::INFINITY);
    let reached = bars.gained().filter(|bar| bar.value >= REACHED * memory).min_by_key(|bar| bar.place);
    if let Some(reached) = reached.filter(|reached| bars.gained().any(|bar| bar.place > reached.place)) {
        return format!(
            "`{}` has {} of the most that this card's memory gives, so the ideas after it have little to gain here; a faster memory, as \
             --device sim:h200 has it, shows them.",
            reached.name,
            percent(100.0 * reached.value / memory)
        );
    }
    format!(
        "whole warps first, then registers before shared memory, then bytes on their way: `{}` is {} `{}`.",
        best.name,
        times(gain),
        worst.name
    )
}
