//! How long a card would take for a kernel: a model that fits on a page.
//!
//! A kernel has several kinds of work; each would take a time of its own if it were alone. The longest bounds the launch:
//! that is the term which `bound_by` names. Work overlaps well but not perfectly, so the whole is the cubic mean of the
//! terms: one that dominates stands alone, two that are equal cost a quarter more than one. Work is spread over the
//! multiprocessors in waves of resident blocks, so a grid that does not fill the last wave pays for it. Latency that too few
//! resident warps cannot hide, that of one warp's chain of instructions, is a term like the others. Nothing hides the time that
//! passes between the end of one wave of blocks and the first data of the next, and at barriers of the whole grid: that is added.
use super::demand::{Demand, Term, UNITS};
use super::stalls::Stalls;
use super::terms::Launched;
use super::work::Work;
use crate::constants::{BLOCK_START_CYCLES, COLD_ACCESSES, POWER_BESIDE_PLAYED, POWER_OF_TERMS};
use crate::listeners::hand_over::HandOvers;
use serde::Serialize;

/// A kernel's time and why.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    pub duration_ns: u64,
    /// The shares of the card that the launch takes while it has the card for itself.
    #[serde(skip)]
    pub demand: Demand,
    pub bound_by: &'static str,
    /// The time of each term by itself, in nanoseconds; those that take none are left out.
    #[serde(skip)]
    pub terms: Vec<(Term, f64)>,
    /// Cycles of the term "latency" that come from instructions, requests to memory, shared memory and barriers.
    #[serde(skip)]
    latency: [f64; 4],
    /// The reasons for which warps wait, where blocks were played through.
    #[serde(skip)]
    pub stalls: Stalls,
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

    /// The part of each term that belongs to a part of the launch's work, such as a source line's, in nanoseconds. Where accesses were answered is
    /// known of the launch only, so that a line has the same part of L2, memory and bus as of the sectors.
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

/// The time of one multiprocessor whose blocks were played through.
#[derive(Clone, Debug)]
pub struct Played {
    pub cycles: f64,
    /// Machine instructions of warps, of the whole launch.
    pub issued: f64,
    pub stalls: Stalls,
}

/// The time of several kinds of work that overlap: their mean of a power, times their number to the power's root.
fn joined(cycles: &[f64], power: i32) -> f64 {
    let sum: f64 = cycles.iter().map(|cycles| cycles.powi(power)).sum();
    sum.powf(1.0 / f64::from(power))
}

/// The model.
pub fn estimate(launched: Launched, played: Option<Played>, hand_overs: Option<&HandOvers>) -> Estimate {
    let Launched { card, work, .. } = launched;
    let a = card.architecture;
    let mut terms = launched.terms();
    let mut latency = launched.chain();
    let together = |of: &dyn Fn(Term) -> bool, power: i32| {
        let cycles: Vec<f64> = terms.iter().filter(|term| of(term.0)).map(|(_, (cycles, _))| *cycles).collect();
        joined(&cycles, power)
    };
    let first = if work.memory_requests > 0 { f64::from(a.memory_latency_cycles) } else { 0.0 };
    let (cycles, fill) = match &played {
        &Some(Played { cycles, .. }) => {
            let elsewhere = together(&|term| term == Term::Bus, POWER_BESIDE_PLAYED);
            // No unit can do these faster, however fast the few blocks that were followed were.
            let peak = |term: &(Term, (f64, f64))| match term.0 {
                Term::Fp32 | Term::Fp64 | Term::Atomics => term.1.0,
                _ => 0.0,
            };
            let cycles = terms.iter().map(peak).fold(cycles, f64::max);
            (joined(&[cycles, elsewhere], POWER_BESIDE_PLAYED), 0.0)
        }
        None => {
            let cold =
                if a.compute_capability.0 < 7 { COLD_ACCESSES * f64::from(a.memory_latency_cycles) } else { 0.0 };
            let waits = launched.between_waves() + launched.at_barriers();
            (together(&|_| true, POWER_OF_TERMS) + waits, first + BLOCK_START_CYCLES + cold)
        }
    };
    // Blocks that wait for others wait for their stores.
    let waits = hand_overs.map_or(0.0, |own| own.cycles(card, cycles + fill, work.blocks, launched.room()));
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
        demand: Demand { room: (work.blocks as f64 / launched.room() as f64).min(1.0), units },
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
    use crate::listeners::atomic_queue::{Part, Queue};
    use crate::occupancy::{Limit, Occupancy};
    use std::sync::Arc;

    fn time_ns(card: &str, work: &Work) -> f64 {
        let card = crate::cards::find(card).unwrap();
        let blocks_per_multiprocessor = 2048 / work.threads_per_block;
        let occupancy = Occupancy { blocks_per_multiprocessor, limit: Limit::Warps };
        estimate(Launched { card, occupancy, work }, None, None).duration_ns as f64
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
            besides: 0.0,
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
    fn words_leave_pascals_l1_at_its_rate_and_keplers_accesses_are_issued_again() {
        // Published of a GTX 1050: one block of 1024 threads has a product's two loads in 3.83 clocks a warp.
        let requests = 2 * 32 * 16384;
        let work = Work {
            blocks: 5,
            threads_per_block: 1024,
            memory_requests: 5 * requests,
            l1_sectors: 5 * requests,
            ..Work::default()
        };
        let clocks = |card: &str, work: &Work| {
            let device = crate::cards::find(card).unwrap();
            let occupancy = Occupancy { blocks_per_multiprocessor: 2, limit: Limit::Warps };
            let terms = Launched { card: device, occupancy, work }.terms();
            terms.iter().find(|term| term.0 == Term::L1).unwrap().1.0 / requests as f64
        };
        assert!((clocks("gtx1050", &work) / (3.83 / 2.0) - 1.0).abs() < 0.1, "{}", clocks("gtx1050", &work));
        let more_lines = Work { more_lines: 3 * work.memory_requests, ..work.clone() };
        assert_eq!(clocks("gtx1050", &more_lines), clocks("gtx1050", &work));
        assert!(clocks("gtx780", &more_lines) > clocks("gtx780", &work) + 2.0);
    }

    #[test]
    fn before_volta_floats_of_a_sector_are_added_one_by_one() {
        let of = |floats: f64| Queue {
            parts: Arc::new(vec![Part { span: 0, place: 0, turns: 1e6, floats }]),
            of_spans: Arc::new(vec![1e6]),
            under_way: 43e3,
            floats: 0.0,
            besides: 0.0,
        };
        let work = |floats, lanes: u64| Work {
            blocks: 4096,
            threads_per_block: 256,
            atomic_steps: 1 << 20,
            atomic_lanes: lanes << 20,
            atomic_spread: 2.0,
            atomic_queue: of(floats),
            ..Work::default()
        };
        let slower = |card, floats| time_ns(card, &work(floats, 8)) / time_ns(card, &work(floats, 1));
        assert!(slower("p100", 1e6) > 7.0 && slower("gtx780", 1e6) > 7.0);
        assert_eq!((slower("p100", 0.0), slower("rtx2070super", 1e6)), (1.0, 1.0));
    }

    #[test]
    fn a_barrier_of_the_grid_costs_what_its_blocks_do_not_see() {
        let card = crate::cards::find("h200").unwrap();
        let occupancy = Occupancy { blocks_per_multiprocessor: 2, limit: Limit::Warps };
        let ns = |barriers: u64| {
            let work = Work { blocks: 64, threads_per_block: 1024, arrivals: 64 * barriers, ..Work::default() };
            estimate(Launched { card, occupancy, work: &work }, None, None).duration_ns
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
        let card = crate::cards::find("h200").unwrap();
        let occupancy = Occupancy { blocks_per_multiprocessor: 1, limit: Limit::Warps };
        assert_eq!(estimate(Launched { card, occupancy, work: &work }, None, None).bound_by, "tensor throughput");
    }

    #[test]
    fn empty_blocks_are_started_one_after_the_other() {
        // Measured: 42.1 µs between events, 2.7 of them for one block.
        let work = Work { blocks: 65536, threads_per_block: 256, ..Work::default() };
        assert!((time_ns("h200", &work) / 39.4e3 - 1.0).abs() < 0.15, "{}", time_ns("h200", &work));
    }
}
