//! A lab's program, from its command line to its verdict.

use crate::ceiling::Roof;
use crate::choice::DeviceChoice;
use crate::command_line::CommonArgs;
use crate::device::{self, Device};
use crate::error::{Verdict, conclude, describe};
use crate::experiment::{self, Document, Measure};
use crate::ladder::Variant;
use crate::question::{Question, Run};
use crate::report::{self, Column};
use crate::result::{Experiment, Note, NoteKind, Report, distinct};
use crate::run::{replayed, several};
use crate::so_far::{self, Follower};
use anyhow::Context;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A lab. Its program is [`main`], its bench `common::benching::main`; a lab whose rungs take turns on one set of data is a
/// [`Ladder`](crate::turns::Ladder) besides, and one whose rungs are a single launch each no more than a [`Lesson`](crate::lesson::Lesson).
pub trait Lab: Sized + 'static {
    /// Its command line.
    type Options: Parser + Clone + 'static;
    /// The data that launching a rung takes.
    type Rung: Sync + 'static;

    /// Its name: "gemm".
    const NAME: &'static str;
    /// The ladder: list, command line, tests and benches follow from it.
    const VARIANTS: &'static [Variant<Self::Rung>];
    /// The columns of the main table.
    const COLUMNS: &'static [Column];
    /// The question that it asks, and the run that answers on one screen: that of a command without flags. `None`: such a command runs all rungs.
    const QUESTION: Option<Question> = None;
    /// The experiments of its source documents, which `--assignment` runs, the first one by default.
    const DOCUMENTS: &'static [Document<Self::Options>] = &[];
    /// True if its bench launches kernels in series.
    const IN_SERIES: bool = true;

    /// The shared flags among its own.
    const ARGS: fn(&mut Self::Options) -> &mut CommonArgs;

    /// Measures all that the options ask for. Prints nothing.
    const REPORT: Measure<Self::Options>;
}

/// The `main` of a lab.
pub fn main<L: Lab>() -> ExitCode {
    let mut command = L::Options::command();
    let matches = command.get_matches_mut();
    let mut options = L::Options::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let args = (L::ARGS)(&mut options).clone();
    conclude(|| {
        if let Some(page) = &args.replay {
            return replayed::run(&args, page);
        }
        if let Some(devices) = several::asked(&args) {
            return answer_for_several::<L>(&command, &matches, &args, &devices);
        }
        if let Some(key) = &args.assignment {
            return run_experiment::<L>(options, key);
        }
        if let Some(question) = L::QUESTION.filter(|_| is_bare(&command, &matches)) {
            let runs = runs_of::<L>(&question, &args)?;
            // A workspace may lack all of the question's rungs.
            if !runs.is_empty() {
                return answer::<L>(&question, runs);
            }
        }
        run::<L>(&args, |device| (L::REPORT)(&options, device))
    })
}

/// Runs the experiment of a source document on the document's card.
fn run_experiment<L: Lab>(mut options: L::Options, key: &str) -> anyhow::Result<Verdict> {
    let document = experiment::find(L::NAME, L::DOCUMENTS, key)?;
    let simulated = document.set_device((L::ARGS)(&mut options));
    (document.prepare)(&mut options, simulated);
    let args = (L::ARGS)(&mut options).clone();
    let shown = Arc::new(AtomicUsize::new(0));
    let follower = Spectator::<L> { args: args.clone(), experiment: Some((document, shown.clone())) };
    run_followed::<L>(&args, follower, |device| {
        let mut report = (document.measure)(&options, device, L::REPORT)?;
        so_far::finish();
        let experiment = document.experiment(&report);
        report.experiment = Some(Experiment { shown: shown.load(Ordering::Relaxed), ..experiment });
        report.next = Some(document.next.clone());
        Ok(report)
    })
}

/// A lab's program after its command line: answers `--list`, or opens the device, has `measure` make a report there, and delivers it.
pub fn run<L: Lab>(
    args: &CommonArgs,
    measure: impl FnOnce(&Device) -> anyhow::Result<Report>,
) -> anyhow::Result<Verdict> {
    run_followed::<L>(args, Spectator::<L> { args: args.clone(), experiment: None }, measure)
}

fn run_followed<L: Lab>(
    args: &CommonArgs,
    follower: Spectator<L>,
    measure: impl FnOnce(&Device) -> anyhow::Result<Report>,
) -> anyhow::Result<Verdict> {
    if args.list {
        return report::list(L::VARIANTS);
    }
    let device = args.open_device()?;
    follower.follow(&device)?;
    let mut report = measure(&device)?;
    so_far::finish();
    complete::<L>(&mut report, &device)?;
    // The page of this run needs no page of another.
    report.next = report.next.filter(|next| args.html.is_none() || !next.command.contains(" --html "));
    report::deliver(&report, args, L::COLUMNS, &references::<L>(&report))
}

/// Who shows a run before its end.
struct Spectator<L: Lab> {
    args: CommonArgs,
    /// The document whose tables are printed as they are done, and how many are.
    experiment: Option<(&'static Document<L::Options>, Arc<AtomicUsize>)>,
}

impl<L: Lab> Spectator<L> {
    fn follow(self, device: &Device) -> anyhow::Result<()> {
        let report = Report::new(device.facts.clone(), L::NAME, self.args.seed);
        if !report::is_document(&self.args) {
            report::print_heading_of_details(&report, &self.args)?;
        }
        so_far::follow(report, Box::new(self)).context("watching for Ctrl-C")
    }
}

impl<L: Lab> Follower for Spectator<L> {
    fn measured(&mut self, report: &Report) {
        let Some((document, shown)) = self.experiment.as_ref().filter(|_| !report::is_document(&self.args)) else {
            return;
        };
        let (before, done) = (shown.load(Ordering::Relaxed), (document.done)(report));
        if done > before {
            let mut experiment = Experiment { shown: before, ..document.experiment(report) };
            experiment.tables.truncate(done);
            // A reader who left is met again at the end, which says so by its exit code.
            if report::print_tables(report, &experiment).is_ok() {
                shown.store(done, Ordering::Relaxed);
            }
        }
    }

    fn interrupted(&mut self, mut report: Report) {
        if report.rows.is_empty() {
            eprintln!("interrupted before the first row was measured");
            return;
        }
        report.notes.push(INTERRUPTED.into());
        report.experiment = self.experiment.as_ref().map(|(document, shown)| Experiment {
            shown: shown.load(Ordering::Relaxed),
            ..document.experiment(&report)
        });
        if let Err(error) = report::deliver(&report, &self.args, L::COLUMNS, &references::<L>(&report)) {
            eprintln!("{}", describe(&error));
        }
    }
}

/// The note on a run that Ctrl-C ended.
const INTERRUPTED: &str = "interrupted: these are the rows that had been measured; what is compared over all rows is left out, and so is what the sanitizer found before the first";

/// The variants of a report that are limits or yardsticks: none of the ladder's ideas is their gain.
fn references<L: Lab>(report: &Report) -> Vec<String> {
    let ceiling = L::QUESTION.and_then(|question| question.ceiling);
    let is_idea = |name: &str| ceiling != Some(name) && L::VARIANTS.iter().any(|variant| variant.name == name);
    let variants = report.by_variant().into_iter().map(|rows| rows[0].variant.clone());
    variants.filter(|name| !is_idea(name)).collect()
}

/// Runs what answers the lab's question, and shows the answer.
fn answer<L: Lab>(question: &Question, mut runs: Vec<L::Options>) -> anyhow::Result<Verdict> {
    let args = (L::ARGS)(&mut runs[0]).clone();
    let device = args.open_device()?;
    Spectator::<L> { args, experiment: None }.follow(&device)?;
    let mut report = (L::REPORT)(&runs[0], &device)?;
    for options in &runs[1..] {
        report.append((L::REPORT)(options, &device)?);
    }
    so_far::finish();
    complete::<L>(&mut report, &device)?;
    report::screen::print(&report, question, L::COLUMNS, L::VARIANTS)?;
    Ok(report.verdict())
}

/// Adds the facts that every report gives besides its rows.
fn complete<L: Lab>(report: &mut Report, device: &Device) -> anyhow::Result<()> {
    let roof = Roof::of(device)?;
    // Elsewhere the rate is the bus's, or stands in no column.
    let shows_memory = L::COLUMNS.iter().any(|column| column.heading == Column::shared("gbytes_per_s").heading);
    report.notes.extend(cache_note(report, &roof, device).filter(|_| shows_memory));
    report.roof = Some(roof);
    report.kernels = device.texts.all();
    report.fidelity = device.fidelity()?;
    if let Some(folder) = kernels::checkout_elsewhere() {
        let text = format!("the kernels are those of {}, and not of the folder that you stand in", folder.display());
        report.notes.push(text.into());
    }
    if kernels::checkout().is_none() {
        let text = "there is no checkout here: the kernels are those that this program was built with";
        report.notes.push(text.into());
    }
    Ok(())
}

/// Why rows have more bytes per second than the card's memory can move, where some have.
fn cache_note(report: &Report, roof: &Roof, device: &Device) -> Option<Note> {
    let memory = roof.memory_gbytes_per_s?;
    let faster = report.rows.iter().filter(|row| row.gbytes_per_s.is_some_and(|rate| rate > memory));
    let sizes = distinct(faster.map(|row| row.size.to_string()));
    let bytes = device.context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE).unwrap_or(0);
    let cache = match bytes {
        ..=0 => "the L2 cache".to_owned(),
        1..0x10_0000 => format!("the L2 cache ({} KiB)", bytes >> 10),
        _ => format!("the L2 cache ({} MiB)", bytes >> 20),
    };
    (!sizes.is_empty()).then(|| {
        let text = format!(
            "GB/s above {memory:.0}, the most of this card's memory (n = {}): {cache} still has a part of the data from before the launch, \
             and is faster than the memory",
            sizes.join(", ")
        );
        Note::new(NoteKind::Rates, text)
    })
}

/// Flags that say where and with which inputs, and so leave the question as it is.
const NEUTRAL: [&str; 2] = ["device", "seed"];

/// Returns whether a command line asks for nothing in particular. A variable of the environment is no flag.
fn is_bare(command: &Command, matches: &ArgMatches) -> bool {
    let mut given = command.get_arguments().map(|argument| argument.get_id().as_str()).filter(|id| {
        // `--help` and `--version` have no value in the matches.
        matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(ValueSource::CommandLine)
    });
    given.all(|id| NEUTRAL.contains(&id))
}

/// Runs the lab in a process for each device, and puts the rows side by side: of a command that asks for nothing else those of the lab's question.
fn answer_for_several<L: Lab>(
    command: &Command,
    matches: &ArgMatches,
    args: &CommonArgs,
    devices: &[DeviceChoice],
) -> anyhow::Result<Verdict> {
    let question = L::QUESTION.filter(|_| is_bare(command, matches));
    let mut runs = Vec::new();
    for device in devices {
        let lines = match &question {
            Some(question) => lines_of::<L>(question, several::is_simulated(device)?),
            None => Vec::new(),
        };
        // A workspace may lack all of the question's rungs.
        let lines = if lines.is_empty() { vec![several::given(command, matches)] } else { lines };
        runs.push((device, lines));
    }
    let sides = several::measure(L::NAME, args, &runs)?;
    let measured = &sides[sides.len() - devices.len()..];
    let passed = measured.iter().flat_map(|side| &side.rows).all(|row| row.correct && row.findings.is_empty());
    let report = report::side_by_side(L::NAME, sides, L::COLUMNS);
    report::deliver(&report, args, L::COLUMNS, &[])?;
    Ok(if passed { Verdict::Passed } else { Verdict::Failed })
}

/// The options of each run of the answer, on the device and with the seed that were asked for. A run none of whose rungs is here is left out.
fn runs_of<L: Lab>(question: &Question, asked: &CommonArgs) -> anyhow::Result<Vec<L::Options>> {
    let lines = lines_of::<L>(question, device::is_simulated(&asked.device)?);
    let options = |line: Vec<String>| -> anyhow::Result<L::Options> {
        let line = std::iter::once("lab".to_owned()).chain(line);
        let mut options = L::Options::from_arg_matches(&L::Options::command().try_get_matches_from(line)?)?;
        let args = (L::ARGS)(&mut options);
        args.device.clone_from(&asked.device);
        args.seed = asked.seed;
        Ok(options)
    };
    lines.into_iter().map(options).collect()
}

/// The command line of each run of the answer. A run none of whose rungs is here is left out.
fn lines_of<L: Lab>(question: &Question, simulated: bool) -> Vec<Vec<String>> {
    let line = |Run { rungs, flags }: &Run| {
        let is_here = |rung: &&&str| L::VARIANTS.iter().any(|variant| variant.name == **rung);
        let here = rungs.iter().filter(is_here).copied().collect::<Vec<_>>().join(",");
        let flags = if simulated { flags.simulator } else { flags.gpu };
        let line = [&["--variant", &here], flags].concat();
        (!here.is_empty()).then(|| line.into_iter().map(str::to_owned).collect())
    };
    question.runs.iter().filter_map(line).collect()
}
