//! The tasks of a worker: the other side of [`crate::process`].
//!
//! - `compile`: CUDA C++ to PTX. Confined to the compiler's own files before it sees the source, so that `#include` finds nothing else.
//! - `build`: a student's Rust, with the program around it, to a binary in a given folder; by rustc alone, without Cargo, without `unsafe`.
//! - `program`: confines itself and becomes that binary.
//! - `run`: carries a verdict's runs out. It holds the reference, and so gets a student's work as data only: PTX, plans.
//! - `probe`: says which confinement this machine gives.

use crate::card::{source, target};
use crate::confine::spaces::{self, Spaces};
use crate::confine::{self, Calls, Confinement, Limits, Permissions};
use crate::process::ending::{Answer, KILLED, ending};
use crate::process::usage;
use crate::run;
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The first argument that makes a program a worker.
pub const WORD: &str = "__worker";

/// A kernel to be compiled.
#[derive(Debug, Serialize, Deserialize)]
pub struct Kernel {
    /// The lab.
    pub lab: String,
    /// The rung.
    pub rung: String,
    /// The simulated card that it is compiled for.
    pub card: String,
    /// CUDA C++.
    pub text: String,
}

/// PTX, or why there is none.
#[derive(Debug, Serialize, Deserialize)]
pub enum Compiled {
    /// The code, with its resources; and the compiler's log, which may warn.
    Ptx(String, String),
    /// The compiler's message: the student's affair.
    Refused(String),
    /// There is no compiler here, or no such file: the machine's affair.
    Unable(String),
}

/// A student's Rust to be built.
#[derive(Debug, Serialize, Deserialize)]
pub struct Build {
    /// A folder with `main.rs`, in which the binary `program` is left.
    pub folder: PathBuf,
    /// rustc.
    pub compiler: PathBuf,
    /// Where its libraries lie.
    pub sysroot: PathBuf,
}

/// Work of another crate: a question in, an answer out. The function confines itself (`confine::seal`) before it looks at what is untrusted,
/// if it is told to.
pub type Work = fn(Value, bool) -> anyhow::Result<Value>;

/// If this process is a worker, does its work and returns what to exit with. To be called first in `main`.
pub fn dispatch() -> Option<ExitCode> {
    dispatch_with(&[])
}

/// The same with work of the caller's, by its name in [`crate::process::Workers::ask`].
pub fn dispatch_with(more: &[(&str, Work)]) -> Option<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    if arguments.next()? != WORD {
        return None;
    }
    let rest: Vec<String> = arguments.collect();
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let done = match rest[..] {
        ["outer", grader, work] => {
            grader.parse().context("a number").and_then(|grader| spaces::outer(grader, WORD, work))
        }
        ["inner", outer, letters, work] => {
            spaces::inner(outer, letters).and_then(|spaces| work_in(Some(spaces), work, more))
        }
        ["free", work] => work_in(None, work, more),
        _ => Err(anyhow::anyhow!("no such work")),
    };
    Some(done.unwrap_or_else(|error| {
        eprintln!("{error:#}");
        ExitCode::from(2)
    }))
}

/// The first message to a worker: its length in bytes as sixteen hexadecimal digits, then JSON. A program's input comes after it.
#[derive(Serialize, Deserialize)]
pub struct Envelope {
    /// The answer begins with it, so whoever asked knows that the work began.
    pub secret: String,
    /// The limits of the work.
    pub limits: Limits,
    /// The work's own.
    pub question: Value,
}

fn envelope(mut channel: &File) -> anyhow::Result<Envelope> {
    let mut length = [0; 16];
    channel.read_exact(&mut length)?;
    let length = usize::from_str_radix(std::str::from_utf8(&length)?, 16)?;
    let mut text = vec![0; length];
    channel.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// `spaces` is none where nothing is confined.
fn work_in(spaces: Option<Spaces>, what: &str, more: &[(&str, Work)]) -> anyhow::Result<ExitCode> {
    // Without a buffer: what comes after the envelope is a program's.
    let Envelope { secret, limits, question } =
        envelope(&File::from(rustix::io::fcntl_dupfd_cloexec(std::io::stdin(), 3)?))?;
    let calls = match what {
        "program" => Calls::Program,
        "build" => Calls::Build,
        _ => Calls::Data,
    };
    // The channel of the answer; what kernels and compilers print goes nowhere.
    let mut channel = File::from(rustix::io::fcntl_dupfd_cloexec(std::io::stdout(), 3)?);
    // The simulator reserves a card's address space and touches little of it: the grader's look at the box and the control group limit that.
    let memory_bytes = if what == "run" { 0 } else { limits.memory_bytes };
    confine::limit(Limits { memory_bytes, ..limits }, calls, spaces.unwrap_or_default())?;
    writeln!(channel, "{secret}")?;
    let confined = spaces.is_some();
    if what == "program" {
        return become_program(&serde_json::from_value::<PathBuf>(question)?, confined);
    }
    rustix::stdio::dup2_stdout(File::options().write(true).open("/dev/null")?)?;
    let value = match what {
        "compile" => compile(serde_json::from_value(question)?, confined).map(serde_json::to_value),
        "build" => build(&serde_json::from_value(question)?, limits, confined).map(serde_json::to_value),
        "run" => run::carry_out(&serde_json::from_value(question)?, confined).map(serde_json::to_value),
        "probe" => probe(spaces.unwrap_or_default()).map(serde_json::to_value),
        _ => match more.iter().find(|(name, _)| *name == what) {
            Some((_, work)) => work(question, confined).map(Ok),
            None => bail!("no such work: {what}"),
        },
    };
    let answer: Result<Value, String> = match value {
        Ok(value) => Ok(value?),
        Err(error) => Err(format!("{error:#}")),
    };
    write!(channel, "{}", serde_json::to_string(&answer)?)?;
    Ok(ExitCode::SUCCESS)
}

fn probe(Spaces { user, pids, network, ipc, mounts }: Spaces) -> anyhow::Result<Confinement> {
    let memory = usage::is_told();
    Ok(Confinement { user, pids, network, ipc, mounts, memory, ..confine::seal(&Permissions::default())? })
}

fn compile(Kernel { lab, rung, card, text }: Kernel, confined: bool) -> anyhow::Result<Compiled> {
    let source = match source(&lab, &rung, text) {
        Ok(source) => source,
        Err(error) => return Ok(Compiled::Unable(format!("{error:#}"))),
    };
    // Finds and loads the simulator, whose table has the card, and the compiler's library, while files can still be looked for.
    let target = match target(&card) {
        Ok(target) => target,
        Err(error) => return Ok(Compiled::Unable(format!("{error:#}"))),
    };
    let found = kernels::compiler();
    if confined {
        let library = found.as_ref().ok().and_then(|line| Some(PathBuf::from(line.rsplit_once(", ")?.1)));
        // .../nvidia/cuda_nvrtc/lib/libnvrtc.so.12, or a toolkit's lib64/libnvrtc.so.12: headers lie beside it.
        let root = library.as_deref().and_then(|library| library.ancestors().nth(3)).map(Path::to_owned);
        confine::seal(&Permissions { read: root.into_iter().collect(), ..Permissions::default() })?;
    }
    Ok(match kernels::compile(&source, target) {
        Ok(image) => Compiled::Ptx(image.ptx().unwrap_or_default().to_owned(), image.log().to_owned()),
        // A requirement that a text states is its author's affair, too.
        Err(error @ (kernels::KernelError::Compile { .. } | kernels::KernelError::Device { .. })) => {
            Compiled::Refused(error.to_string())
        }
        Err(error) => Compiled::Unable(error.to_string()),
    })
}

/// The compiler's message where it refuses. A limit that it meets, or somebody's kill of it or of the linker, is its own kind of end.
fn build(question: &Build, limits: Limits, confined: bool) -> anyhow::Result<Answer<Option<String>>> {
    let Build { folder, compiler, sysroot } = question;
    if confined {
        let execute = vec![sysroot.clone(), "/usr/bin".into(), "/bin".into()];
        let write = vec![folder.clone()];
        confine::seal(&Permissions { execute, write, calls: Calls::Build, ..Permissions::default() })?;
    }
    let mut command = Command::new(compiler);
    command.args([
        "--edition=2024",
        "--crate-name=program",
        "-Cdebuginfo=0",
        "-Funsafe_code",
        "-Awarnings",
        "--sysroot",
    ]);
    command.arg(sysroot).args(["-o", "program", "main.rs"]).current_dir(folder);
    command.env("TMPDIR", folder).env("PATH", "/usr/bin:/bin");
    let output = command.output().context("starting rustc")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(match output.status.code() {
        Some(0) => Answer::Given(None),
        Some(1) if linker_was_killed(&said) => Answer::Machine(format!("the linker: {KILLED}")),
        Some(1) => Answer::Given(Some(said)),
        // The signal at the limit of processor time comes before the kill at it, so a kill is somebody else's.
        _ => ending(output.status, said.trim(), limits, 0.0),
    })
}

/// Returns whether the linker, or a program that it had started, was killed. It is started for a text without a mistake, so a message that points into
/// a text is none of its own, whatever words stand in it.
fn linker_was_killed(said: &str) -> bool {
    let killed = ["signal: 9 (SIGKILL)", "terminated with signal 9", "Killed signal terminated program"];
    said.starts_with("error: linking with ")
        && !said.contains("--> ")
        && killed.iter().any(|words| said.contains(words))
}

fn become_program(path: &Path, confined: bool) -> anyhow::Result<ExitCode> {
    let (folder, name) = (path.parent().context("no folder")?, path.file_name().context("no name")?);
    // Found from here, because the way to the folder may be closed to the box's own user id.
    std::env::set_current_dir(folder).with_context(|| format!("{}", folder.display()))?;
    let path = Path::new(".").join(name);
    if confined {
        let execute = vec![path.clone()];
        confine::seal(&Permissions { execute, calls: Calls::Program, ..Permissions::default() })?;
    }
    Err(Command::new(&path).env_clear().exec()).context("starting the built program")
}
