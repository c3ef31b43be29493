//! `LABS_SIM_SEARCH=N`: of the first launch of each kernel, all orders in which the warps of a block can take their steps, up to those that commute.
//!
//! A block is run again and again from the memory that the launch found, under a fresh sanitizer; what differs from the launch itself is told. Memory
//! is left as the launch left it.
use crate::interface::cause::Cause;
use crate::listeners::Listeners;
use crate::objects::chosen_order;
use crate::objects::modules::launch::Launch;
use machine::exec::launch::{Request, Settings, run_in_order};
use machine::exec::steps::{Order, Record, Step};
use machine::lower::Tier;
use machine::memory::{Memory, Outside};
use machine::probe;
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use watch::diagnostics::{self, Diagnosis, Scene};
use watch::sanitizer::Sanitizer;
use watch::search::explore::{Begin, Explorer};
use watch::search::listener::Steps;
use watch::search::shorten::{shorten, switches};
use watch::search::snapshot::{Difference, Snapshot};

/// The longest that one kernel's search takes.
const LONGEST: Duration = Duration::from_secs(20);
/// The most memory that is put back before each order.
const MOST_BYTES: u64 = 64 << 20;

/// The result of a search, as the journal has it.
#[derive(Clone, Debug, Serialize)]
pub struct Searched {
    pub kernel: String,
    /// The blocks whose warps were put in order, by their numbers in the grid, of how many; and the warps of each.
    pub blocks: Vec<u64>,
    pub of: u64,
    pub warps: u64,
    /// The orders that were run.
    pub orders: u64,
    /// True if every other order of their steps commutes with one of these.
    pub complete: bool,
    /// Why it is not complete.
    pub why: Option<String>,
    /// The order in which something goes wrong, as `LABS_SIM_ORDER` takes it, and its switches between warps: those left, and those it was found with.
    pub wrong: Option<String>,
    pub switches: Option<[usize; 2]>,
    /// The first order that leaves other values in memory, likewise, and where.
    pub differs: Option<(String, String)>,
}

/// The memory that a launch found before it ran, or the reason for which its orders are not searched.
pub enum Before {
    Memory(Box<Snapshot>),
    Refused(String),
}

impl Before {
    /// Takes it.
    pub fn new(memory: &Memory, launch: &Launch) -> Before {
        let bytes = Snapshot::bytes_of(memory);
        if bytes > MOST_BYTES {
            let (bytes, most) = (bytes.div_ceil(1 << 20), MOST_BYTES >> 20);
            return Before::Refused(format!("{bytes} MiB of memory are in use, and at most {most} are put back"));
        }
        if launch.cluster.iter().product::<u32>() > 1 {
            return Before::Refused(
                "its blocks are in clusters, whose other blocks reach this one's memory".to_owned(),
            );
        }
        match Snapshot::take(memory) {
            Ok(snapshot) => Before::Memory(Box::new(snapshot)),
            Err(_) => Before::Refused("its memory cannot be read".to_owned()),
        }
    }
}

/// The launch that is searched.
struct Searching<'s> {
    /// With the program that is lowered in steps.
    request: Request<'s>,
    scene: Scene<'s>,
    /// Orders of one block that are tried at the most.
    most_orders: u64,
    /// Warp instructions that the launch ran, and what was found in it.
    instructions: u64,
    known: &'s [Diagnosis],
}

/// Searches the orders of a launch that has run, up to `most` of each block, and adds the findings of the first that goes wrong.
///
/// # Errors
/// A program that is refused.
pub fn run(
    most: u64,
    before: Before,
    launch: &Launch,
    request: &Request,
    heard: probe::Launch,
    instructions: u64,
    findings: &mut Vec<Diagnosis>,
) -> Result<Searched, Cause> {
    let blocks = launch.blocks();
    let mut searched = Searched {
        kernel: launch.name().to_owned(),
        blocks: if blocks > 1 { vec![0, blocks - 1] } else { vec![0] },
        of: blocks,
        warps: u64::from(launch.threads().div_ceil(32)),
        orders: 0,
        complete: false,
        why: None,
        wrong: None,
        switches: None,
        differs: None,
    };
    let program = launch.loaded.program(Tier::Stepped)?;
    let heard = probe::Launch { program: &program, function: &program.functions[launch.index], ..heard };
    let found = match before {
        Before::Memory(before) => {
            let searching = Searching {
                request: Request { program: &program, ..*request },
                scene: Scene { launch: &heard, sources: &diagnostics::read_source },
                most_orders: most,
                instructions,
                known: findings,
            };
            search_blocks(&searching, &before, &mut searched).unwrap_or_else(|_| {
                searched.why = Some("it has freed memory, which cannot be put back".to_owned());
                Vec::new()
            })
        }
        Before::Refused(why) => {
            searched.why = Some(why);
            Vec::new()
        }
    };
    findings.extend(found);
    searched.complete = searched.why.is_none() && searched.wrong.is_none();
    Ok(searched)
}

fn search_blocks(searching: &Searching, before: &Snapshot, searched: &mut Searched) -> Result<Vec<Diagnosis>, Outside> {
    let memory = searching.request.memory;
    let after = Snapshot::take(memory)?;
    let begun = Instant::now();
    let mut findings = Vec::new();
    for block in searched.blocks.clone() {
        let mut explorer = Explorer::default();
        let mut next = Some(Begin { choices: Vec::new(), asleep: Vec::new() });
        let mut orders = 0;
        while let Some(begin) = next.filter(|_| findings.is_empty()) {
            if orders == searching.most_orders || begun.elapsed() > LONGEST {
                searched.why = Some(format!("it was given up after {} orders", searched.orders));
                break;
            }
            orders += 1;
            searched.orders += 1;
            before.put_back(memory)?;
            let (record, found) = once(searching, block, begin);
            let order = || chosen_order::written(&searched.kernel, block, &record.steps);
            if !record.is_known && !found.is_empty() {
                let steps = shortened(searching, block, before, record.steps.clone(), &found[0])?;
                let places = switches(&steps);
                let end = places.last().map_or(1, |last| last + 1).min(steps.len());
                searched.wrong = Some(chosen_order::written(&searched.kernel, block, &steps[..end]));
                searched.switches = Some([places.len(), switches(&record.steps).len()]);
                findings = found;
            } else if !record.is_known
                && searched.differs.is_none()
                && let Some(differs) = after.difference(memory)?
            {
                searched.differs = Some((order(), words(&differs)));
            }
            if record.is_cut || record.diverged {
                let why = if record.is_cut {
                    "a block takes too many steps"
                } else {
                    "a block does not take the same steps twice"
                };
                searched.why = Some(why.to_owned());
                break;
            }
            next = explorer.next(&record);
        }
    }
    after.put_back(memory)?;
    Ok(findings)
}

/// Leaves out of an order what `finding` does not need.
fn shortened(
    searching: &Searching,
    block: u64,
    before: &Snapshot,
    steps: Vec<Step>,
    finding: &Diagnosis,
) -> Result<Vec<Step>, Outside> {
    let place = |finding: &Diagnosis| (finding.kind, finding.file.clone(), finding.line);
    let mut failed = None;
    let steps = shorten(steps, |choices| {
        failed = failed.take().or(before.put_back(searching.request.memory).err());
        let (record, found) = once(searching, block, Begin { choices, asleep: Vec::new() });
        let is_whole = !record.diverged && !record.is_cut && failed.is_none();
        (is_whole && found.iter().any(|other| place(other) == place(finding))).then_some(record.steps)
    });
    failed.map_or(Ok(steps), Err)
}

/// Runs one order, and gives what the launch itself had not.
fn once(searching: &Searching, block: u64, begin: Begin) -> (Record, Vec<Diagnosis>) {
    let Searching { request, scene, instructions, known, .. } = searching;
    // An order in which warps wait for each other for ever ends soon.
    let budget = 100_000 + 64 * instructions;
    let settings = Settings { threads: 1, schedule_seed: 0, ..request.settings.with_budget(budget) };
    let order = Arc::new(Order::new(block, begin.choices, begin.asleep));
    let listeners =
        Listeners { steps: Some(Steps::new(order.clone())), sanitizer: Some(Sanitizer::new()), ..Listeners::default() };
    let mut findings = Vec::new();
    if let Some(probe) = listeners.into_probe() {
        let mut outcome = run_in_order(&Request { settings, ..*request }, &order, probe);
        request.memory.wrote_to(None);
        let listeners = Listeners::back(outcome.probe.take());
        let found = listeners.sanitizer.iter().flat_map(Sanitizer::findings);
        findings.extend(found.map(|finding| diagnostics::finding(finding, scene)));
        findings.extend(outcome.fault.iter().map(|fault| diagnostics::fault(fault, scene)));
    }
    findings.retain(|finding| {
        !known
            .iter()
            .any(|known| (&known.kind, &known.file, known.line) == (&finding.kind, &finding.file, finding.line))
    });
    (Arc::into_inner(order).map(Order::record).unwrap_or_default(), findings)
}

/// "from byte 12 of an allocation on: 4 bytes differ"
fn words(differs: &Difference) -> String {
    let Difference { allocation, offset, bytes } = differs;
    let (of, bytes) = (
        if allocation.is_empty() { "an allocation" } else { allocation },
        if *bytes == 1 { "1 byte differs".to_owned() } else { format!("{bytes} bytes differ") },
    );
    format!("from byte {offset} of {of} on: {bytes}")
}
