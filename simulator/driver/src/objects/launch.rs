//! Launches that were checked.
use crate::objects::function::Attributes;
use crate::objects::loaded::Loaded;
use ::clock::device::Device;
use ::clock::occupancy::{Demand, Occupancy, occupancy};
use std::sync::Arc;

/// A checked launch.
#[derive(Clone)]
pub struct Launch {
    pub loaded: Arc<Loaded>,
    /// Number of the kernel in the module's program.
    pub index: usize,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Blocks of a cluster.
    pub cluster: [u32; 3],
    pub dynamic_shared_bytes: u32,
    pub cooperative: bool,
    /// Laid out as the kernel declares them.
    pub parameters: Vec<u8>,
    pub attributes: Attributes,
}

impl Launch {
    /// The kernel's symbol.
    pub fn name(&self) -> &str {
        self.loaded.name_of(self.index)
    }
    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }
    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&extent| u64::from(extent)).product()
    }
    /// How many of its blocks a multiprocessor of a card holds.
    pub fn occupancy(&self, card: &Device) -> Occupancy {
        let demand = Demand {
            threads_per_block: self.threads(),
            registers_per_thread: self.attributes.registers.min(card.architecture.max_registers_per_thread),
            shared_bytes_per_block: self.attributes.static_shared_bytes + self.dynamic_shared_bytes,
        };
        occupancy(card.architecture, demand)
    }
}
