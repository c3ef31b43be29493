//! The clock of a launch: who listens for it, and the time that follows from what they heard.
use clock::analytic::kernel_time::{Estimate, estimate};
use clock::analytic::terms::Launched;
use clock::analytic::work::Work;
use clock::cards::Device;
use clock::compiler::codes::Codes;
use clock::listeners::hand_over::HandOvers;
use clock::listeners::trace::Trace;
use clock::listeners::traffic::{Found, Traffic};
use clock::multiprocessor::play::{Without, play};
use clock::occupancy::Occupancy;
use ptx::isa::Class;
use std::collections::BTreeMap;
use watch::counters::coalescing::SECTOR_BYTES;
use watch::counters::totals::{self, Totals};

/// Facts about a launch that the clock gets beforehand.
#[derive(Clone, Copy)]
pub struct Clock {
    pub card: &'static Device,
    pub occupancy: Occupancy,
    pub blocks: u64,
    /// Threads of a block.
    pub threads: u32,
    /// Shared memory of a block, static and dynamic.
    pub shared_bytes: u32,
}

impl Clock {
    /// The listener that follows a few blocks.
    pub fn trace(&self) -> Trace {
        Trace::new(self.blocks, self.threads)
    }

    /// The listener that finds where accesses of so many of the blocks are answered.
    pub fn traffic(&self, blocks: u64) -> Traffic {
        let resident = self.occupancy.blocks_per_multiprocessor;
        Traffic::new(self.card, blocks, self.threads, resident, self.shared_bytes)
    }

    /// The work of the launch, from what was counted and where its accesses were answered. Without counters: `instructions` alone.
    pub fn work(&self, totals: Option<&Totals>, instructions: u64, found: Option<&Found>) -> Work {
        let work = totals.map_or_else(|| Work { instructions, ..Work::default() }, work_of_totals);
        let mut work = Work { blocks: self.blocks, threads_per_block: self.threads, ..work };
        if let Some(found) = found {
            work.answered_by(self.card, found);
        }
        work
    }

    /// The time that it takes. Without a trace: by its work alone. `codes` are its program's.
    pub fn estimate(
        &self,
        work: &Work,
        trace: Option<Trace>,
        hand_overs: Option<&HandOvers>,
        codes: &Codes,
    ) -> Estimate {
        let without = (codes, &Without::default());
        let played = trace.and_then(|trace| play(self.card, self.occupancy, work, self.shared_bytes, trace, without));
        estimate(Launched { card: self.card, occupancy: self.occupancy, work }, played, hand_overs)
    }
}

/// The counts that the clock needs.
fn work_of_totals(totals: &Totals) -> Work {
    work_of(totals.instructions, &totals.instructions_by_class, totals.tensor_fmas, &totals.memory, totals.barriers)
}

/// Takes them from the counts of a launch, or of one of its lines.
pub fn work_of(
    instructions: u64,
    by_class: &BTreeMap<Class, u64>,
    tensor_fmas: u64,
    memory: &totals::Memory,
    barriers: u64,
) -> Work {
    let class = |classes: &[Class]| classes.iter().filter_map(|class| by_class.get(class)).sum();
    let sectors = memory.global_load_sectors
        + memory.global_store_sectors
        + memory.local_load_sectors
        + memory.local_store_sectors
        + memory.atomic_sectors;
    Work {
        instructions,
        fp32_instructions: class(&[Class::Float]),
        fp64_instructions: class(&[Class::Double]),
        fp16_instructions: class(&[Class::Half]),
        integer_instructions: class(&[Class::Integer, Class::Logic, Class::Compare, Class::Convert]),
        special_instructions: class(&[Class::Special]),
        tensor_fmas,
        memory_requests: memory.global_load_requests
            + memory.global_store_requests
            + memory.local_load_requests
            + memory.local_store_requests
            + memory.atomics,
        l1_sectors: sectors,
        l2_sectors: sectors,
        memory_bytes: sectors * SECTOR_BYTES,
        // The asynchronous proxy moves a line of the banks a clock.
        shared_wavefronts: memory.shared_load_wavefronts
            + memory.shared_store_wavefronts
            + memory.transfer_shared_bytes.unwrap_or(0) / 128,
        atomic_requests: memory.atomics,
        atomic_lanes: memory.atomic_lanes,
        barriers,
        ..Work::default()
    }
}
