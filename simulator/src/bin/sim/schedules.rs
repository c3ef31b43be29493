//! `--schedules`: whether the command ends otherwise, or more is found, when its blocks and warps run in another order.
//!
//! CUDA promises no order. Each seed is another legal one, as with `--schedules` of the labs. A program has no reference here, so what is
//! compared is how it ends and what the sanitizer finds; words that differ are told and are no fault by themselves, because sums of
//! floating-point numbers are rounded differently in another order.
use crate::arguments::Arguments;
use crate::journal::Finding;
use crate::{Failure, Ran, once};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The orders that were tried.
pub struct Schedules {
    /// The last seed.
    pub tried: u64,
    /// The first seed that changes the verdict, and what it changes.
    pub changed: Option<Changed>,
    /// The first seed with which the command's standard output is another, and its first line that is.
    pub words: Option<(u64, String)>,
}

/// A verdict that is not that of the natural order.
pub struct Changed {
    pub seed: u64,
    status: ExitStatus,
    /// Those that the natural order has not.
    findings: Vec<Finding>,
}

/// Runs the command under the seeds 1 … N, and stops at the first that changes the verdict; `None` where nobody asked for that.
pub fn search(arguments: &Arguments, natural: &Ran) -> Result<Option<Schedules>, Failure> {
    let Some(most) = arguments.schedules else { return Ok(None) };
    let mut schedules = Schedules { tried: most, changed: None, words: None };
    for seed in 1..=most {
        let ran = once(arguments, Some(seed))?;
        if schedules.words.is_none() {
            schedules.words = first_difference(&natural.output, &ran.output).map(|line| (seed, line));
        }
        let mut findings = ran.journal.findings;
        findings.retain(|finding| !natural.journal.findings.iter().any(|known| known.diagnosis == finding.diagnosis));
        if !findings.is_empty() || ran.status != natural.status {
            schedules.tried = seed;
            schedules.changed = Some(Changed { seed, status: ran.status, findings });
            break;
        }
    }
    Ok(Some(schedules))
}

/// Reads a command's standard output to its end, and passes it on to ours.
pub fn passed_on(mut from: impl Read, pass: bool) -> std::io::Result<Vec<u8>> {
    let (mut all, mut part, mut stdout) = (Vec::new(), [0; 1 << 16], std::io::stdout());
    loop {
        let read = from.read(&mut part)?;
        if read == 0 {
            return Ok(all);
        }
        if pass {
            // Nobody to tell when standard output is closed.
            let _ = stdout.write_all(&part[..read]).and_then(|()| stdout.flush());
        }
        all.extend(&part[..read]);
    }
}

/// The first line of the second text that the first has not in its place; an empty one where that is shorter.
fn first_difference(first: &[u8], second: &[u8]) -> Option<String> {
    if first == second {
        return None;
    }
    let (first, second) = (String::from_utf8_lossy(first), String::from_utf8_lossy(second));
    let mut known = first.lines();
    let other = second.lines().find(|line| known.next() != Some(line));
    Some(other.unwrap_or_default().to_owned())
}

fn ends(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, signal) => format!("signal {}", signal.unwrap_or(0)),
    }
}

impl Schedules {
    /// The result of the search, with the command that replays it.
    pub fn text(&self, arguments: &Arguments, natural: &Ran) -> String {
        let mut text = String::new();
        let command: Vec<_> = arguments.command.iter().map(|word| word.to_string_lossy()).collect();
        let flag = if arguments.sanitize { "--sanitize " } else { "" };
        let replays = |seed: u64| format!("LABS_SIM_SCHEDULE_SEED={seed} sim {flag}-- {}", command.join(" "));
        match &self.changed {
            Some(Changed { seed, status, findings }) => {
                for finding in findings {
                    let message = finding.diagnosis.get("message").and_then(Value::as_str).unwrap_or_default();
                    let _ = writeln!(text, "{message}\n");
                }
                let how = match *status == natural.status {
                    true => "more is found".to_owned(),
                    false => format!("{} instead of {}", ends(*status), ends(natural.status)),
                };
                let _ = writeln!(text, "== schedules: {how} in order {seed} of blocks and warps; {}", replays(*seed));
            }
            None => {
                let tried = self.tried;
                let _ = writeln!(
                    text,
                    "== schedules: none of {tried} other orders of blocks and warps changes the verdict"
                );
            }
        }
        if let Some((seed, line)) = &self.words {
            let _ = writeln!(
                text,
                "== schedules: the command says otherwise in order {seed}, first `{line}`; {}",
                replays(*seed)
            );
        }
        text
    }

    /// The same by the keys that `docs/json.md` has.
    pub fn json(&self) -> Value {
        let changed = self.changed.as_ref().map(|Changed { seed, status, findings }| {
            json!({ "seed": seed, "exit_code": status.code(), "findings": findings })
        });
        json!({ "tried": self.tried, "changed": changed, "says_otherwise": self.words.as_ref().map(|(seed, _)| seed) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_told() {
        assert_eq!(first_difference(b"a\nb\n", b"a\nb\n"), None);
        assert_eq!(first_difference(b"a\nb\n", b"a\nc\n"), Some("c".into()));
        assert_eq!(first_difference(b"a\nb\n", b"a\n"), Some(String::new()));
    }
}
