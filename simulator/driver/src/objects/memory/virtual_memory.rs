//! Virtual memory management: memory without an address, and addresses that show it.
use machine::memory::Backing;
use std::collections::BTreeMap;

/// Memory without an address, as `cuMemCreate` makes it.
pub struct Physical {
    pub backing: Backing,
    pub device: usize,
    /// `CUmemAllocationHandleType`: how it may be given to other processes.
    pub handle_kinds: u32,
    /// The program's, and the mappings'.
    pub references: u32,
}

/// A range of addresses that `cuMemAddressReserve` gave, in the arena of a device.
pub struct Reserved {
    pub arena: usize,
    pub bytes: u64,
    /// By their first addresses.
    pub mappings: BTreeMap<u64, Mapping>,
}

/// A part of a range that shows memory.
#[derive(Clone, Copy)]
pub struct Mapping {
    pub bytes: u64,
    pub physical: usize,
    /// A bit for each device that may use it.
    pub devices: u32,
}
