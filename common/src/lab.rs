//! A lab's program, from its command line to its verdict.

use crate::ceiling::Roof;
use crate::command_line::CommonArgs;
use crate::device::Device;
use crate::error::{Verdict, conclude};
use crate::experiment::{self, Document};
use crate::ladder::Variant;
use crate::report::{self, Column};
use crate::result::Report;
use clap::Parser;
use std::process::ExitCode;

/// A lab. Its program is [`main`], its bench `common::benching::main`; a lab whose rungs take turns on one set of data is a
/// [`Ladder`](crate::turns::Ladder) besides, and one whose rungs are a single launch each no more than a [`Lesson`](crate::lesson::Lesson).
pub trait Lab: Sized {
    /// Its command line.
    type Options: Parser + Clone + 'static;
    /// What launching a rung takes.
    type Rung: Sync + 'static;

    /// Its name: "gemm".
    const NAME: &'static str;
    /// The ladder: list, command line, tests and benches follow from it.
    const VARIANTS: &'static [Variant<Self::Rung>];
    /// The columns of the main table.
    const COLUMNS: &'static [Column];
    /// The experiments of its source documents, which `--assignment` runs, the first one by default.
    const DOCUMENTS: &'static [Document<Self::Options>] = &[];
    /// Whether its bench launches kernels in series.
    const IN_SERIES: bool = true;

    /// The shared flags among its own.
    fn args(options: &mut Self::Options) -> &mut CommonArgs;

    /// Measures all that the options ask for. Prints nothing.
    fn report(options: &Self::Options, device: &Device) -> anyhow::Result<Report>;
}

/// The `main` of a lab.
pub fn main<L: Lab>() -> ExitCode {
    let mut options = L::Options::parse();
    let args = L::args(&mut options).clone();
    conclude(|| match &args.assignment {
        Some(key) => run_experiment::<L>(options, key),
        None => run::<L>(&args, |device| L::report(&options, device)),
    })
}

/// Runs the experiment of a source document on the document's card.
fn run_experiment<L: Lab>(mut options: L::Options, key: &str) -> anyhow::Result<Verdict> {
    let document = experiment::find(L::NAME, L::DOCUMENTS, key)?;
    let simulated = document.set_device(L::args(&mut options));
    (document.prepare)(&mut options, simulated);
    let args = L::args(&mut options).clone();
    run::<L>(&args, |device| {
        let mut report = (document.measure)(&options, device, L::report)?;
        report.experiment = Some(document.experiment(&report));
        document.next.clone_into(&mut report.next);
        Ok(report)
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
    report.roof = Some(Roof::of(&device)?);
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
    report::deliver(&report, args, L::COLUMNS)
}
