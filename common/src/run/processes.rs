//! Parts of a run that processes of their own measure, because a process speaks to one card.

use crate::error::LabError;
use crate::progress::Progress;
use crate::result::Side;
use anyhow::Context;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// A run of this program.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name for a reader.
    pub label: String,
    /// Its command line, without the form of its result.
    pub args: Vec<String>,
}

/// As many as this host has cores: a simulated launch whose blocks meet is run by one.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs all parts, at most `at_once` together, and gives each result to `take` with the number of its part, as they come. Errors: the first part that has no result; the others are
/// run to their end.
pub fn run(
    parts: &[Part],
    at_once: usize,
    mut take: impl FnMut(usize, Side) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let progress = Progress::new(parts.len());
    let next = AtomicUsize::new(0);
    let (tell, told) = channel();
    std::thread::scope(|scope| {
        for _ in 0..at_once.min(parts.len()) {
            let (tell, next, progress) = (tell.clone(), &next, &progress);
            scope.spawn(move || {
                while let Some((number, part)) = parts.iter().enumerate().nth(next.fetch_add(1, Ordering::Relaxed)) {
                    progress.show(part.label.clone());
                    let measured = measure(part).with_context(|| part.label.clone());
                    // Who hears of an error takes nothing more.
                    if measured.is_err() {
                        next.store(parts.len(), Ordering::Relaxed);
                    }
                    let _ = tell.send((number, measured));
                }
            });
        }
        drop(tell);
        told.iter().try_for_each(|(number, measured)| {
            progress.step();
            take(number, measured?)
        })
    })
}

fn measure(part: &Part) -> anyhow::Result<Side> {
    let program = std::env::current_exe().context("the path of this program")?;
    let mut command = Command::new(program);
    command.args(&part.args).args(["--json", "-"]).stdin(Stdio::null());
    let output = command.output().context("starting a process for a part of the run")?;
    // A wrong result is one too; its rows say so.
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        LabError::host(format!("{}: {said}", output.status), format!("run it by itself: {}", part.args.join(" ")))
            .into()
    })
}
