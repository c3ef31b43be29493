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

    /// Returns whether there are ranges that are held in part.
    pub fn is_sparse(&self) -> bool {
        !self.places.all().is_empty()
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
        if !self.is_sparse() {
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
            let place = self.places.at(address).filter(|place| place.range == range)?;
            place.give_back();
            return Some(range);
        }
        let whole = self.find(address).is_some_and(|found| (found.address, found.bytes) == (address, bytes));
        (whole && self.arena.empty(range)).then_some(range)
    }

    fn put(&self, sparse: Sparse) {
        self.places.change(|places| drop(places.insert(sparse.range.start, Arc::new(sparse))));
        self.changed();
    }
}

#[cfg(test)]
mod tests {
    use super::super::allocation::Kind;
    use super::super::sparse::PAGE;
    use super::*;
    use std::sync::atomic::AtomicU64;

    const BYTES: u64 = (2 << 20) + 100;

    /// Byte i is i / 1000, and `made` counts bytes.
    fn source(made: &Arc<AtomicU64>) -> Source {
        let made = made.clone();
        Arc::new(move |first, bytes: &mut [u8]| {
            made.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            bytes.iter_mut().zip(first..).for_each(|(byte, at)| *byte = (at / 1000) as u8);
        })
    }

    /// Memory with a place of the host, which nobody has touched, and a copy of it on the device.
    fn copied() -> (Memory, Vec<u8>, u64, Arc<AtomicU64>) {
        let memory = Memory::new(1 << 30).expect("address space");
        let (host, made) = (vec![0u8; BYTES as usize], Arc::default());
        memory.add_place(host.as_ptr() as u64, BYTES, source(&made));
        let device = memory.allocate(BYTES, Kind::Device, "a").expect("room");
        memory.write(device, &host).expect("inside");
        (memory, host, device, made)
    }

    #[allow(unsafe_code)]
    fn byte(address: u64) -> u8 {
        // SAFETY: the tests look at live memory.
        unsafe { (address as *const u8).read() }
    }

    #[test]
    fn a_page_is_made_when_a_kernel_looks_it_up() {
        let (memory, host, device, made) = copied();
        assert_eq!((made.load(Ordering::Relaxed), host[5000]), (0, 0), "a copy makes nothing");
        let mut view = memory.view();
        let range = view.find(device + 5000, device + 5003).expect("live");
        assert_eq!(range, Range { start: device + PAGE, end: device + 2 * PAGE });
        assert_eq!((byte(device + 5000), made.load(Ordering::Relaxed)), (5, PAGE));
        let range = view.find(device + 2 * PAGE - 4, device + 2 * PAGE + 3).expect("live");
        assert_eq!(range, Range { start: device + PAGE, end: device + 3 * PAGE }, "all of an access is there");
        let range = view.find(device + BYTES - 1, device + BYTES + 9).expect("live");
        assert_eq!(range.end, device + BYTES, "nothing after the end is");
        assert_eq!((byte(device + BYTES - 1), view.find(device + BYTES, device + BYTES)), ((BYTES / 1000) as u8, None));
        let other = memory.allocate(BYTES, Kind::Device, "b").expect("room");
        assert_eq!(view.find(other + 7, other + 7), Some(Range { start: other, end: other + BYTES }), "held whole");
    }

    #[test]
    fn copies_and_fills_are_those_of_memory_that_is_held() {
        let (memory, host, device, made) = copied();
        memory.view().find(device, device);
        memory.write(device + 3, &[77]).expect("inside");
        let (result, other) = (vec![1u8; BYTES as usize], memory.allocate(BYTES, Kind::Device, "b").expect("room"));
        memory.add_place(result.as_ptr() as u64, BYTES, source(&made));
        memory.copy(other, (&memory, device), BYTES).expect("inside");
        let mut into = result;
        memory.read(other, &mut into).expect("inside");
        assert!(made.load(Ordering::Relaxed) <= 2 * PAGE, "nothing was made that nobody looked at");
        let mut part = [0; 3000];
        assert!(memory.read_sparse(into.as_ptr() as u64 + 2, &mut part));
        assert_eq!((part[0], part[1], part[2], part[2999]), (0, 77, 0, 3));
        assert!(!memory.read_sparse(into.as_ptr() as u64 + BYTES - 1, &mut part), "over the end");
        // Into ordinary memory all of it comes.
        let mut whole = vec![9u8; BYTES as usize];
        memory.read(other, &mut whole).expect("inside");
        assert!(whole.iter().enumerate().all(|(at, &byte)| byte == if at == 3 { 77 } else { (at / 1000) as u8 }));
        memory.fill(other, BYTES, &[8]).expect("inside");
        memory.view().find(other + 3, other + 3);
        assert_eq!((byte(other + 3), byte(other + 2 * PAGE)), (8, 0), "the second page is not held");
        memory.free(other).expect("live");
        memory.remove_place(host.as_ptr() as u64);
        assert!(!memory.read_sparse(host.as_ptr() as u64, &mut part));
    }

    #[test]
    fn pages_are_forgotten_unless_they_were_written_or_are_in_use() {
        let memory = Memory::new(1 << 30).expect("address space");
        let (bytes, made) = (KEPT_BYTES + (2 << 20), Arc::default());
        let host = vec![0u8; bytes as usize];
        memory.add_place(host.as_ptr() as u64, bytes, source(&made));
        let [read, written] = [0, 1].map(|_| memory.allocate(bytes, Kind::Device, "").expect("room"));
        for device in [read, written] {
            memory.write(device, &host).expect("inside");
            let mut view = memory.view();
            view.find(device, device + bytes - 1);
            memory.forget_pages();
            assert_eq!(byte(device + 9999), 9, "a kernel runs");
        }
        memory.wrote_to(Some(&[written]));
        memory.forget_pages();
        assert_eq!((byte(read + 9999), byte(written + 9999)), (0, 9));
        memory.view().find(read + 9999, read + 9999);
        assert_eq!(byte(read + 9999), 9, "made again");
    }
}
