//! The lab's question, and the run that answers it.

use common::device::ByDevice;
use common::question::{Bars, Question, Run};
use common::report::screen::{percent, times};
use common::result::Report;

/// The lecture's table: ten products, each copied in, computed, and copied out.
pub const QUESTION: Question = Question {
    asks: "Ten products: which method hides how much of the copies in and out?",
    runs: &[Run {
        rungs: &["synchronous", "streamed", "pinned", "streamed_pinned", "mapped", "pipelined"],
        flags: ByDevice { simulator: &["--size", "128"], gpu: &["--size", "1024"] },
    }],
    ceiling: None,
    rate: None,
    columns: &["hidden_percent", "both_ways_percent", "limit_percent"],
    beside: |_| None,
    learnt,
};

fn learnt(report: &Report, bars: &Bars) -> String {
    let Some(best) = bars.gained().next_back() else { return "nothing, since no rung ran.".to_owned() };
    let row = report.rows.iter().find(|row| row.variant == best.name);
    let number = |key: &str| row.and_then(|row| row.number(key));
    let faster = bars.gained().find(|bar| bar.name == "synchronous").map_or(String::new(), |synchronous| {
        format!(": `{}` is {} `{}`", best.name, times(bars.gain(best, synchronous)), synchronous.name)
    });
    let hidden =
        number("hidden_percent").map_or(String::new(), |share| format!(" and hides {} of its copies", percent(share)));
    let limit = number("limit_percent").map_or(String::new(), |share| {
        format!(". The busiest part of the machine works {} of the time", percent(share))
    });
    format!("streams overlap only what is page-locked{faster}{hidden}{limit}.")
}
