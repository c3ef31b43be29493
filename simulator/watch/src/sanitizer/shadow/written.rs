//! Reads of memory that nothing has written: shared and local memory here, global memory with the allocations' own record.
use machine::memory::{Initialised, Range, Stain, Stains};
use machine::probe::{Access, Addresses, Launch, lanes};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Undefined bytes that an access reads: the lanes, the first address, and each byte.
pub struct Undefined {
    pub lanes: u32,
    pub address: u64,
    pub bytes: Vec<Byte>,
}

/// One of them.
pub struct Byte {
    /// The lanes that read it.
    pub lanes: u32,
    pub address: u64,
    /// The undefined value that was stored there; `None`: nobody has written it.
    pub stain: Option<Stain>,
}

impl Byte {
    /// A bit for each bit that is not defined.
    pub fn mask(&self) -> u8 {
        self.stain.map_or(0xff, |stain| stain.mask)
    }
}

/// The record of a block's shared memory: the bytes that were written, and those among them whose values are undefined.
#[derive(Default)]
pub struct SharedWritten {
    /// Per word a bit for each byte that was written with a defined value.
    written: Vec<u8>,
    /// Undefined values that were written.
    stains: Stains,
    /// Number of words that are not written as a whole.
    open: usize,
}

impl SharedWritten {
    /// Makes it the record of so many words that nobody has written.
    pub fn clear(&mut self, words: usize) {
        self.written.clear();
        self.written.resize(words, 0);
        self.stains = Stains::default();
        self.open = words;
    }

    /// Notes a write, or finds the undefined bytes that lanes read.
    #[inline]
    pub fn access(&mut self, access: &Access, reads: bool, writes: bool) -> Option<Undefined> {
        if self.open == 0 { None } else { self.access_open(access, reads, writes) }
    }

    /// Likewise where some of it is not written.
    fn access_open(&mut self, access: &Access, reads: bool, writes: bool) -> Option<Undefined> {
        let mut found = None;
        if self.access_whole_words(access, reads, writes) {
            return found;
        }
        for lane in lanes(access.distinct_lanes()) {
            let address = access.address(lane);
            for (word, bytes) in words(address, access.bytes) {
                let Some(written) = self.written.get_mut(word) else { continue };
                let missing = bytes & !*written;
                if reads && missing != 0 {
                    for byte in lanes(missing.into()).map(|byte| word as u64 * 4 + byte as u64) {
                        note(&mut found, access, lane, address, (byte, self.stains.at(byte)));
                    }
                }
                if writes && missing != 0 {
                    *written |= bytes;
                    self.open -= usize::from(*written == 0xf);
                }
            }
            if writes {
                self.stains.clear(address, access.bytes.into());
            }
        }
        found
    }

    /// A byte was written with a value that is not defined.
    pub fn stain(&mut self, address: u64, stain: Stain) {
        let (word, bit) = ((address / 4) as usize, 1 << (address % 4));
        if let Some(written) = self.written.get_mut(word) {
            self.open += usize::from(*written == 0xf);
            *written &= !bit;
            self.stains.put(address, stain);
        }
    }

    /// True if all of it is written.
    #[inline(always)]
    pub fn is_complete(&self) -> bool {
        self.open == 0
    }

    /// True if the whole words of a range are written.
    #[inline(always)]
    pub fn is_written(&self, first: u64, bytes: u64) -> bool {
        if bytes == 4 {
            return self.written.get((first / 4) as usize) == Some(&0xf);
        }
        let words = self.written.get(whole_words(first, bytes));
        words.is_some_and(|words| words.iter().fold(0xf, |all, &bytes| all & bytes) == 0xf)
    }

    /// Likewise for whole words; `false`: some are read that were not written, or more than one piece is written.
    fn access_whole_words(&mut self, access: &Access, reads: bool, writes: bool) -> bool {
        if !access.bytes.is_multiple_of(4) {
            return false;
        }
        let Some((first, bytes)) = access.range() else {
            let bytes = access.bytes.into();
            if let (Addresses::Each(addresses), u32::MAX, 4, false) =
                (access.addresses, access.mask, access.bytes, writes)
            {
                let written = |address: &u64| self.written.get((address / 4) as usize).copied().unwrap_or(0);
                return addresses.iter().fold(0xf, |all, address| all & written(address)) == 0xf;
            }
            if !reads && self.stains.is_empty() {
                for word in access.lanes().flat_map(|lane| whole_words(access.address(lane), bytes)) {
                    let Some(written) = self.written.get_mut(word) else { continue };
                    self.open -= usize::from(std::mem::replace(written, 0xf) != 0xf);
                }
                return true;
            }
            let mut all = !writes;
            for lane in access.lanes() {
                all &= self.is_written(access.address(lane), bytes);
            }
            return all;
        };
        let Some(written) = self.written.get_mut(whole_words(first, bytes)) else { return false };
        let open = written.iter().map(|&bytes| usize::from(bytes != 0xf)).sum::<usize>();
        if reads && open > 0 {
            return false;
        }
        written.fill(0xf);
        self.open -= open;
        if !self.stains.is_empty() {
            self.stains.clear(first, bytes);
        }
        true
    }
}

fn whole_words(first: u64, bytes: u64) -> std::ops::Range<usize> {
    (first / 4) as usize..((first + bytes) / 4) as usize
}

/// The record of a block's local memory, per warp: for each byte the lanes that have written it.
pub struct LocalWritten(Vec<Vec<u32>>);

impl LocalWritten {
    /// For so many warps, which have written nothing.
    pub fn new(warps: usize) -> Self {
        Self(vec![Vec::new(); warps])
    }

    /// Notes a write, or finds the undefined bytes that lanes read.
    ///
    /// A byte that was read counts as written: from then on the executor keeps what is undefined of it.
    pub fn access(&mut self, access: &Access, reads: bool, writes: bool) -> Option<Undefined> {
        let written = self.0.get_mut(access.who.warp as usize)?;
        let mut found = None;
        for lane in lanes(access.mask) {
            let start = access.address(lane) as usize;
            let end = start + access.bytes as usize;
            if written.len() < end {
                written.resize(end, 0);
            }
            for (address, byte) in (start as u64..).zip(&mut written[start..end]) {
                if reads && *byte >> lane & 1 == 0 {
                    note(&mut found, access, lane, start as u64, (address, None));
                }
                if writes || reads {
                    *byte |= 1 << lane;
                }
            }
        }
        found
    }
}

/// The record of what was written of global memory, which outlives the launch.
pub struct Global {
    record: Arc<Mutex<Initialised>>,
    /// See [`Initialised::changes`].
    changes: Arc<AtomicU64>,
    /// The allocation that was last found to be written from its beginning to its end, per site of the entry; good while
    /// there are no changes.
    complete: Vec<Range>,
    /// The last two of these.
    recent: [Range; 2],
    seen: u64,
}

impl Global {
    pub fn new(launch: &Launch) -> Self {
        let record = launch.memory.initialised();
        let changes = record.lock().unwrap_or_else(PoisonError::into_inner).changes();
        let seen = changes.load(Ordering::Acquire);
        Self {
            record,
            changes,
            complete: vec![Range::NONE; launch.function.sites.len()],
            recent: [Range::NONE; 2],
            seen,
        }
    }

    /// True if a range is known to be written at a site. `false` says nothing.
    #[inline(always)]
    pub fn is_complete(&self, site: u32, first: u64, bytes: u64) -> bool {
        let complete = self.complete.get(site as usize);
        self.seen == self.changes.load(Ordering::Acquire)
            && complete.is_some_and(|complete| complete.holds(first, first + bytes - 1))
    }

    /// Two allocations that are known to be written.
    #[inline(always)]
    pub fn recent(&self) -> [Range; 2] {
        if self.seen == self.changes.load(Ordering::Acquire) { self.recent } else { [Range::NONE; 2] }
    }

    /// Likewise for global memory.
    pub fn access(&mut self, access: &Access, reads: bool, writes: bool) -> Option<Undefined> {
        let range = access.range();
        let (low, span) = range.unwrap_or_else(|| {
            let active = || access.lanes().map(|lane| access.address(lane));
            let (low, high) = (active().min().unwrap_or(0), active().max().unwrap_or(0));
            (low, high - low + u64::from(access.bytes))
        });
        let changes = self.changes.load(Ordering::Acquire);
        if self.seen != changes {
            self.complete.fill(Range::NONE);
            self.recent = [Range::NONE; 2];
            self.seen = changes;
        }
        let site = access.site as usize;
        if self.complete.get(site).is_some_and(|complete| complete.holds(low, low + span - 1)) {
            return None;
        }
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(complete) = record.complete(low, span) {
            if let Some(known) = self.complete.get_mut(site) {
                *known = complete;
            }
            if !self.recent.contains(&complete) {
                self.recent = [complete, self.recent[0]];
            }
            return None;
        }
        incomplete(&mut record, access, range, reads, writes)
    }
}

impl Global {
    /// A byte was written with a value that is not defined.
    pub fn stain(&mut self, address: u64, stain: Stain) {
        self.record().wrote_undefined(address, stain);
    }

    /// True if the host sees what lies at an address.
    pub fn is_host(&self, address: u64) -> bool {
        self.record().is_host(address)
    }

    /// See [`Initialised::new_origin`].
    pub fn new_origin(&mut self) -> u32 {
        self.record().new_origin()
    }

    fn record(&self) -> MutexGuard<'_, Initialised> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Likewise where the allocation has unwritten bytes. `range`: the access's.
fn incomplete(
    record: &mut Initialised,
    access: &Access,
    range: Option<(u64, u64)>,
    reads: bool,
    writes: bool,
) -> Option<Undefined> {
    let mut found = None;
    let bytes = u64::from(access.bytes);
    if let (Some((first, all)), Addresses::Dense(_)) = (range, access.addresses)
        && (!reads || record.is_defined(first, all))
    {
        if writes {
            record.wrote(first, all);
        }
        return found;
    }
    for lane in lanes(access.distinct_lanes()) {
        let address = access.address(lane);
        if reads && !record.is_defined(address, bytes) {
            let undefined = record.undefined(address, bytes);
            let first = undefined.first().map_or(address, |byte| byte.address);
            for byte in undefined {
                note(&mut found, access, lane, first, (byte.address, byte.stain));
            }
        }
        if writes {
            record.wrote(address, bytes);
        }
    }
    found
}

/// Adds a byte that a lane reads, which may be read by all: its address, and what was stored there.
fn note(found: &mut Option<Undefined>, access: &Access, lane: usize, first: u64, byte: (u64, Option<Stain>)) {
    let lanes = if let Addresses::Same(_) = access.addresses { access.mask } else { 1 << lane };
    let found = found.get_or_insert(Undefined { lanes: 0, address: first, bytes: Vec::new() });
    found.lanes |= 1 << lane;
    let (address, stain) = byte;
    found.bytes.push(Byte { lanes, address, stain });
}

/// The 4-byte words of a range, each with a bit for each byte inside.
fn words(address: u64, bytes: u32) -> impl Iterator<Item = (usize, u8)> {
    let end = address + u64::from(bytes);
    (address / 4..end.div_ceil(4)).map(move |word| {
        let low = address.max(word * 4) - word * 4;
        let high = end.min(word * 4 + 4) - word * 4;
        (word as usize, ((1u8 << high) - (1 << low)) & 0xf)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_range() {
        assert_eq!(words(4, 8).collect::<Vec<_>>(), [(1, 15), (2, 15)]);
        assert_eq!(words(6, 1).collect::<Vec<_>>(), [(1, 0b0100)]);
        assert_eq!(words(2, 4).collect::<Vec<_>>(), [(0, 0b1100), (1, 0b0011)]);
    }
}
