//! The device's memory: allocates, frees, and says what an address is.
use super::allocation::{Allocation, Described, FreeError, Kind, OutOfMemory};
use super::arena::Arena;
use super::initialised::Initialised;
use super::places::Places;
use super::table::{Table, counted_bytes};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A device's memory, and the host memory that the device may use.
pub struct Memory {
    pub(super) arena: Arena,
    pub(super) total_bytes: u64,
    table: Mutex<Table>,
    /// Changes whenever the table does: views notice that they are old.
    pub(super) version: AtomicU64,
    initialised: Arc<Mutex<Initialised>>,
    /// Ranges that are held in part.
    pub(super) places: Places,
    /// Workers that run kernels now.
    pub(super) views: AtomicUsize,
}

impl Memory {
    /// Memory of a device that has `bytes` of it. Address space is reserved; pages are taken when touched.
    ///
    /// # Errors
    /// The host's, where it has no address space left.
    pub fn new(bytes: u64) -> std::io::Result<Memory> {
        Ok(Memory {
            arena: Arena::reserve(bytes)?,
            total_bytes: bytes,
            table: Mutex::default(),
            version: AtomicU64::new(0),
            initialised: Arc::default(),
            places: Places::default(),
            views: AtomicUsize::new(0),
        })
    }

    /// Takes `bytes`, zeroed, aligned to `ALIGNMENT` or, above `SMALL_BYTES`, to `BLOCK_BYTES`, away from all other allocations. 0 bytes have an address too.
    ///
    /// # Errors
    /// The device's memory is spent.
    pub fn allocate(&self, bytes: u64, kind: Kind, name: &str) -> Result<u64, OutOfMemory> {
        let mut table = self.table();
        let counted = counted_bytes(bytes, kind);
        let free_bytes = self.total_bytes - table.used_bytes;
        let refused = OutOfMemory { asked_bytes: bytes, free_bytes };
        refuse_if!(counted > free_bytes, refused);
        let address = self.arena.take(bytes).ok_or(refused)?;
        table.used_bytes += counted;
        table.insert(Allocation { address, bytes, kind, name: name.into(), serial: 0 });
        match kind {
            Kind::Device | Kind::Heap => self.initialised_bytes().add(address, bytes),
            Kind::Managed | Kind::HostPinned => self.initialised_bytes().add_host(address, bytes),
            _ => {}
        }
        self.changed();
        Ok(address)
    }

    /// Gives an allocation back. Its address is not used again soon.
    ///
    /// # Errors
    /// `address` is not the beginning of a live allocation.
    pub fn free(&self, address: u64) -> Result<Allocation, FreeError> {
        let mut table = self.table();
        match table.live.get(&address) {
            Some(found) if found.kind != Kind::HostRegistered => {}
            _ => {
                let described = table.describe(address);
                return Err(match described {
                    Described::Freed(allocation, 0) => FreeError::Twice(allocation),
                    other => FreeError::Unknown(other),
                });
            }
        }
        let allocation = table.remove(address).expect("looked up above");
        table.used_bytes -= counted_bytes(allocation.bytes, allocation.kind);
        self.initialised_bytes().remove(address);
        self.remove_place(address);
        self.changed();
        self.arena.give_back(address);
        Ok(allocation)
    }

    /// Lets kernels use a range of the program's own memory, at the same address. `false`: part of it is known already.
    ///
    /// The range must stay valid until [`unregister_host`](Self::unregister_host); whoever calls this from the outside
    /// vouches for it.
    pub fn register_host(&self, address: u64, bytes: u64, name: &str) -> bool {
        let mut table = self.table();
        let Some(end) = address.checked_add(bytes) else { return false };
        let overlaps = table.live.range(..end).next_back().is_some_and(|(_, last)| last.address + last.bytes > address);
        if overlaps || address == 0 {
            return false;
        }
        table.insert(Allocation { address, bytes, kind: Kind::HostRegistered, name: name.into(), serial: 0 });
        self.initialised_bytes().add_host(address, bytes);
        self.changed();
        true
    }

    /// Ends what [`register_host`](Self::register_host) began.
    ///
    /// # Errors
    /// `address` is not the beginning of a registered range.
    pub fn unregister_host(&self, address: u64) -> Result<Allocation, FreeError> {
        let mut table = self.table();
        if table.live.get(&address).is_none_or(|found| found.kind != Kind::HostRegistered) {
            return Err(FreeError::Unknown(table.describe(address)));
        }
        self.initialised_bytes().remove(address);
        self.changed();
        Ok(table.remove(address).expect("looked up above"))
    }

    /// The live allocation that an address lies in; one past the end does not.
    pub fn find(&self, address: u64) -> Option<Allocation> {
        self.table().find(address).cloned()
    }

    /// Returns whether the host's own code may read and write what lies at an address.
    pub fn is_host_visible(&self, address: u64) -> bool {
        let kind = self.table().find(address).map(|found| found.kind);
        matches!(kind, Some(Kind::Managed | Kind::HostPinned | Kind::HostRegistered))
    }

    /// Returns whether an address lies in the range that device memory is taken from, allocated or not.
    pub fn contains(&self, address: u64) -> bool {
        self.arena.contains(address)
    }

    /// Describes an address for messages.
    pub fn describe(&self, address: u64) -> Described {
        self.table().describe(address)
    }

    /// Names an allocation for messages. `false`: no live allocation begins there.
    pub fn rename(&self, address: u64, name: &str) -> bool {
        match self.table().live.get_mut(&address) {
            Some(allocation) => {
                allocation.name = name.into();
                true
            }
            None => false,
        }
    }

    /// All live allocations by address.
    pub fn live(&self) -> Vec<Allocation> {
        self.table().live.values().cloned().collect()
    }

    /// The device's memory.
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// Bytes of it that are not allocated.
    pub fn free_bytes(&self) -> u64 {
        self.total_bytes - self.table().used_bytes
    }

    /// Which bytes have been written, for whoever watches a kernel.
    pub fn initialised(&self) -> Arc<Mutex<Initialised>> {
        self.initialised.clone()
    }

    /// Which of the memory is written, as it is now.
    pub fn initialised_state(&self) -> Initialised {
        self.initialised_bytes().clone()
    }

    pub fn put_initialised_back(&self, state: &Initialised) {
        let mut now = self.initialised_bytes();
        *now = state.clone();
        // Whoever remembers what was complete looks again.
        now.changes().fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }

    /// The host has read a range by a copy.
    pub fn read_by_host(&self, address: u64, bytes: u64) {
        self.initialised_bytes().read_by_host(address, bytes);
    }

    /// The origins of undefined values that the host has read since this was asked last; see [`Initialised::new_origin`].
    pub fn take_exposed(&self) -> Vec<u32> {
        self.initialised_bytes().take_exposed()
    }

    /// After a kernel that nobody watched: it may have written anything.
    pub fn assume_initialised(&self) {
        self.initialised_bytes().assume_everything();
    }

    pub(super) fn initialised_bytes(&self) -> MutexGuard<'_, Initialised> {
        self.initialised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn table(&self) -> MutexGuard<'_, Table> {
        // The table is whole between any two statements that could panic.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn changed(&self) {
        self.version.fetch_add(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::super::allocation::{ALIGNMENT, BLOCK_BYTES, SMALL_BYTES};
    use super::*;

    fn memory() -> Memory {
        Memory::new(1 << 30).expect("address space")
    }

    #[test]
    fn allocations_have_identity() {
        let memory = memory();
        let a = memory.allocate(6400, Kind::Device, "a").unwrap();
        let b = memory.allocate(100, Kind::Device, "b").unwrap();
        assert_eq!((a % ALIGNMENT, b % ALIGNMENT), (0, 0));
        assert_eq!(memory.free_bytes(), (1 << 30) - 6656 - 512);
        // An H200 puts three of up to 512 bytes 512 bytes apart, and three of 513 bytes 1024.
        for (bytes, taken) in [(1, 512), (512, 512), (513, 1024)] {
            let before = memory.free_bytes();
            memory.allocate(bytes, Kind::Device, "").unwrap();
            assert_eq!(before - memory.free_bytes(), taken, "{bytes} bytes");
        }
        assert_eq!(memory.find(a + 6399).map(|f| f.name), Some("a".into()));
        assert_eq!(memory.find(a + 6400), None);
        assert!(matches!(memory.describe(a + 6404), Described::Near(f, 4) if f.name == "a"));
        assert!(matches!(memory.describe(b - 8), Described::Near(f, -8) if f.name == "b"));
        assert!(matches!(memory.describe(64), Described::Null));
    }

    /// Programs count on where a card's driver puts allocations.
    #[test]
    fn large_allocations_begin_where_a_block_does() {
        let memory = memory();
        for bytes in [SMALL_BYTES + 1, 3_000_000, 40 << 20] {
            let address = memory.allocate(bytes, Kind::Device, "").unwrap();
            assert_eq!(address % BLOCK_BYTES, 0, "{bytes} bytes at {address:#x}");
            assert!(matches!(memory.describe(address + bytes + 4), Described::Near(f, 4) if f.bytes == bytes));
        }
        let small = memory.allocate(SMALL_BYTES, Kind::Device, "").unwrap();
        assert_eq!((small % ALIGNMENT, small % (2 * ALIGNMENT)), (0, ALIGNMENT), "no better than they must");
    }

    #[test]
    fn freed_ranges_are_remembered_and_not_used_again_soon() {
        let memory = memory();
        let a = memory.allocate(100, Kind::Device, "a").unwrap();
        memory.write(a, &[7; 100]).unwrap();
        memory.free(a).unwrap();
        assert_eq!(memory.free_bytes(), 1 << 30);
        assert!(matches!(memory.describe(a + 50), Described::Freed(f, 50) if f.name == "a"));
        assert!(matches!(memory.free(a), Err(FreeError::Twice(_))));
        assert!(matches!(memory.free(a + 8), Err(FreeError::Unknown(Described::Freed(..)))));
        assert_ne!(memory.allocate(100, Kind::Device, "b").unwrap(), a);
        assert!(memory.read(a, &mut [0; 4]).is_err());
    }

    #[test]
    fn memory_is_finite_and_reusable_for_ever() {
        let memory = Memory::new(1 << 20).unwrap();
        assert!(memory.allocate(2 << 20, Kind::Device, "").is_err());
        for _ in 0..100_000 {
            let a = memory.allocate(1 << 20, Kind::Device, "").unwrap();
            assert!(memory.allocate(1, Kind::Device, "").is_err());
            memory.write(a, &[1]).unwrap();
            memory.free(a).unwrap();
        }
        let a = memory.allocate(1 << 20, Kind::Device, "").unwrap();
        let mut first = [9];
        memory.read(a, &mut first).unwrap();
        assert_eq!(first, [0], "memory that is used again is zeroed");
    }

    #[test]
    fn host_ranges_are_registered_once() {
        let memory = memory();
        let mut host = vec![1u8; 1000];
        let address = host.as_mut_ptr() as u64;
        assert!(memory.register_host(address, 1000, "host"));
        assert!(!memory.register_host(address + 10, 10, "part"));
        assert_eq!(memory.free_bytes(), 1 << 30);
        assert!(memory.free(address).is_err());
        memory.unregister_host(address).unwrap();
        assert!(memory.unregister_host(address).is_err());
    }

    #[test]
    fn empty_allocations_have_distinct_addresses() {
        let memory = memory();
        let a = memory.allocate(0, Kind::Device, "a").unwrap();
        let b = memory.allocate(0, Kind::Device, "b").unwrap();
        assert_ne!(a, b);
        assert_eq!(memory.find(a), None);
        memory.free(a).unwrap();
        assert!(matches!(memory.free(a), Err(FreeError::Twice(_))));
    }
}
