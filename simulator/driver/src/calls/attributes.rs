//! Device attributes: a table from the numbers of `CUdevice_attribute` to the card's facts.
use crate::interface::cause::Cause;
use clock::cards::Device;

/// The facts from which an attribute is computed.
type Of = fn(&Device) -> u64;

/// An attribute of a card on ordinal `ordinal`, as the interface's int.
pub fn attribute(card: &Device, ordinal: usize, number: u32) -> Result<i32, Cause> {
    let value = match number {
        PCI_BUS => ordinal as u64 + 1,
        _ => match ATTRIBUTES.iter().find(|(known, _)| *known == number) {
            Some((_, of)) => of(card),
            None if NONE.contains(&number) => 0,
            None => return Err(Cause::NoSuchValue("attrib", number.into())),
        },
    };
    Ok(i32::try_from(value).unwrap_or(i32::MAX))
}

const PCI_BUS: u32 = 33;

/// Attributes that have a value; each is named by the interface's header.
const ATTRIBUTES: &[(u32, Of)] = &[
    (1, |_| 1024),                                                    // threads per block
    (2, |_| 1024),                                                    // block x
    (3, |_| 1024),                                                    // block y
    (4, |_| 64),                                                      // block z
    (5, |d| d.architecture.max_grid_x.into()),                        // grid x
    (6, |_| 65535),                                                   // grid y
    (7, |_| 65535),                                                   // grid z
    (8, |d| d.architecture.shared_bytes_per_block.into()),            // shared memory per block
    (9, |_| 65536),                                                   // constant memory
    (10, |_| 32),                                                     // warp
    (11, |_| 0x7fff_ffff),                                            // pitch
    (12, |d| d.architecture.registers_per_multiprocessor.into()),     // registers per block
    (13, |d| (d.clock_hz / 1e3) as u64),                              // clock, kHz
    (14, |_| 512),                                                    // texture alignment
    (15, |_| 1),                                                      // copies beside kernels
    (16, |d| d.multiprocessors.into()),                               // multiprocessors
    (19, |_| 1),                                                      // maps host memory
    (31, |_| 1),                                                      // concurrent kernels
    (36, |d| (d.memory_clock_hz / 1e3) as u64),                       // memory clock, kHz
    (37, |d| d.memory_bus_bits.into()),                               // bus width
    (38, |d| d.l2_bytes),                                             // L2
    (39, |d| d.architecture.max_threads_per_multiprocessor.into()),   // threads per multiprocessor
    (40, |d| d.copy_engines.into()),                                  // copy engines
    (41, |_| 1),                                                      // unified addressing
    (75, |d| d.architecture.compute_capability.0.into()),             // compute capability, major
    (76, |d| d.architecture.compute_capability.1.into()),             // and minor
    (78, |d| (d.architecture.compute_capability >= (3, 5)).into()),   // stream priorities
    (79, |d| (d.architecture.compute_capability.0 != 3).into()),      // global memory in L1, for who asks for it
    (80, |_| 1),                                                      // local memory in L1
    (81, |d| d.architecture.shared_bytes_per_multiprocessor.into()),  // shared memory per multiprocessor
    (82, |d| d.architecture.registers_per_multiprocessor.into()),     // registers per multiprocessor
    (83, |d| (d.architecture.compute_capability.0 >= 3).into()),      // managed memory
    (87, |d| single_to_double(d)),                                    // fp32 rate over fp64 rate
    (89, |d| (d.architecture.compute_capability.0 >= 6).into()),      // managed memory used by both at once
    (90, |d| (d.architecture.compute_capability.0 >= 6).into()),      // preemption
    (91, |_| 1),                                                      // registered memory keeps its address
    (95, |d| d.architecture.cooperative_launch.into()),               // cooperative launch
    (97, |d| d.architecture.shared_bytes_per_block_opt_in.into()),    // shared memory per block, opted in
    (99, |_| 1),                                                      // registers host memory
    (102, |_| 1),                                                     // virtual memory management
    (103, |_| 1),                                                     // whose memory goes to others by file descriptor
    (106, |d| d.architecture.max_blocks_per_multiprocessor.into()),   // blocks per multiprocessor
    (111, |d| d.architecture.shared_bytes_reserved_per_block.into()), // shared memory reserved per block
    (113, |_| 1),                                                     // read-only registration
    (115, |d| d.has_pools().into()),                                  // memory pools
    (119, |d| d.has_pools().into()), // pools that other processes get by file descriptor
    (120, |d| (d.architecture.compute_capability.0 >= 9).into()), // clusters
    (126, |_| 1),                    // memory synchronisation domains
    (127, |d| (d.architecture.compute_capability.0 >= 9).into()), // tensor maps
    (142, |d| d.has_pools().into()), // pools of the host's nodes
    (144, |d| d.has_pools().into()), // pools of the host
    (129, |_| 1),                    // unified function pointers
];

/// Attributes that are known and that no simulated card has: textures and surfaces of no size, ECC, RDMA,
/// multicast and the like.
const NONE: &[u32] = &[
    17, 18, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 32, 34, 35, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54,
    55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 77, 84, 85, 86, 88, 92, 93, 94, 96,
    98, 100, 101, 104, 105, 107, 108, 109, 110, 112, 114, 116, 117, 118, 121, 122, 123, 124, 125, 128, 130, 131, 132,
    133, 134, 135, 136, 137, 138, 139, 140, 141, 143, 145, 146, 147, 150, 151, 152,
];

fn single_to_double(card: &Device) -> u64 {
    let a = card.architecture;
    u64::from(a.fp32_lanes_per_multiprocessor / a.fp64_lanes_per_multiprocessor.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_attribute_stands_twice() {
        let mut all: Vec<u32> =
            ATTRIBUTES.iter().map(|row| row.0).chain(NONE.iter().copied()).chain([PCI_BUS]).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn a_card_answers_its_own_numbers() {
        let card = clock::cards::find("h200").unwrap();
        assert_eq!(attribute(card, 0, 16).unwrap(), 132);
        assert_eq!(attribute(card, 0, 75).unwrap(), 9);
        assert_eq!(attribute(card, 0, 13).unwrap(), 1_980_000);
        assert!(attribute(card, 0, 9999).is_err());
    }
}
