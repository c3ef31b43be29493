//! The room that a launch leaves on a card: blocks for its multiprocessors, and what limits how many each holds at once.
use super::causes::Cause;
use crate::cards::Device;
use crate::occupancy::{Demand, Limit, occupancy};
use serde::Serialize;

/// The facts of a launch that say why multiprocessors, or places in them, are empty.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Room {
    blocks: u64,
    threads: u32,
    multiprocessors: u32,
    /// Blocks that a multiprocessor holds at once, and what limits them.
    resident: u32,
    limit: Limit,
    /// The registers of a thread, or bytes of shared memory of a block, that do, and the most with which there is room for one block more.
    takes: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u32>,
}

impl Room {
    /// That of so many blocks of a kernel.
    pub fn of(card: &Device, blocks: u64, demand: Demand) -> Room {
        let a = card.architecture;
        let now = occupancy(a, demand);
        let resident = now.blocks_per_multiprocessor;
        let has_room = |demand: Demand| occupancy(a, demand).blocks_per_multiprocessor > resident;
        let Demand { registers_per_thread: registers, shared_bytes_per_block: bytes, .. } = demand;
        let fewer = |&registers_per_thread: &u32| has_room(Demand { registers_per_thread, ..demand });
        let less = |&shared_bytes_per_block: &u32| has_room(Demand { shared_bytes_per_block, ..demand });
        let (takes, next) = match now.limit {
            Limit::Registers => (registers, (1..registers).rev().find(fewer)),
            Limit::SharedMemory => (bytes, (0..bytes).rev().find(less)),
            Limit::Warps | Limit::Blocks => (0, None),
        };
        let (threads, multiprocessors) = (demand.threads_per_block, card.multiprocessors);
        Room { blocks, threads, multiprocessors, resident, limit: now.limit, takes, next }
    }

    /// True if the cause is that of a launch, and not of its code.
    pub fn explains(cause: Cause) -> bool {
        matches!(cause, Cause::Idle | Cause::FewWarps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::find;

    #[test]
    fn the_next_step_down_has_room_for_one_block_more_and_the_step_above_it_has_not() {
        let card = find("h200").expect("a card");
        let demand = |registers_per_thread: u32, shared_bytes_per_block: u32| Demand {
            threads_per_block: 256,
            registers_per_thread,
            shared_bytes_per_block,
        };
        let room = |demand| Room::of(card, 16, demand);
        for (of, with) in [
            (demand(72, 0), &(|value| demand(value, 0)) as &dyn Fn(u32) -> Demand),
            (demand(32, 40_000), &|value| demand(32, value)),
        ] {
            let Room { resident, next, .. } = room(of);
            let next = next.expect("a step");
            assert!(room(with(next)).resident > resident && room(with(next + 1)).resident == resident, "{next}");
        }
        assert_eq!(Room::of(card, 16, demand(32, 0)).next, None, "its warps fill the multiprocessor");
    }
}
