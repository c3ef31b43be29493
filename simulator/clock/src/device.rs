//! The devices that can be simulated: one row per card, and one per architecture that cards share.
//!
//! Units stand in the field names, a source beside each number: `[g]` CUDA C++ Programming Guide, technical specifications
//! per compute capability; `[o]` NVIDIA's occupancy calculator; `[w]` NVIDIA's white paper or specification of that chip or
//! card; `[b]` published microbenchmarks (Wong 2010, Mei and Chu 2015, Jia 2018 and 2019, Luo 2024); `[m]` measured by this
//! project on that card; `[e]` an estimate from the card's generation. To add a card, add a row to [`DEVICES`], or
//! write it to a file, which [`choose`] takes.
mod file;

pub use file::{BASE, SOURCES, choose, distance};

use serde::{Deserialize, Serialize};

/// By a name, for whoever makes code to read a row: what is read of a file is not borrowed from it.
type Text = &'static str;

/// What cards of one compute capability have in common. Sizes in bytes unless the name says otherwise.
#[derive(Debug, Serialize, Deserialize)]
pub struct Architecture {
    #[serde(deserialize_with = "file::text")]
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
    /// Whether global loads are kept in L1 without being asked to.
    pub l1_caches_global: bool,
    pub l1_bytes_per_clock: u32,
    pub l1_latency_cycles: u32,
    pub shared_latency_cycles: u32,
    pub l2_latency_cycles: u32,
    pub memory_latency_cycles: u32,
    /// What a store of part of a sector costs in L2, in sectors: read, merge, check, write where memory has error correction.
    pub l2_turns_per_partial_write: f64,
    /// What a request to L2 costs there at the least, in sectors, however few it asks for.
    pub l2_turns_per_request: f64,
    /// Of L2: lines of a launch that are all there still for the next one, and those of which none is.
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
    /// What the user types: `--device sim:rtx4060`.
    #[serde(deserialize_with = "file::text")]
    pub key: Text,
    /// What the driver calls it.
    #[serde(deserialize_with = "file::text")]
    pub name: Text,
    #[serde(deserialize_with = "file::architecture")]
    pub architecture: &'static Architecture,
    pub multiprocessors: u32,
    pub clock_hz: f64,
    pub memory_clock_hz: f64,
    pub memory_bus_bits: u32,
    pub memory_bytes: u64,
    /// The data sheet's figure.
    pub memory_peak_bytes_per_s: f64,
    /// What a good copy kernel reaches, bytes read and written.
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
    /// What a copy over the bus takes of its engine beside its bytes, the mean of both ways.
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
    /// From the end of what a kernel of so long waited for to its first block.
    pub fn launch_gap_ns(&self, in_graph: bool, duration_ns: u64) -> u64 {
        match in_graph {
            true => self.graph_node_ns.max(self.graph_node_least_ns.saturating_sub(duration_ns)),
            false => self.launch_device_ns,
        }
    }

    /// Whether allocation in stream order is there: from Pascal on.
    pub fn has_pools(&self) -> bool {
        self.architecture.compute_capability.0 >= 6
    }
}

/// The card of those who ask for none: a common student card.
pub const DEFAULT: &str = "rtx4060";

/// Finds a card by its key; case, spaces and dashes do not matter.
pub fn find(key: &str) -> Option<&'static Device> {
    let plain = |s: &str| s.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let wanted = plain(key);
    DEVICES.iter().find(|device| plain(device.key) == wanted)
}

/// Compute capability 2.0.
pub static FERMI: Architecture = Architecture {
    name: "Fermi",
    compute_capability: (2, 0),
    max_threads_per_multiprocessor: 1536, // [g]
    max_blocks_per_multiprocessor: 8,     // [g]
    registers_per_multiprocessor: 32768,  // [g]
    max_registers_per_thread: 63,         // [g]
    register_unit_per_warp: 64,           // [o]
    schedulers_per_multiprocessor: 2,     // [w]
    issue_per_scheduler: 0.5,             // [w] a warp takes two clocks on 16 lanes
    shared_bytes_per_multiprocessor: 49152,
    shared_bytes_per_block: 49152,           // [g]
    shared_bytes_per_block_opt_in: 49152,    // [g]
    shared_bytes_reserved_per_block: 0,      // [o]
    shared_unit_bytes: 128,                  // [o]
    shared_bank_bytes: 4,                    // [g]
    global_store_piece_bytes: 32,            // [e]
    fp32_lanes_per_multiprocessor: 32,       // [g]
    fp64_lanes_per_multiprocessor: 16,       // [g] Tesla cards
    fp16_lanes_per_multiprocessor: 0,        // [g]
    int32_lanes_per_multiprocessor: 32,      // [g]
    special_lanes_per_multiprocessor: 4,     // [g]
    load_store_lanes_per_multiprocessor: 16, // [w]
    tensor_fma_per_clock: 0,
    l1_bytes_per_multiprocessor: 16384, // [g]
    l1_caches_global: true,             // [g]
    l1_bytes_per_clock: 64,             // [b]
    l1_latency_cycles: 80,              // [b]
    shared_latency_cycles: 50,          // [b]
    l2_latency_cycles: 371,             // [b]
    memory_latency_cycles: 564,         // [b]
    l2_turns_per_partial_write: 4.0,    // [e] as the H200's: Tesla cards have error correction
    l2_turns_per_request: 1.0,          // [e]
    l2_kept_share: 0.5,                 // [e] what brought it was there too
    l2_gone_share: 2.0,                 // [e]
    l2_lines_per_written: 0.0,          // [e] not measured
    atomic_steps_per_clock: 0.075,      // [w] of Kepler: a ninth of it
    atomic_float_turns: 0.0,            // [e]
    l2_slices: 0,                       // not known
    atomic_overlap: 0.6,                // [e] Hellerman 1967 derives 0.56
    arithmetic_latency_cycles: 18,      // [b]
    max_grid_x: 65535,                  // [g]
    concurrent_kernels: 16,             // [g]
    cooperative_launch: false,          // [g]
};

/// Compute capability 3.5.
pub static KEPLER: Architecture = Architecture {
    name: "Kepler",
    compute_capability: (3, 5),
    max_threads_per_multiprocessor: 2048, // [g]
    max_blocks_per_multiprocessor: 16,    // [g]
    registers_per_multiprocessor: 65536,  // [g]
    max_registers_per_thread: 255,        // [g]
    register_unit_per_warp: 256,          // [o]
    schedulers_per_multiprocessor: 4,     // [w]
    issue_per_scheduler: 1.5,             // [b] two at best, seldom
    shared_bytes_per_multiprocessor: 49152,
    shared_bytes_per_block: 49152,           // [g]
    shared_bytes_per_block_opt_in: 49152,    // [g]
    shared_bytes_reserved_per_block: 0,      // [o]
    shared_unit_bytes: 256,                  // [o]
    shared_bank_bytes: 8,                    // [g]
    global_store_piece_bytes: 32,            // [e]
    fp32_lanes_per_multiprocessor: 192,      // [g]
    fp64_lanes_per_multiprocessor: 8,        // [g] GeForce
    fp16_lanes_per_multiprocessor: 0,        // [g]
    int32_lanes_per_multiprocessor: 160,     // [g]
    special_lanes_per_multiprocessor: 32,    // [g]
    load_store_lanes_per_multiprocessor: 32, // [w]
    tensor_fma_per_clock: 0,
    l1_bytes_per_multiprocessor: 16384, // [g]
    l1_caches_global: false,            // [g] global loads go to L2
    l1_bytes_per_clock: 128,            // [b]
    l1_latency_cycles: 80,              // [b]
    shared_latency_cycles: 47,          // [b]
    l2_latency_cycles: 222,             // [b]
    memory_latency_cycles: 301,         // [b]
    l2_turns_per_partial_write: 1.0,    // [e] GeForce: none
    l2_turns_per_request: 1.0,          // [e]
    l2_kept_share: 0.5,                 // [e] what brought it was there too
    l2_gone_share: 2.0,                 // [e]
    l2_lines_per_written: 0.0,          // [e] not measured
    atomic_steps_per_clock: 0.55,       // assignment 2, kernel 3, which is fastest at n = 1024; [w] one at best
    atomic_float_turns: 0.0,            // [e]
    l2_slices: 0,                       // not known
    atomic_overlap: 0.6,                // [e] Hellerman 1967 derives 0.56
    arithmetic_latency_cycles: 9,       // [b]
    max_grid_x: 0x7fff_ffff,            // [g]
    concurrent_kernels: 32,             // [g]
    cooperative_launch: false,          // [g]
};

/// Compute capability 6.0: GP100.
pub static PASCAL_60: Architecture = Architecture {
    name: "Pascal",
    compute_capability: (6, 0),
    max_threads_per_multiprocessor: 2048, // [g]
    max_blocks_per_multiprocessor: 32,    // [g]
    registers_per_multiprocessor: 65536,  // [g]
    max_registers_per_thread: 255,        // [g]
    register_unit_per_warp: 256,          // [o]
    schedulers_per_multiprocessor: 2,     // [w]
    issue_per_scheduler: 1.2,             // [b]
    shared_bytes_per_multiprocessor: 65536,
    shared_bytes_per_block: 49152,           // [g]
    shared_bytes_per_block_opt_in: 49152,    // [g]
    shared_bytes_reserved_per_block: 0,      // [o]
    shared_unit_bytes: 256,                  // [o]
    shared_bank_bytes: 4,                    // [g]
    global_store_piece_bytes: 32,            // [e]
    fp32_lanes_per_multiprocessor: 64,       // [g]
    fp64_lanes_per_multiprocessor: 32,       // [g]
    fp16_lanes_per_multiprocessor: 128,      // [g]
    int32_lanes_per_multiprocessor: 64,      // [g]
    special_lanes_per_multiprocessor: 16,    // [g]
    load_store_lanes_per_multiprocessor: 32, // [w]
    tensor_fma_per_clock: 0,
    l1_bytes_per_multiprocessor: 24576, // [w]
    l1_caches_global: true,             // [w]
    l1_bytes_per_clock: 64,             // [b]
    l1_latency_cycles: 82,              // [b]
    shared_latency_cycles: 24,          // [b]
    l2_latency_cycles: 234,             // [b]
    memory_latency_cycles: 485,         // [b]
    l2_turns_per_partial_write: 4.0,    // [e] as the H200's
    l2_turns_per_request: 1.0,          // [e]
    l2_kept_share: 0.5,                 // [e] what brought it was there too
    l2_gone_share: 2.0,                 // [e]
    l2_lines_per_written: 0.0,          // [e] not measured
    atomic_steps_per_clock: 0.34,       // assignment 2, kernel 3, which is fastest at n = 1024
    atomic_float_turns: 0.0,            // [e]
    l2_slices: 0,                       // not known
    atomic_overlap: 0.6,                // [e] Hellerman 1967 derives 0.56
    arithmetic_latency_cycles: 6,       // [b]
    max_grid_x: 0x7fff_ffff,            // [g]
    concurrent_kernels: 128,            // [g]
    cooperative_launch: true,           // [g]
};

/// Compute capability 6.1: GP102 to GP107.
pub static PASCAL_61: Architecture = Architecture {
    name: "Pascal",
    compute_capability: (6, 1),
    schedulers_per_multiprocessor: 4,       // [w]
    shared_bytes_per_multiprocessor: 98304, // [g]
    fp32_lanes_per_multiprocessor: 128,     // [g]
    fp64_lanes_per_multiprocessor: 4,       // [g]
    fp16_lanes_per_multiprocessor: 2,       // [g]
    int32_lanes_per_multiprocessor: 128,    // [g]
    special_lanes_per_multiprocessor: 32,   // [g]
    l1_bytes_per_multiprocessor: 49152,     // [w]
    l1_bytes_per_clock: 64, // [w] Turing's: twice that of Pascal for the same two multiprocessors of 64 lanes
    l2_latency_cycles: 216, // [b]
    memory_latency_cycles: 434, // [b]
    l2_turns_per_partial_write: 1.0, // [e] GeForce: none
    l1_caches_global: false, // Pascal tuning guide: not unless asked, as Maxwell
    atomic_steps_per_clock: 0.34, // [e] as 6.0
    concurrent_kernels: 32, // [g]
    global_store_piece_bytes: 64, // [e] gives the published 50, 100, 100 % for edge 8, 16, 32
    ..PASCAL_60
};

/// Compute capability 7.5.
pub static TURING: Architecture = Architecture {
    name: "Turing",
    compute_capability: (7, 5),
    max_threads_per_multiprocessor: 1024, // [g]
    max_blocks_per_multiprocessor: 16,    // [g]
    registers_per_multiprocessor: 65536,  // [g]
    max_registers_per_thread: 255,        // [g]
    register_unit_per_warp: 256,          // [o]
    schedulers_per_multiprocessor: 4,     // [w]
    issue_per_scheduler: 1.0,             // [w]
    shared_bytes_per_multiprocessor: 65536,
    shared_bytes_per_block: 49152,           // [g]
    shared_bytes_per_block_opt_in: 65536,    // [g]
    shared_bytes_reserved_per_block: 0,      // [o]
    shared_unit_bytes: 256,                  // [o]
    shared_bank_bytes: 4,                    // [g]
    global_store_piece_bytes: 32,            // [m] on Hopper
    fp32_lanes_per_multiprocessor: 64,       // [g]
    fp64_lanes_per_multiprocessor: 2,        // [g]
    fp16_lanes_per_multiprocessor: 128,      // [g]
    int32_lanes_per_multiprocessor: 64,      // [g]
    special_lanes_per_multiprocessor: 16,    // [g]
    load_store_lanes_per_multiprocessor: 16, // [w]
    tensor_fma_per_clock: 512,               // [w]
    l1_bytes_per_multiprocessor: 32768,      // [g]
    l1_caches_global: true,                  // [g]
    l1_bytes_per_clock: 64,                  // [b]
    l1_latency_cycles: 32,                   // [b]
    shared_latency_cycles: 19,               // [b]
    l2_latency_cycles: 188,                  // [b]
    memory_latency_cycles: 434,              // [b]
    l2_turns_per_partial_write: 1.0,         // [e] GeForce: none
    l2_turns_per_request: 1.0,               // [e]
    l2_kept_share: 0.5,                      // [e] what brought it was there too
    l2_gone_share: 2.0,                      // [e]
    l2_lines_per_written: 0.0,               // [e] not measured
    atomic_steps_per_clock: 0.165,           // assignment 2, kernel 3, which is fastest at n = 1024
    atomic_float_turns: 0.2,                 // [e] four clocks an addition
    l2_slices: 0,                            // not known
    atomic_overlap: 0.6,                     // [e] Hellerman 1967 derives 0.56
    arithmetic_latency_cycles: 4,            // [b]
    max_grid_x: 0x7fff_ffff,                 // [g]
    concurrent_kernels: 128,                 // [g]
    cooperative_launch: true,                // [g]
};

/// Compute capability 8.0: GA100.
pub static AMPERE_80: Architecture = Architecture {
    name: "Ampere",
    compute_capability: (8, 0),
    max_threads_per_multiprocessor: 2048,    // [g]
    max_blocks_per_multiprocessor: 32,       // [g]
    shared_bytes_per_multiprocessor: 167936, // [g]
    shared_bytes_per_block_opt_in: 166912,   // [g]
    shared_bytes_reserved_per_block: 1024,   // [g]
    shared_unit_bytes: 128,                  // [o]
    fp64_lanes_per_multiprocessor: 32,       // [g]
    fp16_lanes_per_multiprocessor: 256,      // [g]
    load_store_lanes_per_multiprocessor: 32, // [w]
    tensor_fma_per_clock: 1024,              // [w]
    l1_bytes_per_multiprocessor: 196608,     // [g] shared with shared memory
    l1_bytes_per_clock: 128,                 // [b]
    l1_latency_cycles: 38,                   // [b]
    shared_latency_cycles: 29,               // [b]
    l2_latency_cycles: 262,                  // [b]
    memory_latency_cycles: 466,              // [b]
    l2_turns_per_partial_write: 4.0,         // [e] as the H200's
    atomic_steps_per_clock: 0.29,            // [e] as 9.0
    ..TURING
};

/// Compute capability 8.6: GA102 to GA107.
pub static AMPERE_86: Architecture = Architecture {
    name: "Ampere",
    compute_capability: (8, 6),
    max_threads_per_multiprocessor: 1536,    // [g]
    max_blocks_per_multiprocessor: 16,       // [g]
    shared_bytes_per_multiprocessor: 102400, // [g]
    shared_bytes_per_block_opt_in: 101376,   // [g]
    fp32_lanes_per_multiprocessor: 128,      // [g]
    fp64_lanes_per_multiprocessor: 2,        // [g]
    fp16_lanes_per_multiprocessor: 128,      // [g]
    load_store_lanes_per_multiprocessor: 16, // [w]
    tensor_fma_per_clock: 512,               // [w]
    l1_bytes_per_multiprocessor: 131072,     // [g] shared with shared memory
    l2_latency_cycles: 242,                  // [e]
    memory_latency_cycles: 500,              // [e]
    l2_turns_per_partial_write: 1.0,         // [e] GeForce: none
    atomic_steps_per_clock: 0.29,            // [e] as 9.0
    ..AMPERE_80
};

/// Compute capability 8.9.
pub static ADA: Architecture = Architecture {
    name: "Ada",
    compute_capability: (8, 9),
    max_blocks_per_multiprocessor: 24, // [g]
    l1_latency_cycles: 43,             // [b]
    shared_latency_cycles: 30,         // [b]
    l2_latency_cycles: 273,            // [b]
    memory_latency_cycles: 542,        // [b]
    ..AMPERE_86
};

/// Compute capability 9.0.
pub static HOPPER: Architecture = Architecture {
    name: "Hopper",
    compute_capability: (9, 0),
    shared_bytes_per_multiprocessor: 233472, // [g]
    shared_bytes_per_block_opt_in: 232448,   // [g]
    fp32_lanes_per_multiprocessor: 128,      // [g]
    fp64_lanes_per_multiprocessor: 64,       // [g]
    load_store_lanes_per_multiprocessor: 32, // [w]
    tensor_fma_per_clock: 2048,              // [w]
    l1_bytes_per_multiprocessor: 262144,     // [g] shared with shared memory
    l1_latency_cycles: 34,                   // [m] a chain of loads, without its address's multiply-add
    shared_latency_cycles: 26,               // [m] loads with 1 to 32 wavefronts, one by one
    l2_latency_cycles: 280,                  // [m] a chain of loads through 1 to 32 MiB
    memory_latency_cycles: 560,              // [m] the same with nothing in L2: 511 to 642
    l2_turns_per_partial_write: 4.0,         // [m] naive transpose, n = 1024 to 16384
    l2_turns_per_request: 1.65,              // [m] words at random places of 1 to 16 MiB
    l2_kept_share: 0.75,                     // [m] strided and random loads of 8 to 128 MiB
    l2_gone_share: 1.15,                     // [m] the same
    l2_lines_per_written: 1.0,               // [m] copies of 16 MiB on an H100, and of 32 MiB on an H200
    atomic_steps_per_clock: 0.69,            // [m] additions to one word, by all lanes of a warp
    atomic_float_turns: 1.4,                 // [m] the same of floats, 3.48 clocks each
    l2_slices: 80,                           // [m] additions to 8 to 65536 words behind each other
    ..AMPERE_80
};

/// Compute capability 10.0. No card of it was measured: what no vendor's text says is Hopper's.
pub static BLACKWELL_100: Architecture = Architecture {
    name: "Blackwell",
    compute_capability: (10, 0),
    max_threads_per_multiprocessor: 2048,    // [g]
    max_blocks_per_multiprocessor: 32,       // [o]
    shared_bytes_per_multiprocessor: 233472, // [g]
    shared_bytes_per_block_opt_in: 232448,   // [g]
    fp32_lanes_per_multiprocessor: 128,      // [g]
    fp64_lanes_per_multiprocessor: 64,       // [w] 37 TFLOP/s of the card
    fp16_lanes_per_multiprocessor: 256,      // [e] as 9.0
    tensor_fma_per_clock: 4096,              // [w] 2.25 PFLOP/s of the card, dense
    l1_latency_cycles: 34,                   // [e] as 9.0, and all below
    shared_latency_cycles: 26,               // [e]
    l2_latency_cycles: 280,                  // [e]
    memory_latency_cycles: 560,              // [e]
    l2_slices: 0,                            // not known
    ..HOPPER
};

/// Compute capability 12.0. No card of it was measured: what no vendor's text says is Ada's.
pub static BLACKWELL_120: Architecture = Architecture {
    name: "Blackwell",
    compute_capability: (12, 0),
    max_threads_per_multiprocessor: 1536,    // [g]
    max_blocks_per_multiprocessor: 24,       // [o]
    shared_bytes_per_multiprocessor: 102400, // [g]
    shared_bytes_per_block_opt_in: 101376,   // [g]
    fp32_lanes_per_multiprocessor: 128,      // [w]
    fp64_lanes_per_multiprocessor: 2,        // [w] a sixty-fourth of fp32's
    int32_lanes_per_multiprocessor: 128,     // [w] the same lanes as fp32's
    tensor_fma_per_clock: 512,               // [w] 419 TFLOP/s of the RTX 5090, dense, sums in f16
    l1_bytes_per_multiprocessor: 131072,     // [w] shared with shared memory
    l1_latency_cycles: 43,                   // [e] as 8.9, and all below
    shared_latency_cycles: 30,               // [e]
    l2_latency_cycles: 273,                  // [e]
    memory_latency_cycles: 542,              // [e]
    ..ADA
};

/// Every card, the default first.
pub static DEVICES: &[Device] = &[
    Device {
        key: "rtx4060",
        name: "NVIDIA GeForce RTX 4060",
        architecture: &ADA,
        multiprocessors: 24,            // [w]
        clock_hz: 2.46e9,               // [w] boost
        memory_clock_hz: 8.501e9,       // [w] 17 Gb/s per pin
        memory_bus_bits: 128,           // [w]
        memory_bytes: 8 << 30,          // [w]
        memory_peak_bytes_per_s: 272e9, // [w]
        memory_bytes_per_s: 250e9,      // [e] 92 % of peak
        l2_bytes: 24 << 20,             // [w]
        l2_bytes_per_clock: 512,        // [e] a third of AD102's
        pcie_generation: 4,             // [w]
        pcie_lanes: 8,                  // [w]
        pinned_bytes_per_s: 13.2e9,     // [e] 84 % of 15.75 GB/s
        pinned_both_ways_bytes_per_s: 24e9,
        pageable_to_device_bytes_per_s: 6.5e9,   // [e]
        pageable_from_device_bytes_per_s: 5.5e9, // [e]
        mapped_bytes_per_s: 19e9,                // [e]
        copy_engines: 2,                         // [e]
        copy_latency_ns: 1_500,                  // [e]
        engine_handover_ns: 1_800,               // [e] of a copy's own time as much as on an H200
        launch_host_ns: 2_500,                   // [e]
        launch_device_ns: 1_300,                 // [e]
        graph_node_ns: 800,                      // [e]
        graph_node_least_ns: 0,                  // not known
    },
    Device {
        key: "h200",
        name: "NVIDIA H200",
        architecture: &HOPPER,
        multiprocessors: 132,            // [w]
        clock_hz: 1.98e9,                // [w] boost
        memory_clock_hz: 3.201e9,        // [w]
        memory_bus_bits: 6144,           // [w]
        memory_bytes: 143_771 << 20,     // [m] as the driver tells it
        memory_peak_bytes_per_s: 4.8e12, // [w]
        memory_bytes_per_s: 4.22e12,     // [m] copy of 1 GiB
        l2_bytes: 60 << 20,              // [m] as the driver tells it
        l2_bytes_per_clock: 4472,        // [b] H100
        pcie_generation: 5,              // [w]
        pcie_lanes: 16,                  // [w]
        pinned_bytes_per_s: 55.4e9,      // [m]
        pinned_both_ways_bytes_per_s: 100e9,
        pageable_to_device_bytes_per_s: 12.5e9, // [m] the middle of copies of 128 KiB to 8 MiB; the best on five hosts 13.6e9 to 17e9
        pageable_from_device_bytes_per_s: 10.5e9, // [m] the same; 11.5e9 to 17e9
        mapped_bytes_per_s: 78.2e9,             // [m]
        copy_engines: 3,                        // [w]
        copy_latency_ns: 2_250, // [m] queued in a row 2.7 µs in and 1.8 µs out; where the host waits for each 3.2 and 1.9
        engine_handover_ns: 4_300, // [m] copies in, launches and copies out in turns, on four hosts 3.7 to 5.3 µs
        launch_host_ns: 3_500,  // [m] per empty kernel, in eight probes 2.95 to 4.32 µs
        launch_device_ns: 1_290, // [m] queued empty kernels, 1.36 µs each
        graph_node_ns: 350,     // [m] a node of an empty kernel, 0.43 µs
        graph_node_least_ns: 0, // [m] the same
    },
    Device {
        key: "h100",
        name: "NVIDIA H100 80GB HBM3",
        architecture: &HOPPER,
        multiprocessors: 132,                     // [w]
        clock_hz: 1.98e9,                         // [m] under load
        memory_clock_hz: 2.619e9,                 // [m] as the driver tells it
        memory_bus_bits: 5120,                    // [w]
        memory_bytes: 81_559 << 20,               // [m] as the driver tells it
        memory_peak_bytes_per_s: 3.35e12,         // [w]
        memory_bytes_per_s: 3.0e12,               // [m] 134 MB read and 67 MB copied, 1.40 times as long as on an H200
        l2_bytes: 50 << 20,                       // [w]
        l2_bytes_per_clock: 4030,                 // [m] sums of 8 and 8.4 MB in L2, 1.11 times as long as on an H200
        pcie_generation: 5,                       // [w]
        pcie_lanes: 16,                           // [w]
        pinned_bytes_per_s: 54.5e9,               // [m]
        pinned_both_ways_bytes_per_s: 100e9,      // [e] as the H200's
        pageable_to_device_bytes_per_s: 13.3e9,   // [m] copies of 16 MiB
        pageable_from_device_bytes_per_s: 10.9e9, // [m] the same
        mapped_bytes_per_s: 78.2e9,               // [e] as the H200's
        copy_engines: 3,                          // [w]
        copy_latency_ns: 3_250, // [m] in a row with an event behind each, without it: 3.6 µs in, 2.9 µs out
        engine_handover_ns: 3_800, // [e] as the H200's
        launch_host_ns: 2_950,  // [e] as the H200's
        launch_device_ns: 1_600, // [m] queued empty kernels, 1.8 µs each
        graph_node_ns: 350,     // [e] as the H200's: kernels of 2 µs and more take as long as there
        graph_node_least_ns: 780, // [m] a node of an empty kernel
    },
    Device {
        key: "b200",
        name: "NVIDIA B200",
        architecture: &BLACKWELL_100,
        multiprocessors: 148,                     // [w]
        clock_hz: 1.965e9,                        // [w] boost
        memory_clock_hz: 3.906e9,                 // [w] by its bandwidth
        memory_bus_bits: 8192,                    // [w]
        memory_bytes: 180 << 30,                  // [w]
        memory_peak_bytes_per_s: 8e12,            // [w]
        memory_bytes_per_s: 7.0e12,               // [e] 88 % of peak, as the H200
        l2_bytes: 126 << 20,                      // [w]
        l2_bytes_per_clock: 5014,                 // [e] a multiprocessor's as on an H200
        pcie_generation: 5,                       // [w]
        pcie_lanes: 16,                           // [w]
        pinned_bytes_per_s: 55.4e9,               // [e] as the H200's, and all below
        pinned_both_ways_bytes_per_s: 100e9,      // [e]
        pageable_to_device_bytes_per_s: 12.5e9,   // [e]
        pageable_from_device_bytes_per_s: 10.5e9, // [e]
        mapped_bytes_per_s: 78.2e9,               // [e]
        copy_engines: 3,                          // [e]
        copy_latency_ns: 2_250,                   // [e]
        engine_handover_ns: 4_300,                // [e]
        launch_host_ns: 3_500,                    // [e]
        launch_device_ns: 1_290,                  // [e]
        graph_node_ns: 350,                       // [e]
        graph_node_least_ns: 0,                   // not known
    },
    Device {
        key: "rtx5090",
        name: "NVIDIA GeForce RTX 5090",
        architecture: &BLACKWELL_120,
        multiprocessors: 170,                     // [w]
        clock_hz: 2.407e9,                        // [w] boost
        memory_clock_hz: 14.001e9,                // [w] 28 Gb/s per pin
        memory_bus_bits: 512,                     // [w]
        memory_bytes: 32 << 30,                   // [w]
        memory_peak_bytes_per_s: 1.792e12,        // [w]
        memory_bytes_per_s: 1.65e12,              // [e] 92 % of peak, as the RTX 4060
        l2_bytes: 96 << 20,                       // [w]
        l2_bytes_per_clock: 2268,                 // [e] a multiprocessor's as on an RTX 4090
        pcie_generation: 5,                       // [w]
        pcie_lanes: 16,                           // [w]
        pinned_bytes_per_s: 55.4e9,               // [e] as the H200's, and those below
        pinned_both_ways_bytes_per_s: 100e9,      // [e]
        pageable_to_device_bytes_per_s: 12.5e9,   // [e]
        pageable_from_device_bytes_per_s: 10.5e9, // [e]
        mapped_bytes_per_s: 78.2e9,               // [e]
        copy_engines: 2,                          // [e] as the RTX 4090's, and all below
        copy_latency_ns: 1_500,                   // [e]
        engine_handover_ns: 1_800,                // [e]
        launch_host_ns: 2_500,                    // [e]
        launch_device_ns: 1_200,                  // [e]
        graph_node_ns: 800,                       // [e]
        graph_node_least_ns: 0,                   // not known
    },
    Device {
        key: "a100",
        name: "NVIDIA A100-SXM4-40GB",
        architecture: &AMPERE_80,
        multiprocessors: 108,              // [w]
        clock_hz: 1.41e9,                  // [w]
        memory_clock_hz: 1.215e9,          // [w]
        memory_bus_bits: 5120,             // [w]
        memory_bytes: 40 << 30,            // [w]
        memory_peak_bytes_per_s: 1.555e12, // [w]
        memory_bytes_per_s: 1.4e12,        // [b]
        l2_bytes: 40 << 20,                // [w]
        l2_bytes_per_clock: 5120,          // [w]
        pcie_generation: 4,                // [w]
        pcie_lanes: 16,                    // [w]
        pinned_bytes_per_s: 25e9,          // [b]
        pinned_both_ways_bytes_per_s: 44e9,
        pageable_to_device_bytes_per_s: 7e9,    // [e]
        pageable_from_device_bytes_per_s: 10e9, // [e]
        mapped_bytes_per_s: 35e9,               // [e]
        copy_engines: 3,                        // [w]
        copy_latency_ns: 1_500,                 // [e]
        engine_handover_ns: 1_800,              // [e] of a copy's own time as much as on an H200
        launch_host_ns: 2_500,                  // [e]
        launch_device_ns: 1_200,                // [e]
        graph_node_ns: 1_000,                   // [e]
        graph_node_least_ns: 0,                 // not known
    },
    Device {
        key: "rtx4090",
        name: "NVIDIA GeForce RTX 4090",
        architecture: &ADA,
        multiprocessors: 128,              // [w]
        clock_hz: 2.52e9,                  // [w]
        memory_clock_hz: 10.501e9,         // [w]
        memory_bus_bits: 384,              // [w]
        memory_bytes: 24 << 30,            // [w]
        memory_peak_bytes_per_s: 1.008e12, // [w]
        memory_bytes_per_s: 0.93e12,       // [b]
        l2_bytes: 72 << 20,                // [w]
        l2_bytes_per_clock: 1708,          // [b]
        pcie_generation: 4,                // [w]
        pcie_lanes: 16,                    // [w]
        pinned_bytes_per_s: 26e9,          // [e]
        pinned_both_ways_bytes_per_s: 46e9,
        pageable_to_device_bytes_per_s: 9e9,   // [e]
        pageable_from_device_bytes_per_s: 8e9, // [e]
        mapped_bytes_per_s: 36e9,              // [e]
        copy_engines: 2,                       // [e]
        copy_latency_ns: 1_500,                // [e]
        engine_handover_ns: 1_800,             // [e] of a copy's own time as much as on an H200
        launch_host_ns: 2_500,                 // [e]
        launch_device_ns: 1_200,               // [e]
        graph_node_ns: 800,                    // [e]
        graph_node_least_ns: 0,                // not known
    },
    Device {
        key: "rtx4060laptop",
        name: "NVIDIA GeForce RTX 4060 Laptop GPU",
        architecture: &ADA,
        multiprocessors: 24,            // [w]
        clock_hz: 2.37e9,               // [w] boost at its highest power limit
        memory_clock_hz: 8.001e9,       // [w] 16 Gb/s per pin
        memory_bus_bits: 128,           // [w]
        memory_bytes: 8 << 30,          // [w]
        memory_peak_bytes_per_s: 256e9, // [w]
        memory_bytes_per_s: 235e9,      // [e] 92 % of peak, as the RTX 4060
        l2_bytes: 32 << 20,             // [w]
        l2_bytes_per_clock: 512,        // [e] a third of AD102's
        pcie_generation: 4,             // [w]
        pcie_lanes: 8,                  // [w]
        pinned_bytes_per_s: 13.2e9,     // [e] 84 % of 15.75 GB/s
        pinned_both_ways_bytes_per_s: 24e9,
        pageable_to_device_bytes_per_s: 6.5e9,   // [e]
        pageable_from_device_bytes_per_s: 5.5e9, // [e]
        mapped_bytes_per_s: 19e9,                // [e]
        copy_engines: 2,                         // [e]
        copy_latency_ns: 1_500,                  // [e]
        engine_handover_ns: 1_800,               // [e] of a copy's own time as much as on an H200
        launch_host_ns: 2_500,                   // [e]
        launch_device_ns: 1_300,                 // [e]
        graph_node_ns: 800,                      // [e]
        graph_node_least_ns: 0,                  // not known
    },
    Device {
        key: "rtx3090",
        name: "NVIDIA GeForce RTX 3090",
        architecture: &AMPERE_86,
        multiprocessors: 82,            // [w]
        clock_hz: 1.695e9,              // [w]
        memory_clock_hz: 9.751e9,       // [w]
        memory_bus_bits: 384,           // [w]
        memory_bytes: 24 << 30,         // [w]
        memory_peak_bytes_per_s: 936e9, // [w]
        memory_bytes_per_s: 860e9,      // [b]
        l2_bytes: 6 << 20,              // [w]
        l2_bytes_per_clock: 1536,       // [e]
        pcie_generation: 4,             // [w]
        pcie_lanes: 16,                 // [w]
        pinned_bytes_per_s: 25e9,       // [e]
        pinned_both_ways_bytes_per_s: 44e9,
        pageable_to_device_bytes_per_s: 8e9,   // [e]
        pageable_from_device_bytes_per_s: 7e9, // [e]
        mapped_bytes_per_s: 34e9,              // [e]
        copy_engines: 2,                       // [w]
        copy_latency_ns: 1_500,                // [e]
        engine_handover_ns: 1_800,             // [e] of a copy's own time as much as on an H200
        launch_host_ns: 2_800,                 // [e]
        launch_device_ns: 1_400,               // [e]
        graph_node_ns: 1_000,                  // [e]
        graph_node_least_ns: 0,                // not known
    },
    Device {
        key: "rtx2070super",
        name: "NVIDIA GeForce RTX 2070 SUPER",
        architecture: &TURING,
        multiprocessors: 40,            // [w]
        clock_hz: 1.77e9,               // [w]
        memory_clock_hz: 7.001e9,       // [w]
        memory_bus_bits: 256,           // [w]
        memory_bytes: 8 << 30,          // [w]
        memory_peak_bytes_per_s: 448e9, // [w]
        memory_bytes_per_s: 400e9,      // [e]
        l2_bytes: 4 << 20,              // [w]
        l2_bytes_per_clock: 1024,       // [e]
        pcie_generation: 3,             // [w]
        pcie_lanes: 16,                 // [w]
        pinned_bytes_per_s: 12.5e9,     // [e]
        pinned_both_ways_bytes_per_s: 22e9,
        pageable_to_device_bytes_per_s: 6e9,   // [e]
        pageable_from_device_bytes_per_s: 5e9, // [e]
        mapped_bytes_per_s: 18e9,              // [e]
        copy_engines: 3,                       // [w]
        copy_latency_ns: 1_500,                // [e]
        engine_handover_ns: 1_800,             // [e] of a copy's own time as much as on an H200
        launch_host_ns: 3_000,                 // [e]
        launch_device_ns: 1_600,               // [e]
        graph_node_ns: 1_200,                  // [e]
        graph_node_least_ns: 0,                // not known
    },
    Device {
        key: "p100",
        name: "Tesla P100-PCIE-16GB",
        architecture: &PASCAL_60,
        multiprocessors: 56,            // [w]
        clock_hz: 1.3285e9,             // [w]
        memory_clock_hz: 0.715e9,       // [w]
        memory_bus_bits: 4096,          // [w]
        memory_bytes: 16 << 30,         // [w]
        memory_peak_bytes_per_s: 732e9, // [w]
        memory_bytes_per_s: 550e9,      // [b]
        l2_bytes: 4 << 20,              // [w]
        l2_bytes_per_clock: 1624,       // [b]
        pcie_generation: 3,             // [w]
        pcie_lanes: 16,                 // [w]
        pinned_bytes_per_s: 12e9,       // [e]
        pinned_both_ways_bytes_per_s: 21e9,
        pageable_to_device_bytes_per_s: 5e9,   // [e]
        pageable_from_device_bytes_per_s: 5e9, // [e]
        mapped_bytes_per_s: 17e9,              // [e]
        copy_engines: 2,                       // [w]
        copy_latency_ns: 1_800,                // [e]
        engine_handover_ns: 2_100,             // [e] of a copy's own time as much as on an H200
        launch_host_ns: 3_500,                 // [e]
        launch_device_ns: 1_800,               // [e]
        graph_node_ns: 1_500,                  // [e]
        graph_node_least_ns: 0,                // not known
    },
    Device {
        key: "gtx1050",
        name: "NVIDIA GeForce GTX 1050",
        architecture: &PASCAL_61,
        multiprocessors: 5,             // [w]
        clock_hz: 1.493e9,              // assignment 4's own card
        memory_clock_hz: 3.504e9,       // assignment 4's own card
        memory_bus_bits: 128,           // [w]
        memory_bytes: 2 << 30,          // [w]
        memory_peak_bytes_per_s: 112e9, // [w]
        memory_bytes_per_s: 95e9,       // [e]
        l2_bytes: 1 << 20,              // [w]
        l2_bytes_per_clock: 256,        // [e]
        pcie_generation: 3,             // [w]
        pcie_lanes: 16,                 // [w]
        pinned_bytes_per_s: 12e9,       // [e]
        pinned_both_ways_bytes_per_s: 20e9,
        pageable_to_device_bytes_per_s: 5e9,   // [e]
        pageable_from_device_bytes_per_s: 5e9, // [e]
        mapped_bytes_per_s: 16e9,              // [e]
        copy_engines: 2,                       // [w]
        copy_latency_ns: 1_800,                // [e]
        engine_handover_ns: 2_100,             // [e] of a copy's own time as much as on an H200
        launch_host_ns: 3_500,                 // [e]
        launch_device_ns: 2_700,               // assignment 4: what activity leaves of short kernels
        graph_node_ns: 1_500,                  // [e]
        graph_node_least_ns: 0,                // not known
    },
    Device {
        key: "gtx780",
        name: "NVIDIA GeForce GTX 780",
        architecture: &KEPLER,
        multiprocessors: 12,              // [w]
        clock_hz: 0.9e9,                  // [w]
        memory_clock_hz: 3.004e9,         // [w]
        memory_bus_bits: 384,             // [w]
        memory_bytes: 3 << 30,            // [w]
        memory_peak_bytes_per_s: 288.4e9, // [w]
        memory_bytes_per_s: 220e9,        // [e]
        l2_bytes: 1536 << 10,             // [w]
        l2_bytes_per_clock: 384,          // [e] 64 per memory partition
        pcie_generation: 3,               // [w]
        pcie_lanes: 16,                   // [w]
        pinned_bytes_per_s: 11e9,         // [e]
        pinned_both_ways_bytes_per_s: 11e9,
        pageable_to_device_bytes_per_s: 4e9,     // [e]
        pageable_from_device_bytes_per_s: 3.5e9, // [e]
        mapped_bytes_per_s: 10e9,                // [e]
        copy_engines: 1,                         // [w]
        copy_latency_ns: 2_500,                  // [e]
        engine_handover_ns: 3_000,               // [e] of a copy's own time as much as on an H200
        launch_host_ns: 4_500,                   // [e]
        launch_device_ns: 1_500,                 // [e]
        graph_node_ns: 2_000,                    // [e]
        graph_node_least_ns: 0,                  // not known
    },
    Device {
        key: "gt740m",
        name: "NVIDIA GeForce GT 740M",
        architecture: &KEPLER,
        multiprocessors: 2,              // [w] GK208
        clock_hz: 0.98e9,                // [w]
        memory_clock_hz: 0.9e9,          // [w]
        memory_bus_bits: 64,             // [w]
        memory_bytes: 2 << 30,           // [w]
        memory_peak_bytes_per_s: 14.4e9, // [w]
        memory_bytes_per_s: 11.6e9,      // assignment 3, kernel 3 at n = 2048: 33.6 MB in 2889 µs
        l2_bytes: 512 << 10,             // [w]
        l2_bytes_per_clock: 64,          // [e] one memory partition
        pcie_generation: 3,              // [w]
        pcie_lanes: 8,                   // [w]
        pinned_bytes_per_s: 6e9,         // [e]
        pinned_both_ways_bytes_per_s: 6e9,
        pageable_to_device_bytes_per_s: 3e9,   // [e]
        pageable_from_device_bytes_per_s: 3e9, // [e]
        mapped_bytes_per_s: 5.5e9,             // [e]
        copy_engines: 1,                       // [w]
        copy_latency_ns: 2_500,                // [e]
        engine_handover_ns: 3_000,             // [e] of a copy's own time as much as on an H200
        launch_host_ns: 5_000,                 // [e]
        launch_device_ns: 1_200,               // [e] under assignment 3's smallest kernel, 1.98 µs
        graph_node_ns: 2_000,                  // [e]
        graph_node_least_ns: 0,                // not known
    },
    Device {
        key: "c2050",
        name: "Tesla C2050",
        architecture: &FERMI,
        multiprocessors: 14,            // [w]
        clock_hz: 1.15e9,               // [w]
        memory_clock_hz: 1.5e9,         // [w]
        memory_bus_bits: 384,           // [w]
        memory_bytes: 3 << 30,          // [w]
        memory_peak_bytes_per_s: 144e9, // [w]
        memory_bytes_per_s: 105e9,      // [b]
        l2_bytes: 768 << 10,            // [w]
        l2_bytes_per_clock: 384,        // [e]
        pcie_generation: 2,             // [w]
        pcie_lanes: 16,                 // [w]
        pinned_bytes_per_s: 5.9e9,      // [b]
        pinned_both_ways_bytes_per_s: 10e9,
        pageable_to_device_bytes_per_s: 3e9, // the lecture: 4.71 ms against 2.36 ms pinned
        pageable_from_device_bytes_per_s: 1.7e9, // the lecture: 8.06 ms against 2.35 ms pinned
        mapped_bytes_per_s: 5e9,             // [e]
        copy_engines: 2,                     // [w]
        copy_latency_ns: 4_000,              // [e]
        engine_handover_ns: 4_800,           // [e] of a copy's own time as much as on an H200
        launch_host_ns: 6_000,               // [e]
        launch_device_ns: 2_500,             // [e]
        graph_node_ns: 3_000,                // [e]
        graph_node_least_ns: 0,              // not known
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_is_found_by_its_key_and_no_key_twice() {
        for (i, device) in DEVICES.iter().enumerate() {
            assert!(std::ptr::eq(find(device.key).unwrap(), device));
            assert!(DEVICES[i + 1..].iter().all(|other| other.key != device.key));
        }
        assert_eq!(find("RTX 4060").unwrap().key, DEFAULT);
        assert!(find("voodoo2").is_none());
    }

    #[test]
    fn numbers_of_one_row_agree() {
        for d in DEVICES {
            // A data sheet's bandwidth is two transfers per memory clock over the whole bus.
            let from_clock = 2.0 * d.memory_clock_hz * f64::from(d.memory_bus_bits) / 8.0;
            assert!((from_clock / d.memory_peak_bytes_per_s - 1.0).abs() < 0.03, "{}: {from_clock:e}", d.key);
            assert!(d.memory_bytes_per_s < d.memory_peak_bytes_per_s, "{}", d.key);
            assert!(d.pinned_both_ways_bytes_per_s <= 2.0 * d.pinned_bytes_per_s, "{}", d.key);
            assert!(d.pageable_to_device_bytes_per_s < d.pinned_bytes_per_s, "{}", d.key);
            let a = d.architecture;
            assert!(a.shared_bytes_per_block <= a.shared_bytes_per_block_opt_in);
            assert!(
                a.shared_bytes_per_block_opt_in + a.shared_bytes_reserved_per_block
                    <= a.shared_bytes_per_multiprocessor
            );
        }
    }
}
