//! The driver's log: a line for each call that fails, for programs that ask for it.
use crate::interface::Handles;
use cuda::layout::Raw;
use std::cell::Cell;
use std::collections::VecDeque;
use std::ffi::{c_char, c_uint};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// A callback that is there.
pub type Callback = unsafe extern "C" fn(Raw, c_uint, *mut c_char, usize);
/// `CU_LOG_LEVEL_ERROR`
const ERROR: c_uint = 0;
/// Lines that are kept, as the interface says: the oldest give way.
const MOST: usize = 100;

/// The latest lines, and who wants to hear of new ones.
pub struct Logs {
    /// Lines that there were before the first that is kept.
    gone: u32,
    lines: VecDeque<String>,
    pub callbacks: Handles<(Callback, usize)>,
}

impl Logs {
    /// The place after the last line.
    pub fn end(&self) -> u32 {
        self.gone.wrapping_add(self.lines.len() as u32)
    }

    /// The lines from a place on that are kept, and whether older ones are gone.
    pub fn since(&self, place: u32) -> (Vec<String>, bool) {
        let from = place.saturating_sub(self.gone) as usize;
        (self.lines.iter().skip(from).cloned().collect(), place < self.gone)
    }
}

/// The process's log.
pub fn logs() -> MutexGuard<'static, Logs> {
    static LOGS: OnceLock<Mutex<Logs>> = OnceLock::new();
    let new = || Mutex::new(Logs { gone: 0, lines: VecDeque::new(), callbacks: Handles::new("callback of logs", 19) });
    LOGS.get_or_init(new).lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    /// True if this thread runs a callback: what fails in it is no news for it.
    static TELLS: Cell<bool> = const { Cell::new(false) };
}

/// Adds a line, and tells those who want to hear of it, on the thread whose call failed.
pub fn tell(line: &str) {
    let callbacks: Vec<_> = {
        let mut logs = logs();
        logs.lines.push_back(line.to_owned());
        if logs.lines.len() > MOST {
            logs.lines.pop_front();
            logs.gone = logs.gone.wrapping_add(1);
        }
        logs.callbacks.iter().map(|(_, callback)| *callback).collect()
    };
    if callbacks.is_empty() || TELLS.replace(true) {
        return;
    }
    let mut bytes = line.replace('\0', "?").into_bytes();
    bytes.push(0);
    for (callback, data) in callbacks {
        // SAFETY: the program registered the function for this; the line ends in NUL and lives until it has returned.
        unsafe { callback(data as Raw, ERROR, bytes.as_mut_ptr().cast(), bytes.len() - 1) };
    }
    TELLS.set(false);
}
