//! How fast the executor runs: lane instructions per second on one core, and one launch from start to result.
//!
//! `cargo bench -p simulator --bench engine`. A lane instruction is one PTX instruction of one thread. The kernels are in
//! `engine.cu`; parsing and lowering are not part of the time. `clock` is the counters with all that the virtual clock hears and makes of it.
mod work;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use simulator::cards::find;
use simulator::clock::analytic::kernel_time::Estimate;
use simulator::clock::compiler::codes::Codes;
use simulator::counters::Counters;
use simulator::driver::{Clock, Listeners};
use simulator::exec::op::Level;
use simulator::lower::Tier;
use simulator::occupancy::{Limit, Occupancy};
use simulator::probe::Probe;
use simulator::sanitizer::Sanitizer;
use work::{Bench, CASES, Case, TILED};

/// Makes who listens to a launch, if anyone does.
type Listener = fn() -> Option<Box<dyn Probe>>;

/// The clock with its counters: who listens for it, and afterwards what it makes of what they heard, as the driver does.
fn with_clock(bench: &Bench, case: &Case, codes: &Codes) -> Estimate {
    let card = find("h200").expect("in the table");
    let threads = case.block.iter().product();
    let resident = card.architecture.max_threads_per_multiprocessor / threads;
    let clock = Clock {
        card,
        occupancy: Occupancy { blocks_per_multiprocessor: resident, limit: Limit::Warps },
        blocks: case.grid().iter().map(|&n| u64::from(n)).product(),
        threads,
        shared_bytes: case.shared_bytes,
    };
    let listeners = Listeners {
        counters: Some(Counters::new(4, 32)),
        traffic: Some(clock.traffic(clock.blocks)),
        trace: Some(clock.trace()),
        ..Listeners::default()
    };
    let outcome = bench.run(case, 1, listeners.into_probe());
    let listeners = Listeners::back(outcome.probe);
    let totals = listeners.counters.map(|counters| counters.totals(&bench.program));
    let found = listeners.traffic.map(|traffic| traffic.found());
    let work = clock.work(totals.as_ref(), outcome.warp_instructions, found.as_ref());
    clock.estimate(&work, listeners.trace, listeners.hand_overs.as_ref(), codes)
}

fn one_core(c: &mut Criterion) {
    let mut group = c.benchmark_group("one-core");
    for case in &CASES {
        let tiers: [(&str, Tier, Listener); 3] = [
            ("bare", Tier::Bare, || None),
            ("counters", Tier::Probed, || Some(Box::new(Counters::new(4, 32)))),
            ("sanitizer", Tier::Probed, || Some(Box::new(Sanitizer::default()))),
        ];
        for (name, tier, probe) in tiers {
            let bench = Bench::new(case, tier, Level::detect());
            let lanes = 32 * bench.run(case, 1, probe()).warp_instructions;
            group.throughput(Throughput::Elements(lanes));
            group.bench_function(BenchmarkId::new(case.kernel, name), |b| b.iter(|| bench.run(case, 1, probe())));
            if name == "counters" {
                // Each launch as the first of its program.
                let id = BenchmarkId::new(case.kernel, "clock");
                group.bench_function(id, |b| b.iter(|| with_clock(&bench, case, &Codes::default())));
            }
        }
    }
    group.finish();
}

fn launch_to_result(c: &mut Criterion) {
    let case = Case { n: 512, ..TILED };
    let bench = Bench::new(&case, Tier::Bare, Level::detect());
    let mut group = c.benchmark_group("two-cores");
    group.sample_size(10);
    group.bench_function("gemm_tiled n=512", |b| b.iter(|| bench.run(&case, 2, None)));
    group.finish();
}

criterion_group!(benches, one_core, launch_to_result);
criterion_main!(benches);
