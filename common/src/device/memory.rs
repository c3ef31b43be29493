//! This machine's memory, asked before a run takes it.
//!
//! A simulated card's memory is this machine's, so that a problem is here twice: on the host, and on the card. Where only
//! some blocks run, the elements that they touch are here once (`matrix/lazy_memory.rs`).

use crate::error::LabError;
use std::fs;
use std::sync::{Mutex, PoisonError};

/// From so many bytes on it is said what a run takes.
const MUCH: usize = 2 << 30;

/// The largest of the problems that a run is to have.
#[derive(Debug, Default)]
pub struct Largest(Mutex<(usize, String)>);

impl Largest {
    /// One of so many bytes on the device. `what` names its parts.
    pub fn note(&self, device_bytes: usize, what: &str) {
        let mut largest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if device_bytes > largest.0 {
            *largest = (device_bytes, what.to_owned());
        }
    }

    /// Tells of much, before it is taken. Errors: more than this machine has left.
    pub fn require(&self, held: Held) -> Result<(), LabError> {
        let (device_bytes, what) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = held.bytes(*device_bytes);
        if let Some(available) = available().filter(|&available| bytes > available) {
            let how = held.words();
            let (bytes, available) = (gibibytes(bytes), gibibytes(available));
            return Err(LabError::limit(
                format!("{what} take about {bytes} of this machine's memory{how}; {available} is left"),
                "choose a smaller --size",
            ));
        }
        if let Some(line) = warning(bytes) {
            eprintln!("{line}");
        }
        Ok(())
    }
}

/// True where this machine has so many bytes left, or does not say.
pub fn fits(bytes: usize) -> bool {
    available().is_none_or(|available| bytes <= available)
}

/// The parts of a problem that this machine holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// All of it: a GPU has memory of its own.
    Once,
    /// All of it, and the simulated card's.
    Twice,
    /// The bytes that some blocks touch on the simulated card.
    Touched,
}

/// Bytes of a page of this machine.
const PAGE: f64 = 4096.0;
/// Blocks that a run of some blocks has at places of their own, each in columns of its own.
const APART: f64 = 16.0;

impl Held {
    /// The memory that a problem of so many bytes on the device takes here. For [`Held::Touched`] an estimate, by the largest that is known: of
    /// A·B = C in f32 the blocks touch few rows of A, and a page of each row of B for every block that lies apart, or all of B. Where a rung's
    /// blocks cannot stand for each other, it is more.
    pub fn bytes(self, device_bytes: usize) -> usize {
        let of_each = device_bytes as f64 / 3.0;
        let rows = (of_each / size_of::<f32>() as f64).sqrt();
        match self {
            Held::Once => device_bytes,
            Held::Twice => device_bytes.saturating_mul(2),
            Held::Touched => of_each.min(APART * PAGE * rows) as usize,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Held::Once => "",
            Held::Twice => ", once for the host and once for the simulated card",
            Held::Touched => ", as far as some of the blocks touch them",
        }
    }
}

/// The line about a run that takes much.
fn warning(bytes: usize) -> Option<String> {
    (bytes >= MUCH).then(|| format!("this run takes about {} of this machine's memory", gibibytes(bytes)))
}

/// Bytes of memory that a program can still have: what the system says, or what the limit of its group leaves.
fn available() -> Option<usize> {
    let of_system = fs::read_to_string("/proc/meminfo").ok().and_then(|text| available_of(&text));
    // The group that a container's programs see as theirs.
    let number = |file: &str| fs::read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?.trim().parse::<usize>().ok();
    let of_group = number("memory.max").zip(number("memory.current")).map(|(most, used)| most.saturating_sub(used));
    of_system.into_iter().chain(of_group).min()
}

/// The line of `/proc/meminfo` that says what new programs can have without swapping.
fn available_of(meminfo: &str) -> Option<usize> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1 << 10)
}

fn gibibytes(bytes: usize) -> String {
    format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        let text = "MemTotal:       24679528 kB\nMemFree:          123 kB\nMemAvailable:   2097152 kB\n";
        assert_eq!(available_of(text), Some(2 << 30));
        assert_eq!(available_of("MemTotal: 1 kB"), None);
    }

    #[test]
    fn more_than_there_is_is_refused_and_much_is_told() {
        let largest = Largest::default();
        largest.note(usize::MAX / 4, "A, B and C");
        largest.note(1, "a byte");
        let refused = largest.require(Held::Twice).unwrap_err().to_string();
        for word in ["limit reached", "A, B and C take about", "GiB", "simulated card", "is left", "--size"] {
            assert!(refused.contains(word), "{refused}");
        }
        assert!(Largest::default().require(Held::Twice).is_ok() && fits(1) && !fits(usize::MAX / 2));
        assert_eq!(warning(1 << 20), None);
        assert!(warning(7 << 30).expect("much").contains("about 7.0 GiB"));
        assert_eq!((Held::Twice.bytes(3), Held::Once.bytes(3)), (6, 3));
    }

    #[test]
    fn a_run_of_some_blocks_takes_what_they_touch() {
        let product = |n: usize| Held::Touched.bytes(3 * n * n * 4);
        assert_eq!((product(1024), product(16384)), (4 << 20, 1 << 30));
        assert_eq!(product(65536), 4 << 30, "pages of its rows, not all of B");
        let largest = Largest::default();
        largest.note(usize::MAX, "A, B and C");
        let refused = largest.require(Held::Touched).unwrap_err().to_string();
        assert!(
            refused.contains("GiB of this machine's memory, as far as some of the blocks touch them; "),
            "{refused}"
        );
    }
}
