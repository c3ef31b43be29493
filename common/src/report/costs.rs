//! The lines of each kernel that cost most, for `--explain` and `--lines`.

use super::layout::paragraph;
use crate::command_line::CommonArgs;
use crate::result::figures::{BOUND_BY, IN_TURN, LIMIT_MS, LIMITED_BY};
use crate::result::{Report, Row};
use serde_json::Value;
use std::io::Write;
use views::explain::{Kernel, Wanted, text, three_digits};

/// Tells of each kernel, at its largest size, why its dearest lines cost so much (`--explain`) and what they count (`--lines`).
pub fn write_costs(out: &mut impl Write, report: &Report, args: &CommonArgs, width: usize) -> std::io::Result<()> {
    if !args.explain && !args.lines {
        return Ok(());
    }
    let wanted = Wanted { reasons: args.explain, counters: args.lines };
    let mut kernels: Vec<(Counted<'_>, &str)> = Vec::new();
    for row in report.by_variant().into_iter().filter_map(|rows| rows.last().copied()) {
        let text = costs_of(row, wanted, width);
        let Some((heading, rest)) = text.split_once('\n') else { continue };
        writeln!(out, "{heading}")?;
        if let Some(sentence) = overlapped(row) {
            paragraph(out, INDENT, &sentence, width)?;
        }
        let counted = counted(row);
        match kernels.iter().find(|(other, _)| *other == counted) {
            Some((_, first)) => writeln!(out, "  the kernel is that of `{first}`, above\n")?,
            None => {
                writeln!(out, "{rest}")?;
                kernels.push((counted, row.variant.as_str()));
            }
        }
    }
    let told = !kernels.is_empty();
    let rest = match (&args.html, told) {
        (_, false) => "no line was counted: a GPU counts none here; --device sim does".to_owned(),
        (Some(page), _) => format!("every line with its counters: {}", page.display()),
        (None, _) => "every line of every size with its counters: --html PAGE.html".to_owned(),
    };
    paragraph(out, "", &rest, width)?;
    writeln!(out)
}

const INDENT: &str = "         ";

/// A batch beside the least that its parts need: all of them at once take as long as the longest.
fn overlapped(row: &Row) -> Option<String> {
    let (least_ms, part) = (row.get(&LIMIT_MS)?, row.get(&LIMITED_BY)?);
    let gain = row.time_ms.median / least_ms;
    // Where the host's calls bind it, overlap gives nothing.
    row.get(&BOUND_BY).is_some_and(|bound_by| bound_by == IN_TURN).then(|| {
        format!("overlapped perfectly it would take {} ms ({gain:.2} ×), as long as its {part}", three_digits(least_ms))
    })
}

/// The instructions of each of a launch's lines: the same of the same kernel and data.
type Counted<'r> = Vec<[Option<&'r Value>; 3]>;

fn counted(row: &Row) -> Counted<'_> {
    row.lines.iter().map(|line| ["file", "line", "instructions"].map(|key| line.get(key))).collect()
}

/// A launch as a reader knows it.
pub fn title_of(row: &Row) -> String {
    let block = if row.block.is_empty() { String::new() } else { format!(", block {}", row.block) };
    format!("{}, {}{block}, {}", row.variant, row.size, row.dtype)
}

fn costs_of(row: &Row, wanted: Wanted, width: usize) -> String {
    let title = title_of(row);
    let bound_by = row.get(&BOUND_BY);
    let kernel = Kernel {
        title: &title,
        time_ms: row.time_ms.median,
        bound_by: bound_by.as_deref(),
        trials: row.trials.as_deref(),
        lines: &row.lines,
    };
    text(&kernel, wanted, width, &source_line)
}

/// A line of a kernel of the labs; nothing where the file is none.
fn source_line(file: &str, line: u64) -> Option<String> {
    let source = kernels::sources().find(|source| source.path == file)?;
    let index = usize::try_from(line).ok()?.checked_sub(1)?;
    Some(source.text.lines().nth(index)?.to_owned())
}
