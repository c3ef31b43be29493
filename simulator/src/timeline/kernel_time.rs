//! How long a card would take for a kernel: a model that fits on a page.
//!
//! A kernel has several kinds of work; each would take a time of its own if it were alone. The longest bounds the launch:
//! that is the term which `bound_by` names. Work overlaps well but not perfectly, so the whole is the cubic mean of the
//! terms: one that dominates stands alone, two that are equal cost a quarter more than one. Work is spread over the
//! multiprocessors in waves of resident blocks, so a grid that does not fill the last wave pays for it. What too few
//! resident warps cannot hide, the latency of one warp's chain of instructions, is a term like the others. Nothing hides what
//! passes between the end of one wave of blocks and the first data of the next, and at barriers of the whole grid: that is added.
use super::hand_over::HandOvers;
use super::sharing::{Demand, UNITS};
use super::stalls::Stalls;
use super::traffic::Found;
use super::under_way::Queue;
use crate::device::Device;
use crate::occupancy::Occupancy;
use serde::Serialize;

/// Which part of its lines a launch does not find in L2 any more, where lines of so many bytes come round in order; in some of them whole
/// sectors are written.
pub(super) fn beyond_l2(card: &Device, line_bytes: u64, written_bytes: u64) -> f64 {
    let a = card.architecture;
    // L2 has room for lines, of which some sectors may stay empty. What comes round in order is gone before it is asked for again.
    // What is written stays in it until memory has it, beside what is read meanwhile.
    let room = line_bytes as f64 + written_bytes as f64 * a.l2_lines_per_written;
    let over = room / card.l2_bytes as f64 - a.l2_kept_share;
    (over / (a.l2_gone_share - a.l2_kept_share)).clamp(0.0, 1.0)
}

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
    /// What matrix instructions cost tensor units, in multiply-adds of 16-bit elements.
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
    /// Of these sectors, those that a store fills only in part.
    pub partial_sectors: u64,
    /// Steps of atomics in L2, sectors that one wave's atomics touch, arrivals at barriers of the grid.
    pub atomic_steps: u64,
    pub atomic_spread: f64,
    pub atomic_queue: Queue,
    pub arrivals: u64,
    pub barriers: u64,
    /// Bytes that crossed the bus to mapped host memory.
    pub host_bytes: u64,
    /// Of these, those to the host.
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
        self.atomic_spread = found.atomic_spread;
        self.atomic_queue = found.atomic_queue.clone();
        self.arrivals = found.arrivals;
        let footprint = found.footprint_bytes as f64;
        let beyond = beyond_l2(card, found.line_bytes, found.written_bytes);
        let fetched = footprint + (found.wave_bytes as f64 - footprint) * beyond;
        self.memory_bytes = (fetched * beyond) as u64;
    }
}

/// A kernel's time and why.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    pub duration_ns: u64,
    /// What the launch takes of the card while it has it for itself.
    #[serde(skip)]
    pub demand: Demand,
    pub bound_by: &'static str,
    /// What each term would take alone, in nanoseconds; those that take nothing are left out.
    #[serde(skip)]
    pub terms: Vec<(Term, f64)>,
    /// Of the term "latency", in cycles: what it owes to instructions, requests to memory, shared memory and barriers.
    #[serde(skip)]
    latency: [f64; 4],
    /// What warps wait for, where blocks were played through.
    #[serde(skip)]
    pub stalls: Stalls,
}

/// A term of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    Issue,
    Fp32,
    Fp64,
    Fp16,
    Integer,
    Special,
    Tensor,
    L1,
    Shared,
    L2,
    Memory,
    Bus,
    Atomics,
    Starts,
    Latency,
}

impl Term {
    /// As reports call it.
    pub const fn name(self) -> &'static str {
        match self {
            Term::Issue => "instruction issue",
            Term::Fp32 => "fp32 throughput",
            Term::Fp64 => "fp64 throughput",
            Term::Fp16 => "fp16 throughput",
            Term::Integer => "integer throughput",
            Term::Special => "special functions",
            Term::Tensor => "tensor throughput",
            Term::L1 => "L1 traffic",
            Term::Shared => "shared-memory wavefronts",
            Term::L2 => "L2 traffic",
            Term::Memory => "device memory",
            Term::Bus => "the bus to the host",
            Term::Atomics => "atomics",
            Term::Starts => "starting blocks",
            Term::Latency => "latency",
        }
    }
}

impl Estimate {
    /// The time of a launch that does `share` times the work of this one, without what it is made of.
    pub fn of_a_repetition(&self, share: f64) -> Estimate {
        Estimate {
            duration_ns: (self.duration_ns as f64 * share).ceil() as u64,
            demand: self.demand,
            bound_by: self.bound_by,
            terms: Vec::new(),
            latency: [0.0; 4],
            stalls: Stalls::default(),
        }
    }

    /// What a part of the launch's work, such as a source line's, has of each term, in nanoseconds. Where accesses were answered is
    /// known of the launch only, so that a line has of L2, memory and bus what it has of the sectors.
    pub fn of_part<'a>(&'a self, whole: &'a Work, part: &'a Work) -> impl Iterator<Item = (Term, f64)> + 'a {
        let share = |count: fn(&Work) -> u64| count(part) as f64 / count(whole).max(1) as f64;
        self.terms.iter().filter_map(move |&(term, ns)| {
            let share = match term {
                Term::Issue => share(|work| work.instructions),
                Term::Fp32 => share(|work| work.fp32_instructions),
                Term::Fp64 => share(|work| work.fp64_instructions),
                Term::Fp16 => share(|work| work.fp16_instructions),
                Term::Integer => share(|work| work.integer_instructions),
                Term::Special => share(|work| work.special_instructions),
                Term::Tensor => share(|work| work.tensor_fmas),
                Term::Shared => share(|work| work.shared_wavefronts),
                Term::L1 | Term::L2 | Term::Memory | Term::Bus => share(|work| work.l1_sectors),
                Term::Atomics => share(|work| work.atomic_requests),
                Term::Starts => 0.0,
                Term::Latency => {
                    let shares = [
                        share(|work| work.instructions),
                        share(|work| work.memory_requests),
                        share(|work| work.shared_wavefronts),
                        share(|work| work.barriers),
                    ];
                    let part: f64 = shares.iter().zip(self.latency).map(|(share, cycles)| share * cycles).sum();
                    part / self.latency.iter().sum::<f64>().max(f64::MIN_POSITIVE)
                }
            };
            (share > 0.0).then_some((term, share * ns))
        })
    }
}

/// What L1 answers of the load/store units' rate. Measured on an H200, whose units take a warp per clock: a naive product's two loads
/// per multiply-add take 2.5 clocks where all hit.
const L1_SHARE_OF_REQUESTS: f64 = 0.8;
/// From a block's place being free to its first instruction.
pub(super) const BLOCK_START_CYCLES: f64 = 150.0;
/// Of cards before Volta: the code and the parameters of a launch come from memory, one after the other. An estimate: no such card was measured.
const COLD_ACCESSES: f64 = 2.0;
/// Of a block, from a warp's first instruction to the next one's. Measured on an H200: 8192 and 65536 empty blocks of 1024 threads take 179 and 188
/// cycles a multiprocessor each, of which it holds two.
pub(super) const WARP_START_CYCLES: u64 = 7;
/// Of the rate of copies over the bus, what kernels get that only read the host's memory, or only write it. Measured on two H200s: ten products of 128.
const ONE_WAY_SHARE: f64 = 0.85;
/// Blocks that the whole card starts per clock. Measured on an H200: 65 536 empty blocks, of 32 or of 256 threads.
pub(super) const BLOCK_STARTS_PER_CLOCK: f64 = 0.84;
/// An arrival at a barrier of the grid, in the way of the polls of those who wait. Measured on an H200: 256 to 2624 blocks.
const ARRIVAL_CYCLES: f64 = 7.5;
/// A barrier of the grid beside the arrivals, and for each thread of a block: what was stored has to be there, the block's warps meet before and
/// behind it, and those who wait see late that all have come. Measured on an H200: gemv's `cooperative` rung in blocks of 64 to 1024 threads.
const GRID_BARRIER_CYCLES: f64 = 800.0;
const GRID_BARRIER_CYCLES_PER_THREAD: f64 = 3.1;
/// Bytes that L2 moves in the time of one sector's atomic. Measured on an H200: additions at random places of 256 KiB and 16 MiB.
const ATOMIC_BYTES: f64 = 100.0;
/// What one multiprocessor takes, where its blocks were played through.
#[derive(Clone, Debug)]
pub struct Played {
    pub cycles: f64,
    /// Machine instructions of warps, of the whole launch.
    pub issued: f64,
    pub stalls: Stalls,
}

/// Cycles in which L2 carries out the atomics of a launch whose blocks alone have so many between the first and the last.
pub(super) fn atomic_cycles(card: &Device, work: &Work, alone: f64) -> f64 {
    let a = card.architecture;
    let steps = work.atomic_steps as f64;
    let queue = &work.atomic_queue;
    let rate = a.atomic_steps_per_clock;
    let turns = match a.l2_slices {
        0 => {
            let one_after_the_other = steps / work.atomic_spread.max(1.0).powf(a.atomic_overlap);
            one_after_the_other.max(queue.floats * (1.0 + a.atomic_float_turns))
        }
        slices => queue.turns(f64::from(slices), a.atomic_float_turns, alone * rate),
    };
    (turns / rate).max(steps * ATOMIC_BYTES / f64::from(card.l2_bytes_per_clock))
}

/// The model.
pub fn estimate(
    card: &Device,
    occupancy: Occupancy,
    work: &Work,
    played: Option<Played>,
    hand_overs: Option<&HandOvers>,
) -> Estimate {
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
    // One warp's own chain: dependent arithmetic, loads, four of them in flight at a time, barriers.
    let instructions_per_warp = work.instructions as f64 / warps;
    let requests_per_warp = work.memory_requests as f64 / warps;
    let hit = 1.0 - (work.l2_sectors as f64 / work.l1_sectors.max(1) as f64).min(1.0);
    let hit_l2 = 1.0 - (work.memory_bytes as f64 / (work.l2_sectors.max(1) as f64 * 32.0)).min(1.0);
    let load_latency = hit * f64::from(a.l1_latency_cycles)
        + (1.0 - hit) * (hit_l2 * f64::from(a.l2_latency_cycles) + (1.0 - hit_l2) * f64::from(a.memory_latency_cycles));
    // What is loaded for a barrier's other side must be there: of two barriers, one after loads and one before, each pair waits.
    let barriers_per_warp = work.barriers as f64 / warps;
    let latencies = (requests_per_warp / 4.0).max(requests_per_warp.min(barriers_per_warp / 2.0));
    let mut latency = [
        instructions_per_warp * f64::from(a.arithmetic_latency_cycles) * 0.5,
        latencies * load_latency,
        work.shared_wavefronts as f64 / warps * f64::from(a.shared_latency_cycles) / 8.0,
        barriers_per_warp * 20.0,
    ];
    let chain = latency[0] + latency[1] + latency[2] + latency[3];
    let waves = (busiest as f64 * warps_per_block as f64 / resident_warps).ceil().max(1.0);

    // The first data of a wave's blocks come after their start and a whole latency, and all of them wait for it.
    let first_load = if work.memory_requests > 0 {
        hit_l2 * f64::from(a.l2_latency_cycles) + (1.0 - hit_l2) * f64::from(a.memory_latency_cycles)
    } else {
        0.0
    };
    let later_waves = (busiest as f64 / resident.min(busiest.max(1)) as f64 - 1.0).max(0.0);
    let between_waves = later_waves * (BLOCK_START_CYCLES + first_load);

    // A store that fills only part of a sector keeps L2 busy for longer.
    let l2_turns = work.l2_sectors as f64 + work.partial_sectors as f64 * (a.l2_turns_per_partial_write - 1.0);
    let l2 = l2_turns * 32.0 / f64::from(card.l2_bytes_per_clock);
    let atomics = atomic_cycles(card, work, 0.0);
    let each_barrier = GRID_BARRIER_CYCLES + f64::from(work.threads_per_block) * GRID_BARRIER_CYCLES_PER_THREAD;
    let at_barriers = work.arrivals as f64 * (ARRIVAL_CYCLES + each_barrier / work.blocks.max(1) as f64);

    // A request takes its turn in L1 however little it asks for. Before Volta it was issued again for each line: "replays" of nvprof.
    let again = if a.compute_capability.0 < 7 { work.more_lines } else { 0 };
    let requests_per_clock = f64::from(a.load_store_lanes_per_multiprocessor) / 32.0;
    let l1 = on_one(work.l1_sectors * 32, f64::from(a.l1_bytes_per_clock)).max(
        on_one(work.memory_requests, L1_SHARE_OF_REQUESTS * requests_per_clock) + on_one(again, requests_per_clock),
    );

    // One way the bus has less than both ways together.
    let (written, read) = (work.host_written_bytes, work.host_bytes - work.host_written_bytes);
    let bus = whole(work.host_bytes as f64, card.mapped_bytes_per_s)
        .max(whole(written.max(read) as f64, card.pinned_bytes_per_s * ONE_WAY_SHARE));

    // What all units of a kind could do in the time that the busiest of them needs.
    let on_all = |cycles: f64| (cycles, cycles / part / f64::from(card.multiprocessors));
    let whole_card = |cycles: f64| (cycles, cycles);
    let memory_cycles = whole(work.memory_bytes as f64, card.memory_bytes_per_s);
    let few = (used / f64::from(card.multiprocessors) * 4.0).min(1.0);
    let mut terms = [
        (Term::Issue, on_all(on_one(work.instructions, issue))),
        (Term::Fp32, on_all(lanes(work.fp32_instructions, a.fp32_lanes_per_multiprocessor))),
        (Term::Fp64, on_all(lanes(work.fp64_instructions, a.fp64_lanes_per_multiprocessor))),
        (Term::Fp16, on_all(lanes(work.fp16_instructions, a.fp16_lanes_per_multiprocessor))),
        (Term::Integer, on_all(lanes(work.integer_instructions, a.int32_lanes_per_multiprocessor))),
        (Term::Special, on_all(lanes(work.special_instructions, a.special_lanes_per_multiprocessor))),
        (Term::Tensor, on_all(on_one(work.tensor_fmas, f64::from(a.tensor_fma_per_clock.max(1))))),
        (Term::L1, on_all(l1)),
        (Term::Shared, on_all(on_one(work.shared_wavefronts, requests_per_clock))),
        (Term::L2, whole_card(l2)),
        (Term::Memory, (whole(work.memory_bytes as f64, card.memory_bytes_per_s * few), memory_cycles)),
        (Term::Bus, whole_card(bus)),
        (Term::Atomics, whole_card(atomics)),
        (Term::Starts, whole_card(work.blocks as f64 / BLOCK_STARTS_PER_CLOCK)),
        // No unit does it, and none is kept from others.
        (Term::Latency, (chain * waves, 0.0)),
    ];
    let together = |of: &dyn Fn(Term) -> bool, power: i32| {
        let sum: f64 = terms.iter().filter(|term| of(term.0)).map(|(_, (cycles, _))| cycles.powi(power)).sum();
        sum.powf(1.0 / f64::from(power))
    };
    let first = if work.memory_requests > 0 { f64::from(a.memory_latency_cycles) } else { 0.0 };
    let (cycles, fill) = match &played {
        &Some(Played { cycles, .. }) => {
            let elsewhere = together(&|term| term == Term::Bus, 6);
            // What no unit can do faster, however the few blocks that were followed did.
            let peak = |term: &(Term, (f64, f64))| match term.0 {
                Term::Fp32 | Term::Fp64 | Term::Atomics => term.1.0,
                _ => 0.0,
            };
            let cycles = terms.iter().map(peak).fold(cycles, f64::max);
            ((cycles.powi(6) + elsewhere.powi(6)).powf(1.0 / 6.0), 0.0)
        }
        None => {
            let cold =
                if a.compute_capability.0 < 7 { COLD_ACCESSES * f64::from(a.memory_latency_cycles) } else { 0.0 };
            (together(&|_| true, 3) + between_waves + at_barriers, first + BLOCK_START_CYCLES + cold)
        }
    };
    // Blocks that wait for others wait for what those store.
    let waits = hand_overs.map_or(0.0, |own| own.cycles(card, cycles + fill, work.blocks, room));
    let fill = fill + waits;
    latency[1] += waits;
    terms.iter_mut().filter(|term| term.0 == Term::Latency).for_each(|term| term.1.0 += waits);
    let (bound_by, _) =
        terms.iter().fold(
            ("nothing", 0.0),
            |best, (term, (cycles, _))| if *cycles > best.1 { (term.name(), *cycles) } else { best },
        );
    let nanoseconds = |cycles: f64| cycles / card.clock_hz * 1e9;
    let units: [f64; UNITS] = std::array::from_fn(|unit| (terms[unit].1.1 / (cycles + fill)).min(1.0));
    Estimate {
        duration_ns: nanoseconds(cycles + fill).ceil() as u64,
        demand: Demand { room: (work.blocks as f64 / room as f64).min(1.0), units },
        bound_by,
        terms: terms
            .iter()
            .filter(|term| term.1.0 > 0.0)
            .map(|&(term, (cycles, _))| (term, nanoseconds(cycles)))
            .collect(),
        latency,
        stalls: played.map(|played| played.stalls).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::occupancy::Limit;
    use crate::timeline::under_way::Part;
    use std::sync::Arc;

    fn time_ns(card: &str, work: &Work) -> f64 {
        let card = crate::device::find(card).unwrap();
        let blocks_per_multiprocessor = 2048 / work.threads_per_block;
        estimate(card, Occupancy { blocks_per_multiprocessor, limit: Limit::Warps }, work, None, None).duration_ns
            as f64
    }

    /// Stores of n × n words of which each fills a sector in part: the naive transpose.
    fn scattered(n: u64) -> Work {
        let sectors = n * n;
        Work {
            blocks: n * n / 1024,
            threads_per_block: 1024,
            memory_requests: n * n / 32 * 2,
            l1_sectors: sectors + sectors / 8,
            l2_sectors: sectors + sectors / 8,
            partial_sectors: sectors,
            ..Work::default()
        }
    }

    #[test]
    fn partial_writes_cost_four_sectors_where_memory_has_error_correction() {
        let work = scattered(2048);
        // Measured: 66 µs of the 70 between the events.
        assert!((time_ns("h200", &work) / 66e3 - 1.0).abs() < 0.1);
        let whole = Work { partial_sectors: 0, ..work.clone() };
        assert_eq!(time_ns("gt740m", &work), time_ns("gt740m", &whole));
    }

    #[test]
    fn atomics_on_few_words_take_turns() {
        // Measured without the launch: a million additions of floats to one word, an eighth of that of whole numbers, a million of these to words
        // for 256 neighbours each.
        let queue = |parts: Vec<Part>, steps: f64, spans: usize, under_way: f64| Queue {
            parts: Arc::new(parts),
            of_spans: Arc::new(vec![steps / spans as f64; spans]),
            under_way,
            floats: 0.0,
        };
        let part = |span, place, turns, floats| Part { span, place, turns, floats };
        let floats = queue(vec![part(0, 0, 1048e3, 1048e3)], 1048e3, 1, 43e3);
        let numbers = queue(vec![part(0, 0, 131e3, 0.0)], 131e3, 1, 43e3);
        // Two places of 128 words for each 64th of the blocks, of which a quarter is resident.
        let places = (0..64).flat_map(|span| [part(span, span / 2, 16.4e3, 0.0)]).collect();
        let blocks = queue(places, 1048e3, 64, 270e3);
        let measured = [(1 << 20, floats, 1841e3), (1 << 17, numbers, 96e3), (1 << 20, blocks, 75e3)];
        for (atomic_steps, atomic_queue, measured_ns) in measured {
            let work = Work { blocks: 4096, threads_per_block: 256, atomic_steps, atomic_queue, ..Work::default() };
            assert!((time_ns("h200", &work) / measured_ns - 1.0).abs() < 0.25, "{}", time_ns("h200", &work));
        }
    }

    #[test]
    fn a_barrier_of_the_grid_costs_what_its_blocks_do_not_see() {
        let card = crate::device::find("h200").unwrap();
        let occupancy = Occupancy { blocks_per_multiprocessor: 2, limit: Limit::Warps };
        let ns = |barriers: u64| {
            let work = Work { blocks: 64, threads_per_block: 1024, arrivals: 64 * barriers, ..Work::default() };
            estimate(card, occupancy, &work, None, None).duration_ns
        };
        // Two microseconds each, and a quarter for 64 that arrive.
        let [none, one, two] = [0, 1, 2].map(ns);
        assert!(
            (2_200..=2_300).contains(&(one - none)) && (4_400..=4_600).contains(&(two - none)),
            "{none} {one} {two}"
        );
    }

    #[test]
    fn one_way_the_bus_has_less_than_both_ways_together() {
        // Measured: ten products of 128 in f64 that read 21.3 MB and write 1.3, 458 µs.
        let of = |host_bytes, host_written_bytes| Work {
            blocks: 64,
            threads_per_block: 256,
            host_bytes,
            host_written_bytes,
            ..Work::default()
        };
        let reads = time_ns("h200", &of(22_600_000, 1_300_000));
        assert!((reads / 458e3 - 1.0).abs() < 0.05, "{reads}");
        // As much either way: 78.2 GB/s.
        assert!((time_ns("h200", &of(22_600_000, 11_300_000)) / 289e3 - 1.0).abs() < 0.05);
    }

    #[test]
    fn matrix_products_are_bound_by_tensor_units() {
        // 132 multiprocessors, 2048 multiply-adds a clock each: a thousand clocks.
        let work = Work { blocks: 132, threads_per_block: 128, tensor_fmas: 132 * 2048 * 1000, ..Work::default() };
        let card = crate::device::find("h200").unwrap();
        let occupancy = Occupancy { blocks_per_multiprocessor: 1, limit: Limit::Warps };
        assert_eq!(estimate(card, occupancy, &work, None, None).bound_by, "tensor throughput");
    }

    #[test]
    fn empty_blocks_are_started_one_after_the_other() {
        // Measured: 42.1 µs between events, 2.7 of them for one block.
        let work = Work { blocks: 65536, threads_per_block: 256, ..Work::default() };
        assert!((time_ns("h200", &work) / 39.4e3 - 1.0).abs() < 0.15, "{}", time_ns("h200", &work));
    }
}
