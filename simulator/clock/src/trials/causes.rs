//! The causes of time that are taken away, and the things that they come from.
use crate::cards::Device;
use crate::compiler::local::FIRST_LINE;
use crate::compiler::regions;
use crate::constants::{MOST_TRIALS, WARP_LANES};
use crate::listeners::trace::Trace;
use crate::listeners::warp_trace::{Run, Touch, WarpTrace};
use crate::occupancy::Occupancy;
use machine::probe::AccessKind;
use machine::program::{End, Function, Site};
use ptx::isa::machine::Unit;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// A cause of time that better code does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Wavefronts of shared memory beyond the least.
    Conflicts,
    /// Sectors of global memory beyond the least.
    Sectors,
    /// Sectors that a block loads again.
    Again,
    /// Atomics that wait for others.
    Atomics,
    /// Waiting at barriers of a block.
    Barriers,
    /// Waiting for loads from global memory.
    Latency,
    /// Basic blocks that a part of a warp runs.
    Divergence,
    /// Instructions that count the turns of a loop and step its addresses.
    Issue,
    /// Fewer warps than a multiprocessor can hold.
    FewWarps,
    /// Multiprocessors without blocks, or with fewer than others.
    Idle,
}

/// The thing that a cause comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Thing {
    /// An array of a function, by the pointer or the place in shared memory that its addresses are made from.
    Array(u32, u64),
    /// A line of the text, of an access whose array is not known.
    Line(u32, u32),
    /// A loop of a function by its first block; `u32::MAX`: outside of all.
    Loop(u32, u32),
}

/// The places of a cause: the sites of one thing, each with its function.
pub type Sites = Vec<(u32, u32)>;

/// A cause that may be taken away.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub cause: Cause,
    /// None: it is the launch's.
    pub sites: Sites,
    /// True if longer rows of an array cure its conflicts; if a loop uses its loads in the turn in which they come, and computes.
    pub is_usual: bool,
}

/// The array that an access of the text goes to, or its line.
fn thing(functions: &[Function], function: u32, site: u32, shared: bool) -> Thing {
    let own = &functions[function as usize].sites[site as usize];
    if shared && !own.shared_array.is_empty() {
        return Thing::Array(function, u64::from(own.shared_array.start) | 1 << 63);
    }
    match own.pointers.count_ones() {
        1 => Thing::Array(function, own.pointers),
        _ => Thing::Line(own.at.file, own.at.line),
    }
}

/// The loops of a function.
struct Loops {
    /// By basic block: the innermost one that it is in.
    of: Vec<Option<RangeInclusive<usize>>>,
    /// By basic block: the instructions that are not there where the turns of its innermost loop are written out.
    counting: Vec<Vec<u32>>,
}

impl Loops {
    fn of(function: &Function) -> Loops {
        let count = function.blocks.len();
        let mut loops = Loops { of: vec![None; count], counting: vec![Vec::new(); count] };
        let mut found = regions::loops(function);
        // The widest first, so that the innermost is what stays.
        found.sort_by_key(|blocks| Reverse(blocks.end() - blocks.start()));
        for blocks in found {
            let counting = counting(function, &blocks);
            loops.of[blocks.clone()].fill(Some(blocks.clone()));
            for block in blocks {
                let sites = &function.blocks[block].sites;
                loops.counting[block] = counting.iter().copied().filter(|site| sites.contains(site)).collect();
            }
        }
        loops
    }
}

/// The instructions of a loop that its turns need only one after the other: the branch back, the comparison of a counter that it asks, and sums by a constant that
/// nothing but these and addresses are made from. None where the branch asks something else.
fn counting(function: &Function, blocks: &RangeInclusive<usize>) -> Vec<u32> {
    let last = &function.blocks[*blocks.end()];
    let sites = function.blocks[*blocks.start()].sites.start..last.sites.end;
    let own = |site: u32| &function.sites[site as usize];
    let (reads, writes) = (|site: u32| function.reads(own(site)), |site: u32| function.writes(own(site)));
    let steps = |site: u32| own(site).opcode.is_sum() && own(site).flops == 0 && reads(site) == writes(site);
    let asked = reads(last.site).last();
    let compares = |&site: &u32| own(site).opcode.compares() && asked.is_some_and(|asked| writes(site).contains(asked));
    let Some(comparison) = sites.clone().rev().find(compares) else { return Vec::new() };
    let stepped = |register: &u32| sites.clone().any(|site| steps(site) && writes(site) == [*register]);
    if !reads(comparison).iter().any(stepped) {
        return Vec::new();
    }
    let is_address = |site: u32, of: u32| own(site).units() == [Unit::Memory] && reads(site).first() == Some(&of);
    let is_only_stepped = |&step: &u32| {
        let register = writes(step)[0];
        let mut users = sites.clone().filter(|&site| reads(site).contains(&register));
        users.all(|site| site == comparison || steps(site) || is_address(site, register))
    };
    let all = sites.clone().filter(|&site| steps(site)).filter(is_only_stepped);
    all.chain([comparison, last.site]).collect()
}

/// True for an access to global memory, and not to a thread's own arrays.
pub fn is_global(warp: &WarpTrace, touch: &Touch) -> bool {
    !touch.shared && touch.lines > 0 && warp.lines[touch.first as usize].0 < FIRST_LINE
}

/// The causes that were found in a trace: by cause and thing the sites, and the work in vain.
#[derive(Default)]
struct Found(FxHashMap<(Cause, Thing), Weighed>, FxHashSet<(u32, u32)>);

/// Sites, and the work in vain there; and beside them the sites of conflicts that longer rows do not cure.
type Weighed = (BTreeSet<(u32, u32)>, f64);

impl Found {
    fn add(&mut self, cause: Cause, thing: Thing, at: (u32, u32), weight: f64) {
        if weight > 0.0 {
            let own = self.0.entry((cause, thing)).or_default();
            own.0.insert(at);
            own.1 += weight;
        }
    }

    /// The causes of a warp's accesses. `loaded` are the sectors that its block has loaded so far.
    fn accesses(&mut self, functions: &[Function], function: u32, warp: &WarpTrace, loaded: &mut FxHashMap<u64, u8>) {
        for touch in &warp.touches {
            let (thing, at) = (thing(functions, function, touch.site, touch.shared), (function, touch.site));
            let lines = &warp.lines[touch.first as usize..][..touch.lines.into()];
            let sectors: u32 = lines.iter().map(|line| line.1.count_ones()).sum();
            match touch.kind {
                AccessKind::Atomic => {
                    let meets = touch.wavefronts > 1 || !touch.shared;
                    self.add(Cause::Atomics, thing, at, if meets { touch.wavefronts.into() } else { 0.0 });
                }
                _ if touch.shared => {
                    let beyond = touch.wavefronts.saturating_sub(touch.least);
                    self.add(Cause::Conflicts, thing, at, beyond.into());
                    if beyond > 0 && !touch.pads {
                        self.1.insert(at);
                    }
                }
                _ if !is_global(warp, touch) => {}
                kind => {
                    self.add(Cause::Sectors, thing, at, sectors.saturating_sub(touch.least.into()).into());
                    if kind == AccessKind::Load {
                        self.add(Cause::Latency, thing, at, 1.0);
                        let mut again = 0;
                        for &(line, sectors) in lines {
                            let known = loaded.entry(line).or_default();
                            again += (*known & sectors).count_ones();
                            *known |= sectors;
                        }
                        self.add(Cause::Again, thing, at, again.into());
                    }
                }
            }
        }
    }

    /// Those of its basic blocks, of a block of so many threads.
    fn blocks(&mut self, functions: &[Function], loops: &[Loops], warp: &WarpTrace, threads: u32) {
        for &Run { function, block, lanes } in &warp.runs {
            let own = &functions[function as usize].blocks[block as usize];
            let at = (function, own.site);
            let around = &loops[function as usize];
            let first = around.of[block as usize].as_ref().map_or(u32::MAX, |blocks| *blocks.start() as u32);
            let of_loop = Thing::Loop(function, first);
            if matches!(own.end, End::Barrier(_)) {
                self.add(Cause::Barriers, of_loop, at, 1.0);
            }
            for &site in &around.counting[block as usize] {
                self.add(Cause::Issue, of_loop, (function, site), 1.0);
            }
            if lanes.count_ones() < threads.min(WARP_LANES) {
                let idle = f64::from(WARP_LANES - lanes.count_ones()) * own.sites.len() as f64;
                self.add(Cause::Divergence, Thing::Loop(function, u32::MAX), at, idle);
            }
        }
    }
}

/// The causes that a launch has, of each the things with the most work in vain.
pub fn candidates(card: &Device, occupancy: Occupancy, (blocks, threads): (u64, u32), trace: &Trace) -> Vec<Candidate> {
    let functions = trace.functions();
    let loops: Vec<Loops> = functions.iter().map(Loops::of).collect();
    let mut found = Found::default();
    for warps in trace.kept.values() {
        let mut loaded = FxHashMap::default();
        for warp in warps {
            // Accesses are known by their sites alone: those of several functions are not told apart.
            let Some(function) = warp.runs.first().map(|run| run.function) else { continue };
            if warp.runs.iter().all(|run| run.function == function) {
                found.accesses(functions, function, warp, &mut loaded);
                found.blocks(functions, &loops, warp, threads);
            }
        }
    }
    let Found(found, unpadded) = found;
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by(|a, b| (a.0.0.cmp(&b.0.0)).then(b.1.1.total_cmp(&a.1.1)).then(a.0.cmp(&b.0)));
    let mut of_cause: FxHashMap<Cause, usize> = FxHashMap::default();
    found.retain(|((cause, _), _)| {
        let count = of_cause.entry(*cause).or_default();
        *count += 1;
        *count <= MOST_TRIALS
    });
    let is_usual = |cause: Cause, sites: &BTreeSet<(u32, u32)>| match cause {
        Cause::Conflicts => sites.is_disjoint(&unpadded.iter().copied().collect()),
        Cause::Latency => sites.iter().any(|&at| is_used_at_once(functions, &loops, at)),
        _ => true,
    };
    let candidate = |(cause, sites): (Cause, BTreeSet<_>)| {
        let is_usual = is_usual(cause, &sites);
        Candidate { cause, sites: sites.into_iter().collect(), is_usual }
    };
    let mut all: Vec<Candidate> = found.into_iter().map(|((cause, _), (sites, _))| candidate((cause, sites))).collect();
    all.push(candidate((Cause::Idle, BTreeSet::new())));
    let room = u64::from(occupancy.blocks_per_multiprocessor) * u64::from(card.multiprocessors);
    if blocks > room && more_warps(card, occupancy, threads).is_some() {
        all.push(candidate((Cause::FewWarps, BTreeSet::new())));
    }
    all
}

/// True if a loop that computes uses a load in the turn in which it comes, with no arithmetic between the two.
fn is_used_at_once(functions: &[Function], loops: &[Loops], (of, load): (u32, u32)) -> bool {
    let (function, loops) = (&functions[of as usize], &loops[of as usize]);
    let of_load = function.blocks.iter().position(|block| block.sites.contains(&load));
    let Some(blocks) = of_load.and_then(|block| loops.of[block].clone()) else { return false };
    let (first, end) = (function.blocks[*blocks.start()].sites.start, function.blocks[*blocks.end()].sites.end);
    let sites = |from: u32, to: u32| &function.sites[from as usize..to as usize];
    let written = function.writes(&function.sites[load as usize]);
    let reads = |site: &Site| function.reads(site).iter().any(|register| written.contains(register));
    let computes = |sites: &[Site]| sites.iter().any(|site| site.flops > 0);
    let until = sites(load + 1, end).iter().position(reads);
    until.is_some_and(|until| computes(sites(first, end)) && !computes(&sites(load + 1, end)[..until]))
}

/// As many blocks as warps leave room for; `None`: there are so many.
pub fn more_warps(card: &Device, occupancy: Occupancy, threads: u32) -> Option<Occupancy> {
    let blocks = card.architecture.max_threads_per_multiprocessor / threads.next_multiple_of(WARP_LANES).max(1);
    let more = Occupancy { blocks_per_multiprocessor: blocks, ..occupancy };
    (blocks > occupancy.blocks_per_multiprocessor).then_some(more)
}
