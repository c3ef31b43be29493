//! Memory of other processes.
use cuda::layout::IpcHandle;

/// The contents of an [`IpcHandle`] of memory, for another process.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryHandle {
    pub mark: [u8; 8],
    pub process: u32,
    /// The number of the file there in which the memory lies.
    pub file: i32,
    pub file_bytes: u64,
    /// Where in it the allocation begins.
    pub offset: u64,
    pub bytes: u64,
    /// The pool that it is of, as that process knows it, or 0.
    pub pool: u64,
    pub unused: [u64; 2],
}

/// The contents of an [`IpcHandle`] of an event, for another process.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EventHandle {
    pub mark: [u8; 8],
    pub process: u32,
    pub unused: u32,
    /// As that process knows it.
    pub event: u64,
    pub rest: [u64; 5],
}

impl From<IpcHandle> for MemoryHandle {
    fn from(handle: IpcHandle) -> Self {
        // SAFETY: both are 64 bytes of numbers that may have any value.
        unsafe { std::mem::transmute(handle) }
    }
}

impl From<IpcHandle> for EventHandle {
    fn from(handle: IpcHandle) -> Self {
        // SAFETY: both are 64 bytes of numbers that may have any value.
        unsafe { std::mem::transmute(handle) }
    }
}

/// How such a handle begins.
pub const MEMORY_MARK: [u8; 8] = *b"simmem01";
/// How the description of memory of a pool begins (`cuMemPoolExportPointer`).
pub const POOL_MEMORY_MARK: [u8; 8] = *b"simpmem1";
/// How the handle of an event begins.
pub const EVENT_MARK: [u8; 8] = *b"simevt01";

/// Another process's allocation, shown at an address of this one.
pub struct Opened {
    pub handle: MemoryHandle,
    /// The range of addresses that shows the file.
    pub place: u64,
    pub device: usize,
    /// How often it was opened and not closed.
    pub times: u32,
}
