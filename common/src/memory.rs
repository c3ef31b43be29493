//! This machine's memory, asked before a run takes it.
//!
//! A simulated card's memory is this machine's, so that a problem is here twice: on the host, and on the card. That is so for a run of some blocks
//! as well, because the copies, which are timed, are whole.

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
    pub fn require(&self, simulated: bool) -> Result<(), LabError> {
        let (device_bytes, what) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = needed(*device_bytes, simulated);
        if let Some(available) = available().filter(|&available| bytes > available) {
            let twice = if simulated { ", once for the host and once for the simulated card" } else { "" };
            let (bytes, available) = (gibibytes(bytes), gibibytes(available));
            return Err(LabError::limit(
                format!("{what} take about {bytes} of this machine's memory{twice}; {available} is left"),
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

/// The memory that a problem of so many bytes on the device takes here.
const fn needed(device_bytes: usize, simulated: bool) -> usize {
    if simulated { device_bytes.saturating_mul(2) } else { device_bytes }
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
        let refused = largest.require(true).unwrap_err().to_string();
        for word in ["limit reached", "A, B and C take about", "GiB", "simulated card", "is left", "--size"] {
            assert!(refused.contains(word), "{refused}");
        }
        assert!(Largest::default().require(true).is_ok() && fits(1) && !fits(usize::MAX / 2));
        assert_eq!(warning(1 << 20), None);
        assert!(warning(7 << 30).expect("much").contains("about 7.0 GiB"));
        assert_eq!((needed(3, true), needed(3, false)), (6, 3));
    }
}
