//! Launches that were checked.
use super::function::Attributes;
use super::known_times::Shape;
use super::loaded::Loaded;
use clock::cards::Device;
use clock::occupancy::Occupancy;
use machine::memory::{Kind, Memory};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Addresses that differ by a multiple of so many bytes lie alike to lines and their sectors.
const ALIGNED: u64 = 512;

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
    /// True if it may begin before the launch before it has ended (programmatic stream serialization).
    pub overlaps: bool,
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
        let shared_bytes = self.attributes.static_shared_bytes + self.dynamic_shared_bytes;
        self.attributes.occupancy(card, self.threads(), shared_bytes)
    }

    /// Its shape, with arguments that may point into `memory`.
    pub fn shape(&self, memory: &Memory) -> Shape {
        let mut hasher = FxHasher::default();
        for bytes in self.parameters.chunks(8) {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            let word = u64::from_le_bytes(word);
            let argument: (Option<Kind>, u64) = match memory.find(word) {
                Some(found) => (Some(found.kind), word % ALIGNED),
                None => (None, word),
            };
            argument.hash(&mut hasher);
        }
        let Launch { index: kernel, grid, block, cluster, dynamic_shared_bytes, cooperative, .. } = *self;
        Shape { kernel, grid, block, cluster, dynamic_shared_bytes, cooperative, arguments: hasher.finish() }
    }
}
