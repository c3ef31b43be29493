//! Running a launch where a part of a large grid may stand for all of it: see [`watch::sampling`].
//!
//! Blocks are run stratum by stratum, each with counters of its own, which count as often as the stratum has blocks. What caches and memory
//! do follows from the whole waves among them. As soon as it shows that the blocks cannot stand for the others, the others are run too:
//! then the launch is as complete as any, and its record says why.
use crate::listeners::{Listeners, fresh};
use crate::state::logs::launches::{Sampled, WrittenPart};
use crate::state::settings::Sample;
use clock::compiler::facts::is_answered;
use clock::listeners::traffic::{Found, Traffic};
use machine::exec::launch::{LaunchProgress, Outcome, Request, Tell, run_chosen, run_in_order};
use machine::exec::steps::Order;
use machine::memory::Memory;
use machine::probe::Probe;
use machine::program::Site;
use ptx::isa::Class;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use watch::counters::Counters;
use watch::diagnostics::{self, Scene};
use watch::sampling::{Choice, NotSampled, Part, Watch, choose, error_percent, refused_by_code};

/// A standard error of the work that is taken for none: counters are to be right within this many %.
const MOST_ERROR_PERCENT: f64 = 0.5;

/// Threads that are run, at least, of blocks that add to memory: with fewer, not all is under way in L2 that would be.
const LEAST_OF_SUMS: u64 = 1 << 19;

/// Units that run between two looks at what memory is held.
const FEW_UNITS: usize = 8;

/// The outcome of a launch, whole or sampled.
pub struct Listened {
    pub outcome: Outcome,
    pub listeners: Listeners,
    /// Where accesses were answered, for the whole grid.
    pub found: Option<Found>,
    /// Warp instructions of the whole grid.
    pub instructions: u64,
    pub sampled: Option<Sampled>,
    /// Why all blocks were run although a part was asked for.
    pub not_sampled: Option<String>,
}

/// Runs all blocks, with the warps of one in an order of their own where there is one. `traffic` makes the listener for so many.
pub fn run_all(
    request: &Request,
    listeners: Listeners,
    traffic: Option<&dyn Fn(u64) -> Traffic>,
    tell: Tell,
    order: Option<&Order>,
) -> Listened {
    let blocks = request.grid.iter().map(|&n| u64::from(n)).product();
    let listeners = Listeners { traffic: traffic.map(|traffic| traffic(blocks)), ..listeners };
    let mut outcome = match (order, listeners.into_probe()) {
        (Some(order), Some(probe)) => run_in_order(request, order, probe),
        (_, probe) => run_chosen(request, None, probe, tell),
    };
    request.memory.wrote_to(None);
    let listeners = Listeners::back(outcome.probe.take());
    Listened {
        found: listeners.traffic.as_ref().map(Traffic::found),
        instructions: outcome.warp_instructions,
        outcome,
        listeners,
        sampled: None,
        not_sampled: None,
    }
}

/// Runs a part of the blocks, where they may stand for all. `after_others`: earlier launches have written in part what this one may read.
pub fn run(
    request: &Request,
    listeners: Listeners,
    traffic: Option<&dyn Fn(u64) -> Traffic>,
    tell: Tell,
    asked: Sample,
    after_others: bool,
    scene: &Scene,
) -> Listened {
    let watch = Watch::new(extents(request.memory));
    let watched = after_others.then(|| watch.of_reads_alone());
    let refused = |why: &NotSampled| diagnostics::not_sampled(why, scene);
    let by_code = refused_by_code(scene.launch);
    let sums = asked.sums && by_code.is_some() && only_adds(scene.launch);
    if let Some(why) = by_code.filter(|_| !sums) {
        let listened = run_all(request, Listeners { watch: watched, ..listeners }, traffic, tell, None);
        return Listened { not_sampled: Some(refused(&why)), ..listened };
    }
    let grid = std::array::from_fn(|axis| u64::from(request.grid[axis] / request.cluster[axis].max(1)));
    let resident = u64::from(request.resident_blocks / request.cluster.iter().product::<u32>().max(1));
    let threads = resident * request.block.iter().map(|&n| u64::from(n)).product::<u64>();
    let waves = if sums { asked.waves.max(LEAST_OF_SUMS / threads.max(1)) } else { asked.waves };
    let Some(choice) = choose(grid, resident, waves, asked.seed, sums) else {
        return run_all(request, Listeners { watch: watched, ..listeners }, traffic, tell, None);
    };
    let blocks = choice.in_waves * u64::from(request.cluster.iter().product::<u32>());
    let bytes = extents(request.memory).iter().map(|(start, end)| end - start).sum();
    let waves = choice.parts.iter().filter(|part| part.in_waves).flat_map(|part| &part.units);
    let waves: BTreeSet<u64> = waves.map(|unit| unit / resident.max(1)).collect();
    let waves: Arc<[u64]> = waves.into_iter().collect();
    let part = traffic.map(|traffic| traffic(blocks).of_a_part(bytes, waves));
    let mut listeners = Listeners { traffic: part, ..listeners };
    if let (Some(trace), 1) = (&mut listeners.trace, request.cluster.iter().product::<u32>()) {
        // Units are blocks here.
        let waves: Vec<u64> =
            choice.parts.iter().filter(|part| part.in_waves).flat_map(|part| part.units.iter().copied()).collect();
        trace.follow_some_of(&waves);
    }
    let mut run = Run::new(request, listeners, tell, watch, choice.chosen);
    for part in &choice.parts {
        if !run.units(part) {
            return run.stopped();
        }
        if let Some((allocation, read, written)) = run.watch.shared() {
            return run.rest(&choice, refused(&NotSampled::ReadsResults { allocation, read, written }));
        }
    }
    let percent = error_percent(&choice, &run.watch.work());
    if percent > MOST_ERROR_PERCENT {
        return run.rest(&choice, refused(&NotSampled::Uneven { percent }));
    }
    run.scaled(&choice, sums)
}

/// Returns whether all that a kernel's blocks do to memory that they share is to add to it without asking for the sum.
fn only_adds(launch: &machine::probe::Launch) -> bool {
    let adds = |(number, site): (u32, &Site)| {
        let ordered = site.opcode.is_ordered_among_blocks(site.class == Class::Atomic);
        !ordered || site.opcode.adds_in_memory() && !is_answered(launch.function, number)
    };
    let is_alone = launch.program.functions.iter().all(|function| function.is_entry);
    !launch.cooperative && !launch.function.reads_envreg && is_alone && (0..).zip(&launch.function.sites).all(adds)
}

/// First byte and end of every live allocation.
fn extents(memory: &Memory) -> Vec<(u64, u64)> {
    memory.live().into_iter().map(|found| (found.address, found.address + found.bytes)).collect()
}

/// A launch that is run part by part.
struct Run<'l> {
    request: &'l Request<'l>,
    tell: Tell<'l>,
    outcome: Outcome,
    listeners: Listeners,
    watch: Watch,
    /// For each stratum, the number of units that each of its own stands for; and a listener that has heard nothing.
    counters: BTreeMap<u32, (Counters, f64)>,
    silent: Option<Counters>,
    scaled_instructions: f64,
    /// The effect of units outside of the whole waves on caches and memory.
    beside: Option<Traffic>,
    /// Bytes that all units would have written, by allocation.
    written: BTreeMap<u64, f64>,
    done: BTreeSet<u64>,
    /// Units that are to be run, with those that have been.
    chosen: u64,
}

impl<'l> Run<'l> {
    fn new(request: &'l Request<'l>, mut listeners: Listeners, tell: Tell<'l>, watch: Watch, chosen: u64) -> Self {
        Run {
            request,
            tell,
            outcome: Outcome::default(),
            watch,
            counters: BTreeMap::new(),
            silent: listeners.counters.take(),
            scaled_instructions: 0.0,
            beside: listeners.traffic.as_ref().and_then(fresh),
            listeners,
            written: BTreeMap::new(),
            done: BTreeSet::new(),
            chosen,
        }
    }

    /// Blocks of a unit: those of a cluster.
    fn cluster(&self) -> u64 {
        u64::from(self.request.cluster.iter().product::<u32>().max(1))
    }

    /// How far the whole of it is.
    fn standing(&self) -> LaunchProgress {
        let [blocks, ended] = [self.chosen, self.done.len() as u64].map(|units| units * self.cluster());
        LaunchProgress { blocks, ended, instructions: self.outcome.warp_instructions }
    }

    /// Runs a part's units. `false`: a fault stopped them.
    fn units(&mut self, part: &Part) -> bool {
        // Pages of inputs that are not held whole are given back after each few blocks: blocks beside each other share columns.
        let together = if self.request.memory.is_sparse() { FEW_UNITS } else { part.units.len().max(1) };
        part.units.chunks(together).all(|units| self.some_units(part, units))
    }

    fn some_units(&mut self, part: &Part, units: &[u64]) -> bool {
        let Part { weight, stratum, in_waves, .. } = *part;
        let before = self.standing();
        let traffic = if in_waves { &mut self.listeners.traffic } else { &mut self.beside };
        let trace = if in_waves { self.listeners.trace.take() } else { None };
        let listeners = Listeners {
            counters: self.silent.as_ref().and_then(fresh),
            samples: self.listeners.samples.take(),
            traffic: traffic.take(),
            trace,
            watch: Some(self.watch.fresh()),
            ..Listeners::default()
        };
        let tell = self.tell.map(|tell| move |part: LaunchProgress| tell(before.and(part)));
        let tell: Tell = tell.as_ref().map(|tell| tell as _);
        let outcome = run_chosen(self.request, Some(units), listeners.into_probe(), tell);
        let back = Listeners::back(outcome.probe);
        *traffic = back.traffic;
        if in_waves {
            self.listeners.trace = back.trace;
        }
        self.listeners.samples = back.samples;
        self.outcome.warp_instructions += outcome.warp_instructions;
        self.scaled_instructions += outcome.warp_instructions as f64 * weight;
        self.outcome.printed += &outcome.printed;
        self.outcome.launched.extend(outcome.launched);
        self.outcome.fault = outcome.fault;
        if let (Some(counters), Some(silent)) = (back.counters, self.silent.as_ref().and_then(fresh)) {
            self.counters.entry(stratum).or_insert((silent, weight)).0.add(&counters);
        }
        if let Some(watch) = back.watch {
            let written = watch.written_by_allocation();
            // Nobody knows where blocks wrote that a fault stopped.
            let is_known = self.outcome.fault.is_none() && !self.watch.sees_reads_alone();
            let allocations = written.keys().copied().collect::<Vec<_>>();
            self.request.memory.wrote_to(is_known.then_some(&allocations));
            for (start, bytes) in written {
                *self.written.entry(start).or_default() += bytes as f64 * weight;
            }
            self.watch.add(watch);
        }
        self.request.memory.forget_pages();
        if self.done.is_empty() {
            self.watch.follow_what_was_written();
        }
        self.done.extend(units);
        self.outcome.fault.is_none()
    }

    /// The counters of all strata, as often as `times` says for the weight of one.
    fn counted(&mut self, times: impl Fn(f64) -> f64) -> Option<Counters> {
        let mut all = self.silent.as_ref().and_then(fresh)?;
        for (mut counters, weight) in std::mem::take(&mut self.counters).into_values() {
            counters.scale(times(weight));
            all.add(&counters);
        }
        Some(all)
    }

    fn stopped(mut self) -> Listened {
        let instructions = self.outcome.warp_instructions;
        let counters = self.counted(|_| 1.0);
        let listeners = Listeners { counters, watch: Some(self.watch), ..self.listeners };
        Listened { outcome: self.outcome, listeners, found: None, instructions, sampled: None, not_sampled: None }
    }

    /// Runs all units that were not run yet, and leaves what a launch of all of them leaves.
    fn rest(mut self, choice: &Choice, why: String) -> Listened {
        let units: Vec<u64> = (0..choice.of).filter(|unit| !self.done.contains(unit)).collect();
        self.watch = self.watch.of_reads_alone();
        self.chosen = choice.of;
        self.units(&Part { units, weight: 1.0, stratum: 0, in_waves: true });
        if let (Some(all), Some(beside)) = (&mut self.listeners.traffic, self.beside.take()) {
            all.join(Box::new(beside));
        }
        let found = self.listeners.traffic.as_ref().map(Traffic::found);
        Listened { found, not_sampled: Some(why), ..self.stopped() }
    }

    /// Leaves what all units would have left; but where they are `sums`, only what those that were run have added.
    fn scaled(mut self, choice: &Choice, sums: bool) -> Listened {
        let counters = self.counted(|weight| weight);
        let factor = choice.of as f64 / choice.in_waves as f64;
        let extents = extents(self.request.memory);
        let found = self.listeners.traffic.as_ref().map(|traffic| traffic.found_of_waves(factor, &extents));
        let cluster = self.cluster();
        let mut written: BTreeMap<u64, Vec<[u64; 2]>> = BTreeMap::new();
        for (start, bytes) in self.watch.written().ranges() {
            let Some(allocation) = self.request.memory.find(start) else { continue };
            written.entry(allocation.address).or_default().push([start - allocation.address, bytes]);
        }
        let part = |(address, ranges): (u64, Vec<[u64; 2]>)| WrittenPart {
            address,
            bytes: self.request.memory.find(address).map_or(0, |allocation| allocation.bytes),
            estimated_bytes: self.written.get(&address).copied().unwrap_or(0.0),
            ranges,
        };
        let mut ran: Vec<[u64; 2]> = Vec::new();
        for &unit in self.done.iter().filter(|_| sums) {
            match ran.last_mut() {
                Some([first, count]) if *first + *count == unit => *count += 1,
                _ => ran.push([unit, 1]),
            }
        }
        let sampled = Sampled {
            ran,
            blocks: choice.chosen * cluster,
            of: choice.of * cluster,
            written: written.into_iter().map(part).collect(),
        };
        Listened {
            outcome: self.outcome,
            listeners: Listeners { counters, watch: Some(self.watch), ..self.listeners },
            found,
            instructions: self.scaled_instructions.round() as u64,
            sampled: Some(sampled),
            not_sampled: None,
        }
    }
}
