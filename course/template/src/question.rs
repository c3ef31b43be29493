//! The lab's question, and the run that answers it.

use common::device::ByDevice;
use common::question::{Bars, Question, Run};
use common::report::screen::times;
use common::result::Report;

/// For vectors that no L2 cache holds.
pub const QUESTION: Question = Question {
    asks: "y = a·x + y does two flops for three elements moved. Does a wider access bring it nearer to memory's rate?",
    runs: &[Run {
        rungs: &["naive", "vectorised"],
        flags: ByDevice { simulator: &["--size", "8388608"], gpu: &["--size", "134217728"] },
    }],
    ceiling: None,
    rate: Some("gbytes_per_s"),
    columns: &["throughput_memory", "theoretical_occupancy"],
    beside: |_| None,
    learnt,
};

fn learnt(_: &Report, bars: &Bars) -> String {
    let Some((worst, best, gain)) = bars.ends() else { return "nothing, since no rung ran.".to_owned() };
    format!(
        "memory is the limit, and whole sectors reach it at any width: `{}` is {} `{}`.",
        best.name,
        times(gain),
        worst.name
    )
}
