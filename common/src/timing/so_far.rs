//! The rows that a run has so far, for those who cannot wait for its end: a document's tables are printed as they are done, and Ctrl-C leaves what
//! has been measured.

use crate::result::{Report, Row};
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::exit;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The exit code of a run that Ctrl-C ended: 128 and the number of SIGINT, as a shell has it.
const INTERRUPTED: i32 = 130;

/// One who is told how far a run is.
pub trait Follower: Send {
    /// More rows are there, all of a problem or those that will not change.
    fn measured(&mut self, report: &Report);
    /// Ctrl-C has ended the run; these are its rows.
    fn interrupted(&mut self, report: Report);
}

/// A run that is followed.
struct Followed {
    report: Report,
    /// The rows of problems that have ended, to which nothing is added any more.
    ended: usize,
    follower: Box<dyn Follower>,
}

static RUN: Mutex<Option<Followed>> = Mutex::new(None);

/// From here on to [`finish`], `follower` is told of all rows of this process. Errors: the system's, which refuses to tell of Ctrl-C.
pub fn follow(report: Report, follower: Box<dyn Follower>) -> std::io::Result<()> {
    static WATCHED: OnceLock<()> = OnceLock::new();
    *run() = Some(Followed { report, ended: 0, follower });
    if WATCHED.set(()).is_ok() { watch() } else { Ok(()) }
}

/// A report begins, whose rows will be told one by one. What stands in it already, notes and what its times are of, holds for all of them.
pub fn begin(report: &Report) {
    if let Some(run) = run().as_mut() {
        run.report.timed = report.timed;
        let new = report.notes.iter().filter(|note| !run.report.notes.contains(note)).cloned().collect::<Vec<_>>();
        run.report.notes.extend(new);
    }
}

/// One more row is measured; what is compared within its problem may still be missing.
pub fn add(row: impl FnOnce() -> anyhow::Result<Row>) -> anyhow::Result<()> {
    if let Some(run) = run().as_mut() {
        run.report.rows.push(row()?);
    }
    Ok(())
}

/// These are all rows of the problem so far, in place of those that were added since the one before ended.
pub fn tell(rows: &[Row]) {
    if let Some(Followed { report, ended, follower }) = run().as_mut() {
        report.rows.truncate(*ended);
        report.rows.extend_from_slice(rows);
        follower.measured(report);
    }
}

/// [`tell`], and nothing is added to them any more.
pub fn end_problem(rows: &[Row]) {
    tell(rows);
    if let Some(Followed { report, ended, .. }) = run().as_mut() {
        *ended = report.rows.len();
    }
}

/// All rows are there: the run delivers them itself.
pub fn finish() {
    run().take();
}

fn run() -> MutexGuard<'static, Option<Followed>> {
    // A row is there or it is not, wherever a panic was.
    RUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for Ctrl-C. The second one ends the process at once, should the first one's output not come to an end.
fn watch() -> std::io::Result<()> {
    let second = Arc::new(AtomicBool::new(false));
    flag::register_conditional_shutdown(SIGINT, INTERRUPTED, second.clone())?;
    flag::register(SIGINT, second)?;
    let mut signals = Signals::new([SIGINT])?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            if let Some(Followed { report, mut follower, .. }) = run().take() {
                follower.interrupted(report);
            }
            // Without the destructors of those who still compute.
            exit(INTERRUPTED);
        }
    });
    Ok(())
}
