//! Memory as it was, to be put back before a launch is run again.
use machine::memory::{Allocation, Kind, Memory, Outside};

/// The bytes of all allocations that a kernel may write, and which of them are written.
pub struct Snapshot {
    allocations: Vec<(Allocation, Vec<u8>)>,
    initialised: machine::memory::Initialised,
}

/// The first byte that differs between two states of memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The allocation's name and the offset in it.
    pub allocation: String,
    pub offset: u64,
    /// How many bytes differ in all.
    pub bytes: u64,
}

impl Snapshot {
    /// Memory as it is now.
    ///
    /// # Errors
    /// Memory that cannot be read.
    pub fn take(memory: &Memory) -> Result<Self, Outside> {
        Self::of(memory, |kind| kind != Kind::Constant)
    }

    /// The allocations of some kinds as they are now.
    ///
    /// # Errors
    /// Memory that cannot be read.
    pub fn of(memory: &Memory, is_kept: impl Fn(Kind) -> bool) -> Result<Self, Outside> {
        let initialised = memory.initialised_state();
        let mut allocations = Vec::new();
        for allocation in memory.live().into_iter().filter(|allocation| is_kept(allocation.kind)) {
            let mut bytes = vec![0; allocation.bytes as usize];
            memory.read(allocation.address, &mut bytes)?;
            allocations.push((allocation, bytes));
        }
        Ok(Self { allocations, initialised })
    }

    /// The bytes that it would take.
    pub fn bytes_of(memory: &Memory) -> u64 {
        memory.live().iter().filter(|allocation| allocation.kind != Kind::Constant).map(|a| a.bytes).sum()
    }

    /// Bytes of an allocation as they were.
    pub fn bytes(&self, address: u64, bytes: u64) -> Option<&[u8]> {
        let (allocation, all) = self.allocations.iter().find(|(allocation, _)| allocation.covers(address, bytes))?;
        let start = (address - allocation.address) as usize;
        all.get(start..start + bytes as usize)
    }

    /// True if all of them had been written.
    pub fn is_written(&self, address: u64, bytes: u64) -> bool {
        self.initialised.is_defined(address, bytes)
    }

    /// Puts everything back.
    ///
    /// # Errors
    /// An allocation that is gone.
    pub fn put_back(&self, memory: &Memory) -> Result<(), Outside> {
        self.allocations.iter().try_for_each(|(allocation, bytes)| memory.write(allocation.address, bytes))?;
        memory.put_initialised_back(&self.initialised);
        Ok(())
    }

    /// Compares memory with what it was.
    ///
    /// # Errors
    /// An allocation that is gone.
    pub fn difference(&self, memory: &Memory) -> Result<Option<Difference>, Outside> {
        let (mut first, mut differing) = (None, 0);
        for (allocation, expected) in &self.allocations {
            let mut bytes = vec![0; expected.len()];
            memory.read(allocation.address, &mut bytes)?;
            for (offset, _) in expected.iter().zip(&bytes).enumerate().filter(|(_, (a, b))| a != b) {
                first.get_or_insert_with(|| (allocation.name.to_string(), offset as u64));
                differing += 1;
            }
        }
        Ok(first.map(|(allocation, offset)| Difference { allocation, offset, bytes: differing }))
    }
}
