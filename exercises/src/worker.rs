//! What a worker does: the other side of [`crate::process`].
//!
//! - `compile`: CUDA C++ to PTX. Confined to the compiler's own files before it sees the source, so that `#include` finds nothing else.
//! - `build`: a student's Rust, with the program around it, to a binary in a given folder; by rustc alone, without Cargo, without `unsafe`.
//! - `program`: confines itself and becomes that binary.
//! - `run`: carries a verdict's runs out. It holds the reference, and so gets a student's work as data only: PTX, plans.
//! - `probe`: says which confinement this machine gives.

use crate::card::{source, target};
use crate::confine::{self, Confinement, Limits, Permissions, Processes};
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
    /// The code, with its resources.
    Ptx(String),
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

/// Work of a program's own: a question, and whether to confine itself before it looks at what the question names.
pub type Work = fn(Value, bool) -> anyhow::Result<Value>;

/// If this process is a worker, does its work and returns what to exit with. To be called first in `main`.
pub fn dispatch() -> Option<ExitCode> {
    dispatch_with(&[])
}

/// As [`dispatch`], with further work by its name.
pub fn dispatch_with(more: &[(&str, Work)]) -> Option<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    if arguments.next()? != WORD {
        return None;
    }
    let rest: Vec<String> = arguments.collect();
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let done = match rest[..] {
        ["program", confined, limits, path] => become_program(confined == "confined", limits, Path::new(path)),
        [what] => answer(what, more),
        _ => Err(anyhow::anyhow!("no such work")),
    };
    Some(match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(2)
        }
    })
}

#[derive(Deserialize)]
struct Envelope {
    secret: String,
    confined: bool,
    limits: Limits,
    question: Value,
}

fn answer(what: &str, more: &[(&str, Work)]) -> anyhow::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let Envelope { secret, confined, limits, question } = serde_json::from_str(&text)?;
    // The channel of the answer; what kernels and compilers print goes nowhere.
    let mut channel = File::from(rustix::io::dup(std::io::stdout())?);
    rustix::stdio::dup2_stdout(File::options().write(true).open("/dev/null")?)?;
    confine::limit(limits)?;
    let value = match what {
        "compile" => compile(serde_json::from_value(question)?, confined).map(serde_json::to_value),
        "build" => build(&serde_json::from_value(question)?, confined).map(serde_json::to_value),
        "run" => run::carry_out(&serde_json::from_value(question)?, confined).map(serde_json::to_value),
        "probe" => probe().map(serde_json::to_value),
        _ => match more.iter().find(|(name, _)| *name == what) {
            Some((_, work)) => work(question, confined).map(Ok),
            None => bail!("no such work: {what}"),
        },
    };
    let answer: Result<Value, String> = match value {
        Ok(value) => Ok(value?),
        Err(error) => Err(format!("{error:#}")),
    };
    write!(channel, "{secret}\n{}", serde_json::to_string(&answer)?)?;
    Ok(())
}

fn probe() -> anyhow::Result<Confinement> {
    confine::seal(&Permissions::default())
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
        Ok(image) => Compiled::Ptx(image.ptx().unwrap_or_default().to_owned()),
        // What a text says that it requires is its author's affair, too.
        Err(error @ (kernels::KernelError::Compile { .. } | kernels::KernelError::Device { .. })) => {
            Compiled::Refused(error.to_string())
        }
        Err(error) => Compiled::Unable(error.to_string()),
    })
}

/// The compiler's message where it refuses.
fn build(question: &Build, confined: bool) -> anyhow::Result<Option<String>> {
    let Build { folder, compiler, sysroot } = question;
    if confined {
        let read = [sysroot.clone(), "/usr/bin".into(), "/bin".into()].to_vec();
        let write = vec![folder.clone()];
        confine::seal(&Permissions { read, write, processes: Processes::All })?;
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
    Ok((!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned()))
}

fn become_program(confined: bool, limits: &str, path: &Path) -> anyhow::Result<()> {
    confine::limit(serde_json::from_str(limits)?)?;
    if confined {
        let read = vec![path.to_owned()];
        confine::seal(&Permissions { read, write: Vec::new(), processes: Processes::ReplaceOnly })?;
    }
    Err(Command::new(path).env_clear().exec()).context("starting the built program")
}
