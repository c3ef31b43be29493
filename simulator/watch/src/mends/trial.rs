//! Trials of mends: the launch is run again under the sanitizer, from the memory that it found, with each mend in turn.
use super::mend::{Mend, Tried, changed};
use crate::replay::block_number;
use crate::sanitizer::Sanitizer;
use crate::sanitizer::findings::finding::{Finding, Kind};
use crate::search::snapshot::Snapshot;
use machine::exec::executable::Executable;
use machine::exec::launch::{Request, Settings, run_chosen};
use machine::memory::{self, Memory};
use machine::probe::Place;
use machine::program::{Program, Site};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::mem::{Discriminant, discriminant};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Warp instructions of all trials of a launch, the ways that are tried, and the text that is lowered for each: a second.
const MOST_INSTRUCTIONS: u64 = 4_000_000;
const MOST_WAYS: u32 = 40;
const MOST_TEXT: usize = 256 << 10;
/// Bytes of memory that are put back before each trial, and that are kept for trials in all launches of a module.
const MOST_BYTES: u64 = 16 << 20;
const MOST_KEPT: u64 = 256 << 20;

/// The kind of a finding, its kernel, the function, and the instructions of both parties.
type Sites = (Discriminant<Kind>, [u32; 4]);

/// The outcomes of a module's trials by what races, which hold for its later launches; and the bytes that were kept.
#[derive(Default)]
pub struct Known {
    outcomes: Mutex<FxHashMap<Sites, Tried>>,
    kept: AtomicU64,
}

/// A launch on which mends are tried. Its memory is as the launch left it afterwards.
pub struct Trial<'t> {
    /// With the program that findings name, its PTX, and what makes another like it of another text.
    pub request: &'t Request<'t>,
    pub text: &'t str,
    pub lower: &'t dyn Fn(&str) -> Option<Executable>,
    pub known: &'t Known,
    /// The memory that it found; `None`: nothing is tried.
    pub before: Option<&'t Snapshot>,
    /// The memory that it left, once something was tried.
    pub after: Option<Snapshot>,
    /// Instructions and ways so far.
    pub spent: (u64, u32),
}

/// A finding: its kind, and its lines, or those of PTX.
type Key = (Discriminant<Kind>, BTreeSet<[u32; 2]>);
type Found = FxHashSet<Key>;

impl Trial<'_> {
    /// The memory of the device as a launch finds it, if it is small, and the launch is given none that the host sees meanwhile.
    pub fn memory_before(known: &Known, memory: &Memory, parameters: &[u8]) -> Option<Snapshot> {
        let words = parameters.chunks_exact(8).filter_map(|word| Some(u64::from_le_bytes(word.try_into().ok()?)));
        let is_own = !words.filter_map(|word| memory.find(word)).any(|allocation| is_seen(allocation.kind));
        let bytes = Snapshot::bytes_of(memory);
        let fits = bytes <= MOST_BYTES && known.kept.fetch_add(bytes, Ordering::Relaxed) + bytes <= MOST_KEPT;
        (is_own && fits).then(|| own(memory)).flatten()
    }

    /// Tries the mends of a finding, one after the other, until one helps.
    pub fn tried(&mut self, finding: &Finding, mends: &[Mend]) -> Tried {
        let at = finding.kind.at();
        let other = finding.kind.other().unwrap_or(at);
        let same = (discriminant(&finding.kind), [self.request.function.0, at.function, at.site, other.site]);
        let known = self.known.outcomes.lock().unwrap_or_else(PoisonError::into_inner).get(&same).cloned();
        known.unwrap_or_else(|| {
            let outcome = self.try_all(finding, mends);
            self.known.outcomes.lock().unwrap_or_else(PoisonError::into_inner).insert(same, outcome.clone());
            outcome
        })
    }

    fn try_all(&mut self, finding: &Finding, mends: &[Mend]) -> Tried {
        let repeats = self.text.len() <= MOST_TEXT
            && !["malloc", "cudaLaunchDevice"].iter().any(|&word| self.text.contains(word));
        if self.before.is_none() || !repeats || mends.iter().all(|mend| mend.ways.is_empty()) {
            return Tried::Not;
        }
        self.after = self.after.take().or_else(|| own(self.request.memory));
        let blocks = self.blocks(finding);
        let race = key(finding, self.request.program);
        // Without the race in the same blocks its absence says nothing.
        let Some(known) = self.found(self.request.program, blocks.as_deref()).filter(|known| known.contains(&race))
        else {
            return Tried::Not;
        };
        let mut in_vain = Vec::new();
        for (number, mend) in mends.iter().enumerate() {
            for way in &mend.ways {
                if self.spent.1 == MOST_WAYS || self.spent.0 >= MOST_INSTRUCTIONS {
                    return Tried::Not;
                }
                self.spent.1 += 1;
                let Some(program) = (self.lower)(&changed(self.text, way)) else { continue };
                let found = self.found(&program, blocks.as_deref());
                if let Some(found) = found.filter(|found| !found.contains(&race) && found.is_subset(&known)) {
                    return Tried::Helps { mend: number, silent: found.is_empty() };
                }
                if in_vain.last() != Some(&number) {
                    in_vain.push(number);
                }
            }
        }
        if in_vain.is_empty() { Tried::Not } else { Tried::InVain(in_vain) }
    }

    /// The blocks that race, where they do so alone; `None`: all are to be run.
    fn blocks(&self, finding: &Finding) -> Option<Vec<u64>> {
        let Request { program, function, grid, cluster, cooperative, .. } = *self.request;
        let together = cooperative || cluster.iter().product::<u32>() > 1;
        if together || program.functions[function.0 as usize].order_matters {
            return None;
        }
        let number = |at: &Place| block_number(at.block, grid);
        let all: BTreeSet<u64> =
            [Some(finding.kind.at()), finding.kind.other()].into_iter().flatten().map(number).collect();
        Some(all.into_iter().collect())
    }

    /// The findings of a run; `None`: it came to no end.
    fn found(&mut self, program: &Executable, blocks: Option<&[u64]>) -> Option<Found> {
        let memory = self.request.memory;
        self.before.zip(self.after.as_ref())?.0.put_back(memory).ok()?;
        let left = MOST_INSTRUCTIONS.saturating_sub(self.spent.0);
        let settings = Settings { threads: 1, ..self.request.settings.with_budget(left) };
        let request = Request { program, settings, ..*self.request };
        let outcome = run_chosen(&request, blocks, Some(Box::new(Sanitizer::new())), None);
        memory.wrote_to(None);
        self.spent.0 += outcome.warp_instructions;
        let sanitizer = outcome.probe?.concrete::<Sanitizer>()?;
        let ended = outcome.fault.is_none();
        ended.then(|| sanitizer.findings().map(|finding| key(finding, program)).collect())
    }
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        // A launch that has freed memory has none of these.
        let _ = self.after.as_ref().map(|after| after.put_back(self.request.memory));
    }
}

/// True of memory that the host may look at while a launch runs.
fn is_seen(kind: memory::Kind) -> bool {
    matches!(kind, memory::Kind::HostPinned | memory::Kind::HostRegistered | memory::Kind::Mapped)
}

fn own(memory: &Memory) -> Option<Snapshot> {
    Snapshot::of(memory, |kind| kind != memory::Kind::Constant && !is_seen(kind)).ok()
}

fn key(finding: &Finding, program: &Program) -> Key {
    let line = |at: &Place| -> Option<[u32; 2]> {
        let Site { at, .. } = program.functions.get(at.function as usize)?.sites.get(at.site as usize)?;
        Some(if at.line == 0 { [0, at.ptx_line] } else { [at.file, at.line] })
    };
    let parties = [Some(finding.kind.at()), finding.kind.other()].into_iter().flatten();
    (discriminant(&finding.kind), parties.filter_map(line).collect())
}
