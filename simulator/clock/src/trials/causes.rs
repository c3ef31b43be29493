//! The causes of time that are taken away, and the things that they come from.
use crate::cards::Device;
use crate::compiler::local::FIRST_LINE;
use crate::constants::{MOST_TRIALS, WARP_LANES};
use crate::listeners::trace::Trace;
use crate::listeners::warp_trace::{Run, Touch, WarpTrace};
use crate::occupancy::Occupancy;
use machine::probe::AccessKind;
use machine::program::{BasicBlock, End, Function, Site};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::collections::BTreeSet;

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
    /// True if what is mostly done against it can help here: longer rows of an array where its conflicts are of a stride; earlier loads where a loop
    /// uses them in the turn in which they come, and computes.
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

/// By basic block: the first block of the innermost loop that it is in.
fn loops(function: &Function) -> Vec<u32> {
    let mut of = vec![u32::MAX; function.blocks.len()];
    let mut found: Vec<(u32, u32)> = Vec::new();
    for (at, BasicBlock { end, .. }) in function.blocks.iter().enumerate() {
        let targets = match end {
            End::Jump(to) => vec![*to],
            End::Branch { taken, next, .. } => vec![*taken, *next],
            _ => Vec::new(),
        };
        found.extend(targets.iter().map(|to| to.0).filter(|&to| to as usize <= at).map(|to| (to, at as u32)));
    }
    // The widest first, so that the innermost is what stays.
    found.sort_by_key(|&(first, last)| std::cmp::Reverse(last - first));
    for (first, last) in found {
        of[first as usize..=last as usize].fill(first);
    }
    of
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
    fn blocks(&mut self, functions: &[Function], loops: &[Vec<u32>], warp: &WarpTrace, threads: u32) {
        for &Run { function, block, lanes } in &warp.runs {
            let own = &functions[function as usize].blocks[block as usize];
            let at = (function, own.site);
            if matches!(own.end, End::Barrier(_)) {
                let of_loop = Thing::Loop(function, loops[function as usize][block as usize]);
                self.add(Cause::Barriers, of_loop, at, 1.0);
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
    let loops: Vec<Vec<u32>> = functions.iter().map(loops).collect();
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
        Cause::Latency => {
            sites.iter().any(|&(of, site)| is_used_at_once(&functions[of as usize], &loops[of as usize], site))
        }
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
fn is_used_at_once(function: &Function, loops: &[u32], load: u32) -> bool {
    let is_of_block = |block: &BasicBlock| block.sites.contains(&load);
    let around =
        function.blocks.iter().position(is_of_block).map(|block| loops[block]).filter(|&first| first != u32::MAX);
    let Some(first) = around else { return false };
    let last = loops.iter().rposition(|&of| of == first).unwrap_or(first as usize);
    let end = function.blocks[last].sites.end;
    let sites = |from: u32, to: u32| &function.sites[from as usize..to.max(from) as usize];
    let written = function.writes(&function.sites[load as usize]);
    let reads = |site: &Site| function.reads(site).iter().any(|register| written.contains(register));
    let Some(until) = sites(load + 1, end).iter().position(reads) else { return false };
    let computes = |sites: &[Site]| sites.iter().any(|site| site.flops > 0);
    computes(sites(function.blocks[first as usize].sites.start, end))
        && !computes(sites(load + 1, load + 1 + until as u32))
}

/// As many blocks as warps leave room for; `None`: there are so many.
pub fn more_warps(card: &Device, occupancy: Occupancy, threads: u32) -> Option<Occupancy> {
    let blocks = card.architecture.max_threads_per_multiprocessor / threads.next_multiple_of(WARP_LANES).max(1);
    let more = Occupancy { blocks_per_multiprocessor: blocks, ..occupancy };
    (blocks > occupancy.blocks_per_multiprocessor).then_some(more)
}
