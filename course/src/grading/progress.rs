//! How far the grader is: a line for each submission that is done, and on a terminal one about what is judged now, which the next one overwrites.

use crate::escape::line;
use crate::grade::Step;
use crate::record::Record;
use std::io::{IsTerminal, Write, stderr};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Columns of the line about what is judged now.
const WIDTH: usize = 78;

/// The progress of a class of so many.
pub struct Progress {
    of: usize,
    done: AtomicUsize,
    terminal: bool,
    writing: Mutex<()>,
}

impl Progress {
    /// On standard error.
    pub fn new(of: usize) -> Self {
        Progress { of, done: AtomicUsize::new(0), terminal: stderr().is_terminal(), writing: Mutex::new(()) }
    }

    /// Tells one step.
    pub fn tell(&self, step: &Step) {
        let erase = if self.terminal { "\r\x1b[K" } else { "" };
        let text = match step {
            Step::At(name, exercise) if self.terminal => {
                let number = self.done.load(Ordering::Relaxed) + 1;
                let text = format!("[{number} of {}] {}: judging {exercise}", self.of, line(name));
                format!("{erase}{}", text.chars().take(WIDTH).collect::<String>())
            }
            Step::At(..) => return,
            Step::Done(record) => {
                let number = self.done.fetch_add(1, Ordering::Relaxed) + 1;
                format!("{erase}[{number} of {}] {}\n", self.of, said(record))
            }
        };
        let _one_at_a_time = self.writing.lock();
        // Nobody to tell when the terminal is gone.
        let _ = stderr().write_all(text.as_bytes());
    }
}

/// A submission that is done, in a line.
fn said(record: &Record) -> String {
    let seconds: f64 = record.seconds.values().sum();
    let what = match (&record.refused, record.open_exercises()) {
        (Some(_), _) => "refused".to_owned(),
        (None, Some(open)) => format!("{} of {} points so far, {open}", record.points(), record.of()),
        (None, None) => format!("{} of {} points, {seconds:.1} s", record.points(), record.of()),
    };
    format!("{}: {what}", line(&record.name))
}
