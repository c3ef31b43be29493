//! Sparse ranges of a device's memory and of its host: which there are, and what copies and fills make of them.
use super::device::Memory;
use super::range::Range;
use super::sparse::{Source, Sparse};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};

/// Smaller ranges are held whole: they take less than the care for them.
const LEAST_BYTES: u64 = 1 << 20;
/// So much is held for later launches; more is made again when it is looked at again.
const KEPT_BYTES: u64 = 128 << 20;

/// The sparse ranges by address.
#[derive(Default)]
pub(super) struct Places {
    ranges: RwLock<Arc<Vec<Arc<Sparse>>>>,
}

impl Places {
    pub fn all(&self) -> Arc<Vec<Arc<Sparse>>> {
        self.ranges.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The range that an address lies in.
    fn at(&self, address: u64) -> Option<Arc<Sparse>> {
        find(&self.all(), address).cloned()
    }

    fn change(&self, f: impl FnOnce(&mut BTreeMap<u64, Arc<Sparse>>)) {
        let mut ranges = self.ranges.write().unwrap_or_else(PoisonError::into_inner);
        let mut by_address = ranges.iter().map(|sparse| (sparse.range.start, sparse.clone())).collect();
        f(&mut by_address);
        *ranges = Arc::new(by_address.into_values().collect());
    }
}

/// The range of a sorted list that an address lies in.
pub(super) fn find(ranges: &[Arc<Sparse>], address: u64) -> Option<&Arc<Sparse>> {
    let after = ranges.partition_point(|sparse| sparse.range.start <= address);
    ranges.get(after.checked_sub(1)?).filter(|sparse| address < sparse.range.end)
}

impl Memory {
    /// From now on `bytes` from `address` on, which nobody has written, hold what `source` makes; copies to and from a device know it. Other
    /// code of the host that reads there does not: see [`read_sparse`](Self::read_sparse).
    ///
    /// The range must stay valid until [`remove_place`](Self::remove_place); whoever calls this from the outside vouches for it.
    pub fn add_place(&self, address: u64, bytes: u64, source: Source) {
        self.put(Sparse::new(Range { start: address, end: address + bytes }, source));
    }

    /// Ends what [`add_place`](Self::add_place) began.
    pub fn remove_place(&self, address: u64) {
        if self.places.at(address).is_some() {
            self.places.change(|places| drop(places.remove(&address)));
            self.changed();
        }
    }

    /// Reads what a place holds. `false`: the range does not lie in one.
    pub fn read_sparse(&self, address: u64, into: &mut [u8]) -> bool {
        let place = self.places.at(address).filter(|place| address + into.len() as u64 <= place.range.end);
        place.inspect(|place| place.read(address, into)).is_some()
    }

    /// A kernel may have written to these allocations, or to any.
    pub fn wrote_to(&self, allocations: Option<&[u64]>) {
        for sparse in self.places.all().iter() {
            if allocations.is_none_or(|written| written.contains(&sparse.range.start)) {
                sparse.written.store(true, Ordering::Release);
            }
        }
    }

    /// Gives pages back to the host that can be made again, where there are many, unless a kernel runs.
    pub fn forget_pages(&self) {
        // Whoever begins to view the memory takes this lock before.
        let _no_view_begins = self.table();
        let all = self.places.all();
        let again = || all.iter().filter(|sparse| !sparse.written.load(Ordering::Acquire));
        let held: u64 = again().map(|sparse| sparse.held()).sum();
        if held <= KEPT_BYTES || self.views.load(Ordering::Acquire) > 0 {
            return;
        }
        for sparse in again().filter(|sparse| self.arena.contains(sparse.range.start)) {
            if self.arena.empty(sparse.range) {
                sparse.forget();
            }
        }
    }

    /// Copies the whole of a sparse range to where it may be sparse as well. `false`: nothing is done.
    pub(super) fn copied_sparsely(&self, to: u64, (memory, from): (&Memory, u64), bytes: u64) -> bool {
        let source =
            memory.places.at(from).filter(|place| (from, from + bytes) == (place.range.start, place.range.end));
        let Some(source) = source else { return false };
        let Some(range) = self.empty(to, bytes) else { return false };
        self.put(source.copy(range));
        true
    }

    /// Fills a whole allocation with one byte, in a program that has sparse ranges. `false`: nothing is done.
    pub(super) fn filled_sparsely(&self, address: u64, bytes: u64, byte: u8) -> bool {
        if self.places.all().is_empty() {
            return false;
        }
        let Some(range) = self.empty(address, bytes) else { return false };
        self.put(Sparse::new(range, Arc::new(move |_, bytes: &mut [u8]| bytes.fill(byte))));
        true
    }

    /// The host is about to read bytes as they lie there.
    pub(super) fn hold(&self, address: u64, bytes: u64) {
        if let Some(sparse) = self.places.at(address).filter(|_| bytes > 0) {
            sparse.hold(address, (address + bytes).min(sparse.range.end) - 1);
        }
    }

    /// The host is about to write bytes as they lie there.
    pub(super) fn hold_to_write(&self, address: u64, bytes: u64) {
        if let Some(sparse) = self.places.at(address) {
            sparse.written.store(true, Ordering::Release);
            self.hold(address, bytes);
        }
    }

    /// Empties a range that is about to be overwritten as a whole, if it may be sparse: a place, or an allocation.
    fn empty(&self, address: u64, bytes: u64) -> Option<Range> {
        let range = Range { start: address, end: address + bytes };
        if bytes < LEAST_BYTES {
            return None;
        }
        if !self.arena.contains(address) {
            return self.places.at(address).filter(|place| place.range == range).map(|_| range);
        }
        let whole = self.find(address).is_some_and(|found| (found.address, found.bytes) == (address, bytes));
        (whole && self.arena.empty(range)).then_some(range)
    }

    fn put(&self, sparse: Sparse) {
        self.places.change(|places| drop(places.insert(sparse.range.start, Arc::new(sparse))));
        self.changed();
    }
}
