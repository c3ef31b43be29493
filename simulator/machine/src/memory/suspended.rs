//! Memory that keeps its address while nothing may use it: what a graph allocates, between its launches.
use super::allocation::{Allocation, FreeError, Kind, OutOfMemory};
use super::device::Memory;
use super::table::counted_bytes;

impl Memory {
    /// Takes an allocation away from kernels and copies, and keeps its place for [`resume`](Self::resume).
    ///
    /// # Errors
    /// `address` is not the beginning of a live allocation.
    pub fn suspend(&self, address: u64) -> Result<Allocation, FreeError> {
        let mut table = self.table();
        if table.live.get(&address).is_none_or(|found| found.kind == Kind::HostRegistered) {
            return Err(FreeError::Unknown(table.describe(address)));
        }
        let allocation = table.remove(address).expect("looked up above");
        table.used_bytes -= counted_bytes(allocation.bytes, allocation.kind);
        self.initialised_bytes().remove(address);
        self.remove_place(address);
        self.changed();
        Ok(allocation)
    }

    /// Gives back what [`suspend`](Self::suspend) took away, with nothing known of its bytes.
    ///
    /// # Errors
    /// The device's memory is spent.
    pub fn resume(&self, address: u64, bytes: u64) -> Result<(), OutOfMemory> {
        let mut table = self.table();
        let (kind, free_bytes) = (Kind::Device, self.total_bytes - table.used_bytes);
        let counted = counted_bytes(bytes, kind);
        refuse_if!(counted > free_bytes, OutOfMemory { asked_bytes: bytes, free_bytes });
        table.used_bytes += counted;
        table.insert(Allocation { address, bytes, kind, name: "".into(), serial: 0 });
        self.initialised_bytes().add(address, bytes);
        self.changed();
        Ok(())
    }

    /// Gives the place of what was suspended back for good.
    pub fn forget(&self, address: u64) {
        self.arena.give_back(address);
    }
}
