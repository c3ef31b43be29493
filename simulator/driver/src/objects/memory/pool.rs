//! Memory pools.
use super::allocation::MemoryKind;
use machine::memory::Backing;

/// A pool. It holds nothing back: what is freed is free.
pub struct Pool {
    /// In whose arena its memory lies; a pool of the host has device 0.
    pub device: usize,
    pub kind: MemoryKind,
    pub is_default: bool,
    /// `CUmemAllocationHandleType`: how it may be given to other processes.
    pub handle_kinds: u32,
    /// Bytes that it may give out at most, or 0.
    pub most: u64,
    /// The file that stands for it in other processes, once it was asked for.
    pub file: Option<Backing>,
    /// The process that made the pool, and its handle there, if that was another process.
    pub origin: Option<(u32, u64)>,
    /// Attributes 1 to 4, as they were set.
    pub settings: [u64; 4],
    /// Bytes that are given out.
    pub used: u64,
    /// The most that were, since the mark was set to 0.
    pub high: u64,
}

impl Pool {
    pub fn new(device: usize, is_default: bool) -> Self {
        Pool {
            device,
            kind: MemoryKind::Device,
            is_default,
            handle_kinds: 0,
            most: 0,
            file: None,
            origin: None,
            settings: [1, 1, 1, 0],
            used: 0,
            high: 0,
        }
    }
}
