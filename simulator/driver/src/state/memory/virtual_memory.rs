//! Ranges of addresses: what is mapped in them, and who may use it.
//!
//! Neighbours that show memory of one device to the same devices are one allocation: a copy or a kernel may run from one into
//! the next.
use crate::interface::{Cause, Outcome};
use crate::objects::memory::allocation::{Allocation, MemoryKind, Owner};
use crate::objects::memory::virtual_memory::Reserved;
use crate::state::Driver;

impl Driver {
    /// The range that holds all of `bytes` from an address on.
    pub fn reserved_at(&mut self, address: u64, bytes: u64) -> Result<(u64, &mut Reserved), Cause> {
        let found = self.reserved.range_mut(..=address).next_back();
        match found {
            Some((&base, range)) if address - base <= range.bytes && bytes <= range.bytes - (address - base) => {
                Ok((base, range))
            }
            _ => Err(Cause::NotReserved(address)),
        }
    }

    /// Drops a reference to memory without an address, and the memory with the last one.
    pub fn release_physical(&mut self, handle: usize) -> Outcome {
        let physical = self.physical.get_mut(handle)?;
        physical.references -= 1;
        if physical.references == 0 {
            let gone = self.physical.remove(handle)?;
            self.devices[gone.device].memory.give_bytes(gone.backing.bytes());
        }
        Ok(())
    }

    /// Enters what a range shows now.
    pub fn enter_mappings(&mut self, base: u64) -> Outcome {
        let Some(range) = self.reserved.get(&base) else { return Err(Cause::NotReserved(base)) };
        let end = base + range.bytes;
        let mut runs: Vec<(u64, u64, usize, u32)> = Vec::new();
        for (&address, mapping) in &range.mappings {
            let device = self.physical.get(mapping.physical)?.device;
            match runs.last_mut() {
                Some((start, bytes, of, devices))
                    if *start + *bytes == address && (*of, *devices) == (device, mapping.devices) =>
                {
                    *bytes += mapping.bytes;
                }
                _ => runs.push((address, mapping.bytes, device, mapping.devices)),
            }
        }
        let old: Vec<u64> = self.allocations.range(base..end).map(|(&address, _)| address).collect();
        for address in old {
            self.allocations.remove(&address);
            self.devices.iter().for_each(|device| device.memory.close(address));
        }
        for (address, bytes, device, users) in runs.into_iter().filter(|&(.., users)| users != 0) {
            let users = (0..self.devices.len()).filter(|user| users & (1 << user) != 0);
            let mut of = None;
            for user in users {
                self.devices[user].memory.open(address, bytes);
                // Its own device, where that is among them.
                of = if user == device { Some(user) } else { of.or(Some(user)) };
            }
            self.allocations_made += 1;
            let allocation = Allocation::new(of.unwrap_or(device), 0, MemoryKind::Device, address, bytes);
            let allocation = Allocation { id: self.allocations_made, owner: Owner::Mapping, ..allocation };
            self.allocations.insert(address, allocation);
        }
        Ok(())
    }
}
