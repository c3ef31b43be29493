//! The parts that the labs' tests share: rungs that name themselves, mutants that must fail for their reason, the program as users meet it.
//!
//! The device is that of `LABS_DEVICE`, by default the simulator, so that verdicts are the same everywhere.

mod experiment;
pub mod pristine;
mod program;

pub use experiment::{assert_as_written, pair, table, written};
pub use program::{LabProgram, assert_sampled_as_whole, assert_shared_keys};

use crate::device::{Device, DeviceChoice, Instrumentation};
use crate::error::describe;
use crate::ladder::{self, Variant};
use crate::observations::Finding;
use crate::plan::{Case as _, Problem};
use crate::result::Row;
use crate::timing::Runs;
use crate::turns::Ladder;
use kernels::{MUTANTS, Mutant, Source, WRONG_RESULT};
use libtest_mimic::{Arguments, Failed, Trial};
use std::process::{Command, ExitCode, Output};
use std::sync::{Arc, Mutex};

/// A test of one rung with one set of parameters.
pub struct RungTest {
    /// The rung's name first, so that a wrong kernel names itself.
    pub name: String,
    /// The measurement that it makes.
    pub run: Measure,
}

impl RungTest {
    /// A case with its rung's own kernel. `parameters` are those of the lab's own, as the name has them.
    pub fn of<L: Ladder>(parameters: &str, case: L::Case) -> Self
    where
        L::Case: Send + 'static,
    {
        let Problem { size, dtype, host_memory, .. } = case.problem();
        let (rung, size) = (case.variant().name, size.to_string());
        let parts = [rung, dtype.name(), parameters, &size, host_memory.name()];
        RungTest {
            name: parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("::"),
            run: Box::new(move |device| L::run_case(device, &kernels::source(L::NAME, rung)?, &case, Runs::ONCE)),
        }
    }
}

/// The end of the name of a test that repeats others at a larger size: ignored, unless `--ignored` asks for it, as `.ci/run` does.
pub const EXHAUSTIVE: &str = "::exhaustive";

/// Measures and checks one row on a device.
pub type Measure = Box<dyn FnOnce(&Device) -> anyhow::Result<Row> + Send>;

/// The `main` of a test program: runs every test of a rung on one device, in order, fails those whose row is not right, and then tries every mutant.
pub fn run_ladder(lab: &'static str, tests: Vec<RungTest>, mutant: impl RunSource) -> ExitCode {
    let mut trials = rung_trials(lab, tests);
    trials.extend(mutant_trials(lab, mutant));
    conclude_trials(trials)
}

/// As [`run_ladder`], of cases: those that a rung's mutants run as are `mutated`.
pub fn run_cases<L: Ladder>(tests: Vec<RungTest>, mutated: fn(&'static Variant<L::Rung>) -> Vec<L::Case>) -> ExitCode {
    run_ladder(L::NAME, tests, run_mutant::<L>(mutated))
}

/// Runs a mutant as each of these cases.
pub fn run_mutant<L: Ladder>(mutated: fn(&'static Variant<L::Rung>) -> Vec<L::Case>) -> impl RunSource {
    move |device: &Device, source: &Source| {
        let cases = mutated(ladder::find(L::VARIANTS, source.name)?);
        cases.iter().map(|case| L::run_case(device, source, case, Runs::ONCE)).collect()
    }
}

/// The `main` of a test program with these tests, one after the other: there is one device, and the simulator uses all cores by itself.
pub fn conclude_trials(trials: Vec<Trial>) -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Tests that share one device, each of which fails if its row is not right.
pub fn rung_trials(lab: &'static str, tests: Vec<RungTest>) -> Vec<Trial> {
    let device = Arc::new(Mutex::new(None));
    let trial = |RungTest { name, run }: RungTest| {
        let device = device.clone();
        let exhaustive = name.ends_with(EXHAUSTIVE);
        Trial::test(name, move || {
            let mut slot = device.lock().map_err(|_| "a test before this one panicked")?;
            let device = match &*slot {
                Some(device) => device,
                None => slot.insert(rung_device(lab, &Instrumentation::default()).map_err(|error| describe(&error))?),
            };
            run(device).map_err(|error| describe(&error).into()).and_then(right).inspect_err(|_| {
                // A fault ends the context; the next test starts with a new one.
                *slot = None;
            })
        })
        .with_ignored_flag(exhaustive)
    };
    tests.into_iter().map(trial).collect()
}

/// Panics unless the rungs of a lab are its files, in the same order, and each file exports these symbols of its rung.
pub fn assert_ladder_is_complete<R>(
    lab: &str,
    variants: &'static [Variant<R>],
    symbols: impl Fn(&Variant<R>) -> Vec<String>,
) {
    let files: Vec<_> = kernels::sources().filter(|source| source.lab == lab).map(|source| source.name).collect();
    let rungs: Vec<_> = variants.iter().map(|variant| variant.name).collect();
    assert_eq!(files, rungs, "the same names in the same order");
    for variant in variants {
        let mut symbols = symbols(variant);
        let mut exports = kernels::source(lab, variant.name).expect("a rung has its file").exports();
        symbols.sort();
        symbols.dedup();
        exports.sort();
        assert_eq!(symbols, exports, "{}", variant.name);
    }
}

/// Measures one rung with a source for it: its own, or a mutant's; several rows where one shape cannot show every defect.
pub trait RunSource: Fn(&Device, &Source) -> anyhow::Result<Vec<Row>> + Copy + Send + 'static {}
impl<F: Fn(&Device, &Source) -> anyhow::Result<Vec<Row>> + Copy + Send + 'static> RunSource for F {}

/// The tests of a lab's mutants: every mutant must fail, for its stated reason, and every unchanged rung must pass, both under the sanitizer; texts are
/// the pristine ones, so that an edit of a rung's file changes nothing here. Wrong results show on every device; mutants that only the sanitizer can
/// tell are ignored on a GPU.
pub fn mutant_trials(lab: &'static str, run: impl RunSource) -> Vec<Trial> {
    let sanitizer = !matches!(DeviceChoice::for_tests(), Ok(DeviceChoice::Gpu(_)));
    let mutants = MUTANTS.iter().filter(|mutant| mutant.lab == lab).map(|mutant| {
        Trial::test(format!("{}::{}", mutant.rung, mutant.name), move || fails_for_its_reason(mutant, run))
            .with_ignored_flag(!sanitizer && mutant.reason != WRONG_RESULT)
    });
    let unchanged = kernels::pristine_sources().filter(|source| source.lab == lab).map(|source| {
        Trial::test(format!("{}::unchanged", source.name), move || {
            let Sanitized { rows, .. } = sanitized(&source, run).map_err(|error| describe(&error))?;
            rows.map_err(|error| describe(&error))?.into_iter().try_for_each(right)
        })
    });
    let edited = Trial::test("an_edited_rung", move || {
        let mutant = MUTANTS.iter().find(|mutant| mutant.lab == lab && mutant.reason == WRONG_RESULT);
        let mutant = mutant.ok_or("no mutant")?;
        Ok(assert_edits_do_not_matter(lab, &format!("{}::{}", mutant.rung, mutant.name))?)
    });
    mutants.chain(unchanged).chain([edited]).collect()
}

/// Runs one test of this very program again, in a checkout where every kernel of a lab is another text: self-tests work on pristine texts, so
/// whoever edits an exercise changes the verdict on it and nothing else. The error says what went wrong.
pub fn assert_edits_do_not_matter(lab: &str, test: &str) -> Result<(), String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = this.with_file_name(format!("edited-{lab}-{}", std::process::id()));
    let run = || -> std::io::Result<Output> {
        // A checkout is known by its first lab.
        std::fs::create_dir_all(folder.join("kernels/gemm"))?;
        std::fs::create_dir_all(folder.join("kernels").join(lab))?;
        std::fs::write(folder.join("kernels/Cargo.toml"), "")?;
        for source in kernels::sources().filter(|source| source.lab == lab) {
            std::fs::write(folder.join(source.path), "#error edited\n")?;
        }
        let program = folder.join("test");
        // Not a copy: what is open for writing here is so too in a process that another thread starts, and does not start meanwhile.
        std::fs::hard_link(&this, &program)?;
        let mut command = Command::new(program);
        // The copy has no library beside it; on a GPU it needs none.
        if let Ok(library) = crate::simulator::find_library() {
            command.env("LABS_SIMULATOR", library);
        }
        command.args(["--exact", test]).current_dir(&folder).output()
    };
    let output = run();
    // A folder that cannot be removed does no harm: it is a name more in the folder of built programs.
    let _ = std::fs::remove_dir_all(&folder);
    let output = output.map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && said.contains("1 passed") { Ok(()) } else { Err(format!("{test}: {said}")) }
}

/// Right and without findings, else what is wrong.
fn right(row: Row) -> Result<(), Failed> {
    let label = format!("{} {} block {} {}", row.variant, row.size, row.block, row.dtype);
    match (row.correct, row.mismatch, row.findings.first()) {
        (true, _, None) => Ok(()),
        (_, Some(mismatch), _) => Err(format!("{label}: {mismatch}").into()),
        (_, _, Some(finding)) => Err(format!("{label}: {}", finding.message).into()),
        (false, None, None) => Err(format!("{label}: a row of the result disagrees as a whole").into()),
    }
}

fn fails_for_its_reason(mutant: &'static Mutant, run: impl RunSource) -> Result<(), Failed> {
    let Sanitized { rows, findings } = sanitized(&mutant.source(), run).map_err(|error| describe(&error))?;
    let mut seen: Vec<(String, String)> = Vec::new();
    match rows {
        Err(error) => seen.push(("error".to_owned(), describe(&error))),
        Ok(rows) => {
            for row in rows {
                if let Some(mismatch) = row.mismatch {
                    seen.push((WRONG_RESULT.to_owned(), mismatch.to_string()));
                }
                seen.extend(row.findings.into_iter().map(|finding| (finding.kind, finding.message)));
            }
        }
    }
    seen.extend(findings.into_iter().map(|finding| (finding.kind, finding.message)));
    if seen.iter().any(|(kind, _)| kind == mutant.reason) {
        return Ok(());
    }
    let Mutant { rung, name, reason, .. } = mutant;
    let seen: Vec<String> = seen.into_iter().map(|(kind, text)| format!("{kind}: {text}")).collect();
    let seen = if seen.is_empty() { "nothing".to_owned() } else { seen.join("\n") };
    Err(format!("{rung}.{name} must fail for '{reason}'; what was seen: {seen}").into())
}

fn rung_device(lab: &str, instrumentation: &Instrumentation) -> anyhow::Result<Device> {
    Device::open(&DeviceChoice::for_rungs(lab)?, instrumentation)
}

/// The outcome of a run under the sanitizer.
struct Sanitized {
    /// The rows, or what ended the run.
    rows: anyhow::Result<Vec<Row>>,
    /// Findings in the launch that ended it.
    findings: Vec<Finding>,
}

/// The device is opened anew for each source, because a mutant may leave a context that a fault has ended.
fn sanitized(source: &Source, run: impl RunSource) -> anyhow::Result<Sanitized> {
    let instrumentation = Instrumentation { sanitize: true, ..Instrumentation::default() };
    let device = rung_device(source.lab, &instrumentation)?;
    let rows = run(&device, source);
    Ok(Sanitized { rows, findings: device.observe()?.findings })
}
