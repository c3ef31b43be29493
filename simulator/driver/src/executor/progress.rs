//! A line about a kernel that takes long, so that nobody takes it for a program that hangs: on a terminal every half second, erased when the kernel
//! ends; and one that stays, of a program that has no display of its own.
use machine::exec::launch::LaunchProgress;
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use watch::diagnostics::kernel_name;

/// A kernel that ends before has no line.
const SILENT: Duration = Duration::from_secs(2);
/// Between two versions of the line.
const PAUSE: Duration = Duration::from_millis(500);

/// How far the launch is that runs now, for programs that ask through the bridge: blocks to run, those that have ended, and when it began, in
/// nanoseconds of this process, from 1 on; 0 where none runs. Of launches on several devices at once it is the last one's.
static BLOCKS: AtomicU64 = AtomicU64::new(0);
static ENDED: AtomicU64 = AtomicU64::new(0);
static BEGAN: AtomicU64 = AtomicU64::new(0);

/// A launch that can be asked how far it is, while this lives.
pub struct ProgressReport;

/// A launch that runs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Running {
    pub blocks: u64,
    pub ended: u64,
    pub seconds: f64,
}

impl ProgressReport {
    /// A launch begins.
    pub fn begin() -> ProgressReport {
        BLOCKS.store(0, Ordering::Relaxed);
        ENDED.store(0, Ordering::Relaxed);
        BEGAN.store(now_ns(), Ordering::Relaxed);
        ProgressReport
    }

    /// How far it is.
    pub fn tell(&self, so_far: LaunchProgress) {
        BLOCKS.store(so_far.blocks, Ordering::Relaxed);
        ENDED.store(so_far.ended, Ordering::Relaxed);
    }
}

impl Drop for ProgressReport {
    fn drop(&mut self) {
        BEGAN.store(0, Ordering::Relaxed);
    }
}

/// The launch that runs now, if one has told of itself.
pub fn running() -> Option<Running> {
    let began = BEGAN.load(Ordering::Relaxed);
    let (blocks, ended) = (BLOCKS.load(Ordering::Relaxed), ENDED.load(Ordering::Relaxed));
    (began > 0 && blocks > 0).then(|| Running { blocks, ended, seconds: now_ns().saturating_sub(began) as f64 * 1e-9 })
}

fn now_ns() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    ORIGIN.get_or_init(Instant::now).elapsed().as_nanos() as u64 + 1
}

/// The lines of one launch.
pub struct Progress<'l, W: Write> {
    /// Its symbol.
    kernel: &'l str,
    began: Instant,
    is_terminal: bool,
    /// When a line is written that stays, and what would make the kernel shorter beside a smaller size.
    stays: Option<(Duration, &'static str)>,
    line: Mutex<Line<W>>,
}

struct Line<W: Write> {
    out: W,
    /// When it was written last.
    written: Option<Duration>,
    /// True once the line that stays is there.
    has_stayed: bool,
}

impl<'l> Progress<'l, std::io::Stderr> {
    /// On standard error.
    pub fn new(kernel: &'l str, stays: Option<(Duration, &'static str)>) -> Self {
        static IS_TERMINAL: OnceLock<bool> = OnceLock::new();
        let is_terminal = *IS_TERMINAL.get_or_init(|| std::io::stderr().is_terminal());
        Progress::to(std::io::stderr(), kernel, is_terminal, stays)
    }
}

impl<'l, W: Write> Progress<'l, W> {
    fn to(out: W, kernel: &'l str, is_terminal: bool, stays: Option<(Duration, &'static str)>) -> Self {
        let line = Mutex::new(Line { out, written: None, has_stayed: false });
        Progress { kernel, began: Instant::now(), is_terminal, stays, line }
    }

    /// How far the launch is.
    pub fn tell(&self, so_far: LaunchProgress) {
        let elapsed = self.began.elapsed();
        if elapsed >= SILENT || self.stays.is_some_and(|(after, _)| elapsed >= after) {
            self.write(elapsed, so_far);
        }
    }

    fn write(&self, elapsed: Duration, so_far: LaunchProgress) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, shorter)) = self.stays.filter(|(after, _)| elapsed >= *after && !line.has_stayed) {
            line.has_stayed = true;
            let LaunchProgress { blocks, ended, .. } = so_far;
            let (kernel, seconds, percent) = (kernel_name(self.kernel), elapsed.as_secs(), 100 * ended / blocks.max(1));
            let erased = if line.written.is_some() { "\r\x1b[K" } else { "" };
            let _ = writeln!(
                line.out,
                "{erased}[simulator] the kernel `{kernel}` has run for {seconds} s and goes on: {ended} of {blocks} blocks are done \
                 ({percent} %); a smaller size makes it shorter{shorter}"
            );
        }
        if !self.is_terminal || elapsed < SILENT {
            return;
        }
        if line.written.is_some_and(|written| elapsed < written + PAUSE) {
            return;
        }
        line.written = Some(elapsed);
        let LaunchProgress { blocks, ended, instructions } = so_far;
        let seconds = elapsed.as_secs();
        // Nobody to tell when the terminal is gone.
        let _ = write!(
            line.out,
            "\r\x1b[K{}: {seconds} s, {ended} of {blocks} blocks, {} million warp instructions",
            kernel_name(self.kernel),
            instructions / 1_000_000
        );
        let _ = line.out.flush();
    }
}

impl<W: Write> Drop for Progress<'_, W> {
    fn drop(&mut self) {
        let line = self.line.get_mut().unwrap_or_else(PoisonError::into_inner);
        if line.written.is_some() {
            let _ = write!(line.out, "\r\x1b[K");
            let _ = line.out.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_now_and_then_and_erased_and_one_stays() {
        let (mut text, mut log) = (Vec::new(), Vec::new());
        let stays = Some((Duration::from_secs(20), ", and so does X"));
        let progress = Progress::to(&mut text, "naive_f32", true, stays);
        let in_log = Progress::to(&mut log, "naive_f32", false, stays);
        let so_far = |ended| LaunchProgress { blocks: 64, ended, instructions: 1_300_000_000 };
        progress.tell(so_far(0));
        assert!(progress.line.lock().unwrap().written.is_none(), "a short kernel has no line");
        progress.write(Duration::from_millis(2000), so_far(3));
        progress.write(Duration::from_millis(2400), so_far(4));
        progress.write(Duration::from_millis(2500), so_far(5));
        for at in [2000, 20_000, 20_100] {
            in_log.write(Duration::from_millis(at), so_far(16));
        }
        progress.write(Duration::from_secs(20), so_far(16));
        drop((progress, in_log));
        let lines = "\r\x1b[Knaive_f32: 2 s, 3 of 64 blocks, 1300 million warp instructions\
                     \r\x1b[Knaive_f32: 2 s, 5 of 64 blocks, 1300 million warp instructions\r\x1b[K";
        let stays = "[simulator] the kernel `naive_f32` has run for 20 s and goes on: 16 of 64 blocks are done (25 %); a smaller size makes it \
                     shorter, and so does X\n";
        let last = "\r\x1b[Knaive_f32: 20 s, 16 of 64 blocks, 1300 million warp instructions\r\x1b[K";
        assert_eq!(String::from_utf8(text).unwrap(), format!("{lines}{stays}{last}"));
        assert_eq!(String::from_utf8(log).unwrap(), stays);
    }
}
