//! The fields of a row: one struct for a card, and one for an architecture that cards share. Units stand in the names.
use serde::{Deserialize, Deserializer, Serialize};

/// A name for the derived code that reads a row: a text that was read from a file is not borrowed from it.
type Text = &'static str;

/// The numbers that cards of one compute capability have in common. Sizes in bytes unless the name says otherwise.
#[derive(Debug, Serialize, Deserialize)]
pub struct Architecture {
    #[serde(deserialize_with = "text")]
    pub name: Text,
    /// Compute capability, such as (8, 9).
    pub compute_capability: (u32, u32),
    pub max_threads_per_multiprocessor: u32,
    pub max_blocks_per_multiprocessor: u32,
    pub registers_per_multiprocessor: u32,
    pub max_registers_per_thread: u32,
    /// Registers are given to a warp in multiples of this.
    pub register_unit_per_warp: u32,
    /// Schedulers, each with its share of the registers; a warp stays with one.
    pub schedulers_per_multiprocessor: u32,
    /// Instructions that one scheduler issues per clock.
    pub issue_per_scheduler: f64,
    pub shared_bytes_per_multiprocessor: u32,
    /// The most a block may ask for without, and with, `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
    pub shared_bytes_per_block: u32,
    pub shared_bytes_per_block_opt_in: u32,
    pub shared_bytes_reserved_per_block: u32,
    pub shared_unit_bytes: u32,
    pub shared_bank_bytes: u32,
    /// The unit of stores to global memory, of which store efficiency is a share.
    pub global_store_piece_bytes: u32,
    pub fp32_lanes_per_multiprocessor: u32,
    pub fp64_lanes_per_multiprocessor: u32,
    pub fp16_lanes_per_multiprocessor: u32,
    pub int32_lanes_per_multiprocessor: u32,
    /// Lanes for reciprocal, square root, sine and the like.
    pub special_lanes_per_multiprocessor: u32,
    /// Lanes whose addresses the load/store units take per clock, for global and for shared memory.
    pub load_store_lanes_per_multiprocessor: u32,
    /// Dense f16 multiply-adds of the tensor units, per clock; 0 where there are none.
    pub tensor_fma_per_clock: u32,
    pub l1_bytes_per_multiprocessor: u32,
    /// True if global loads are kept in L1 without being asked to.
    pub l1_caches_global: bool,
    pub l1_bytes_per_clock: u32,
    pub l1_latency_cycles: u32,
    pub shared_latency_cycles: u32,
    pub l2_latency_cycles: u32,
    pub memory_latency_cycles: u32,
    /// Cost of a store of part of a sector in L2, in sectors: read, merge, check, write where memory has error correction.
    pub l2_turns_per_partial_write: f64,
    /// The least cost of a request to L2, in sectors, however few it asks for.
    pub l2_turns_per_request: f64,
    /// The part of L2 up to which a launch's lines are all there still for the next launch, and the part from which on none is.
    pub l2_kept_share: f64,
    pub l2_gone_share: f64,
    /// Room that a line takes there beside its own once whole sectors of it are written.
    pub l2_lines_per_written: f64,
    /// Atomics on one address that L2 carries out per clock.
    pub atomic_steps_per_clock: f64,
    /// Turns of such an atomic by which an addition of floats takes longer where the one before it went to the same sector.
    pub atomic_float_turns: f64,
    /// Slices that L2 deals addresses out to, each of which carries out one atomic at a time; 0: not known.
    pub l2_slices: u32,
    /// Where slices are not known: of n sectors with atomics waiting, n to this power are worked on at a time.
    pub atomic_overlap: f64,
    /// Latency of a dependent fp32 operation.
    pub arithmetic_latency_cycles: u32,
    pub max_grid_x: u32,
    pub concurrent_kernels: u32,
    pub cooperative_launch: bool,
}

/// One card.
#[derive(Debug, Serialize, Deserialize)]
pub struct Device {
    /// The name that the user types: `--device sim:rtx4060`.
    #[serde(deserialize_with = "text")]
    pub key: Text,
    /// The name that the driver tells.
    #[serde(deserialize_with = "text")]
    pub name: Text,
    #[serde(deserialize_with = "architecture")]
    pub architecture: &'static Architecture,
    /// How far kernels' times were from those of the card, in the median; 0: nobody compared them.
    pub time_error_percent: u32,
    pub multiprocessors: u32,
    pub clock_hz: f64,
    pub memory_clock_hz: f64,
    pub memory_bus_bits: u32,
    pub memory_bytes: u64,
    /// The data sheet's figure.
    pub memory_peak_bytes_per_s: f64,
    /// The rate of a good copy kernel, bytes read and written.
    pub memory_bytes_per_s: f64,
    pub l2_bytes: u64,
    pub l2_bytes_per_clock: u32,
    pub pcie_generation: u32,
    pub pcie_lanes: u32,
    /// One way, page-locked host memory.
    pub pinned_bytes_per_s: f64,
    /// Both ways at once, page-locked.
    pub pinned_both_ways_bytes_per_s: f64,
    pub pageable_to_device_bytes_per_s: f64,
    pub pageable_from_device_bytes_per_s: f64,
    /// Kernels that read and write mapped host memory, both ways together.
    pub mapped_bytes_per_s: f64,
    pub copy_engines: u32,
    /// Time of its engine that a copy over the bus takes beside its bytes, the mean of both ways.
    pub copy_latency_ns: u64,
    /// From the end of a copy over the bus to a kernel that comes after it, and from a kernel to a copy: until the other engine knows.
    pub engine_handover_ns: u64,
    /// Host time of one launch, and device time from a launch's turn to its first instruction.
    pub launch_host_ns: u64,
    pub launch_device_ns: u64,
    /// Device time between nodes of a graph, and the least that passes from one to the next, however short they are.
    pub graph_node_ns: u64,
    pub graph_node_least_ns: u64,
}

impl Device {
    /// From the end of the work that a kernel waited for to its first block; the kernel takes `duration_ns`.
    pub fn launch_gap_ns(&self, in_graph: bool, duration_ns: u64) -> u64 {
        match in_graph {
            true => self.graph_node_ns.max(self.graph_node_least_ns.saturating_sub(duration_ns)),
            false => self.launch_device_ns,
        }
    }

    /// True where allocation in stream order is there: from Pascal on.
    pub fn has_pools(&self) -> bool {
        self.architecture.compute_capability.0 >= 6
    }
}

/// A text that lives as long as the table's.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<&'static str, D::Error> {
    Ok(Box::leak(String::deserialize(from)?.into_boxed_str()))
}

/// An architecture that lives as long.
fn architecture<'de, D: Deserializer<'de>>(from: D) -> Result<&'static Architecture, D::Error> {
    Ok(Box::leak(Box::new(Architecture::deserialize(from)?)))
}
