//! Renderings of a [`Report`]: tables, JSON, CSV, plots. Only this room prints.

mod activities;
mod columns;
mod comparisons;
mod costs;
mod counters;
mod csv;
mod experiment;
mod figure;
mod layout;
mod number;
mod page;
mod race_freedom;
mod rows;
pub mod screen;
mod side_by_side;
mod table;
mod unit;

pub use columns::{Column, Role};
pub use experiment::print_tables;
pub use figure::{round_step, write_figures};
pub use number::three_digits;
pub use side_by_side::side_by_side;
pub use table::{print_heading_of_details, print_table};

use crate::command_line::{CommonArgs, Destination};
use crate::device::{self, Device};
use crate::error::Verdict;
use crate::ladder::{Variant, listing};
use crate::result::{Next, Report, Row, Table};
use crate::simulator::Profile;
use crate::whole_file;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Renders a report as the command line asks, and gives the verdict on it: what was asked for and no more, each file named in a line.
/// `columns` are the lab's own, after the common ones; `references` the limits and yardsticks among its variants.
pub fn deliver(
    report: &Report,
    args: &CommonArgs,
    columns: &[Column],
    references: &[String],
) -> anyhow::Result<Verdict> {
    let mut written = report.written.clone();
    for (output, what) in outputs(args, columns, references) {
        written.extend(output.write(report)?.map(|path| (path, what)));
    }
    let named: Vec<String> = written.iter().map(|(path, what)| format!("wrote {}: {what}", path.display())).collect();
    match &report.experiment {
        // Standard output is a document by itself.
        _ if is_document(args) => named.iter().for_each(|line| eprintln!("{line}")),
        Some(experiment) => {
            experiment::print_experiment(report, experiment)?;
            // No `println!`, which panics where the reader has left.
            let mut out = std::io::stdout().lock();
            named.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        }
        None if !report.runs.is_empty() => side_by_side::print(report, &named)?,
        None => table::print_report(report, args, columns, &named)?,
    }
    Ok(report.verdict())
}

/// "copy, 4096, block 32x32, f32: 0.0842 ms".
pub fn row_in_a_line(row: &Row) -> String {
    let verdict = if row.correct { "" } else { ", WRONG" };
    format!("{}: {} ms{verdict}", costs::title_of(row), three_digits(row.time_ms.median))
}

/// True if standard output is one of the documents that the command line asks for, and not for a reader.
pub fn is_document(args: &CommonArgs) -> bool {
    redirected(&args.json) || redirected(&args.csv)
}

/// A form in which a report leaves.
trait Output {
    /// Writes all of it. Returns the path that it lies at; none for standard output.
    fn write(&self, report: &Report) -> anyhow::Result<Option<PathBuf>>;
}

/// A text, made by a function.
struct Text<'a, F>(&'a Destination, F);

impl<F: Fn(&Report) -> anyhow::Result<String>> Output for Text<'_, F> {
    fn write(&self, report: &Report) -> anyhow::Result<Option<PathBuf>> {
        let text = (self.1)(report)?;
        match self.0 {
            Destination::StandardOutput => {
                std::io::stdout().lock().write_all(text.as_bytes())?;
                Ok(None)
            }
            Destination::File(path) => {
                whole_file::write(path, &text)?;
                // Nobody asked for the one beside a recording, which `--replay` reads and removes.
                let is_own =
                    path.parent().is_some_and(|at| std::env::var_os("LABS_SIM_JOURNAL").is_some_and(|j| j == at));
                Ok((!is_own).then(|| path.clone()))
            }
        }
    }
}

/// A file or a folder, made by a function that is given its path.
struct Files<'a, F>(&'a Path, F);

impl<F: Fn(&Report, &Path) -> anyhow::Result<()>> Output for Files<'_, F> {
    fn write(&self, report: &Report) -> anyhow::Result<Option<PathBuf>> {
        (self.1)(report, self.0)?;
        Ok(Some(self.0.to_owned()))
    }
}

/// The outputs that the command line asks for, in the order in which they are written, and what each one is.
fn outputs<'a>(
    args: &'a CommonArgs,
    columns: &'a [Column],
    references: &'a [String],
) -> impl Iterator<Item = (Box<dyn Output + 'a>, &'static str)> {
    let json = |report: &Report| Ok(serde_json::to_string_pretty(report)? + "\n");
    let csv = |report: &Report| Ok(csv::render(report));
    let figures = |report: &Report, path: &Path| write_figures(report, path).map(drop);
    let page = move |report: &Report, path: &Path| page::write_page(report, columns, references, path);
    let trace = |report: &Report, path: &Path| Ok(whole_file::write(path, &views::trace::render(&report.traces))?);
    fn output<'a>(output: impl Output + 'a) -> Box<dyn Output + 'a> {
        Box::new(output)
    }
    [
        (args.json.as_ref().map(|to| output(Text(to, json))), "the result as JSON"),
        (args.csv.as_ref().map(|to| output(Text(to, csv))), "the rows as CSV"),
        (args.plot.as_ref().map(|to| output(Files(to, figures))), "figures, for light pages and for dark ones"),
        (args.html.as_ref().map(|to| output(Files(to, page))), "the page of this run"),
        (args.trace.as_ref().map(|to| output(Files(to, trace))), "what ran when, for https://ui.perfetto.dev"),
    ]
    .into_iter()
    .filter_map(|(output, what)| Some((output?, what)))
}

/// Answers `--list`: the lab's variants and the simulator's devices. Runs nothing.
pub fn list<P>(variants: &'static [Variant<P>]) -> anyhow::Result<Verdict> {
    let mut out = std::io::stdout().lock();
    print_table(&mut out, &listing(variants))?;
    print_table(&mut out, &device_table(&device::profiles()?))?;
    Ok(Verdict::Passed)
}

/// The next thing to try: what leads to the cause of something wrong, else what the lab suggests. `sanitized` are the rungs that ran under
/// the sanitizer.
pub fn next(report: &Report, sanitized: impl Fn(&str) -> bool, when_right: impl FnOnce() -> Next) -> Next {
    let lab = format!("cargo run -rp lab-{} --", report.lab);
    if let Some(row) = report.rows.iter().find(|row| !row.findings.is_empty()) {
        let command = format!("{lab} --variant {}", row.variant);
        return Next { command: command.into(), ..Next::new("", "once the line that is named above is mended") };
    }
    match report.rows.iter().find(|row| !row.correct) {
        Some(row) if sanitized(&row.variant) => Next {
            command: format!("{lab} --variant {} --size 1,2,3,8,33", row.variant).into(),
            purpose: "the sanitizer ran and found no race, no stray access and no unwritten value: an index or the arithmetic is wrong; the \
                      smallest wrong size tells most"
                .into(),
        },
        Some(row) => Next {
            command: format!("{lab} --device sim --sanitize --variant {} --size 64", row.variant).into(),
            purpose: "looks for races, stray accesses and unwritten values".into(),
        },
        None => when_right(),
    }
}

/// Adds the tables that flags ask for; `rungs` are those that ran, each as often as it did.
pub fn add_details(
    report: &mut Report,
    device: &Device,
    args: &CommonArgs,
    rungs: impl Iterator<Item = &'static str>,
) -> anyhow::Result<()> {
    let mut sources: Vec<kernels::Source> = Vec::new();
    for rung in rungs {
        if !sources.iter().any(|source| source.name == rung) {
            sources.push(kernels::source(report.lab, rung)?);
        }
    }
    add_resources(report, device, args, &sources)
}

/// Adds the two activity tables to a report when `--activities` asks for them, and what ran when for `--trace`. `of` says which problem's they
/// are, where there are several.
pub fn add_activities(report: &mut Report, device: &Device, args: &CommonArgs, of: Option<&str>) -> anyhow::Result<()> {
    if !args.records() {
        return Ok(());
    }
    let activities = device.take_activities()?;
    if args.trace.is_some() {
        report.traces.push(activities::process(of.unwrap_or(report.lab), &activities)?);
    }
    if args.activities {
        let titled = |table: Table| match of {
            Some(of) => Table { title: format!("{}, {of}", table.title), ..table },
            None => table,
        };
        activities::summaries(&activities).map(titled).into_iter().for_each(|table| report.add_asked(table));
    }
    Ok(())
}

/// Adds registers, memory and spills of each kernel of these sources when `--resources` asks for them.
pub fn add_resources(
    report: &mut Report,
    device: &Device,
    args: &CommonArgs,
    sources: &[kernels::Source],
) -> anyhow::Result<()> {
    if !args.resources {
        return Ok(());
    }
    let (major, minor) = device.context.compute_capability()?;
    let target = kernels::Target::Cubin { major: major.try_into()?, minor: minor.try_into()? };
    let mut rows = Vec::new();
    for source in sources {
        for kernel in kernels::resources(source, target)? {
            rows.push(vec![
                Value::from(kernel.kernel),
                kernel.architecture.into(),
                kernel.registers.into(),
                kernel.shared_bytes.into(),
                kernel.constant_bytes.into(),
                kernel.local_bytes.into(),
                kernel.spill_store_bytes.into(),
                kernel.spill_load_bytes.into(),
            ]);
        }
    }
    let headings =
        "kernel | assembled for | registers | shared B | constant B | local B | spill stores B | spill loads B";
    report.add_asked(Table {
        // A device older than the compiler has the numbers of the lowest architecture that the compiler knows.
        title: "resources, as ptxas reports them".to_owned(),
        columns: headings.split(" | ").map(str::to_owned).collect(),
        rows,
    });
    Ok(())
}

fn redirected(destination: &Option<Destination>) -> bool {
    destination == &Some(Destination::StandardOutput)
}

/// The simulator's cards by what a reader chooses by.
fn device_table(cards: &[Profile]) -> Table {
    let row = |card: &Profile| {
        let [major, minor] = card.architecture.compute_capability;
        vec![
            Value::from(card.key.as_str()),
            card.name.trim_start_matches("NVIDIA ").into(),
            format!("{} {major}.{minor}", card.architecture.name).into(),
            card.multiprocessors.into(),
            (card.clock_hz / 1e9).into(),
            (card.memory_bytes / f64::from(1 << 30)).into(),
            (card.memory_peak_bytes_per_s / 1e9).into(),
            (card.pinned_bytes_per_s / 1e9).into(),
            card.architecture.shared_bank_bytes.into(),
        ]
    };
    let headings = "PROFILE | card | architecture, capability | multi- processors | GHz | \
        memory GiB | memory GB/s | pinned GB/s | bank B";
    Table {
        title: "simulated devices: --device sim:PROFILE".to_owned(),
        columns: headings.split(" | ").map(str::to_owned).collect(),
        rows: cards.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observations::Finding;
    use crate::result::samples;

    #[test]
    fn next_leads_to_the_cause_of_what_is_wrong() {
        let mut report = samples::report();
        let next = |report: &Report, sanitized: bool| {
            super::next(report, |_| sanitized, || Next::new("the lab's", "")).to_string()
        };
        assert_eq!(next(&report, true), "the lab's   ()");
        report.rows.push(samples::row("shared", 64, "8x8", 1.0));
        report.rows[0].correct = false;
        assert_eq!(row_in_a_line(&report.rows[0]), "shared, 64, block 8x8, f32: 1.00 ms, WRONG");
        assert!(next(&report, false).contains("lab-gemm -- --device sim --sanitize --variant shared --size 64"));
        let said = next(&report, true);
        assert!(said.contains("the sanitizer ran and found no race") && !said.contains("--sanitize"), "{said}");
        report.rows[0].findings.push(Finding {
            family: String::new(),
            kind: "race".into(),
            kernel: None,
            file: None,
            line: None,
            message: "a race".into(),
        });
        let said = next(&report, true);
        assert!(said.contains("mended") && !said.contains("--sanitize"), "{said}");
    }
}
