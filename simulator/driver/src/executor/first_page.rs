//! How busy the card was with a launch, from its counters, its work and its time on the clock.
use crate::objects::modules::launch::Launch;
use clock::analytic::demand::Term;
use clock::analytic::kernel_time::Estimate;
use clock::analytic::work::Work;
use clock::cards::Device;
use clock::occupancy::Occupancy;
use std::collections::BTreeMap;
use watch::counters::first_page::{Filling, FirstPage, eligible};
use watch::counters::totals::Memory;

/// Units, and the keys of their shares of the peak.
const UNITS: [(Term, &str); 11] = [
    (Term::Issue, "throughput_issue"),
    (Term::Fp32, "throughput_fp32"),
    (Term::Fp64, "throughput_fp64"),
    (Term::Fp16, "throughput_fp16"),
    (Term::Integer, "throughput_integer"),
    (Term::Special, "throughput_special"),
    (Term::Tensor, "throughput_tensor"),
    (Term::L1, "throughput_l1"),
    (Term::Shared, "throughput_shared"),
    (Term::L2, "throughput_l2"),
    (Term::Memory, "throughput_memory"),
];

/// The page of a launch by itself, as a profiler has it: its time begins where the card turns to the launch, before any block has begun.
pub fn first_page(
    launch: &Launch,
    card: &Device,
    occupancy: Occupancy,
    memory: &Memory,
    work: &Work,
    estimate: &Estimate,
) -> FirstPage {
    let a = card.architecture;
    let filling = Filling::of(launch.blocks(), occupancy.blocks_per_multiprocessor.into(), card.multiprocessors.into());
    let warps = filling.blocks * f64::from(launch.threads().div_ceil(32));
    let share = |term: Term| estimate.demand.units.get(term as usize).copied().unwrap_or(0.0);
    let issues = share(Term::Issue) / filling.active.max(f64::MIN_POSITIVE);
    let profiled_ns = (card.launch_device_ns + estimate.duration_ns).max(1) as f64;
    // Bytes per nanosecond are 10⁹ bytes per second.
    let rate = |bytes: u64| (bytes > 0).then(|| bytes as f64 / profiled_ns);
    let hit = |missed: f64, of: u64| (of > 0).then(|| 100.0 * (1.0 - missed / of as f64).clamp(0.0, 1.0));
    // Stores and atomics go to L2 whatever L1 has.
    let past_l1 = memory.global_store_sectors + memory.atomic_sectors;
    let missed = work.l2_sectors.saturating_sub(past_l1) as f64;
    let units = UNITS.iter().map(|&(term, key)| (key, 100.0 * share(term))).filter(|(_, share)| *share > 0.0);
    FirstPage {
        achieved_occupancy: 100.0 * warps / f64::from(a.max_threads_per_multiprocessor / 32),
        multiprocessor_activity: 100.0 * filling.active * estimate.duration_ns as f64 / profiled_ns,
        eligible_warps: eligible(warps / f64::from(a.schedulers_per_multiprocessor), issues),
        requested_load_gbytes_per_s: rate(memory.global_load_bytes),
        load_gbytes_per_s: rate(32 * memory.global_load_sectors),
        requested_store_gbytes_per_s: rate(memory.global_store_bytes),
        store_gbytes_per_s: rate(32 * memory.global_store_sectors),
        l1_hit_rate: hit(missed, memory.global_load_sectors).filter(|_| a.l1_caches_global),
        l2_hit_rate: hit(work.memory_bytes as f64 / 32.0, work.l2_sectors),
        throughput: units.collect::<BTreeMap<_, _>>(),
    }
}
