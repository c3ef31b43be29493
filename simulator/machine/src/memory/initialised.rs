//! Which bytes of the device's memory have ever been written.
//!
//! The host's writes are noted by `transfer`, a kernel's by whoever watches it; a kernel that nobody watched may have
//! written anything, so afterwards everything counts as written. Memory that is born with values (module variables) or
//! that the host fills by itself (page-locked, managed) is not in the list, and what is not in the list is written.
//!
//! A value that a kernel computed from unwritten bytes is as undefined as they are: what it is stored to counts as
//! unwritten, with a stain that says which bits of it are undefined and where they come from.
use super::range::Range;
use super::stains::{Stain, Stains};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Coverage of all allocations that start unwritten, by address.
#[derive(Clone, Debug, Default)]
pub struct Initialised {
    allocations: BTreeMap<u64, Coverage>,
    /// Counts what makes complete allocations incomplete: frees, and stores of undefined values.
    changes: Arc<AtomicU64>,
    stains: Stains,
    /// Memory that the host sees by itself: address and bytes.
    host: BTreeMap<u64, u64>,
    /// Origins of undefined values that the host has read, and of those the ones that nobody was told yet.
    read: BTreeSet<u32>,
    exposed: Vec<u32>,
}

/// The next number of [`Initialised::new_origin`].
static ORIGINS: AtomicU32 = AtomicU32::new(1);

/// The undefined bytes of a range, by the place in it: bytes that were stored, and runs that nobody has written.
pub(super) struct Gaps {
    stains: Vec<(u64, Stain)>,
    holes: Vec<(u64, u64)>,
}

/// A byte that is not defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndefinedAt {
    pub address: u64,
    /// The undefined bits that were stored there; `None`: nobody has written it.
    pub stain: Option<Stain>,
}

#[derive(Clone, Debug)]
struct Coverage {
    bytes: u64,
    written: Written,
}

#[derive(Clone, Debug)]
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
        if let Some(coverage) = self.allocations.remove(&address) {
            self.stains.clear(address, coverage.bytes);
        }
        if let Some(bytes) = self.host.remove(&address) {
            self.stains.clear(address, bytes);
        }
        self.changes.fetch_add(1, Ordering::Release);
    }

    /// Memory that the host sees by itself.
    pub(super) fn add_host(&mut self, address: u64, bytes: u64) {
        self.host.insert(address, bytes);
    }

    /// Returns whether the host sees what lies at an address without a copy.
    pub fn is_host(&self, address: u64) -> bool {
        self.host.range(..=address).next_back().is_some_and(|(&start, &bytes)| address - start < bytes)
    }

    /// Everything counts as written from now on, new allocations excepted.
    pub fn assume_everything(&mut self) {
        self.allocations.values_mut().for_each(|coverage| coverage.written = Written::Everything);
        self.stains = Stains::default();
    }

    /// Notes that a range inside one allocation was written.
    pub fn wrote(&mut self, address: u64, bytes: u64) {
        self.stains.clear(address, bytes);
        if let Some((base, coverage)) = self.allocations.range_mut(..=address).next_back() {
            coverage.wrote(address - base, bytes);
        }
    }

    /// Notes that a byte was written with a value that is not defined.
    pub fn wrote_undefined(&mut self, address: u64, stain: Stain) {
        if let Some((base, coverage)) = self.allocations.range_mut(..=address).next_back() {
            coverage.unwrote(address - base, 1);
        }
        self.stains.put(address, stain);
        self.changes.fetch_add(1, Ordering::Release);
    }

    /// A number for where undefined values come from that are stored: no two devices give the same, since copies carry it.
    pub fn new_origin(&mut self) -> u32 {
        ORIGINS.fetch_add(1, Ordering::Relaxed)
    }

    /// The undefined bytes of a range.
    pub(super) fn gaps(&self, from: u64, bytes: u64) -> Gaps {
        let mut stains = if self.stains.is_empty() { Vec::new() } else { self.stains.of(from, bytes) };
        stains.iter_mut().for_each(|(byte, _)| *byte -= from);
        let (mut holes, mut next) = (Vec::new(), 0);
        while let Some(hole) = self.first_unwritten(from + next, bytes - next) {
            let start = hole - from;
            let length = self.unwritten_run(hole, bytes - start);
            holes.push((start, length));
            next = start + length;
            if next >= bytes {
                break;
            }
        }
        Gaps { stains, holes }
    }

    /// A range was copied to, from where these gaps are: what is undefined there is undefined here.
    pub(super) fn copied(&mut self, to: u64, bytes: u64, Gaps { stains, holes }: Gaps) {
        self.wrote(to, bytes);
        if let Some((base, coverage)) = self.allocations.range_mut(..=to).next_back() {
            holes.iter().for_each(|&(start, length)| coverage.unwrote(to + start - base, length));
        }
        let stained = !stains.is_empty();
        stains.into_iter().for_each(|(byte, stain)| self.wrote_undefined(to + byte, stain));
        if stained || !holes.is_empty() {
            self.changes.fetch_add(1, Ordering::Release);
        }
    }

    /// Counts what makes complete allocations incomplete: what was found complete stays so until it changes.
    pub fn changes(&self) -> Arc<AtomicU64> {
        self.changes.clone()
    }

    /// The bytes of a range inside one allocation that are not defined, lowest first.
    pub fn undefined(&self, address: u64, bytes: u64) -> Vec<UndefinedAt> {
        let (mut next, end) = (address, address + bytes);
        let mut found = Vec::new();
        if !self.is_listed(address) {
            let mut stains = if self.stains.is_empty() { Vec::new() } else { self.stains.of(address, bytes) };
            stains.sort_unstable_by_key(|&(byte, _)| byte);
            let undefined = |(address, stain)| UndefinedAt { address, stain: Some(stain) };
            return stains.into_iter().map(undefined).collect();
        }
        while next < end
            && let Some(address) = self.first_unwritten(next, end - next)
        {
            found.push(UndefinedAt { address, stain: self.stains.at(address) });
            next = address + 1;
        }
        found
    }

    /// Returns whether every byte of a range inside one allocation is defined.
    pub fn is_defined(&self, address: u64, bytes: u64) -> bool {
        self.first_unwritten(address, bytes).is_none()
            && (self.stains.is_empty() || self.is_listed(address) || self.stains.of(address, bytes).is_empty())
    }

    /// Returns whether an address lies in an allocation that began unwritten.
    fn is_listed(&self, address: u64) -> bool {
        let below = self.allocations.range(..=address).next_back();
        below.is_some_and(|(&start, coverage)| address - start < coverage.bytes)
    }

    /// The host has read a range.
    pub fn read_by_host(&mut self, address: u64, bytes: u64) {
        if self.stains.is_empty() {
            return;
        }
        let mut origins: Vec<u32> = self
            .stains
            .of(address, bytes)
            .into_iter()
            .filter(|(_, stain)| !stain.padding)
            .map(|(_, s)| s.origin)
            .collect();
        origins.sort_unstable();
        origins.dedup();
        self.exposed.extend(origins.into_iter().filter(|&origin| self.read.insert(origin)));
    }

    /// The origins of undefined values that the host has read since this was asked last.
    pub fn take_exposed(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.exposed)
    }

    /// How many bytes from an unwritten one on are unwritten, up to `bytes`.
    fn unwritten_run(&self, address: u64, bytes: u64) -> u64 {
        let Some((base, coverage)) = self.allocations.range(..=address).next_back() else { return bytes };
        coverage.unwritten_run(address - base, bytes)
    }

    /// The allocation that a range lies in, if that is written from its beginning to its end.
    pub fn complete(&self, address: u64, bytes: u64) -> Option<Range> {
        let (&start, coverage) = self.allocations.range(..=address).next_back()?;
        let complete = matches!(coverage.written, Written::Everything) && address - start + bytes <= coverage.bytes;
        complete.then_some(Range { start, end: start + coverage.bytes })
    }

    /// The first byte of a range inside one allocation that is unwritten, unless a kernel has stored there what is not defined.
    pub fn first_left(&self, address: u64, bytes: u64) -> Option<u64> {
        self.first_unwritten(address, bytes).filter(|&at| self.stains.of(at, 1).is_empty())
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

    fn unwrote(&mut self, offset: u64, bytes: u64) {
        if offset >= self.bytes || bytes == 0 || matches!(self.written, Written::Nothing) {
            return;
        }
        if matches!(self.written, Written::Everything) {
            let mut bits = vec![0; self.bytes.div_ceil(64) as usize];
            words(0, self.bytes).for_each(|(word, mask)| bits[word] = mask);
            self.written = Written::Some(bits, self.bytes);
        }
        let Written::Some(bits, count) = &mut self.written else { return };
        for (word, mask) in words(offset, (offset + bytes).min(self.bytes)) {
            *count -= u64::from((mask & bits[word]).count_ones());
            bits[word] &= !mask;
        }
    }

    fn unwritten_run(&self, offset: u64, bytes: u64) -> u64 {
        let end = (offset + bytes).min(self.bytes);
        let written = match &self.written {
            Written::Nothing => None,
            Written::Everything => Some(offset),
            Written::Some(bits, _) => words(offset, end).find_map(|(word, mask)| {
                let there = mask & bits[word];
                (there != 0).then(|| word as u64 * 64 + u64::from(there.trailing_zeros()))
            }),
        };
        written.unwrap_or(end) - offset
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
        let gaps = seen.gaps(0x1000, 256);
        seen.copied(0x2000, 256, gaps);
        assert_eq!(seen.first_unwritten(0x2000, 256), Some(0x2000 + 100));
        assert_eq!(seen.first_unwritten(0x2000 + 101, 155), None);
        // Also where something had been written before.
        seen.wrote(0x2000, 256);
        let gaps = seen.gaps(0x1000, 256);
        seen.copied(0x2000, 256, gaps);
        assert_eq!(seen.undefined(0x2000, 256), [UndefinedAt { address: 0x2064, stain: None }]);
    }

    #[test]
    fn undefined_values_are_unwritten_with_an_origin() {
        let mut seen = Initialised::default();
        seen.add(0x1000, 256);
        seen.add(0x2000, 256);
        seen.wrote(0x1000, 256);
        assert!(seen.complete(0x1000, 4).is_some());
        let origin = seen.new_origin();
        let stain = Stain { mask: 0x0f, origin, computed: true, padding: false };
        seen.wrote_undefined(0x1010, stain);
        assert!(seen.complete(0x1000, 4).is_none());
        let undefined = UndefinedAt { address: 0x1010, stain: Some(stain) };
        assert_eq!(seen.undefined(0x1000, 256), [undefined]);
        let gaps = seen.gaps(0x1000, 256);
        seen.copied(0x2000, 256, gaps);
        assert_eq!(seen.undefined(0x2000, 256), [UndefinedAt { address: 0x2010, ..undefined }]);
        seen.read_by_host(0x2000, 16);
        assert!(seen.take_exposed().is_empty());
        seen.read_by_host(0x2000, 17);
        seen.read_by_host(0x1000, 256);
        assert_eq!(seen.take_exposed(), [origin], "told once");
        seen.wrote(0x2010, 1);
        assert!(seen.is_defined(0x2000, 256) && !seen.is_defined(0x1000, 256));
        // Memory that is not in the list has stains all the same.
        seen.wrote_undefined(0x9000, Stain { padding: true, ..stain });
        assert_eq!(seen.undefined(0x9000, 4).len(), 1);
        seen.read_by_host(0x9000, 4);
        assert!(seen.take_exposed().is_empty(), "it may be padding");
    }
}
