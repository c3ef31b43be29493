//! How a question to a process may end, and whose doing an ending without success is.

use crate::confine::Limits;
use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The outcome of a question.
#[derive(Debug, Serialize, Deserialize)]
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

impl<T> Answer<T> {
    /// Goes on with what was given; an end stays as it is.
    pub fn then<U>(self, next: impl FnOnce(T) -> Answer<U>) -> Answer<U> {
        match self {
            Answer::Given(value) => next(value),
            Answer::Exceeded(why) => Answer::Exceeded(why),
            Answer::Died(why) => Answer::Died(why),
            Answer::Machine(why) => Answer::Machine(why),
        }
    }
}

pub(crate) fn out_of_memory(limits: Limits) -> String {
    format!("it took more than {} MiB of memory", limits.memory_bytes >> 20)
}

/// Words with which programs here end when an allocation fails: Rust's, C++'s, LLVM's, the linker's.
const NO_MEMORY: &[&str] = &["memory allocation of", "bad_alloc", "out of memory", "Cannot allocate memory"];

/// On a process that was killed, and did not meet a limit.
pub(crate) const KILLED: &str = "it was killed from outside: by a person, or because the machine ran out of memory";

/// Whose doing an ending without success is.
pub(crate) fn ending<T>(status: ExitStatus, said: &str, limits: Limits, cpu_seconds: f64) -> Answer<T> {
    let signal = status.signal().and_then(Signal::from_named_raw);
    // Counted in hundredths.
    let out_of_time = cpu_seconds + 0.1 > limits.cpu_seconds as f64;
    if signal == Some(Signal::XCPU) || (signal == Some(Signal::KILL) && out_of_time) {
        return Answer::Exceeded(format!("it took more than {} s of processor time", limits.cpu_seconds));
    }
    if signal == Some(Signal::XFSZ) {
        return Answer::Exceeded(format!("it wrote a file of more than {} bytes", limits.file_bytes));
    }
    if signal == Some(Signal::KILL) {
        return Answer::Machine(KILLED.to_owned());
    }
    if limits.memory_bytes > 0 && NO_MEMORY.iter().any(|words| said.contains(words)) {
        return Answer::Exceeded(format!("{}: {said}", out_of_memory(limits)));
    }
    Answer::Died(format!("{status}: {said}"))
}
