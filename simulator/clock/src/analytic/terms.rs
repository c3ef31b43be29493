//! What each kind of a launch's work would take if it were alone.
use super::atomics::atomic_cycles;
use super::demand::Term;
use super::work::Work;
use crate::cards::Device;
use crate::constants::{
    BARRIER_OF_CHAIN_CYCLES, BLOCK_START_CYCLES, BLOCK_STARTS_PER_CLOCK, GRID_ARRIVAL_CYCLES, GRID_BARRIER_CYCLES,
    GRID_BARRIER_CYCLES_PER_THREAD, L1_SHARE_OF_REQUESTS, LOADS_IN_FLIGHT, MULTIPROCESSORS_PER_SATURATING,
    ONE_WAY_SHARE, SECTOR_BYTES, SHARE_OF_CHAIN, WARP_LANES, WARP_WORDS_BYTES, WAVEFRONTS_IN_FLIGHT,
};
use crate::occupancy::Occupancy;

/// A launch's work, and how a card takes it.
#[derive(Clone, Copy)]
pub struct Launched<'a> {
    pub card: &'a Device,
    pub occupancy: Occupancy,
    pub work: &'a Work,
}

impl Launched<'_> {
    /// Blocks that one multiprocessor holds, and those that the card does.
    fn resident(&self) -> u64 {
        u64::from(self.occupancy.blocks_per_multiprocessor.max(1))
    }

    pub fn room(&self) -> u64 {
        self.resident() * u64::from(self.card.multiprocessors)
    }

    /// Blocks of the busiest multiprocessor, and what part of all blocks they are.
    fn busiest(&self) -> u64 {
        let (full_waves, rest) = (self.work.blocks / self.room(), self.work.blocks % self.room());
        full_waves * self.resident() + rest.div_ceil(u64::from(self.card.multiprocessors))
    }

    fn part(&self) -> f64 {
        self.busiest() as f64 / self.work.blocks.max(1) as f64
    }

    fn warps_per_block(&self) -> u64 {
        u64::from(self.work.threads_per_block.div_ceil(WARP_LANES))
    }

    /// In cycles: what each term takes of the time, and what all units of the card could do in the time that the busiest of them needs.
    pub fn terms(&self) -> [(Term, (f64, f64)); 15] {
        let &Launched { card, work, .. } = self;
        let (a, part) = (card.architecture, self.part());
        let on_one = |count: u64, per_clock: f64| count as f64 * part / per_clock;
        let lanes = |count: u64, lanes: u32| on_one(count * u64::from(WARP_LANES), f64::from(lanes.max(1)));
        let issue = f64::from(a.schedulers_per_multiprocessor) * a.issue_per_scheduler;
        let requests_per_clock = f64::from(a.load_store_lanes_per_multiprocessor) / f64::from(WARP_LANES);
        let on_all = |cycles: f64| (cycles, cycles / part / f64::from(card.multiprocessors));
        let whole_card = |cycles: f64| (cycles, cycles);
        [
            (Term::Issue, on_all(on_one(work.instructions, issue))),
            (Term::Fp32, on_all(lanes(work.fp32_instructions, a.fp32_lanes_per_multiprocessor))),
            (Term::Fp64, on_all(lanes(work.fp64_instructions, a.fp64_lanes_per_multiprocessor))),
            (Term::Fp16, on_all(lanes(work.fp16_instructions, a.fp16_lanes_per_multiprocessor))),
            (Term::Integer, on_all(lanes(work.integer_instructions, a.int32_lanes_per_multiprocessor))),
            (Term::Special, on_all(lanes(work.special_instructions, a.special_lanes_per_multiprocessor))),
            (Term::Tensor, on_all(on_one(work.tensor_fmas, f64::from(a.tensor_fma_per_clock.max(1))))),
            (Term::L1, on_all(self.l1())),
            (Term::Shared, on_all(on_one(work.shared_wavefronts, requests_per_clock))),
            (Term::L2, whole_card(self.l2())),
            (Term::Memory, self.memory()),
            (Term::Bus, whole_card(self.bus())),
            (Term::Atomics, whole_card(atomic_cycles(card, work, 0.0))),
            (Term::Starts, whole_card(work.blocks as f64 / BLOCK_STARTS_PER_CLOCK)),
            // No unit does it, and none is kept from others.
            (Term::Latency, (self.chain().iter().sum::<f64>() * self.waves(), 0.0)),
        ]
    }

    fn l1(&self) -> f64 {
        let &Launched { card, work, .. } = self;
        let (a, part) = (card.architecture, self.part());
        let on_one = |count: u64, per_clock: f64| count as f64 * part / per_clock;
        // A request takes its turn in L1 however little it asks for, and its lanes' words leave L1 at its rate. Before Maxwell it was issued again for
        // each line: "replays" of nvprof; since then L1 gathers what a warp asks for.
        let again = if a.compute_capability.0 < 5 { work.more_lines } else { 0 };
        let requests_per_clock = f64::from(a.load_store_lanes_per_multiprocessor) / f64::from(WARP_LANES);
        let words_per_clock = f64::from(a.l1_bytes_per_clock) / WARP_WORDS_BYTES;
        let turns = on_one(work.memory_requests, (L1_SHARE_OF_REQUESTS * requests_per_clock).min(words_per_clock));
        on_one(work.l1_sectors * SECTOR_BYTES, f64::from(a.l1_bytes_per_clock))
            .max(turns + on_one(again, requests_per_clock))
    }

    fn l2(&self) -> f64 {
        let a = self.card.architecture;
        // A store that fills only part of a sector keeps L2 busy for longer.
        let partial = self.work.partial_sectors as f64 * (a.l2_turns_per_partial_write - 1.0);
        let turns = self.work.l2_sectors as f64 + partial;
        turns * SECTOR_BYTES as f64 / f64::from(self.card.l2_bytes_per_clock)
    }

    /// Few multiprocessors do not reach its rate.
    fn memory(&self) -> (f64, f64) {
        let &Launched { card, work, .. } = self;
        let used = work.blocks.min(u64::from(card.multiprocessors)).max(1) as f64;
        let few = (used / f64::from(card.multiprocessors) * MULTIPROCESSORS_PER_SATURATING).min(1.0);
        let at_rate = |bytes_per_s: f64| self.at_rate(work.memory_bytes as f64, bytes_per_s);
        (at_rate(card.memory_bytes_per_s * few), at_rate(card.memory_bytes_per_s))
    }

    /// One way it has less than both ways together.
    fn bus(&self) -> f64 {
        let &Launched { card, work, .. } = self;
        let (written, read) = (work.host_written_bytes, work.host_bytes - work.host_written_bytes);
        self.at_rate(work.host_bytes as f64, card.mapped_bytes_per_s)
            .max(self.at_rate(written.max(read) as f64, card.pinned_bytes_per_s * ONE_WAY_SHARE))
    }

    fn at_rate(&self, bytes: f64, bytes_per_s: f64) -> f64 {
        bytes / bytes_per_s * self.card.clock_hz
    }

    /// One warp's own chain: dependent arithmetic, loads, four of them in flight at a time, shared memory, barriers.
    pub fn chain(&self) -> [f64; 4] {
        let &Launched { card, work, .. } = self;
        let a = card.architecture;
        let warps = (work.blocks * self.warps_per_block()).max(1) as f64;
        let instructions_per_warp = work.instructions as f64 / warps;
        let requests_per_warp = work.memory_requests as f64 / warps;
        let hit = 1.0 - (work.l2_sectors as f64 / work.l1_sectors.max(1) as f64).min(1.0);
        let load_latency = hit * f64::from(a.l1_latency_cycles) + (1.0 - hit) * self.latency_behind_l1();
        // What is loaded for a barrier's other side must be there: of two barriers, one after loads and one before, each pair waits.
        let barriers_per_warp = work.barriers as f64 / warps;
        let latencies = (requests_per_warp / LOADS_IN_FLIGHT).max(requests_per_warp.min(barriers_per_warp / 2.0));
        [
            instructions_per_warp * f64::from(a.arithmetic_latency_cycles) * SHARE_OF_CHAIN,
            latencies * load_latency,
            work.shared_wavefronts as f64 / warps * f64::from(a.shared_latency_cycles) / WAVEFRONTS_IN_FLIGHT,
            barriers_per_warp * BARRIER_OF_CHAIN_CYCLES,
        ]
    }

    /// Of a load that L1 does not answer.
    fn latency_behind_l1(&self) -> f64 {
        let &Launched { card, work, .. } = self;
        let a = card.architecture;
        let hit = 1.0 - (work.memory_bytes as f64 / (work.l2_sectors.max(1) as f64 * SECTOR_BYTES as f64)).min(1.0);
        hit * f64::from(a.l2_latency_cycles) + (1.0 - hit) * f64::from(a.memory_latency_cycles)
    }

    fn waves(&self) -> f64 {
        let resident_warps = (self.resident().min(self.busiest().max(1)) * self.warps_per_block()).max(1) as f64;
        (self.busiest() as f64 * self.warps_per_block() as f64 / resident_warps).ceil().max(1.0)
    }

    /// The first data of a wave's blocks come after their start and a whole latency, and all of them wait for it.
    pub fn between_waves(&self) -> f64 {
        let first_load = if self.work.memory_requests > 0 { self.latency_behind_l1() } else { 0.0 };
        let at_a_time = self.resident().min(self.busiest().max(1)) as f64;
        let later_waves = (self.busiest() as f64 / at_a_time - 1.0).max(0.0);
        later_waves * (BLOCK_START_CYCLES + first_load)
    }

    /// At barriers of the whole grid.
    pub fn at_barriers(&self) -> f64 {
        let work = self.work;
        let each_barrier = GRID_BARRIER_CYCLES + f64::from(work.threads_per_block) * GRID_BARRIER_CYCLES_PER_THREAD;
        work.arrivals as f64 * (GRID_ARRIVAL_CYCLES + each_barrier / work.blocks.max(1) as f64)
    }
}
