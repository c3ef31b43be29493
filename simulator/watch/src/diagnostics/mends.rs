//! The mends that may end what was found, in the order in which they are tried, and the words for what the trials gave.
use super::source::lines::{spot, spots};
use super::source::scene::Scene;
use crate::mends::{Barrier, Kernel, Mend, OF_BLOCK, OF_WARP, Trial, Tried, Way};
use crate::sanitizer::findings::finding::{Between, Cause, Finding, Kind, Missed, Party};
use machine::probe::{AccessKind, Place};

/// Threads of a warp.
const WARP: u32 = 32;

/// The next step of a finding, as the trials of its mends give it. `None`: it has none that can be tried.
pub(super) fn next(finding: &Finding, scene: &Scene, trial: Option<&mut Trial>) -> Option<String> {
    let trial = trial?;
    let mends = mends(finding, scene, trial.text);
    match trial.tried(finding, &mends) {
        Tried::Helps { mend, silent } => {
            let gone = if silent { "nothing is found" } else { "this race is gone" };
            mends.get(mend).map(|mend| format!("tried: with {} {gone}", mend.words))
        }
        Tried::InVain(all) if matches!(finding.kind, Kind::Race { .. }) => {
            let all: Vec<&str> = all.iter().filter_map(|&mend| Some(mends.get(mend)?.words.as_str())).collect();
            Some(format!("tried in vain: {}", all.join("; ")))
        }
        _ => None,
    }
}

/// The mends that may end what was found, with the ways to put them into the kernel's PTX.
fn mends(finding: &Finding, scene: &Scene, text: &str) -> Vec<Mend> {
    let kernel = |at: &Place| Some(Kernel::new(scene.launch.program.functions.get(at.function as usize)?, text));
    match &finding.kind {
        Kind::WriteClash { at, .. } => {
            let way = kernel(at).and_then(|kernel| kernel.atomic(at.site, [at.site; 2])?.0);
            way.map(|way| adding(scene, at, way)).into_iter().collect()
        }
        Kind::Race { between, first, second, cause, other_blocks, .. } if first.at.function == second.at.function => {
            let Some(kernel) = kernel(&second.at) else { return Vec::new() };
            let race = Unmended { scene, kernel, first, second };
            match cause {
                Cause::Unordered if *between == Between::Blocks || *other_blocks => race.between_blocks(),
                Cause::Unordered => race.in_a_block(*between),
                _ => race.by_cause(cause),
            }
        }
        _ => Vec::new(),
    }
}

/// A race with what its mends are made from.
struct Unmended<'a> {
    scene: &'a Scene<'a>,
    kernel: Kernel<'a>,
    first: &'a Party,
    second: &'a Party,
}

impl Unmended<'_> {
    /// The party that stores.
    fn store(&self) -> Option<&Party> {
        [self.second, self.first].into_iter().find(|party| party.kind == AccessKind::Store)
    }

    /// Where a line adds to what it stores to: the addition in one step, if its type has one, and `true` if the race is that line's with itself.
    fn update(&self) -> Option<(Option<Mend>, bool)> {
        let store = self.store()?;
        let (way, is_own) = self.kernel.atomic(store.at.site, [self.first.at.site, self.second.at.site])?;
        Some((way.map(|way| adding(self.scene, &store.at, way)), is_own))
    }

    /// The mends of a race that has a cause of its own.
    fn by_cause(&self, cause: &Cause) -> Vec<Mend> {
        let mend = |words: String, ways: Vec<Way>| vec![Mend { words, ways }];
        match cause {
            Cause::Missed { missed: Missed::Fence, read } if read.function == self.second.at.function => {
                let way = self.kernel.fences(read.site, None);
                mend(format!("a __threadfence() after {}", spot(self.scene, read)), way.into_iter().collect())
            }
            Cause::Missed { missed: Missed::Scope, .. } | Cause::BlockScope => {
                mend("device scope in place of `_block`".into(), vec![self.kernel.device_scope()])
            }
            Cause::LostUpdate => self.update().and_then(|(mend, _)| mend).into_iter().collect(),
            Cause::InStep => {
                let ways = self.store().map(|store| self.kernel.in_step(store.at.site));
                mend("reading, __syncwarp(), writing and __syncwarp() in each step".into(), ways.unwrap_or_default())
            }
            _ => Vec::new(),
        }
    }

    /// The mends of a race between blocks, which no barrier of a block orders.
    fn between_blocks(&self) -> Vec<Mend> {
        // Where something tells the other block, a fence may be all that is missing.
        let tells = self.scene.launch.function.order_matters;
        let way = self.kernel.fences(self.first.at.site, Some(self.second.at.site)).filter(|_| tells);
        let [one, other] = [self.first, self.second].map(|party| spot(self.scene, &party.at));
        let fences = Mend {
            words: format!("a __threadfence() after {one} and one before {other}"),
            ways: way.into_iter().collect(),
        };
        let update = self.update().filter(|(_, is_own)| *is_own).and_then(|(mend, _)| mend);
        update.into_iter().chain([fences]).collect()
    }

    /// The mends of a race between threads of one block.
    fn in_a_block(&self, between: Between) -> Vec<Mend> {
        // In one warp a barrier of the warp is enough, and in a block of several only as long as its shape is this one.
        let one_warp = self.scene.launch.block.iter().product::<u32>() <= WARP;
        let barriers: &[(&str, Barrier)] = match between {
            Between::Lanes if one_warp => &[("__syncwarp()", OF_WARP)],
            Between::Lanes => &[("__syncthreads()", OF_BLOCK), ("__syncwarp()", OF_WARP)],
            _ => &[("__syncthreads()", OF_BLOCK)],
        };
        // Kept apart from each other, each would write the sum without the other's.
        if let Some((mend, true)) = self.update() {
            return mend.into_iter().collect();
        }
        let way = self.kernel.moved_out().into_iter().collect();
        let mut all = vec![Mend { words: "each __syncthreads() out of the branch around it".into(), ways: way }];
        let (one, other) = spots(self.scene, &self.first.at, &self.second.at);
        let parties = [(self.first.at.site, one), (self.second.at.site, other)];
        let (low, high) = (parties[usize::from(other < one)], parties[usize::from(other >= one)]);
        // A race may come the other way round than the lines do, in the turn after.
        let back = self.kernel.comes_to(high.0, low.0).then_some((high, low));
        for (name, barrier) in barriers {
            for ((from, after), (to, before)) in
                [Some((low, high)), back].into_iter().flatten().filter(|_| one != other)
            {
                let ways = |site, other, is_after| {
                    self.kernel.beside_line(site, other, barrier, is_after).into_iter().collect()
                };
                all.push(Mend { words: format!("a {name} after {after}"), ways: ways(from, to, true) });
                all.push(Mend { words: format!("a {name} before {before}"), ways: ways(to, from, false) });
            }
            if let Some(store) = self.store().map(|store| store.at.site).filter(|_| one == other) {
                let ways = self.kernel.each_turn(store, barrier).into_iter().collect();
                all.push(Mend { words: format!("a {name} after {one} in each turn"), ways });
                let words = format!("reading, {name} and writing apart on {one}");
                all.push(Mend { words, ways: self.kernel.apart(&[store], barrier) });
            }
        }
        all
    }
}

/// The mend of a line that adds to what others add to.
fn adding(scene: &Scene, store: &Place, way: Way) -> Mend {
    Mend { words: format!("atomicAdd on {}", spot(scene, store)), ways: vec![way] }
}
