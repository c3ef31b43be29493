//! Memory that graphs allocate: an address until the context ends, and memory there from a launch to the free that follows.
use crate::interface::{Cause, Outcome};
use crate::objects::memory::allocation::{Allocation, MemoryKind, Owner};
use crate::state::Driver;

impl Driver {
    /// An address for a node that allocates. Nothing is there before the first launch.
    pub fn allocate_for_graph(&mut self, device: usize, context: usize, bytes: u64) -> Result<u64, Cause> {
        let address = self.allocate(device, context, bytes, MemoryKind::Device, 0, 0)?;
        if let Some(allocation) = self.allocations.get_mut(&address) {
            allocation.owner = Owner::Graph { is_there: true };
        }
        self.take_away(address)?;
        Ok(address)
    }

    /// Takes a graph's memory away, and keeps its address.
    pub(crate) fn take_away(&mut self, address: u64) -> Outcome {
        let allocation = self.graph_memory(address)?;
        (allocation.owner, allocation.being_freed) = (Owner::Graph { is_there: false }, false);
        let device = allocation.device;
        for (other, machine) in self.devices.iter().enumerate() {
            if other != device {
                // Unknown there where it was never shown.
                let _ = machine.memory.unregister_host(address);
            }
        }
        let suspended = self.devices[device].memory.suspend(address);
        suspended.map(|_| ()).map_err(|error| Cause::Defect(format!("{error:?}")))
    }

    /// Brings a graph's memory back, as a launch does. What is there still keeps its place, as a graph that frees by itself
    /// has it.
    pub fn bring_back(&mut self, address: u64) -> Outcome {
        let allocation = self.graph_memory(address)?;
        if !allocation.is_away() {
            return Ok(());
        }
        let (device, bytes) = (allocation.device, allocation.bytes);
        let machine = &self.devices[device];
        machine.memory.resume(address, bytes).map_err(|refused| Cause::OutOfMemory {
            asked: bytes,
            free: refused.free_bytes,
            total: machine.memory.total_bytes(),
            card: machine.card.name,
        })?;
        self.graph_memory(address)?.owner = Owner::Graph { is_there: true };
        let entered = self.allocations[&address].clone();
        self.remember(entered);
        let used = self.graph_bytes(device);
        let high = &mut self.devices[device].graph_bytes_high;
        *high = used.max(*high);
        Ok(())
    }

    /// Gives the addresses of a graph's nodes back whose memory is away.
    pub fn forget_graph_memory(&mut self, addresses: &[u64]) {
        for address in addresses {
            if self.allocations.get(address).is_some_and(Allocation::is_away)
                && let Some(gone) = self.allocations.remove(address)
            {
                self.devices[gone.device].memory.forget(*address);
            }
        }
    }

    /// True if a node of a graph allocates what begins at an address.
    pub fn is_graph_memory(&self, address: u64) -> bool {
        self.allocations.get(&address).is_some_and(|found| matches!(found.owner, Owner::Graph { .. }))
    }

    /// Bytes of graphs' memory on a device that are there now.
    pub fn graph_bytes(&self, device: usize) -> u64 {
        let there = |a: &&Allocation| a.device == device && a.owner == Owner::Graph { is_there: true };
        self.allocations.values().filter(there).map(|a| a.bytes).sum()
    }

    fn graph_memory(&mut self, address: u64) -> Result<&mut Allocation, Cause> {
        self.allocations.get_mut(&address).ok_or_else(|| Cause::Defect("a graph's memory without an entry".into()))
    }
}
