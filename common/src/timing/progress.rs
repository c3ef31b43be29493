//! A progress bar on standard error, drawn on a terminal only; and one line there about a run that will take long, wherever that goes.

use crate::device;
use crate::forecast::{Forecast, LONG, Load};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Between two looks at how far a run is. The first look is after the second one's time, so that there is something to see.
const PAUSE: Duration = Duration::from_secs(1);
/// When something is said of a run at the latest.
const LATEST: Duration = Duration::from_secs(9);
/// Advice for a run that takes long. With the longest time before it, it fits into a terminal of 80 columns.
pub const FASTER: &str = "--sample runs some of each grid's blocks";
/// Likewise, where that is done already, or cannot be.
pub const SMALLER: &str = "a smaller --size is faster";
/// Likewise of `--schedules`.
pub const FEWER_ORDERS: &str = "fewer --schedules are faster";
/// A time is told where it is wrong by no more than a factor of two: the least and the most differ by this factor at most.
const CLOSE: f64 = 4.0;

/// Counts finished runs; erased when dropped.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// True if its rows are the run's own.
    counts: bool,
    forecast: Option<Told>,
    /// The work of each step, where it is known; else they are alike.
    works: Vec<f64>,
    /// When the last line was said where no bar is drawn.
    said: Mutex<Instant>,
}

/// A forecast, and who tells it.
#[derive(Debug)]
struct Told {
    forecast: Arc<Mutex<Forecast>>,
    /// Dropped: the teller ends.
    end: Option<Sender<()>>,
    teller: Option<JoinHandle<()>>,
}

impl Progress {
    /// A bar of so many steps.
    pub fn new(steps: usize) -> Self {
        // indicatif draws on standard error and keeps silent when that is not a terminal.
        let bar = ProgressBar::new(steps as u64);
        let style = ProgressStyle::with_template("{pos}/{len} {wide_bar} {eta} {msg}").expect("a constant template");
        bar.set_style(style);
        Progress { bar, counts: true, forecast: None, works: Vec::new(), said: Mutex::new(Instant::now()) }
    }

    /// A bar of steps that take as long as their work is.
    pub fn of_works(works: Vec<f64>) -> Self {
        let mut progress = Progress::new(works.len());
        progress.works = works;
        progress
    }

    /// A bar of cases to come, each of which is known by its label. Before they take longer than ten seconds, it is said how long; `faster` is what
    /// can be done about it.
    pub fn forecasting(steps: usize, loads: Vec<Load>, faster: &'static str) -> Self {
        let mut progress = Progress::new(steps);
        let forecast = Arc::new(Mutex::new(Forecast::new(loads)));
        let (end, ended) = channel();
        let (bar, known) = (progress.bar.clone(), forecast.clone());
        let teller = std::thread::spawn(move || {
            while ended.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                if let Some(line) = line(&mut locked(&known), faster) {
                    return bar.suspend(|| eprintln!("{line}"));
                }
            }
        });
        progress.forecast = Some(Told { forecast, end: Some(end), teller: Some(teller) });
        progress
    }

    /// A bar that is never drawn: for runs inside of tests and benches.
    pub fn hidden() -> Self {
        let mut progress = Progress::new(0);
        (progress.bar, progress.counts) = (ProgressBar::hidden(), false);
        progress
    }

    /// Says what is running now.
    pub fn show(&self, what: String) {
        if let Some(told) = &self.forecast {
            locked(&told.forecast).begin_case(&what);
        }
        self.bar.set_message(what);
        self.bar.tick();
    }

    /// Says a line on standard error that stays, above the bar where one is drawn.
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    /// True if what takes these steps is the run, and not a part of its preparation.
    pub fn counts(&self) -> bool {
        self.counts
    }

    /// One step is done.
    pub fn step(&self) {
        if let Some(told) = &self.forecast {
            locked(&told.forecast).end_case();
        }
        self.bar.inc(1);
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if self.counts && said.elapsed() >= LONG && !std::io::stderr().is_terminal() {
            *said = Instant::now();
            let (done, steps) = (self.bar.position(), self.bar.length().unwrap_or(0));
            eprintln!("{}", standing(done, steps, self.share(done, steps), self.bar.elapsed()));
        }
    }

    /// The part of the work that so many steps are.
    fn share(&self, done: u64, steps: u64) -> f64 {
        let (before, all) = (self.works.iter().take(done as usize).sum::<f64>(), self.works.iter().sum::<f64>());
        if all > 0.0 { before / all } else { done as f64 / steps.max(1) as f64 }
    }
}

/// How far a run is, and how long the rest takes if it goes on like this.
fn standing(done: u64, steps: u64, share: f64, elapsed: Duration) -> String {
    let rest = elapsed.mul_f64((1.0 / share.max(1e-6) - 1.0).max(0.0));
    format!("{done} of {steps} after {}, about {} to go", rounded(elapsed), rounded(rest))
}

fn locked(forecast: &Mutex<Forecast>) -> MutexGuard<'_, Forecast> {
    // A number or two is all that a panic elsewhere could have left out.
    forecast.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The line that is to be said now, if any.
fn line(forecast: &mut Forecast, faster: &str) -> Option<String> {
    let now = forecast.elapsed();
    let Some(whole) = forecast.whole(now, device::standing()).filter(|_| now >= 2 * PAUSE) else {
        return (now >= LONG).then(|| said(&format!("longer than {} s", LONG.as_secs()), faster));
    };
    if whole.least < LONG.as_secs_f64() {
        return None;
    }
    let rounded = |seconds| rounded(Duration::from_secs_f64(seconds));
    match whole.most <= CLOSE * whole.least {
        true => Some(said(&format!("about {}", rounded(whole.middle())), faster)),
        false => (now >= LATEST).then(|| said(&format!("at least {}", rounded(whole.least)), faster)),
    }
}

/// The line about a run that takes long.
fn said(time: &str, faster: &str) -> String {
    format!("this run takes {time} here; {faster}")
}

/// To two digits: seconds, minutes or hours.
fn rounded(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        seconds if seconds < 100.0 => format!("{seconds:.0} s"),
        seconds if seconds < 100.0 * 60.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.0} h", seconds / 3600.0),
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(Told { end, teller, .. }) = &mut self.forecast {
            drop(end.take());
            if let Some(teller) = teller.take() {
                // It has nothing to say any more, and nobody to hear of its panic.
                let _ = teller.join();
            }
        }
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_about_a_long_run_fits_into_a_terminal() {
        for time in ["longer than 10 s", "at least 1000 min", "about 1000000 h"] {
            for faster in [FASTER, SMALLER, FEWER_ORDERS] {
                assert!(said(time, faster).len() < 80, "{}", said(time, faster));
            }
        }
    }

    #[test]
    fn the_rest_follows_from_what_was_done() {
        let told = |progress: &Progress, done, steps, seconds| {
            standing(done, steps, progress.share(done, steps), Duration::from_secs(seconds))
        };
        let alike = Progress::hidden();
        assert_eq!(told(&alike, 10, 40, 20), "10 of 40 after 20 s, about 60 s to go");
        assert_eq!(told(&alike, 40, 40, 80), "40 of 40 after 80 s, about 0 s to go");
        let growing = Progress::of_works(vec![1.0, 2.0, 4.0, 8.0, 16.0]);
        assert_eq!(told(&growing, 3, 5, 11), "3 of 5 after 11 s, about 38 s to go");
    }

    #[test]
    fn times_are_said_in_two_digits() {
        for (seconds, said) in [(12.4, "12 s"), (99.0, "99 s"), (400.0, "7 min"), (40_000.0, "11 h")] {
            assert_eq!(rounded(Duration::from_secs_f64(seconds)), said);
        }
    }
}
