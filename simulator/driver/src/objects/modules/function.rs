//! Kernels of loaded modules, with their attributes as a compiler would tell them.
use super::loaded::Loaded;
use super::module::Module;
use crate::interface::Cause;
use clock::cards::Device;
use clock::occupancy::{Demand, Occupancy, occupancy};
use rustc_hash::FxHashMap;
use std::ffi::{CString, c_int};
use std::sync::Arc;

/// A kernel of a loaded module.
pub struct Function {
    pub module: usize,
    pub library: usize,
    pub loaded: Arc<Loaded>,
    pub index: usize,
    pub name: CString,
    pub attributes: Attributes,
    pub prepared: Prepared,
}

/// Settings of a kernel for launches that name only their grid.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    pub block: [u32; 3],
    pub dynamic_shared_bytes: u32,
    /// The packed buffer.
    pub parameters: Vec<u8>,
}

/// A library: one image, a module per context.
pub struct Library {
    pub image: String,
    pub modules: FxHashMap<usize, usize>,
}

/// Attributes of a kernel: known from its module, or set.
#[derive(Clone, Copy, Debug)]
pub struct Attributes {
    pub registers: u32,
    /// Those that it takes at the least, so that a launch is not refused for an estimate: `registers` where an assembler has said.
    pub fewest_registers: u32,
    pub static_shared_bytes: u32,
    pub local_bytes: u32,
    pub constant_bytes: u32,
    /// From `.maxntid` or `.reqntid`, else the device's 1024, less where registers do not reach.
    pub max_threads: u32,
    pub required_threads: Option<[u32; 3]>,
    pub cluster: ClusterAttributes,
    pub max_dynamic_shared_bytes: u32,
    pub carveout: c_int,
    pub cache_config: u32,
}

/// Attributes of the clusters of a kernel's blocks: known from its module, or set.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClusterAttributes {
    /// From `.reqnctapercluster`.
    pub required: Option<[u32; 3]>,
    /// Compiled for clusters of a size that the launch gives.
    pub must_be_set: bool,
    /// From `.maxclusterrank`.
    pub most: Option<u32>,
    /// More than the eight blocks that every card allows.
    pub non_portable: bool,
    /// A preference, which changes nothing here.
    pub scheduling: c_int,
}

impl ClusterAttributes {
    /// Blocks that a cluster may have.
    pub fn limit(&self) -> u32 {
        let card = if self.non_portable { machine::exec::clusters::MOST_BLOCKS } else { 8 };
        card.min(self.most.unwrap_or(card))
    }
}

/// Registers of a thread where no assembler has said: what is alive at once, and no more than fit for as many threads as a block may have.
pub fn registers_of(kernel: &machine::program::Function) -> u32 {
    const OF_A_MULTIPROCESSOR: u32 = 64 << 10;
    let threads = kernel
        .max_threads
        .or(kernel.required_threads)
        .map_or(1, |extents| extents.into_iter().fold(1, u32::saturating_mul));
    let fit = OF_A_MULTIPROCESSOR / threads.clamp(1, 1024).next_multiple_of(32) / 8 * 8;
    kernel.register_estimate.clamp(8, fit.min(255))
}

impl Attributes {
    /// How many blocks of so many threads and bytes of shared memory a multiprocessor of a card holds. Where the estimate of registers leaves
    /// room for none, those count that it takes at the least.
    pub fn occupancy(&self, card: &Device, threads: u32, shared_bytes: u32) -> Occupancy {
        let with = |registers: u32| {
            let registers_per_thread = registers.min(card.architecture.max_registers_per_thread);
            let demand =
                Demand { threads_per_block: threads, registers_per_thread, shared_bytes_per_block: shared_bytes };
            occupancy(card.architecture, demand)
        };
        let found = with(self.registers);
        if found.blocks_per_multiprocessor > 0 { found } else { with(self.fewest_registers) }
    }

    /// The attributes of a kernel of a module, as long as nothing was set.
    pub fn of(loaded: &Loaded, index: usize) -> Result<Attributes, Cause> {
        let resources = loaded.resources(loaded.name_of(index));
        loaded.facts(index, |f| Attributes {
            registers: resources.map_or_else(|| registers_of(f), |known| known.registers),
            fewest_registers: resources
                .map_or_else(|| registers_of(f).min(f.fewest_registers), |known| known.registers),
            static_shared_bytes: f.shared_bytes,
            local_bytes: resources.map_or(f.local_bytes, |known| known.local_bytes),
            constant_bytes: loaded.constant_bytes,
            max_threads: f
                .max_threads
                .or(f.required_threads)
                .map_or(1024, |[x, y, z]| x.saturating_mul(y).saturating_mul(z).min(1024)),
            required_threads: f.required_threads,
            cluster: ClusterAttributes {
                required: f.required_cluster,
                must_be_set: f.explicit_cluster && f.required_cluster.is_none(),
                most: f.max_cluster,
                non_portable: false,
                scheduling: 0,
            },
            max_dynamic_shared_bytes: (48 << 10) - f.shared_bytes.min(48 << 10),
            carveout: -1,
            cache_config: 0,
        })
    }
}

impl Function {
    /// A kernel and its first attributes.
    pub fn new(handle: usize, module: &Module, index: usize, name: &str) -> Result<Function, Cause> {
        let loaded = module.loaded.clone();
        let attributes = Attributes::of(&loaded, index)?;
        let name = CString::new(name).map_err(|_| Cause::Defect("a name with NUL".into()))?;
        Ok(Function { module: handle, library: 0, loaded, index, name, attributes, prepared: Prepared::default() })
    }

    /// The most threads per block that its registers allow on a card.
    pub fn max_threads_on(&self, card: &Device) -> u32 {
        let architecture = card.architecture;
        let fits = |threads: u32| {
            let demand = Demand {
                threads_per_block: threads,
                registers_per_thread: self.attributes.fewest_registers.min(architecture.max_registers_per_thread),
                shared_bytes_per_block: 0,
            };
            occupancy(architecture, demand).blocks_per_multiprocessor > 0
        };
        (1..=self.attributes.max_threads.div_ceil(32))
            .rev()
            .map(|warps| warps * 32)
            .find(|&threads| fits(threads))
            .map_or(32, |threads| threads.min(self.attributes.max_threads))
    }
}
