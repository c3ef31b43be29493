//! Allocations as data, and descriptions of addresses.

/// Alignment of every allocation. The interface promises 256 bytes; a card's driver hands out parts of blocks in steps of this.
pub const ALIGNMENT: u64 = 512;
/// An allocation of more than this has blocks of its own, and begins where one begins.
pub const SMALL_BYTES: u64 = 1 << 20;
/// A block of a card's driver.
pub const BLOCK_BYTES: u64 = 2 << 20;
/// Bytes after every allocation that belong to nobody.
pub(super) const GUARD_BYTES: u64 = 64 << 10;

/// The origin of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `cuMemAlloc` and its asynchronous sister.
    Device,
    /// Managed memory: the host may touch it too.
    Managed,
    /// A `.global` variable of a module.
    Global,
    /// A `.const` variable of a module.
    Constant,
    /// Page-locked host memory that the driver allocated.
    HostPinned,
    /// Page-locked host memory that belongs to the program.
    HostRegistered,
    /// `malloc` in a kernel.
    Heap,
    /// Pages that several addresses may show: mapped by virtual memory management, or another process's.
    Mapped,
    /// The driver's own, such as the barrier of a cooperative launch.
    Workspace,
}

/// A range of addresses with an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    pub address: u64,
    pub bytes: u64,
    pub kind: Kind,
    /// As the program calls it, where that is known; may be empty.
    pub name: String,
    /// Counts allocations from 0: who came first.
    pub serial: u64,
}

impl Allocation {
    /// Returns whether all `bytes` from `address` on lie inside.
    pub fn covers(&self, address: u64, bytes: u64) -> bool {
        address >= self.address && bytes <= self.bytes && address - self.address <= self.bytes - bytes
    }
}

/// A description of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Described {
    /// Inside a live allocation, at this offset.
    Inside(Allocation, u64),
    /// Inside an allocation that was freed.
    Freed(Allocation, u64),
    /// In no allocation; the nearest live one, and the distance from its end (positive) or to its start (negative).
    Near(Allocation, i64),
    /// Null, or so close to it that it is an index of a null pointer.
    Null,
    /// Nothing is near.
    Nowhere,
}

/// No room for an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    pub asked_bytes: u64,
    pub free_bytes: u64,
}

/// Why an address cannot be freed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FreeError {
    /// It was freed before.
    Twice(Allocation),
    /// It is not the beginning of an allocation.
    Unknown(Described),
}
