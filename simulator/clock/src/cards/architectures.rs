//! The rows of the architectures, oldest first. The tags of the sources are explained in [`crate::cards`].
use super::fields::Architecture;

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
