//! Memory that programs asked for: whose it is, and where it lies.
use super::advice::Advised;

/// A live allocation, with the facts that [`machine::memory`] does not know.
#[derive(Clone, Debug)]
pub struct Allocation {
    pub address: u64,
    pub bytes: u64,
    pub kind: MemoryKind,
    /// The device in whose arena it lies, or that registered it.
    pub device: usize,
    pub context: usize,
    pub id: u64,
    /// `CU_MEMHOSTALLOC_*`, `CU_MEMHOSTREGISTER_*`, or the attachment of managed memory.
    pub flags: u32,
    pub pool: usize,
    /// Set by [`Work::Free`] in a stream's future.
    pub being_freed: bool,
    pub owner: Owner,
    /// Flags of managed memory.
    pub advised: Advised,
}

/// Who decides how long memory is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Owner {
    /// Who allocated it.
    #[default]
    Program,
    /// A node of a graph: the address lasts, the memory is there from a launch to the free that follows.
    Graph { is_there: bool },
    /// `cuMemMap`, and `cuMemUnmap` ends it.
    Mapping,
    /// Another process; `cuIpcCloseMemHandle` ends it here.
    Process,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    Device,
    /// A module's variable.
    Global,
    Managed,
    /// Page-locked by `cuMemHostAlloc`, or by `cuMemHostRegister`.
    Pinned,
    Registered,
}

impl Allocation {
    /// The program's own, outside of pools and without flags; [`Driver::remember`](crate::state::Driver) numbers it.
    pub fn new(device: usize, context: usize, kind: MemoryKind, address: u64, bytes: u64) -> Self {
        Allocation {
            address,
            bytes,
            kind,
            device,
            context,
            id: 0,
            flags: 0,
            pool: 0,
            being_freed: false,
            owner: Owner::Program,
            advised: Advised::default(),
        }
    }

    /// True if it is a graph's, and not there now.
    pub fn is_away(&self) -> bool {
        self.owner == Owner::Graph { is_there: false }
    }
}

impl MemoryKind {
    /// True if the host owns it.
    pub fn is_host(self) -> bool {
        matches!(self, MemoryKind::Pinned | MemoryKind::Registered)
    }
}

/// Where an address of a copy lies.
#[derive(Clone, Debug)]
pub enum Location {
    Known(Allocation),
    /// Ordinary host memory.
    Pageable,
}

pub fn words(kind: MemoryKind) -> &'static str {
    match kind {
        MemoryKind::Device => "device memory",
        MemoryKind::Global => "a module's variable",
        MemoryKind::Managed => "managed memory",
        MemoryKind::Pinned => "page-locked host memory",
        MemoryKind::Registered => "registered host memory",
    }
}
