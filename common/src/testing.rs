//! What the labs' tests share: rungs that name themselves, mutants that must fail for their reason, the program as users meet it.
//!
//! The device is that of `LABS_DEVICE`, by default the simulator, so that verdicts are the same everywhere.

use crate::device::{Device, DeviceChoice, Instrumentation};
use crate::error::describe;
use crate::ladder::Variant;
use crate::observations::Finding;
use crate::pristine::pristine_checkout;
use crate::result::Row;
use kernels::{MUTANTS, Mutant, Source, WRONG_RESULT};
use libtest_mimic::{Arguments, Failed, Trial};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::{Arc, Mutex};

/// A test of one rung with one set of parameters.
pub struct RungTest {
    /// The rung's name first, so that a wrong kernel names itself.
    pub name: String,
    /// What it measures.
    pub run: Measure,
}

/// Measures and checks one row on a device.
pub type Measure = Box<dyn FnOnce(&Device) -> anyhow::Result<Row> + Send>;

/// The `main` of a test program: runs every test on one device, in order, and fails those whose row is not right.
pub fn run_rungs(lab: &'static str, tests: Vec<RungTest>) -> ExitCode {
    conclude_trials(rung_trials(lab, tests))
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
pub type RunSource = fn(&Device, &Source) -> anyhow::Result<Vec<Row>>;

/// The `main` of a test program: every mutant of a lab must fail, for its stated reason, and every unchanged rung must pass, both
/// under the sanitizer; texts are the pristine ones, so that an edit of a rung's file changes nothing here. Wrong results show on every device; mutants that only the sanitizer can tell are ignored on a GPU.
pub fn run_mutants(lab: &'static str, run: RunSource) -> ExitCode {
    conclude_trials(mutant_trials(lab, run))
}

/// The tests of [`run_mutants`].
pub fn mutant_trials(lab: &'static str, run: RunSource) -> Vec<Trial> {
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
    // What cannot be removed does no harm: it is a name more in the folder of built programs.
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

fn fails_for_its_reason(mutant: &'static Mutant, run: RunSource) -> Result<(), Failed> {
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

/// What a run under the sanitizer gave.
struct Sanitized {
    /// The rows, or what ended the run.
    rows: anyhow::Result<Vec<Row>>,
    /// What was found in the launch that ended it.
    findings: Vec<Finding>,
}

/// The device is opened anew for each source, because a mutant may leave a context that a fault has ended.
fn sanitized(source: &Source, run: RunSource) -> anyhow::Result<Sanitized> {
    let instrumentation = Instrumentation { sanitize: true, ..Instrumentation::default() };
    let device = rung_device(source.lab, &instrumentation)?;
    let rows = run(&device, source);
    Ok(Sanitized { rows, findings: device.observe()?.findings })
}

/// Calls that every lab refuses, words separated by bars, and the place that the message names.
const WRONG_CALLS: &[(&str, &str)] = &[
    ("--size|0", "extent 0"),
    ("--size|eight", "--size"),
    ("--size|", "--size"),
    ("--size|8x8x8x8", "8x8x8x8"),
    ("--size|8,,8", "--size"),
    ("--size=-8", "--size"),
    ("--size|8x0", "8x0"),
    ("--size|99999999999999999999999", "--size"),
    ("--size|2000000", "MiB"),
    ("--size", "--size"),
    ("--variant|nothing_of_the_kind", "nothing_of_the_kind"),
    ("--variant|", "variant"),
    ("--dtype|f16", "--dtype"),
    ("--dtype|", "--dtype"),
    ("--edge|0", "edge"),
    ("--edge|eight", "--edge"),
    ("--edge=-8", "--edge"),
    ("--edge|1000000", "edge"),
    ("--host-memory|floppy", "--host-memory"),
    ("--repeat|0", "--repeat"),
    ("--repeat|often", "--repeat"),
    ("--repeat=-1", "--repeat"),
    ("--warmup|never", "--warmup"),
    ("--seed|x", "--seed"),
    ("--seed=-1", "--seed"),
    ("--seed|99999999999999999999999", "--seed"),
    ("--device|voodoo", "--device"),
    ("--device|", "--device"),
    ("--device|sim:voodoo2", "voodoo2"),
    ("--device|sim:rtx4060:0", "1 to 16"),
    ("--device|sim:rtx4060:9999", "1 to 16"),
    ("--device|sim:rtx4060:two", "two"),
    ("--device|sim:rtx4060:1:1", "--device"),
    ("--device|gpu:first", "first"),
    ("--device|gpu:9999", "gpu"),
    ("--json|--csv", "--csv"),
    ("--json|/dev/null/result.json", "--json /dev/null/result.json"),
    ("--json|/", "--json /"),
    ("--csv|/dev/null/result.csv", "--csv /dev/null/result.csv"),
    ("--html|/dev/null/page.html", "--html /dev/null/page.html"),
    ("--plot|/dev/null/plots", "--plot /dev/null/plots"),
    ("--schedules|0", "--schedules"),
    ("--schedules|all", "--schedules"),
    ("--schedule-seed|x", "--schedule-seed"),
    ("--budget|0", "--budget"),
    ("--budget|much", "--budget"),
    ("--frobnicate", "--frobnicate"),
    ("gemm", "gemm"),
    ("--wide=yes", "--wide"),
];

/// Variables of the environment that say nothing.
const WRONG_VARIABLES: &[(&str, &str)] = &[
    ("LABS_DEVICE", "voodoo"),
    ("LABS_SIM_PROFILE", "foo"),
    ("LABS_SIM_BUDGET", "abc"),
    ("LABS_SIM_BUDGET", "0"),
    ("LABS_SIM_DEVICES", "0"),
    ("LABS_SIM_DEVICES", "99"),
    ("LABS_SIM_SCHEDULE_SEED", "x"),
    ("LABS_SIM_THREADS", "-1"),
    ("LABS_SIM_COUNTERS", "maybe"),
    ("LABS_SIM_SANITIZE", "yes"),
    ("LABS_SIM_TRACE", "2"),
];

/// A lab's program as its users meet it.
#[derive(Clone, Copy, Debug)]
pub struct Program(
    /// Its path: `env!("CARGO_BIN_EXE_lab-gemm")`.
    pub &'static str,
);

impl Program {
    /// Runs it to its end.
    pub fn run(self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program starts")
    }

    /// Runs it with standard output on a terminal of so many columns. What it printed there.
    pub fn on_terminal(self, columns: u16, arguments: &[&str]) -> String {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("its other end");
        let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).expect("a size");
        let name = ptsname(&terminal, Vec::new()).expect("a name");
        let end = File::options().read(true).write(true).open(OsStr::from_bytes(name.as_bytes())).expect("its end");
        let mut child = self.command(arguments).stdout(end).stderr(Stdio::null()).spawn().expect("the program starts");
        let mut printed = Vec::new();
        // When nobody has the other end any more, reading is an error.
        let _ = File::from(terminal).read_to_end(&mut printed);
        child.wait().expect("it ends");
        String::from_utf8_lossy(&printed).replace("\r\n", "\n")
    }

    /// Panics where a terminal of a usual width would break a line. A command is copied, and so is one line however long it is.
    pub fn assert_fits(self, arguments: &[&str]) {
        for columns in [80, 100, 120, 200] {
            let text = self.on_terminal(columns, arguments);
            assert!(text.contains('─'), "{arguments:?}: no table in {text}");
            for line in text.lines().filter(|line| !line.starts_with("next: ")) {
                let length = line.chars().count();
                assert!(length <= usize::from(columns), "{arguments:?}: {length} of {columns} columns: {line}");
            }
        }
    }

    /// Panics unless each of the wrong calls that no lab takes is refused, before any work: exit code 2, nothing on standard output, and
    /// a message that names the place and what to do next.
    pub fn assert_refuses_what_no_lab_takes(self) {
        let refused = |command: &mut Command, call: &str, place: &str| {
            let output = command.output().expect("the program starts");
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{call}: {message}");
            assert!(output.stdout.is_empty(), "{call} printed a result");
            assert!(message.contains(place), "{call}: '{place}' is not in: {message}");
            assert!(message.contains("next: ") || message.contains("try '--help'"), "{call}: and now? {message}");
        };
        for (arguments, place) in WRONG_CALLS {
            let arguments: Vec<&str> = arguments.split('|').collect();
            refused(&mut self.command(&arguments), &format!("{arguments:?}"), place);
        }
        let on_gpu = matches!(DeviceChoice::for_tests(), Ok(DeviceChoice::Gpu(_)));
        // Nobody reads the simulator's variables where it does not run.
        for (name, value) in WRONG_VARIABLES.iter().filter(|(name, _)| !on_gpu || *name == "LABS_DEVICE") {
            let mut command = self.command(&["--size", "8"]);
            refused(command.env(name, value), &format!("{name}={value}"), name);
        }
    }

    fn command(self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.0);
        if let Some(folder) = pristine_checkout() {
            command.current_dir(folder);
        }
        if std::env::var_os("LABS_DEVICE").is_none() {
            command.env("LABS_DEVICE", "sim");
        }
        command.args(arguments);
        command
    }

    /// Runs it and parses its JSON document. Panics unless it passes and standard output is that document and no more.
    pub fn json(self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json", "-"]].concat());
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {message}");
        serde_json::from_slice(&output.stdout).expect("one JSON document")
    }

    /// Runs it and panics unless it refuses: exit code 2, nothing on standard output, and a message that holds all of `words`.
    pub fn assert_refuses(self, arguments: &[&str], words: &[&str]) {
        let output = self.run(arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty(), "{arguments:?} printed a result");
        for word in words {
            assert!(message.contains(word), "{arguments:?}: '{word}' is not in: {message}");
        }
    }
}

/// Of a launch of which some blocks are run for all, what lies below L1 is that of whole waves, and per cent by which it may differ: waves have other parts
/// of blocks at the edges than the grid has, where its tiles are cut. Where they are not, it was seen to be within 0.1 per cent.
const BELOW_L1: [(&str, f64); 3] = [("l2_bytes", 2.0), ("host_bytes", 2.0), ("memory_bytes", 5.0)];
/// Counters of which a whole run has so few that one more is a per cent are none to compare.
const LEAST: f64 = 1000.0;

/// Runs a lab in whole and with `--sample`, and panics unless the rows of `sampled` are sampled in the second run, right, and alike: times within so
/// many per cent, what is counted over the time within three more (eligible warps within a tenth of one), hits in L1 within two points and in L2 within
/// five, bytes below L1 as above, and all other counters within one per cent.
pub fn assert_sampled_as_whole(lab: Program, arguments: &[&str], sampled: &[&str], most_percent_of_time: f64) {
    let rows = |more: &[&str]| lab.json(&[arguments, more].concat())["rows"].as_array().expect("rows").clone();
    let (whole, part) = (rows(&[]), rows(&["--sample"]));
    assert_eq!(whole.len(), part.len(), "{arguments:?}");
    for (whole, part) in whole.iter().zip(&part).filter(|row| sampled.iter().any(|name| row.0["variant"] == **name)) {
        let name = format!("{} {} {}", whole["variant"], whole["size"], whole["block"]);
        assert!(whole.get("sampled").is_none() && part["correct"] == true, "{name}: {}", part["mismatch"]);
        let percent = part["sampled"]["percent"].as_f64().unwrap_or(100.0);
        assert!(percent < 50.0, "{name}: {percent} % of the blocks were run; {}", part["not_sampled"]);
        for (counter, value) in whole["counters"].as_object().expect("counters") {
            let Some(value) = value.as_f64().filter(|value| value.abs() > LEAST || *value <= 100.0) else { continue };
            let other = part["counters"][counter].as_f64().expect(counter);
            let over_time = counter.ends_with("per_s") || counter.starts_with("throughput");
            let below = BELOW_L1.iter().find(|below| below.0 == counter);
            let most = match counter.as_str() {
                "l1_hit_rate" => 2.0,
                "l2_hit_rate" => 5.0,
                _ if below.is_some() => below.map_or(0.0, |below| below.1) / 100.0 * value.abs(),
                // Of the blocks that are played through, which are few.
                "eligible_warps" => f64::max(0.1, (most_percent_of_time + 3.0) / 100.0 * value.abs()),
                _ if over_time => (most_percent_of_time + 3.0) / 100.0 * value.abs(),
                _ => 0.01 * value.abs(),
            };
            assert!((other - value).abs() <= most, "{name}: {counter} {other}, whole {value}");
        }
        let [other, value] = [part, whole].map(|row| row["time_ms"]["median"].as_f64().expect("a time"));
        let percent = 100.0 * (other / value - 1.0);
        assert!(percent.abs() <= most_percent_of_time, "{name}: {other} ms, whole {value} ms");
    }
}

/// Panics unless a JSON document has every key that all labs share, with values of their kinds.
pub fn assert_shared_keys(report: &Value) {
    for key in ["name", "simulated", "profile", "compute_capability"] {
        assert!(report["device"].get(key).is_some(), "device.{key}");
    }
    assert!(report["lab"].is_string());
    let rows = report["rows"].as_array().expect("rows");
    assert!(!rows.is_empty());
    for row in rows {
        for key in [
            "variant",
            "size",
            "block",
            "host_memory",
            "dtype",
            "correct",
            "max_relative_error",
            "time_ms",
            "phases_ms",
            "gflops",
            "gbytes_per_s",
            "counters",
            "findings",
        ] {
            assert!(row.get(key).is_some(), "rows[].{key}");
        }
        for key in ["min", "max", "mean", "median", "stddev", "runs"] {
            assert!(row["time_ms"][key].is_number(), "rows[].time_ms.{key}");
        }
        assert_eq!(row["correct"], Value::Bool(true), "{row}");
    }
}
