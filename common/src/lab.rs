//! A lab's program, from its command line to its verdict.

use crate::ceiling::{Roof, cache_note};
use crate::command_line::CommonArgs;
use crate::device::{self, Device};
use crate::error::{Verdict, conclude};
use crate::ladder::Variant;
use crate::question::{self, Question};
use crate::report::{self, Column};
use crate::result::Report;
use clap::{CommandFactory, FromArgMatches, Parser};
use std::process::ExitCode;

/// A lab. Its program is [`main`], its bench `common::benching::main`; a lab whose rungs take turns on one set of data is a
/// [`Ladder`](crate::turns::Ladder) besides, and one whose rungs are a single launch each no more than a [`Lesson`](crate::lesson::Lesson).
pub trait Lab: Sized {
    /// Its command line.
    type Options: Parser + Clone;
    /// What launching a rung takes.
    type Rung: Sync + 'static;

    /// Its name: "gemm".
    const NAME: &'static str;
    /// The ladder: list, command line, tests and benches follow from it.
    const VARIANTS: &'static [Variant<Self::Rung>];
    /// The columns of the main table.
    const COLUMNS: &'static [Column];
    /// What it asks, and the run that answers on one screen: that of a command without flags. `None`: such a command runs all rungs.
    const QUESTION: Option<Question> = None;
    /// Whether its bench launches kernels in series.
    const IN_SERIES: bool = true;

    /// The shared flags among its own.
    fn args(options: &mut Self::Options) -> &mut CommonArgs;

    /// Measures all that the options ask for. Prints nothing.
    fn report(options: &Self::Options, device: &Device) -> anyhow::Result<Report>;
}

/// The `main` of a lab.
pub fn main<L: Lab>() -> ExitCode {
    let mut command = L::Options::command();
    let matches = command.get_matches_mut();
    let mut options = L::Options::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let args = L::args(&mut options).clone();
    conclude(|| match L::QUESTION {
        Some(question) if question::is_bare(&command, &matches) => answer::<L>(&question, &args),
        _ => run::<L>(&args, |device| L::report(&options, device)),
    })
}

/// A lab's program after its command line: answers `--list`, or opens the device, has `measure` make a report there, and delivers it.
pub fn run<L: Lab>(
    args: &CommonArgs,
    measure: impl FnOnce(&Device) -> anyhow::Result<Report>,
) -> anyhow::Result<Verdict> {
    if args.list {
        return report::list(L::VARIANTS);
    }
    let device = args.open_device()?;
    let mut report = measure(&device)?;
    complete::<L>(&mut report, &device)?;
    report::deliver(&report, args, L::COLUMNS)
}

/// Runs what answers the lab's question, and shows the answer.
fn answer<L: Lab>(question: &Question, asked: &CommonArgs) -> anyhow::Result<Verdict> {
    let mut runs = question::options::<L>(question, asked, device::is_simulated(&asked.device)?)?;
    let Some(first) = runs.first_mut() else {
        return run::<L>(asked, |_| anyhow::bail!("the lab's question names no rung of its ladder"));
    };
    let device = L::args(first).open_device()?;
    let mut whole: Option<Report> = None;
    for options in &runs {
        let report = L::report(options, &device)?;
        match &mut whole {
            None => whole = Some(report),
            Some(whole) => whole.extend(report),
        }
    }
    let mut report = whole.expect("there is a first run");
    complete::<L>(&mut report, &device)?;
    report::screen::print(&report, question, L::COLUMNS, L::VARIANTS)?;
    Ok(report.verdict())
}

/// What every report says besides its rows.
fn complete<L: Lab>(report: &mut Report, device: &Device) -> anyhow::Result<()> {
    let roof = Roof::of(device)?;
    // Elsewhere the rate is the bus's, or stands in no column.
    let shows_memory = L::COLUMNS.iter().any(|column| column.heading == Column::shared("gbytes_per_s").heading);
    report.notes.extend(cache_note(report, &roof, device).filter(|_| shows_memory));
    report.roof = Some(roof);
    report.kernels = device.texts.all();
    if let Some(folder) = kernels::checkout_elsewhere() {
        report
            .notes
            .push(format!("the kernels are those of {}, and not of the folder that you stand in", folder.display()));
    }
    if kernels::checkout().is_none() {
        report
            .notes
            .push("there is no checkout here: the kernels are those that this program was built with".to_owned());
    }
    Ok(())
}
