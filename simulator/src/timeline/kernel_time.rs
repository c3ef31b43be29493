//! How long a card would take for a kernel: a model that fits on a page.
//!
//! A kernel has several kinds of work; each would take a time of its own if it were alone. The longest bounds the launch:
//! that is the term which `bound_by` names. Work overlaps well but not perfectly, so the whole is the cubic mean of the
//! terms: one that dominates stands alone, two that are equal cost a quarter more than one. Work is spread over the
//! multiprocessors in waves of resident blocks, so a grid that does not fill the last wave pays for it. What too few
//! resident warps cannot hide, the latency of one warp's chain of instructions, is a term like the others.
use super::traffic::Found;
use crate::device::Device;
use crate::occupancy::Occupancy;
use serde::Serialize;

/// What a launch did, in totals over the grid. Counts are of warps unless the name says otherwise.
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
    /// Multiply-adds of matrix instructions, over all lanes.
    pub tensor_fmas: u64,
    /// Loads, stores and atomics of warps on global and local memory.
    pub memory_requests: u64,
    /// Sectors of 32 bytes that warps asked L1 for.
    pub l1_sectors: u64,
    /// Sectors that went on to L2, and bytes that went on to memory.
    pub l2_sectors: u64,
    pub memory_bytes: u64,
    pub shared_wavefronts: u64,
    /// Lanes of atomics on global memory, and those that met another lane at the same address.
    pub atomic_lanes: u64,
    pub atomic_conflicts: u64,
    pub barriers: u64,
    /// Bytes that crossed the bus to mapped host memory.
    pub host_bytes: u64,
}

impl Work {
    /// Takes over where accesses were answered. A footprint that fits in half of L2 is there already, from the copy that
    /// brought it or from the launch before; one twice as large as L2 is fetched by each wave anew.
    pub fn answered_by(&mut self, card: &Device, found: &Found) {
        self.l2_sectors = found.l2_sectors.min(self.l1_sectors);
        self.host_bytes = found.host_bytes;
        let (footprint, l2) = (found.footprint_bytes as f64, card.l2_bytes as f64);
        let beyond = ((footprint / l2 - 0.5) / 1.5).clamp(0.0, 1.0);
        self.memory_bytes = if beyond < 1.0 { (footprint * beyond) as u64 } else { found.wave_bytes };
    }
}

/// A kernel's time and why.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    pub duration_ns: u64,
    /// Share of the card that the launch takes, of its room for blocks or of its memory's rate: 1 leaves none for others.
    pub share: f64,
    pub bound_by: &'static str,
}

/// Measured on an H200: a naive product's two loads per multiply-add take 2.5 clocks where all hit.
const L1_REQUESTS_PER_CLOCK: f64 = 0.8;
/// From a block's place being free to its first instruction.
const BLOCK_START_CYCLES: f64 = 150.0;

/// The model.
pub fn estimate(card: &Device, occupancy: Occupancy, work: &Work) -> Estimate {
    let a = card.architecture;
    let resident = u64::from(occupancy.blocks_per_multiprocessor.max(1));
    let room = resident * u64::from(card.multiprocessors);
    let used = work.blocks.min(u64::from(card.multiprocessors)).max(1) as f64;
    // The busiest multiprocessor has this part of all blocks.
    let full_waves = work.blocks / room;
    let rest = work.blocks % room;
    let busiest = full_waves * resident + rest.div_ceil(u64::from(card.multiprocessors));
    let part = busiest as f64 / work.blocks.max(1) as f64;

    let on_one = |count: u64, per_clock: f64| count as f64 * part / per_clock;
    let lanes = |count: u64, lanes: u32| on_one(count * 32, f64::from(lanes.max(1)));
    let issue = f64::from(a.schedulers_per_multiprocessor) * a.issue_per_scheduler;
    let whole = |bytes: f64, bytes_per_s: f64| bytes / bytes_per_s * card.clock_hz;

    let warps_per_block = u64::from(work.threads_per_block.div_ceil(32));
    let resident_warps = (resident.min(busiest.max(1)) * warps_per_block).max(1) as f64;
    let warps = (work.blocks * warps_per_block).max(1) as f64;
    // One warp's own chain: dependent arithmetic, four independent loads in flight, barriers.
    let instructions_per_warp = work.instructions as f64 / warps;
    let requests_per_warp = work.memory_requests as f64 / warps;
    let hit = 1.0 - (work.l2_sectors as f64 / work.l1_sectors.max(1) as f64).min(1.0);
    let hit_l2 = 1.0 - (work.memory_bytes as f64 / (work.l2_sectors.max(1) as f64 * 32.0)).min(1.0);
    let load_latency = hit * f64::from(a.l1_latency_cycles)
        + (1.0 - hit) * (hit_l2 * f64::from(a.l2_latency_cycles) + (1.0 - hit_l2) * f64::from(a.memory_latency_cycles));
    let chain = instructions_per_warp * f64::from(a.arithmetic_latency_cycles) * 0.5
        + requests_per_warp * load_latency / 4.0
        + work.shared_wavefronts as f64 / warps * f64::from(a.shared_latency_cycles) / 8.0
        + work.barriers as f64 / warps * 20.0;
    let waves = (busiest as f64 * warps_per_block as f64 / resident_warps).ceil().max(1.0);

    // A request takes its turn in L1 however little it asks for.
    let l1 = on_one(work.l1_sectors * 32, f64::from(a.l1_bytes_per_clock))
        .max(on_one(work.memory_requests, L1_REQUESTS_PER_CLOCK));

    let terms = [
        ("instruction issue", on_one(work.instructions, issue)),
        ("fp32 throughput", lanes(work.fp32_instructions, a.fp32_lanes_per_multiprocessor)),
        ("fp64 throughput", lanes(work.fp64_instructions, a.fp64_lanes_per_multiprocessor)),
        ("fp16 throughput", lanes(work.fp16_instructions, a.fp16_lanes_per_multiprocessor)),
        ("integer throughput", lanes(work.integer_instructions, a.int32_lanes_per_multiprocessor)),
        ("special functions", lanes(work.special_instructions, a.special_lanes_per_multiprocessor)),
        ("tensor throughput", on_one(work.tensor_fmas, f64::from(a.tensor_fma_per_clock.max(1)))),
        ("L1 traffic", l1),
        ("shared-memory wavefronts", on_one(work.shared_wavefronts, 1.0)),
        ("L2 traffic", work.l2_sectors as f64 * 32.0 / f64::from(card.l2_bytes_per_clock)),
        (
            "device memory",
            whole(
                work.memory_bytes as f64,
                card.memory_bytes_per_s * (used / f64::from(card.multiprocessors) * 4.0).min(1.0),
            ),
        ),
        ("the bus to the host", whole(work.host_bytes as f64, card.mapped_bytes_per_s)),
        ("atomics", work.atomic_lanes as f64 * 4.0 / f64::from(card.l2_bytes_per_clock) + work.atomic_conflicts as f64),
        ("latency", chain * waves),
    ];
    let (bound_by, _) =
        terms.into_iter().fold(("nothing", 0.0), |best, term| if term.1 > best.1 { term } else { best });
    let cycles = terms.iter().map(|(_, cycles)| cycles.powi(3)).sum::<f64>().cbrt();
    let first = if work.memory_requests > 0 { f64::from(a.memory_latency_cycles) } else { 0.0 };
    let fill = first + BLOCK_START_CYCLES;
    let duration_ns = ((cycles + fill) / card.clock_hz * 1e9).ceil() as u64;
    // What all multiprocessors share is no more for two kernels side by side than for one.
    let shared_by_all = (work.l2_sectors as f64 * 32.0 / f64::from(card.l2_bytes_per_clock))
        .max(whole(work.memory_bytes as f64, card.memory_bytes_per_s))
        .max(whole(work.host_bytes as f64, card.mapped_bytes_per_s));
    let share = (work.blocks as f64 / room as f64).max(shared_by_all / (cycles + fill)).min(1.0);
    Estimate { duration_ns, share, bound_by }
}
