//! The lab's question, and the run that answers it.

use common::device::ByDevice;
use common::question::{Bars, Question, Run};
use common::report::screen::{percent, times};
use common::result::Report;

/// Assignment 2's reductions, for a matrix that no L2 cache holds: each element of A is read once, so memory is the limit.
pub const QUESTION: Question = Question {
    asks: "b = A·x: which way of adding up the products of a row keeps up with memory?",
    runs: &[Run {
        rungs: &["read", "repeated", "shared_atomic", "atomic", "cooperative", "shuffle", "block_per_row"],
        flags: ByDevice {
            simulator: &["--size", "4096", "--sample", "--sx", "16", "--no-cpu"],
            gpu: &["--size", "8192", "--sx", "16", "--no-cpu"],
        },
    }],
    ceiling: Some("read"),
    rate: Some("gbytes_per_s"),
    columns: &["gflops", "memory_percent", "atomics"],
    beside: |_| None,
    learnt,
};

fn learnt(report: &Report, bars: &Bars) -> String {
    let Some((worst, best, gain)) = bars.ends() else { return "nothing, since no rung ran.".to_owned() };
    let share =
        report.rows.iter().filter(|row| row.variant == best.name).filter_map(|row| row.number("memory_percent"));
    let share = share.fold(f64::NAN, f64::max);
    let reached = if share.is_finite() { format!(", {} of what memory allows", percent(share)) } else { String::new() };
    let (best, worst) = (&best.name, &worst.name);
    format!("sums belong in registers, not in global memory: `{best}` is {} `{worst}`{reached}.", times(gain))
}
