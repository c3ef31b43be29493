//! A worker: this program again, as a process of its own in a box with limits, that is asked one thing and answers once.
//!
//! The answer comes over a channel that begins with a secret of this one question. The secret is drawn after the student's code was compiled,
//! and no student's machine code ever runs in the process that knows it.

pub mod ending;
mod group;
pub mod usage;

use crate::confine::Limits;
use crate::worker::Envelope;
use anyhow::Context;
pub use ending::Answer;
use ending::{ending, out_of_memory};
use group::Group;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How workers are started.
#[derive(Clone, Debug)]
pub struct Workers {
    /// The program that has [`crate::worker::dispatch`] in its `main`.
    pub program: PathBuf,
    /// True if workers confine themselves.
    pub confined: bool,
    /// Each one's time on the clock; without it ten times its processor time and half a minute more.
    pub wall: Option<Duration>,
}

/// The outcome of a program, and the text that it wrote up to its end.
#[derive(Debug)]
pub struct Told {
    /// True if it came to its end.
    pub end: Answer<()>,
    /// On standard output.
    pub printed: String,
    /// On standard error.
    pub said: String,
}

impl Told {
    fn nothing(end: Answer<()>) -> Self {
        Told { end, printed: String::new(), said: String::new() }
    }
}

/// Longest answer in bytes: PTX of a whole file and more.
const LONGEST: u64 = 64 << 20;
/// Longest output of a student's program: a plan of a hundred thousand steps and more.
const LONGEST_PLAN: u64 = 16 << 20;
/// How often an ending is looked for.
const LOOK: Duration = Duration::from_millis(1);
/// How often memory is looked at.
const LOOK_AT_MEMORY: Duration = Duration::from_millis(5);
/// How often the states of the threads are looked at.
const LOOK_AT_STATES: Duration = Duration::from_millis(100);
/// No work here sleeps: after so long it waits for something that never comes.
const ASLEEP: Duration = Duration::from_secs(10);

/// Variables of the environment that are passed on to workers: where the compiler and the simulator lie.
const PASSED_ON: &str = include_str!("passed_on.txt");

impl Workers {
    /// Workers of this very program, which has to call [`crate::worker::dispatch`].
    ///
    /// # Errors
    /// A system that does not tell where the program lies.
    pub fn of_this_program(confined: bool) -> anyhow::Result<Self> {
        Ok(Workers { program: std::env::current_exe()?, confined, wall: None })
    }

    /// Asks a worker one thing. `limits` are its own processes'.
    ///
    /// # Errors
    /// A question or an answer that is no JSON.
    pub fn ask<Q: Serialize, A: DeserializeOwned>(
        &self,
        what: &str,
        question: &Q,
        limits: Limits,
    ) -> anyhow::Result<Answer<A>> {
        let Told { end, printed, .. } = self.run(what, serde_json::to_value(question)?, "", limits, LONGEST)?;
        if !matches!(end, Answer::Given(())) {
            return Ok(end.then(|()| Answer::Died(String::new())));
        }
        // It was there to the end, so an answer that cannot be read is this program's own mistake.
        let answer: Result<A, String> = serde_json::from_str(&printed).context("a worker's answer")?;
        Ok(answer.map_or_else(Answer::Machine, Answer::Given))
    }

    /// Runs a student's program to its end: lines in, lines out. What it prints is data and nothing more.
    ///
    /// # Errors
    /// A path that is no text.
    pub fn feed(&self, program: &Path, input: &str, limits: Limits) -> anyhow::Result<Told> {
        self.run("program", serde_json::to_value(program)?, input, limits, LONGEST_PLAN)
    }

    fn command(&self, what: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(crate::worker::WORD).env_clear();
        if self.confined {
            command.args(["outer", &std::process::id().to_string(), what]);
        } else {
            command.args(["free", what]);
        }
        if what != "program" {
            command.envs(PASSED_ON.lines().filter_map(|name| Some((name, std::env::var_os(name)?))));
        }
        command.current_dir("/").process_group(0);
        command
    }

    /// The outcome of a worker, and the text that it printed after its secret.
    fn run(
        &self,
        what: &str,
        question: serde_json::Value,
        input: &str,
        limits: Limits,
        longest: u64,
    ) -> anyhow::Result<Told> {
        let secret = format!("{:032x}", rand::random::<u128>());
        let envelope = serde_json::to_string(&Envelope { secret: secret.clone(), limits, question })?;
        // The byte that the outer process waits for, the envelope, the program's input.
        let gate = if self.confined { "\n" } else { "" };
        let text = format!("{gate}{:016x}{envelope}{input}", envelope.len()).into_bytes();
        let mut command = self.command(what);
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = match pipes.spawn() {
            Ok(child) => child,
            Err(error) => {
                let why = format!("{} does not start: {error}", self.program.display());
                return Ok(Told::nothing(Answer::Machine(why)));
            }
        };
        let group = if self.confined { Group::around(&child, limits.memory_bytes) } else { Group::default() };
        let mut stdin = child.stdin.take().expect("piped");
        // A worker that does not read its question has died, which its ending tells.
        let writer = std::thread::spawn(move || stdin.write_all(&text).is_ok());
        let stdout = reader(child.stdout.take().expect("piped"), longest + 1);
        let stderr = reader(child.stderr.take().expect("piped"), 1 << 16);
        let watched = self.watch(&child, limits);
        end_group(&child);
        let status = child.wait()?;
        let (text, said) = (joined(stdout), joined(stderr));
        drop(writer.join());
        let Watched { ended, cpu_seconds } = watched?;
        if text.len() as u64 > longest {
            return Ok(Told::nothing(Answer::Exceeded(format!("it printed more than {} MiB", longest >> 20))));
        }
        let Some(rest) = text.strip_prefix(&secret).and_then(|rest| rest.strip_prefix('\n')) else {
            let why = if let Some(Ended::Machine(why)) = ended { why } else { format!("{status}: {}", said.trim()) };
            return Ok(Told::nothing(Answer::Machine(format!("the worker '{what}' did not begin: {why}"))));
        };
        let end = match ended {
            Some(Ended::Exceeded(why)) => Answer::Exceeded(why),
            Some(Ended::Machine(why)) => Answer::Machine(why),
            None if group.out_of_memory() => Answer::Exceeded(out_of_memory(limits)),
            None if status.success() => Answer::Given(()),
            None => ending(status, said.trim(), limits, cpu_seconds),
        };
        Ok(Told { end, printed: rest.to_owned(), said })
    }

    /// Waits for a worker's end, or says why it is to be ended. It is left as it is, so that its processor time can be read after this.
    fn watch(&self, child: &Child, limits: Limits) -> anyhow::Result<Watched> {
        let id = Pid::from_child(child);
        let wall = self.wall.unwrap_or(Duration::from_secs(10 * limits.cpu_seconds + 30));
        let start = Instant::now();
        let (mut memory_at, mut states_at) = (start, start);
        let (mut looks, mut awake, mut last_awake) = (0_u32, 0_u32, start);
        let ended = loop {
            let leave = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            if waitid(WaitId::Pid(id), leave)?.is_some() {
                break None;
            }
            let now = Instant::now();
            if now > memory_at && limits.memory_bytes > 0 {
                memory_at = now + LOOK_AT_MEMORY;
                if usage::memory_bytes(child.id()) > limits.memory_bytes {
                    break Some(Ended::Exceeded(out_of_memory(limits)));
                }
            }
            if now > states_at {
                states_at = now + LOOK_AT_STATES;
                looks += 1;
                if usage::awake(child.id()) {
                    awake += 1;
                    last_awake = now;
                }
            }
            // Half of a short time, so that this is told before the time is over.
            if now - last_awake > ASLEEP.min(wall / 2) {
                break Some(Ended::Exceeded("it waits for something that never comes".to_owned()));
            }
            if now - start > wall {
                let seconds = wall.as_secs();
                break Some(if awake * 2 > looks {
                    Ended::Machine(format!("it was given too little of the processor for {seconds} s"))
                } else {
                    Ended::Exceeded(format!("it was mostly asleep for {seconds} s"))
                });
            }
            std::thread::sleep(LOOK);
        };
        if ended.is_some() {
            end_group(child);
        }
        Ok(Watched { ended, cpu_seconds: usage::cpu_seconds(child.id()) })
    }
}

/// Why a worker was ended.
enum Ended {
    Exceeded(String),
    Machine(String),
}

struct Watched {
    ended: Option<Ended>,
    /// Processor time of the worker and all that it waited for.
    cpu_seconds: f64,
}

/// Whatever a worker has left running in its group.
fn end_group(child: &Child) {
    // The group is gone already where the worker ended alone.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
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
