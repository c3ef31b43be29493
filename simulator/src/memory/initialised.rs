//! Which bytes of the device's memory have ever been written.
//!
//! The host's writes are noted by `transfer`, a kernel's by whoever watches it; a kernel that nobody watched may have
//! written anything, so afterwards everything counts as written. Memory that is born with values (module variables) or
//! that the host fills by itself (page-locked, managed) is not in the list, and what is not in the list is written.
use super::Range;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Coverage of all allocations that start unwritten, by address.
#[derive(Debug, Default)]
pub struct Initialised {
    allocations: BTreeMap<u64, Coverage>,
    freed: Arc<AtomicU64>,
}

#[derive(Debug)]
struct Coverage {
    bytes: u64,
    written: Written,
}

#[derive(Debug)]
enum Written {
    Nothing,
    Everything,
    /// One bit per byte, and how many are set.
    Some(Vec<u64>, u64),
}

impl Initialised {
    /// An allocation that nobody has written yet.
    pub(super) fn add(&mut self, address: u64, bytes: u64) {
        self.allocations.insert(address, Coverage { bytes, written: Written::Nothing });
    }

    /// The allocation is gone.
    pub(super) fn remove(&mut self, address: u64) {
        self.allocations.remove(&address);
        self.freed.fetch_add(1, Ordering::Release);
    }

    /// Everything counts as written from now on, new allocations excepted.
    pub fn assume_everything(&mut self) {
        self.allocations.values_mut().for_each(|coverage| coverage.written = Written::Everything);
    }

    /// Notes that a range inside one allocation was written.
    pub fn wrote(&mut self, address: u64, bytes: u64) {
        if let Some((base, coverage)) = self.allocations.range_mut(..=address).next_back() {
            coverage.wrote(address - base, bytes);
        }
    }

    /// A range was copied: what was unwritten there is unwritten here.
    pub(super) fn copied(&mut self, to: u64, from: u64, bytes: u64) {
        let mut next = 0;
        while next < bytes {
            match self.first_unwritten(from + next, bytes - next) {
                None => {
                    self.wrote(to + next, bytes - next);
                    return;
                }
                Some(hole) => {
                    self.wrote(to + next, hole - from - next);
                    next = hole - from + 1;
                }
            }
        }
    }

    /// Counts frees: what was found complete stays so until the next.
    pub fn freed(&self) -> Arc<AtomicU64> {
        self.freed.clone()
    }

    /// The allocation that a range lies in, if that is written from its beginning to its end.
    pub fn complete(&self, address: u64, bytes: u64) -> Option<Range> {
        let (&start, coverage) = self.allocations.range(..=address).next_back()?;
        let complete = matches!(coverage.written, Written::Everything) && address - start + bytes <= coverage.bytes;
        complete.then_some(Range { start, end: start + coverage.bytes })
    }

    /// The first byte of a range inside one allocation that nobody has written.
    pub fn first_unwritten(&self, address: u64, bytes: u64) -> Option<u64> {
        let (base, coverage) = self.allocations.range(..=address).next_back()?;
        coverage.first_unwritten(address - base, bytes).map(|offset| base + offset)
    }
}

impl Coverage {
    fn wrote(&mut self, offset: u64, bytes: u64) {
        if offset >= self.bytes || bytes == 0 || matches!(self.written, Written::Everything) {
            return;
        }
        let end = (offset + bytes).min(self.bytes);
        if offset == 0 && end == self.bytes {
            self.written = Written::Everything;
            return;
        }
        if matches!(self.written, Written::Nothing) {
            self.written = Written::Some(vec![0; self.bytes.div_ceil(64) as usize], 0);
        }
        let Written::Some(bits, count) = &mut self.written else { return };
        for (word, mask) in words(offset, end) {
            *count += u64::from((mask & !bits[word]).count_ones());
            bits[word] |= mask;
        }
        if *count == self.bytes {
            self.written = Written::Everything;
        }
    }

    fn first_unwritten(&self, offset: u64, bytes: u64) -> Option<u64> {
        let end = (offset + bytes).min(self.bytes);
        match &self.written {
            _ if offset >= end => None,
            Written::Everything => None,
            Written::Nothing => Some(offset),
            Written::Some(bits, _) => words(offset, end).find_map(|(word, mask)| {
                let missing = mask & !bits[word];
                (missing != 0).then(|| word as u64 * 64 + u64::from(missing.trailing_zeros()))
            }),
        }
    }
}

/// The 64-bit words that hold the bits `start .. end`, each with the bits of the range; `start < end`.
fn words(start: u64, end: u64) -> impl Iterator<Item = (usize, u64)> {
    (start / 64..=(end - 1) / 64).map(move |word| {
        let low = start.saturating_sub(word * 64);
        let high = (end - word * 64).min(64);
        (word as usize, (u64::MAX >> (64 - (high - low))) << low)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_one_by_one_or_all_at_once() {
        let mut seen = Initialised::default();
        seen.add(1000, 200);
        assert_eq!(seen.first_unwritten(1100, 4), Some(1100));
        seen.wrote(1000, 100);
        assert_eq!(seen.first_unwritten(1000, 100), None);
        assert_eq!(seen.first_unwritten(1096, 8), Some(1100));
        seen.wrote(1101, 99);
        assert_eq!(seen.first_unwritten(1000, 200), Some(1100));
        seen.wrote(1100, 1);
        assert_eq!(seen.first_unwritten(1000, 200), None);
        seen.remove(1000);
        seen.add(1000, 200);
        assert_eq!(seen.first_unwritten(1000, 1), Some(1000));
        seen.assume_everything();
        assert_eq!(seen.first_unwritten(1000, 200), None);
    }

    #[test]
    fn a_copy_takes_its_holes_along() {
        let mut seen = Initialised::default();
        seen.add(0x1000, 256);
        seen.add(0x2000, 256);
        seen.wrote(0x1000, 100);
        seen.wrote(0x1000 + 101, 155);
        seen.copied(0x2000, 0x1000, 256);
        assert_eq!(seen.first_unwritten(0x2000, 256), Some(0x2000 + 100));
        assert_eq!(seen.first_unwritten(0x2000 + 101, 155), None);
    }
}
