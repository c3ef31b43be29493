//! The recording of a launch: it is run again from the memory that it found, with a listener that keeps its steps.
//!
//! The first launch of a process is recorded, and in its place the first one in which something is found.
use crate::listeners::Listeners;
use crate::objects::modules::launch::Launch;
use crate::state::logs::journal;
use clock::cards::Device;
use machine::exec::launch::{Request, Settings, run_chosen};
use machine::fault::Fault;
use machine::memory::Memory;
use machine::probe::Place;
use std::sync::atomic::{AtomicU8, Ordering};
use watch::diagnostics::{self, Scene, Told};
use watch::replay::{Act, Recorder, Step, block_number, pair, turns};
use watch::sanitizer::Sanitizer;
use watch::sanitizer::findings::finding::Kind;
use watch::search::snapshot::Snapshot;

/// Steps of a recording; bytes of memory that are kept for one; and of other orders in which the parties of a race are looked for the other way round.
const MOST_STEPS: usize = 200_000;
const MOST_BYTES: u64 = 256 << 20;
const OTHER_ORDERS: u64 = 8;
/// A grid of so few warps is recorded whole.
const WHOLE_WARPS: u64 = 64;

/// The best recording so far: none, one, one of a launch in which something is found.
static RECORDED: AtomicU8 = AtomicU8::new(0);

/// The memory of the device as a launch finds it, if a recording is asked `of` kernels of its name and this may be the launch.
pub fn memory_before(of: Option<&str>, memory: &Memory, launch: &Launch) -> Option<Snapshot> {
    let of = of?;
    let is_asked = of == "1" || diagnostics::kernel_name(launch.name()).starts_with(of);
    let repeats = || !["malloc", "cudaLaunchDevice"].iter().any(|&word| launch.loaded.text.contains(word));
    let fits = || RECORDED.load(Ordering::Relaxed) < 2 && Snapshot::bytes_of(memory) <= MOST_BYTES;
    (is_asked && repeats() && fits()).then(|| Snapshot::take(memory).ok()).flatten()
}

/// Records a launch, if it is the first, or the first in which something is found or that stops: `ended`.
pub fn record(
    before: Option<Snapshot>,
    (launch, request): (&Launch, &Request),
    card: &Device,
    scene: &Scene,
    (listeners, fault): (&Listeners, Option<&Fault>),
) {
    let Some(before) = before else { return };
    let kind = listeners.sanitizer.iter().flat_map(Sanitizer::findings).next().map(|finding| &finding.kind);
    let found = kind.map_or_else(Vec::new, |kind| [Some(kind.at()), kind.other()].into_iter().flatten().collect());
    let parties: Vec<&Place> = found.into_iter().chain(fault.into_iter().flat_map(fault_places)).collect();
    let worth = if parties.is_empty() { 1 } else { 2 };
    if RECORDED.fetch_max(worth, Ordering::Relaxed) >= worth {
        return;
    }
    let Ok(after) = Snapshot::take(request.memory) else { return };
    let blocks = blocks(launch, request, &parties);
    let bank_bytes = card.architecture.shared_bank_bytes;
    let run = |seed: u64| run(&before, request, (&blocks, bank_bytes), seed);
    if let Some((mut recorder, sanitizer, fault)) = run(request.settings.schedule_seed) {
        recorder.steps.extend(fault.as_ref().and_then(|fault| stop(fault, request)));
        let findings: Vec<Told> = sanitizer.findings().map(|finding| told(&finding.kind, finding, scene)).collect();
        let stopped = fault.as_ref().map(|fault| {
            let diagnostics::Diagnosis { kind, message, .. } = diagnostics::fault(fault, scene);
            Told { kind, message, parties: fault_places(fault), address: None }
        });
        let all: Vec<Told> = findings.into_iter().chain(stopped).collect();
        let race = sanitizer.findings().find_map(|finding| match &finding.kind {
            Kind::Race { first, second, address, .. } => Some((&first.at, &second.at, *address)),
            _ => None,
        });
        let other = race.and_then(|(first, second, address)| {
            let (grid, places) = (request.grid, [first, second]);
            let steps = &recorder.steps;
            let found = pair(steps, places, grid, Some(address))?;
            let mut orders = (1..=OTHER_ORDERS).map(|by| request.settings.schedule_seed.wrapping_add(by));
            orders.find_map(|seed| Some(run(seed)?.0).filter(|o| turns(steps, found, places, grid, address, &o.steps)))
        });
        let recordings: Vec<&Recorder> = std::iter::once(&recorder).chain(&other).collect();
        journal::replay(&diagnostics::replayed(scene, &before, &recordings, &all));
    }
    let _ = after.put_back(request.memory);
}

/// The blocks to record: all of a small grid, else those of what was found, or the first and its neighbour.
fn blocks(launch: &Launch, request: &Request, parties: &[&Place]) -> Vec<u64> {
    let all = launch.blocks();
    if all * u64::from(launch.threads().div_ceil(32)) <= WHOLE_WARPS {
        return (0..all).collect();
    }
    let mut blocks: Vec<u64> = parties.iter().map(|at| block_number(at.block, request.grid)).collect();
    blocks.sort_unstable();
    blocks.dedup();
    if blocks.is_empty() { (0..all.min(2)).collect() } else { blocks }
}

fn run(
    before: &Snapshot,
    request: &Request,
    (blocks, bank_bytes): (&[u64], u32),
    seed: u64,
) -> Option<(Recorder, Sanitizer, Option<Fault>)> {
    before.put_back(request.memory).ok()?;
    let settings = Settings { threads: 1, schedule_seed: seed, ..request.settings };
    let recorder = Some(Recorder::new(blocks.to_vec(), MOST_STEPS, bank_bytes));
    let listeners = Listeners { recorder, sanitizer: Some(Sanitizer::new()), ..Listeners::default() };
    let together = request.cooperative || request.cluster.iter().product::<u32>() > 1;
    let meet = together || request.program.functions[request.function.0 as usize].order_matters;
    let chosen = (!meet).then_some(blocks);
    let outcome = run_chosen(&Request { settings, ..*request }, chosen, listeners.into_probe(), None);
    request.memory.wrote_to(None);
    let Listeners { recorder, sanitizer, .. } = Listeners::back(outcome.probe);
    Some((recorder?, sanitizer?, outcome.fault))
}

fn told<'f>(kind: &'f Kind, finding: &watch::sanitizer::findings::finding::Finding, scene: &Scene) -> Told<'f> {
    let diagnostics::Diagnosis { kind: name, message, .. } = diagnostics::finding(finding, scene);
    let address = match kind {
        Kind::Race { address, .. } | Kind::WriteClash { address, .. } => Some(*address),
        Kind::BeyondArray { address, .. } | Kind::Uninitialised { address, .. } => Some(*address),
        _ => None,
    };
    let parties = match kind {
        Kind::Race { first, second, .. } => vec![&first.at, &second.at],
        kind => vec![kind.at()],
    };
    Told { kind: name, message, parties, address }
}

/// The last step of a launch that stops.
fn stop(fault: &Fault, request: &Request) -> Option<Step> {
    let at = *fault_places(fault).first()?;
    let reason = match *fault {
        Fault::OutOfBounds { space, address, bytes, .. } | Fault::Misaligned { space, address, bytes, .. } => {
            Some((space, address, bytes))
        }
        _ => None,
    };
    let Place { function, site, warp, lanes: mask, .. } = *at;
    Some(Step { block: block_number(at.block, request.grid), warp, function, site, mask, act: Act::Stop(reason) })
}

/// Where a fault is, one place for each who waits in vain.
fn fault_places(fault: &Fault) -> Vec<&Place> {
    match fault {
        Fault::Deadlock { waiting } => waiting.iter().map(|(at, _)| at).take(1).collect(),
        Fault::OutOfBounds { at, .. } | Fault::Misaligned { at, .. } | Fault::Trap { at, .. } => vec![at],
        Fault::Assert { at, .. } | Fault::Budget { at, .. } | Fault::BadBarrier { at, .. } => vec![at],
        _ => Vec::new(),
    }
}
