//! A worker: this program again, as a process of its own with a time limit, that is asked one thing and answers once.
//!
//! The answer comes over a channel that begins with a secret of this one question. The secret is drawn after the student's code was compiled,
//! and no student's machine code ever runs in the process that knows it.

use crate::confine::Limits;
use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How workers are started.
#[derive(Clone, Debug)]
pub struct Workers {
    /// The program that has [`crate::worker::dispatch`] in its `main`.
    pub program: PathBuf,
    /// Whether workers confine themselves.
    pub confined: bool,
    /// Each one's time on the clock.
    pub wall: Duration,
}

/// What became of a question.
#[derive(Debug)]
pub enum Answer<T> {
    /// The worker's answer.
    Given(T),
    /// The work itself reached a limit of its box: processor time, memory, output, processes, or it waits for something that never comes.
    Exceeded(String),
    /// The work ended by itself without an answer (exit code, abort, a signal of its own), for this reason.
    Died(String),
    /// The machine's affair: the worker did not start, was killed from outside, was starved of processor time, a file of the grader's is missing.
    Machine(String),
}

/// Longest answer in bytes: PTX of a whole file and more.
const LONGEST: u64 = 64 << 20;

/// Variables of the environment that are passed on to workers: where the compiler and the simulator lie.
const PASSED_ON: &[&str] = &[
    "PATH",
    "HOME",
    "LABS_NVRTC",
    "LABS_SIMULATOR",
    "LABS_SIM_SIMD",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_ROOT",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "LD_LIBRARY_PATH",
];

impl Workers {
    /// Workers of this very program, which has to call [`crate::worker::dispatch`].
    ///
    /// # Errors
    /// A system that does not tell where the program lies.
    pub fn of_this_program(confined: bool) -> anyhow::Result<Self> {
        Ok(Workers { program: std::env::current_exe()?, confined, wall: Duration::from_secs(60) })
    }

    /// Asks a worker one thing. `limits` are its own processes'.
    ///
    /// # Errors
    /// A worker that cannot be started.
    pub fn ask<Q: Serialize, A: DeserializeOwned>(
        &self,
        what: &str,
        question: &Q,
        limits: Limits,
    ) -> anyhow::Result<Answer<A>> {
        let secret = format!("{:032x}", rand::random::<u128>());
        let envelope = serde_json::json!({
            "secret": secret, "confined": self.confined, "limits": limits, "question": question,
        });
        let output = self.run(self.command(&[what]), envelope.to_string().into_bytes())?;
        let (text, ending, killed) = match output {
            Output::Ended { text, ending, killed } => (text, ending, killed),
            Output::TimedOut => return Ok(Answer::Exceeded(self.out_of_time())),
        };
        let Some(rest) = text.strip_prefix(&secret).and_then(|rest| rest.strip_prefix('\n')) else {
            return Ok(ended(ending, killed, limits));
        };
        let answer: Result<A, String> = serde_json::from_str(rest).context("a worker's answer")?;
        Ok(match answer {
            Ok(answer) => Answer::Given(answer),
            // A worker that can still say why it gives up does so about this machine; work that fails is part of an answer.
            Err(error) => Answer::Machine(error),
        })
    }

    /// Runs a student's program to its end: lines in, lines out. What it prints is data and nothing more.
    ///
    /// # Errors
    /// A worker that cannot be started.
    pub fn feed(&self, program: &Path, input: String, limits: Limits) -> anyhow::Result<Answer<String>> {
        let words = serde_json::to_string(&limits)?;
        let mut command = self.command(&["program", if self.confined { "confined" } else { "free" }, &words]);
        command.arg(program).env_clear();
        Ok(match self.run(command, input.into_bytes())? {
            Output::Ended { text, ending, .. } if ending.is_empty() => Answer::Given(text),
            Output::Ended { ending, killed, .. } => ended(ending, killed, limits),
            Output::TimedOut => Answer::Exceeded(self.out_of_time()),
        })
    }

    fn out_of_time(&self) -> String {
        format!("it took longer than {} s and was ended", self.wall.as_secs())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(crate::worker::WORD).args(arguments).env_clear();
        command.envs(PASSED_ON.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        command.current_dir("/").process_group(0);
        command
    }

    fn run(&self, mut command: Command, input: Vec<u8>) -> anyhow::Result<Output> {
        let begun = Instant::now();
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().with_context(|| format!("starting {}", self.program.display()))?;
        let mut stdin = child.stdin.take().expect("piped");
        // A worker that does not read its question has died, which its ending tells.
        let writer = std::thread::spawn(move || stdin.write_all(&input).is_ok());
        let stdout = reader(child.stdout.take().expect("piped"), LONGEST);
        let stderr = reader(child.stderr.take().expect("piped"), 1 << 16);
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if begun.elapsed() > self.wall {
                break None;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        end_group(&child);
        let Some(status) = status else {
            child.wait()?;
            return Ok(Output::TimedOut);
        };
        let (text, said) = (joined(stdout), joined(stderr));
        drop(writer.join());
        let ending = if status.success() { String::new() } else { format!("{status}: {}", said.trim()) };
        let killed = (status.signal() == Some(libc::SIGKILL)).then(|| begun.elapsed());
        Ok(Output::Ended { text, ending, killed })
    }
}

enum Output {
    /// `killed`: after that time, by a signal that nothing sends to itself.
    Ended {
        text: String,
        ending: String,
        killed: Option<Duration>,
    },
    TimedOut,
}

/// An end without an answer. The kernel kills at the limit of processor time with the same signal as everybody else.
fn ended<T>(ending: String, killed: Option<Duration>, limits: Limits) -> Answer<T> {
    match killed {
        Some(after) if after >= Duration::from_secs(limits.cpu_seconds) => {
            Answer::Exceeded(format!("it took more than {} s of processor time and was ended", limits.cpu_seconds))
        }
        Some(_) => Answer::Machine(format!("it was killed: {ending}")),
        None => Answer::Died(ending),
    }
}

/// Whatever a worker has left running in its group.
fn end_group(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // The group is gone already where the worker ended alone.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn reader(from: impl Read + Send + 'static, most: u64) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // A pipe that breaks off has given what it had.
        let _ = from.take(most).read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn joined(thread: std::thread::JoinHandle<String>) -> String {
    thread.join().unwrap_or_default()
}
