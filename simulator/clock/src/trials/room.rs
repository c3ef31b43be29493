//! The room that a launch leaves on a card: blocks for its multiprocessors, and what limits how many each holds at once.
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
        let takes = match now.limit {
            Limit::Registers => demand.registers_per_thread,
            Limit::SharedMemory => demand.shared_bytes_per_block,
            Limit::Warps | Limit::Blocks => 0,
        };
        let with = |less: u32| match now.limit {
            Limit::Registers => Demand { registers_per_thread: less, ..demand },
            _ => Demand { shared_bytes_per_block: less, ..demand },
        };
        let next = (1..takes).rev().find(|&less| occupancy(a, with(less)).blocks_per_multiprocessor > resident);
        let (threads, multiprocessors) = (demand.threads_per_block, card.multiprocessors);
        Room { blocks, threads, multiprocessors, resident, limit: now.limit, takes, next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::find;

    #[test]
    fn the_next_step_down_has_room_for_one_block_more_and_the_step_above_it_has_not() {
        let card = find("h200").expect("a card");
        let room = |registers_per_thread: u32, shared_bytes_per_block: u32| {
            Room::of(card, 16, Demand { threads_per_block: 256, registers_per_thread, shared_bytes_per_block })
        };
        let of = |room: Room| (room.resident, room.next.unwrap_or(0));
        let ((now, registers), (held, bytes)) = (of(room(72, 0)), of(room(32, 40_000)));
        assert!(room(registers, 0).resident > now && room(registers + 1, 0).resident == now, "{registers}");
        assert!(room(32, bytes).resident > held && room(32, bytes + 1).resident == held, "{bytes}");
        assert_eq!(room(32, 0).next, None, "its warps fill the multiprocessor");
    }
}
