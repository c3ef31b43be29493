//! How many blocks of a kernel a multiprocessor holds at once, and which resource limits them.
//!
//! The rules are those of NVIDIA's `cuda_occupancy.h`, in the general case: no partitioned caching, the largest shared
//! memory that the multiprocessor can be given.
use crate::cards::Architecture;
use crate::constants::{MOST_THREADS_OF_BLOCK, WARP_LANES};
use serde::Serialize;

/// The resources that a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    pub threads_per_block: u32,
    pub registers_per_thread: u32,
    /// Static and dynamic.
    pub shared_bytes_per_block: u32,
}

/// The resource that bounds the number of resident blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    Warps,
    Registers,
    SharedMemory,
    Blocks,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    pub blocks_per_multiprocessor: u32,
    pub limit: Limit,
}

impl Occupancy {
    /// Share of the multiprocessor's warps that are resident: 0 to 1.
    pub fn theoretical(&self, architecture: &Architecture, threads_per_block: u32) -> f64 {
        let warps = self.blocks_per_multiprocessor * threads_per_block.div_ceil(WARP_LANES);
        f64::from(warps) / f64::from(architecture.max_threads_per_multiprocessor / WARP_LANES)
    }
}

/// Resident blocks per multiprocessor; 0 where a single block does not fit.
pub fn occupancy(architecture: &Architecture, demand: Demand) -> Occupancy {
    let warps = demand.threads_per_block.div_ceil(WARP_LANES);
    if warps == 0 || demand.threads_per_block > MOST_THREADS_OF_BLOCK {
        return Occupancy { blocks_per_multiprocessor: 0, limit: Limit::Warps };
    }
    let by_warps = architecture.max_threads_per_multiprocessor / WARP_LANES / warps;
    let by_registers = by_registers(architecture, warps, demand.registers_per_thread);
    let by_shared = by_shared(architecture, demand.shared_bytes_per_block);
    // Ties are named by what a programmer can change first.
    let mut least = Occupancy { blocks_per_multiprocessor: by_registers, limit: Limit::Registers };
    for (blocks_per_multiprocessor, limit) in [
        (by_shared, Limit::SharedMemory),
        (by_warps, Limit::Warps),
        (architecture.max_blocks_per_multiprocessor, Limit::Blocks),
    ] {
        if blocks_per_multiprocessor < least.blocks_per_multiprocessor {
            least = Occupancy { blocks_per_multiprocessor, limit };
        }
    }
    least
}

/// Registers are given to whole warps, and each scheduler's share is its own.
fn by_registers(architecture: &Architecture, warps: u32, registers_per_thread: u32) -> u32 {
    if registers_per_thread == 0 {
        return u32::MAX;
    }
    let parts = architecture.schedulers_per_multiprocessor;
    let per_warp = (registers_per_thread * WARP_LANES).next_multiple_of(architecture.register_unit_per_warp);
    // The hardware's own check counts a warp in every part.
    let assumed = u64::from(per_warp) * u64::from(warps.next_multiple_of(parts));
    if assumed > u64::from(architecture.registers_per_multiprocessor)
        || registers_per_thread > architecture.max_registers_per_thread
    {
        return 0;
    }
    architecture.registers_per_multiprocessor / parts / per_warp * parts / warps
}

fn by_shared(architecture: &Architecture, bytes: u32) -> u32 {
    if bytes > architecture.shared_bytes_per_block_opt_in {
        return 0;
    }
    let taken = (bytes + architecture.shared_bytes_reserved_per_block).next_multiple_of(architecture.shared_unit_bytes);
    match taken {
        0 => u32::MAX,
        taken => architecture.shared_bytes_per_multiprocessor / taken,
    }
}

/// The most dynamic shared memory per block that still leaves room for `blocks` of them, beside `fixed_bytes` each.
pub fn available_dynamic_shared_bytes(architecture: &Architecture, blocks: u32, fixed_bytes: u32) -> u32 {
    let share = architecture.shared_bytes_per_multiprocessor / blocks.max(1);
    let share = share / architecture.shared_unit_bytes * architecture.shared_unit_bytes;
    share
        .saturating_sub(architecture.shared_bytes_reserved_per_block)
        .min(architecture.shared_bytes_per_block_opt_in)
        .saturating_sub(fixed_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::find;

    fn of(card: &str) -> &'static Architecture {
        find(card).unwrap().architecture
    }

    fn blocks(architecture: &Architecture, threads: u32, registers: u32, shared: u32) -> u32 {
        let demand =
            Demand { threads_per_block: threads, registers_per_thread: registers, shared_bytes_per_block: shared };
        occupancy(architecture, demand).blocks_per_multiprocessor
    }

    #[test]
    fn agrees_with_published_vectors() {
        assert_eq!(blocks(of("a100"), 256, 40, 0), 6);
        assert_eq!(blocks(of("a100"), 96, 33, 0), 16);
        assert_eq!(blocks(of("a100"), 1024, 40, 0), 1);
        assert_eq!(blocks(of("rtx3090"), 256, 32, 16384), 5);
        assert_eq!(blocks(of("rtx2070super"), 128, 128, 8192), 4);
        assert_eq!(blocks(of("h200"), 128, 128, 8192), 4);
    }

    #[test]
    fn names_the_limit() {
        let limit = |threads, registers, shared| {
            let demand =
                Demand { threads_per_block: threads, registers_per_thread: registers, shared_bytes_per_block: shared };
            occupancy(of("rtx4060"), demand).limit
        };
        assert_eq!(limit(32, 16, 0), Limit::Blocks);
        assert_eq!(limit(1024, 16, 0), Limit::Warps);
        assert_eq!(limit(256, 128, 0), Limit::Registers);
        assert_eq!(limit(64, 16, 40000), Limit::SharedMemory);
    }

    #[test]
    fn what_does_not_fit_has_no_blocks() {
        assert_eq!(blocks(of("rtx4060"), 1024, 80, 0), 0);
        assert_eq!(blocks(of("rtx4060"), 32, 32, 102_000), 0);
        assert_eq!(blocks(of("rtx4060"), 0, 32, 0), 0);
    }

    #[test]
    fn available_shared_memory_leaves_room() {
        for blocks_wanted in 1..16 {
            let bytes = available_dynamic_shared_bytes(of("rtx4060"), blocks_wanted, 1000);
            assert!(blocks(of("rtx4060"), 32, 16, bytes + 1000) >= blocks_wanted, "{blocks_wanted}");
            assert!(blocks(of("rtx4060"), 32, 16, bytes + 1000 + 128) <= blocks_wanted.max(1), "{blocks_wanted}");
        }
    }
}
