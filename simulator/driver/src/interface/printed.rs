//! The text that kernels print: to standard output, as CUDA has it, or kept for a program that takes records and asks for it, with notes on the runs.
use serde::Serialize;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// Lines that are kept; more are counted.
const MOST_LINES: usize = 64;
/// Bytes of a line that are kept.
const LONGEST_LINE: usize = 400;

/// Text of kernels that was kept.
#[derive(Default, Serialize)]
pub struct Printed {
    /// The first lines.
    pub lines: Vec<String>,
    /// All lines.
    pub count: u64,
    /// The first note of the sanitizer, as it is worded.
    pub note: Option<String>,
}

static KEPT: Mutex<Option<Printed>> = Mutex::new(None);

/// From now on text is kept, or not any more.
pub fn keep(keeps: bool) {
    *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = keeps.then(Printed::default);
}

/// The text that was kept since the last call; nothing where nothing is kept.
pub fn take() -> Option<Printed> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(std::mem::take)
}

/// A note on a launch, which is worded where it is kept.
pub fn note(word: impl FnOnce() -> String) {
    if let Some(kept) = KEPT.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        kept.note.get_or_insert_with(word);
    }
}

/// Text that a launch has printed.
pub fn print(text: &str) {
    if let Some(kept) = KEPT.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        return kept.add(text);
    }
    let mut out = std::io::stdout().lock();
    // Nobody to tell when the program's output is closed.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

impl Printed {
    fn add(&mut self, text: &str) {
        for line in text.lines() {
            self.count += 1;
            if self.lines.len() < MOST_LINES {
                let end = (0..=LONGEST_LINE.min(line.len())).rev().find(|&at| line.is_char_boundary(at));
                self.lines.push(line[..end.unwrap_or(0)].to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn much_text_is_counted() {
        let mut printed = Printed::default();
        printed.add(&format!("{}\n{}", "é".repeat(300), "x\n".repeat(99)));
        assert_eq!((printed.lines.len(), printed.count), (MOST_LINES, 100));
        assert_eq!((printed.lines[0].len(), printed.lines[1].as_str()), (LONGEST_LINE, "x"));
    }
}
