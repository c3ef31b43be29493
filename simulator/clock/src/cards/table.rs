//! The rows of the cards, the default first. A new card goes here. The tags of the sources are explained in [`crate::cards`].
use super::architectures::{
    ADA, AMPERE_80, AMPERE_86, BLACKWELL_100, BLACKWELL_120, FERMI, HOPPER, KEPLER, PASCAL_60, PASCAL_61, TURING,
};
use super::fields::Device;

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

/// The card of those who ask for none: a common student card.
pub const DEFAULT: &str = "rtx4060";

/// Finds a card by its key; case, spaces and dashes do not matter.
pub fn find(key: &str) -> Option<&'static Device> {
    let plain = |s: &str| s.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let wanted = plain(key);
    DEVICES.iter().find(|device| plain(device.key) == wanted)
}

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
