//! Operations that nothing orders, and whether they touch the same memory: two streams, one buffer.
//!
//! An operation comes after what it waits for: its stream, events, the legacy default stream, nodes of its graph. What was done when
//! it was submitted was waited for by the host. All others that were pending then are beside it: a card may run them in any
//! order, or at once. Kept only under the sanitizer.
use crate::objects::graphs::{Answered, Fill, Seq, Transfer, Work};
use machine::exec::executable::Executable;
use machine::memory::{Allocation, Clash, Footprint, Touch};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use watch::diagnostics::{ALLOCATE, Diagnosis, Party, overlapped, unordered};
use watch::sanitizer::Touched;

/// Operations by what is beside them.
#[derive(Default)]
pub struct Unordered {
    /// Both ways, until both are done.
    beside: FxHashMap<Seq, Vec<Seq>>,
    done: FxHashMap<Seq, Done>,
    /// By launch: those before it that it may overlap until it has waited, the nearest first. They are among those beside it.
    overlapped: FxHashMap<Seq, Vec<Seq>>,
    /// Pending allocations in stream order, and by operation those that it does not come after.
    allocating: FxHashMap<Seq, Allocating>,
    not_after: FxHashMap<Seq, Vec<Allocating>>,
    /// Pairs that were told: two names, and the address where the memory begins.
    told: FxHashSet<(String, String, u64)>,
}

/// An allocation in stream order: its memory is there for what comes after it.
#[derive(Clone, Copy)]
pub struct Allocating {
    pub at: u64,
    pub bytes: u64,
    pub stream: u64,
}

/// An operation that was done.
pub struct Done {
    pub name: String,
    /// `None`: the host did it.
    pub stream: Option<u64>,
    pub touched: Touched,
    /// A kernel's program, for the lines of its accesses.
    pub program: Option<Arc<Executable>>,
}

impl Done {
    /// File and line of a site, by function and number; of the PTX where nothing else is known.
    fn line(&self, site: Option<(u32, u32)>) -> Option<(String, u32)> {
        let ((function, site), program) = (site?, self.program.as_ref()?);
        let at = program.functions.get(function as usize)?.sites.get(site as usize)?.at;
        match at.line {
            0 => Some(("PTX".into(), at.ptx_line)),
            line => Some((program.files.get(at.file as usize)?.clone(), line)),
        }
    }
}

/// Pending operations that a new one is compared with: the latest.
pub const MOST_BESIDE: usize = 1024;

impl Unordered {
    /// An operation was submitted beside others, and may overlap launches that it comes after.
    pub fn submitted(&mut self, seq: Seq, beside: Vec<Seq>, overlapped: Vec<Seq>) {
        let latest = beside[beside.len().saturating_sub(MOST_BESIDE)..].iter().copied();
        let (allocating, mut beside): (Vec<Seq>, Vec<Seq>) = latest.partition(|seq| self.allocating.contains_key(seq));
        if !allocating.is_empty() {
            self.not_after.insert(seq, allocating.iter().map(|seq| self.allocating[seq]).collect());
        }
        beside.extend(&overlapped);
        if !overlapped.is_empty() {
            self.overlapped.insert(seq, overlapped);
        }
        for other in &beside {
            self.beside.entry(*other).or_default().push(seq);
        }
        if !beside.is_empty() {
            self.beside.insert(seq, beside);
        }
    }

    /// An allocation in stream order was submitted.
    pub fn allocates(&mut self, seq: Seq, allocating: Allocating) {
        self.allocating.insert(seq, allocating);
    }

    /// True if there is anything beside an operation.
    pub fn has(&self, seq: Seq) -> bool {
        self.beside.contains_key(&seq) || self.not_after.contains_key(&seq)
    }

    /// An operation is over. One that touched nothing, or was not done, is forgotten.
    pub fn ended(&mut self, seq: Seq) {
        self.overlapped.remove(&seq);
        self.allocating.remove(&seq);
        self.not_after.remove(&seq);
        if self.done.contains_key(&seq) {
            return;
        }
        for other in self.beside.remove(&seq).unwrap_or_default() {
            self.unlink(other, seq);
        }
    }

    /// An operation was done: what is wrong with it and those beside it that were done before, each with the kernels among the two.
    /// `allocation` finds what lies at an address.
    pub fn done(
        &mut self,
        seq: Seq,
        done: Done,
        allocation: impl Fn(u64) -> Option<Allocation>,
    ) -> Vec<(Diagnosis, Vec<String>)> {
        let mut findings = Vec::new();
        let overlapped_by = self.overlapped.remove(&seq).unwrap_or_default();
        let may_overlap = self.that_let_go(&overlapped_by);
        for other in self.beside.get(&seq).cloned().unwrap_or_default() {
            let Some(before) = self.done.get(&other) else { continue };
            let (first, second) = if other < seq { (before, &done) } else { (&done, before) };
            let overlaps = overlapped_by.contains(&other);
            let after = match overlaps {
                true => second.touched.early.as_ref().filter(|_| may_overlap.contains(&other)),
                false => Some(&second.touched.all),
            };
            if let Some(after) = after
                && let Some(clash) = first.touched.all.clash(after)
                && let found = allocation(clash.address)
                && let start = found.as_ref().map_or(clash.address, |found| found.address)
                && self.told.insert((first.name.clone(), second.name.clone(), start))
            {
                let word = if overlaps { overlapped } else { unordered };
                findings.push(worded(word, [first, second], &clash, found.as_ref()));
            }
            self.unlink(other, seq);
            if let Some(own) = self.beside.get_mut(&seq) {
                own.retain(|&known| known != other);
            }
        }
        for Allocating { at, bytes, stream } in self.not_after.remove(&seq).unwrap_or_default() {
            let mut all = Footprint::default();
            all.add_range(at, bytes, Touch::Written);
            // A clash with the allocation is told once, and not again by each of its uses.
            if let Some(clash) = all.clash(&done.touched.all)
                && !self.told.iter().any(|(_, _, told)| *told == at)
                && self.told.insert((ALLOCATE.to_owned(), done.name.clone(), at))
            {
                let first =
                    Done { name: ALLOCATE.to_owned(), stream: Some(stream), touched: all.into(), program: None };
                findings.push(worded(unordered, [&first, &done], &clash, allocation(at).as_ref()));
            }
        }
        match self.beside.get(&seq) {
            Some(rest) if !rest.is_empty() => {
                self.done.insert(seq, done);
            }
            _ => {
                self.beside.remove(&seq);
            }
        }
        findings
    }

    /// Those of the launches before another, the nearest first, that may still run when it begins: a launch lets its dependents begin, and
    /// those before it too may run then if it had not waited for them.
    fn that_let_go(&self, launches: &[Seq]) -> Vec<Seq> {
        let mut running = Vec::new();
        for launch in launches {
            let Some(Done { touched, .. }) = self.done.get(launch).filter(|done| done.touched.lets_go) else { break };
            running.push(*launch);
            if !touched.lets_go_early {
                break;
            }
        }
        running
    }

    fn unlink(&mut self, of: Seq, seq: Seq) {
        let Some(list) = self.beside.get_mut(&of) else { return };
        list.retain(|&known| known != seq);
        if list.is_empty() {
            self.beside.remove(&of);
            self.done.remove(&of);
        }
    }
}

/// Two operations that clash, in words, and the kernels among them.
fn worded(
    word: impl Fn(&[Party; 2], u64, Option<&Allocation>) -> Diagnosis,
    parties: [&Done; 2],
    clash: &Clash,
    found: Option<&Allocation>,
) -> (Diagnosis, Vec<String>) {
    let kernels = parties.iter().filter(|done| done.program.is_some()).map(|done| done.name.clone()).collect();
    let party = |index: usize| Party {
        name: parties[index].name.clone(),
        stream: parties[index].stream,
        touch: clash.touches[index],
        is_kernel: parties[index].program.is_some(),
        line: parties[index].line(clash.sites[index]),
    };
    (word(&[party(0), party(1)], clash.address, found), kernels)
}

/// The memory that a copy, a fill or a write touches; `None`: a kernel, or nothing.
pub fn footprint_of(work: &Work) -> Option<Footprint> {
    let mut footprint = Footprint::default();
    match work {
        Work::Copy(transfer) => {
            for (from, to) in rows(transfer) {
                footprint.add_range(from, transfer.width as u64, Touch::Read);
                footprint.add_range(to, transfer.width as u64, Touch::Written);
            }
        }
        Work::Fill(Fill { at, element, count, height, pitch, .. }) => {
            for row in 0..*height {
                footprint.add_range(at + (row * pitch) as u64, (count * element) as u64, Touch::Written);
            }
        }
        Work::Write { at, bytes, .. } => footprint.add(*at, u64::from(*bytes), Touch::Strong, (0, 0)),
        Work::Answered(Answered { touched, .. }) => {
            touched.iter().for_each(|&(at, bytes, touch)| footprint.add_range(at, bytes, touch));
        }
        _ => return None,
    }
    Some(footprint)
}

/// The first bytes of a transfer's rows; one row where they lie side by side.
fn rows(t: &Transfer) -> Vec<(u64, u64)> {
    let rows = (0..t.depth).flat_map(|slice| (0..t.height).map(move |row| (slice, row)));
    let place = |start: u64, slice: usize, row: usize, slices: usize, pitch: usize| {
        start + (slice * slices + row * pitch) as u64
    };
    rows.map(|(slice, row)| {
        (place(t.from, slice, row, t.from_slice, t.from_pitch), place(t.to, slice, row, t.to_slice, t.to_pitch))
    })
    .collect()
}
