//! The work of a launch, as the model of its time takes it.
use crate::cards::Device;
use crate::listeners::atomic_queue::Queue;
use crate::listeners::traffic::found::Found;

/// Which part of its lines a launch does not find in L2 any more, where lines of so many bytes come round in order; in some of them whole
/// sectors are written.
pub fn beyond_l2(card: &Device, line_bytes: u64, written_bytes: u64) -> f64 {
    let a = card.architecture;
    // L2 has room for lines, of which some sectors may stay empty. Lines that come round in order are gone before they are asked for again.
    // Written lines stay in it until memory has them, beside those that are read meanwhile.
    let room = line_bytes as f64 + written_bytes as f64 * a.l2_lines_per_written;
    let over = room / card.l2_bytes as f64 - a.l2_kept_share;
    (over / (a.l2_gone_share - a.l2_kept_share)).clamp(0.0, 1.0)
}

/// The work of a launch, in totals over the grid. Counts are of warps unless the name says otherwise.
#[derive(Clone, Debug, Default)]
pub struct Work {
    pub blocks: u64,
    pub threads_per_block: u32,
    pub instructions: u64,
    pub fp32_instructions: u64,
    pub fp64_instructions: u64,
    pub fp16_instructions: u64,
    pub integer_instructions: u64,
    pub special_instructions: u64,
    /// The cost of matrix instructions for tensor units, in multiply-adds of 16-bit elements.
    pub tensor_fmas: u64,
    /// Loads, stores and atomics of warps on global and local memory.
    pub memory_requests: u64,
    /// Lines that these touch, beyond the first of each.
    pub more_lines: u64,
    /// Sectors of 32 bytes that warps asked L1 for.
    pub l1_sectors: u64,
    /// Sectors that went on to L2, and bytes that went on to memory.
    pub l2_sectors: u64,
    pub memory_bytes: u64,
    pub shared_wavefronts: u64,
    /// Atomics of warps.
    pub atomic_requests: u64,
    /// Sectors that went on to L2 and that a store fills only in part.
    pub partial_sectors: u64,
    /// Steps of atomics in L2, sectors that one wave's atomics touch, arrivals at barriers of the grid.
    pub atomic_steps: u64,
    pub atomic_lanes: u64,
    /// Steps of atomics whose result is asked for.
    pub answered_atomics: u64,
    pub atomic_spread: f64,
    pub atomic_queue: Queue,
    pub arrivals: u64,
    pub barriers: u64,
    /// Bytes that crossed the bus to mapped host memory.
    pub host_bytes: u64,
    /// The part of these that goes to the host.
    pub host_written_bytes: u64,
}

impl Work {
    /// Takes over where accesses were answered. A footprint that fits in a part of L2 is there already, from the copy that
    /// brought it or from the launch before; a large one is fetched by each wave anew.
    pub fn answered_by(&mut self, card: &Device, found: &Found) {
        self.l2_sectors = found.l2_sectors.min(self.l1_sectors);
        self.partial_sectors = found.partial_sectors.min(self.l2_sectors);
        self.host_bytes = found.host_bytes;
        self.host_written_bytes = found.host_written_bytes;
        self.more_lines = found.more_lines;
        self.atomic_steps = found.atomic_steps;
        self.answered_atomics = found.answered_atomics;
        self.atomic_spread = found.atomic_spread;
        self.atomic_queue = found.atomic_queue.clone();
        self.arrivals = found.arrivals;
        let footprint = found.footprint_bytes as f64;
        let beyond = beyond_l2(card, found.line_bytes, found.written_bytes);
        let fetched = footprint + (found.wave_bytes as f64 - footprint) * beyond;
        self.memory_bytes = (fetched * beyond) as u64;
    }
}
