//! The lab's question, and the run that answers it.

use common::device::ByDevice;
use common::question::{Bar, Bars, Question, Run};
use common::report::screen::{percent, times};
use common::result::{Report, Row, gain_of_time};

/// Assignment 1's two comparisons and assignment 4's work per thread: kernels against each other, and C in page-locked memory against pageable.
pub const QUESTION: Question = Question {
    asks: "Which kernel makes C = A·B fast, and which host memory makes copying C fast?",
    runs: &[
        Run {
            rungs: &["naive", "shared", "shared_4", "register_tile", "warp_tile"],
            flags: ByDevice {
                simulator: &["--size", "1024", "--sample", "--host-memory", "pageable"],
                gpu: &["--size", "4096", "--host-memory", "pageable"],
            },
        },
        Run {
            rungs: &[COPIED],
            flags: ByDevice {
                simulator: &["--size", "1024", "--sample", "--host-memory", "pinned"],
                gpu: &["--size", "4096", "--host-memory", "pinned", "--no-cublas"],
            },
        },
    ],
    ceiling: None,
    rate: Some("gflops"),
    columns: &["peak_percent", "cgma", "global_load_efficiency"],
    beside: copies_of_c,
    learnt,
};

/// The rung that runs with both kinds of host memory.
const COPIED: &str = "shared";

/// The time of copying C, by the memory that C is in.
fn copies_of_c(report: &Report) -> Option<Bars> {
    let [pageable, pinned] = both(report)?;
    let copy = |row: &Row| row.number("phases_ms.copy_out");
    let bar = |place: usize, row: &Row, reason: &str| {
        Some(Bar {
            place,
            name: row.host_memory.clone(),
            value: copy(row)?,
            reason: reason.to_owned(),
            is_reference: false,
            is_right: row.correct && row.findings.is_empty(),
        })
    };
    let mut bars = vec![bar(0, pageable, "")?, bar(1, pinned, "the card writes page-locked memory by itself")?];
    bars.sort_by(|a, b| b.value.total_cmp(&a.value));
    let of = |key: &'static str| {
        let row = |bar: &Bar| if bar.name == pinned.host_memory { pinned } else { pageable };
        bars.iter().map(|bar| row(bar).number(key).into()).collect()
    };
    let columns = vec![
        ("kernel\u{a0}ms".to_owned(), of("phases_ms.kernel")),
        ("all\u{a0}phases\u{a0}ms".to_owned(), of("phases_ms.total")),
    ];
    Some(Bars {
        headings: [format!("C\u{a0}of\u{a0}`{COPIED}`"), "copy\u{a0}out\u{a0}ms".to_owned()],
        more_is_better: false,
        bars,
        columns,
    })
}

/// The same rung with C in pageable memory, and in page-locked.
fn both(report: &Report) -> Option<[&Row; 2]> {
    let of = |memory: &str| report.rows.iter().find(|row| row.variant == COPIED && row.host_memory == memory);
    Some([of("pageable")?, of("pinned")?])
}

fn learnt(report: &Report, bars: &Bars) -> String {
    let mut text = String::new();
    if let Some((worst, best, gain)) = bars.ends() {
        let (worst, best) = (&worst.name, &best.name);
        text += &format!("work per fetched element decides: `{best}` is {} `{worst}`", times(gain));
    }
    let saved = |key: &str| {
        let [pageable, pinned] = both(report)?;
        gain_of_time(pageable.number(key)?, pinned.number(key)?)
    };
    if let (Some(copy), Some(all)) = (saved("phases_ms.copy_out"), saved("phases_ms.total")) {
        text += &format!(". Pinned memory saves {} of C's copy, {} of all phases", percent(copy), percent(all));
    }
    text + "."
}
