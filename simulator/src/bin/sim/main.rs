//! Runs a command under the simulated driver and tells at its end what was refused and, if asked, what a profiler or a checker would.
//!
//! The driver writes a journal while the command runs (`driver/src/state/logs/journal.rs`, `refusals.rs`); this program, which the command cannot take
//! down with it, reads it afterwards. So a crash, `_exit` or a child process loses nothing.
mod arguments;
mod carried;
mod compiler;
mod explain;
mod init;
mod journal;
mod libraries;
mod linkage;
mod page;
mod profile;
mod ptxas;
mod python;
mod refusals;
mod report;
mod schedules;
mod search;
mod signals;
mod trace;

use arguments::{Arguments, Call, USAGE};
use journal::{Finding, Journal};
use ptxas::Printed;
use schedules::Schedules;
use serde_json::Value;
use simulator::driver::Certificate;
use simulator::host::Level;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

fn main() -> ExitCode {
    let name = std::env::args_os().next().unwrap_or_default();
    if compiler::is_nvcc(&name) {
        refusals::note_other_work();
        eprintln!("sim: {}", compiler::become_nvcc(&name, std::env::args_os().skip(1)));
        return ExitCode::from(127);
    }
    if let Some(name) = ptxas::name(&name) {
        return in_place_of_ptxas(name);
    }
    let arguments = match arguments::parse(std::env::args_os().skip(1)) {
        Ok(Call::Help) => return answer(USAGE),
        Ok(Call::Version) => {
            let levels: Vec<&str> = Level::COMPILED.iter().map(|level| level.name()).collect();
            let version = env!("CARGO_PKG_VERSION");
            return answer(&format!("sim {version}\nvector instructions: {}\n", levels.join(", ")));
        }
        Ok(Call::Init(runner, sanitize)) => {
            return match runner.init(Path::new("."), sanitize) {
                Ok(done) => answer(&format!("sim: {done}\n")),
                Err(why) => {
                    eprintln!("sim: {why}");
                    ExitCode::from(2)
                }
            };
        }
        Ok(Call::Run(arguments)) => arguments,
        Err(why) => {
            eprintln!("sim: {why}\n  next: sim --help");
            return ExitCode::from(2);
        }
    };
    run(&arguments).unwrap_or_else(|(code, why)| {
        eprintln!("sim: {why}");
        ExitCode::from(code)
    })
}

/// Prints as ptxas does.
fn in_place_of_ptxas(name: &OsStr) -> ExitCode {
    match ptxas::run(name, &std::env::args_os().skip(1).collect::<Vec<_>>()) {
        Ok(Printed::Answer(text)) => answer(&text),
        Ok(Printed::Information(text)) => {
            eprint!("{text}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("ptxas {why}");
            ExitCode::from(ptxas::FAILED)
        }
    }
}

/// Writes an answer to standard output. A reader that leaves before the end, as `head` does, has what it wanted, so this is no failure.
fn answer(text: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            eprintln!("sim: standard output cannot be written: {error}");
            ExitCode::from(2)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// An exit code, and why.
type Failure = (u8, String);

fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if let Some(card) = &arguments.card {
        simulator::driver::check_card(&card.to_string_lossy()).map_err(|why| {
            (2, format!("--card {}: {why}\n  next: --card rtx4060, or a name or a file that is there", card.display()))
        })?;
    }
    simulator::driver::check_environment().map_err(|why| (2, why))?;
    linkage::warn(arguments.command[0].as_ref());
    for (flag, path) in arguments.files() {
        // A report that cannot be written is told before the work, not after it.
        std::fs::write(path, "").map_err(|error| cannot_write(flag, path, &error))?;
    }
    let ran = once(arguments, None)?;
    let Ran { journal, certificate, status, .. } = &ran;
    let status = *status;
    let is_reported = arguments.counts() || arguments.sanitize;
    if let Some(signal) = status.signal().filter(|_| is_reported) {
        eprintln!("== signal {signal} ended the command; this is what it did before");
    }
    // Nobody to tell when standard error is closed.
    let _ = std::io::stderr().write_all(report::text(journal, certificate, arguments).as_bytes());
    if !ran.has_started {
        let _ = writeln!(std::io::stderr(), "{NO_CALL}");
    }
    if ran.lacked_nvrtc {
        let _ = writeln!(std::io::stderr(), "{NO_NVRTC}");
    }
    let schedules = schedules::search(arguments, &ran)?;
    if let Some(schedules) = &schedules {
        let _ = std::io::stderr().write_all(schedules.text(arguments, &ran).as_bytes());
    }
    write_files(arguments, &ran, schedules.as_ref())?;
    let is_expected = |finding: &Finding| {
        let message = finding.diagnosis.get("message").and_then(Value::as_str);
        certificate.expected_faults.iter().any(|why| message == Some(why))
    };
    let doubt = match () {
        () if arguments.sanitize && !journal.findings.iter().all(is_expected) => Some(1),
        () if schedules.as_ref().is_some_and(|schedules| schedules.changed.is_some()) => Some(1),
        () if !certificate.faults.is_empty() => Some(simulator::driver::FAULT_EXIT_CODE as u8),
        () if !certificate.refused.is_empty() && !arguments.allow_refused => {
            Some(simulator::driver::REFUSED_EXIT_CODE as u8)
        }
        () if arguments.strict && (certificate.is_approximate() || certificate.is_refused() || !ran.has_started) => {
            Some(NOT_EXACT_EXIT_CODE)
        }
        () if arguments.strict && !certificate.answered.is_empty() => Some(NOT_EXACT_EXIT_CODE),
        () => None,
    };
    Ok(exit_code(status, doubt))
}

/// The words of a run in which nothing asked for a card: a green test of it has tested nothing.
const NO_CALL: &str = "== no CUDA call was made: the program did not see the simulated card, or ran on its CPU; next: name the device \
                       to it (JAX_PLATFORMS=cuda, device=\"cuda\"), so that it says why";

/// The words where a program did not get its compiler.
const NO_NVRTC: &str = "== NVRTC was asked for by its name, and the loader did not find it\n  next: pip install nvidia-cuda-nvrtc-cu12 where sim is \
                        installed, or set LABS_NVRTC to its folder";

/// The command as it ran once.
struct Ran {
    journal: Journal,
    /// The driver was started.
    has_started: bool,
    lacked_nvrtc: bool,
    certificate: Certificate,
    status: ExitStatus,
    /// Its standard output, where orders are compared.
    output: Vec<u8>,
}

/// Runs the command once, in the natural order or in that of a seed, in which it keeps its words to itself.
fn once(arguments: &Arguments, seed: Option<u64>) -> Result<Ran, Failure> {
    let mut command = Command::new(&arguments.command[0]);
    command.args(&arguments.command[1..]);
    for (name, value) in loader().map_err(|why| (2, why))? {
        command.env(name, value);
    }
    let folder = Folder::new().map_err(|error| (2, format!("a folder for the journal: {error}")))?;
    let refusals = folder.0.join("refusals");
    std::fs::create_dir(&refusals).map_err(|error| (2, format!("a folder for the journal: {error}")))?;
    ask(&mut command, arguments, &folder.0, &refusals);
    python::prepare(&mut command, &folder.0, arguments.sanitize).map_err(|why| (2, why))?;
    if let Some(seed) = seed {
        command.env("LABS_SIM_SCHEDULE_SEED", seed.to_string()).stdin(Stdio::null()).stderr(Stdio::null());
    }
    if arguments.schedules.is_some() {
        command.stdout(Stdio::piped());
    }
    let cannot_start = |error: std::io::Error| {
        let program = arguments.command[0].display();
        (
            127,
            format!(
                "{program} cannot be started: {error}\n  next: name a program of your path, or the path of a file that may be run"
            ),
        )
    };
    signals::end_with_sim(&mut command);
    let mut child = command.spawn().map_err(cannot_start)?;
    signals::outlive(&child);
    let waiting = |error: std::io::Error| (2, format!("waiting for the command: {error}"));
    let output = match child.stdout.take() {
        Some(stdout) => schedules::passed_on(stdout, seed.is_none()).map_err(waiting)?,
        None => Vec::new(),
    };
    let status = child.wait().map_err(waiting)?;
    let unread = |error: std::io::Error| (2, format!("reading the journal: {error}"));
    let journal = Journal::read(&folder.0).map_err(unread)?;
    let mut certificate = refusals::read(&refusals).map_err(unread)?;
    if arguments.allow_faults {
        certificate.expected_faults.append(&mut certificate.faults);
    }
    let has_started = refusals::has_started(&refusals);
    if has_started {
        refusals::note_other_work();
    }
    Ok(Ran { journal, has_started, lacked_nvrtc: refusals::lacked_nvrtc(&refusals), certificate, status, output })
}

/// Tells the driver by its variables what to keep for the report.
fn ask(command: &mut Command, arguments: &Arguments, journal: &Path, refusals: &Path) {
    command.env(refusals::FOLDER, refusals);
    if let Some(card) = &arguments.card {
        command.env("LABS_SIM_PROFILE", card);
    }
    if arguments.counts() || arguments.traces() || arguments.sanitize || arguments.replay.is_some() {
        command.env("LABS_SIM_JOURNAL", journal);
    }
    if arguments.sanitize || arguments.by_line() || arguments.replay.is_some() {
        command.envs(libraries::for_lines());
    }
    if let Some(most) = arguments.search {
        command.env("LABS_SIM_SEARCH", most.to_string());
    }
    for (name, is_wanted) in [
        ("LABS_SIM_COUNTERS", arguments.counts()),
        ("LABS_SIM_LINES", arguments.by_line()),
        // The page draws them.
        ("LABS_SIM_SAMPLES", arguments.html.is_some()),
        ("LABS_SIM_TRACE", arguments.traces()),
        // The user's own says of which kernel.
        ("LABS_SIM_REPLAY", arguments.replay.is_some() && std::env::var_os("LABS_SIM_REPLAY").is_none()),
        ("LABS_SIM_SANITIZE", arguments.sanitize),
        ("LABS_SIM_LEAKS", arguments.leaks),
        // For pytest's plugin, which fails single tests.
        ("LABS_SIM_ALLOW_REFUSED", arguments.allow_refused),
        ("LABS_SIM_ALLOW_FAULTS", arguments.allow_faults),
    ] {
        if is_wanted {
            command.env(name, "1");
        }
    }
}

/// Writes what was asked for, and says where it is.
fn write_files(arguments: &Arguments, ran: &Ran, schedules: Option<&Schedules>) -> Result<(), Failure> {
    let Ran { journal, certificate, status, .. } = ran;
    for (flag, path) in arguments.files() {
        let (text, hint): (Vec<u8>, _) = match flag {
            "--json" => {
                let mut document = report::json(journal, certificate, arguments, *status);
                if let Some(schedules) = schedules {
                    document["schedules"] = schedules.json();
                }
                (format!("{document:#}\n").into(), "")
            }
            "--html" => (page::render(journal, certificate, arguments).into(), ": open it in a browser"),
            "--replay" => match &journal.replay {
                Some(recording) => (replay(recording, arguments).into(), ": open it in a browser"),
                None => return Err((2, NO_REPLAY.to_owned())),
            },
            "--ncu-rep" => (profile::render(journal, arguments), ": ncu --import shows it"),
            _ => (trace::render(&journal.spans).into(), ": open it in https://ui.perfetto.dev"),
        };
        std::fs::write(path, text).map_err(|error| cannot_write(flag, path, &error))?;
        if !hint.is_empty() {
            eprintln!("== wrote {}{hint}", path.display());
        }
    }
    Ok(())
}

/// The words where `--replay` has nothing to play.
const NO_REPLAY: &str = "--replay: no launch was recorded; kernels that allocate memory or launch others are not, nor is a card with more \
                         than 256 MiB in use\n  next: name a program that launches a kernel, with a small problem";

fn replay(recording: &serde_json::Value, arguments: &Arguments) -> String {
    let command: Vec<_> = arguments.command.iter().map(|word| word.to_string_lossy()).collect();
    views::replay::render(recording, &command.join(" "))
}

fn cannot_write(flag: &str, path: &Path, error: &std::io::Error) -> Failure {
    (2, format!("{flag} {} cannot be written: {error}\n  next: choose a path in a folder of yours", path.display()))
}

/// How a command ends with `--strict` where something was not exact.
const NOT_EXACT_EXIT_CODE: u8 = 4;

/// The command's own, but where it ended with 0 and there is doubt about it, which has a code of its own.
fn exit_code(status: ExitStatus, doubt: Option<u8>) -> ExitCode {
    let code = status.code().unwrap_or(128 + status.signal().unwrap_or(0)) as u8;
    ExitCode::from(if code == 0 { doubt.unwrap_or(0) } else { code })
}

/// The loader's variables: its path with a folder in front where CUDA's names lead to the simulator and to the runtime
/// libraries over it, and the auditor that opens the fronts of compilers; and those by which nvcc builds what runs on them.
fn loader() -> Result<Vec<(&'static str, OsString)>, String> {
    let links = libraries::links()?;
    let mut variables = compiler::variables(&links.folder);
    variables.extend(ptxas::VARIABLES.map(|(name, path)| (name, links.folder.join(path).into_os_string())));
    let nvrtc = libraries::nvrtc(&links.folder);
    let (name, mut paths) = in_front("LD_LIBRARY_PATH", links.folder)?;
    nvrtc.iter().for_each(|folder| paths.extend([OsStr::new(":"), folder.as_os_str()]));
    variables.push((name, paths));
    if let Some(auditor) = links.auditor {
        variables.push(in_front("LD_AUDIT", auditor)?);
        variables.push(room_for_thread_locals(std::env::var("GLIBC_TUNABLES").unwrap_or_default()));
    }
    Ok(variables)
}

/// A variable that lists paths, with one in front.
fn in_front(name: &'static str, path: PathBuf) -> Result<(&'static str, OsString), String> {
    let others = std::env::var_os(name).filter(|path| !path.is_empty());
    let rest = others.iter().flat_map(std::env::split_paths).filter(|other| *other != path);
    let all = std::env::join_paths(std::iter::once(path.clone()).chain(rest));
    all.map(|value| (name, value)).map_err(|error| error.to_string())
}

/// Bytes of each thread for thread-local variables of the libraries that a program is linked with. With an auditor the loader reckons this
/// room before it knows them, and programs do not start that need more than its 512 bytes; rustc needs 23,688.
const THREAD_LOCAL_BYTES: u32 = 64 << 10;

/// The loader's variable for this room, unless the user chose another.
fn room_for_thread_locals(own: String) -> (&'static str, OsString) {
    const ROOM: &str = "glibc.rtld.optional_static_tls";
    let value = match own.as_str() {
        known if known.contains(ROOM) => own,
        "" => format!("{ROOM}={THREAD_LOCAL_BYTES}"),
        others => format!("{others}:{ROOM}={THREAD_LOCAL_BYTES}"),
    };
    ("GLIBC_TUNABLES", value.into())
}

/// A folder that goes when it is no longer needed.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Folder> {
        // Process ids come again, and a folder whose process was killed stays.
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
        let path = std::env::temp_dir().join(format!("sim-journal-{}-{now}", std::process::id()));
        std::fs::create_dir(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
