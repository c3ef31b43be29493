//! A progress bar on standard error, drawn on a terminal only.

use indicatif::{ProgressBar, ProgressStyle};

/// Counts finished runs; erased when dropped.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar of so many steps.
    pub fn new(steps: usize) -> Self {
        // indicatif draws on standard error and keeps silent when that is not a terminal.
        let bar = ProgressBar::new(steps as u64);
        let style = ProgressStyle::with_template("{pos}/{len} {wide_bar} {msg}").expect("a constant template");
        bar.set_style(style);
        Progress(bar)
    }

    /// A bar that is never drawn: for runs inside of tests and benches.
    pub fn hidden() -> Self {
        Progress(ProgressBar::hidden())
    }

    /// Says what is running now.
    pub fn show(&self, what: String) {
        self.0.set_message(what);
        self.0.tick();
    }

    /// One step is done.
    pub fn step(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
