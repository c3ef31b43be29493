//! A line on a terminal about a kernel that takes long, so that nobody takes it for a program that hangs. Erased when the kernel ends.
use machine::exec::launch::LaunchProgress;
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

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

/// The line of one launch.
pub struct Progress<W: Write> {
    kernel: String,
    began: Instant,
    line: Mutex<Line<W>>,
}

struct Line<W: Write> {
    out: W,
    /// When it was written last.
    written: Option<Duration>,
}

impl Progress<std::io::Stderr> {
    /// Where standard error is a terminal.
    pub fn on_terminal(kernel: &str) -> Option<Self> {
        let out = std::io::stderr();
        out.is_terminal().then(|| Progress::new(kernel, out))
    }
}

impl<W: Write> Progress<W> {
    fn new(kernel: &str, out: W) -> Self {
        Progress { kernel: kernel.to_owned(), began: Instant::now(), line: Mutex::new(Line { out, written: None }) }
    }

    /// How far the launch is.
    pub fn tell(&self, so_far: LaunchProgress) {
        let elapsed = self.began.elapsed();
        if elapsed >= SILENT {
            self.write(elapsed, so_far);
        }
    }

    fn write(&self, elapsed: Duration, so_far: LaunchProgress) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        if line.written.is_some_and(|written| elapsed < written + PAUSE) {
            return;
        }
        line.written = Some(elapsed);
        let LaunchProgress { blocks, ended, instructions } = so_far;
        let seconds = elapsed.as_secs();
        // Nobody to tell when the terminal is gone.
        let _ = write!(
            line.out,
            "\r\x1b[K{}: {seconds} s, {ended} of {blocks} blocks, {:.1} billion warp instructions",
            self.kernel,
            instructions as f64 / 1e9
        );
        let _ = line.out.flush();
    }
}

impl<W: Write> Drop for Progress<W> {
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
    fn a_line_is_written_now_and_then_and_erased() {
        let mut text = Vec::new();
        let progress = Progress::new("naive_f32", &mut text);
        let so_far = |ended| LaunchProgress { blocks: 64, ended, instructions: 1_300_000_000 };
        progress.tell(so_far(0));
        assert!(progress.line.lock().unwrap().written.is_none(), "a short kernel has no line");
        progress.write(Duration::from_millis(2000), so_far(3));
        progress.write(Duration::from_millis(2400), so_far(4));
        progress.write(Duration::from_millis(2500), so_far(5));
        drop(progress);
        let lines = "\r\x1b[Knaive_f32: 2 s, 3 of 64 blocks, 1.3 billion warp instructions\
                     \r\x1b[Knaive_f32: 2 s, 5 of 64 blocks, 1.3 billion warp instructions\r\x1b[K";
        assert_eq!(String::from_utf8(text).unwrap(), lines);
    }
}
