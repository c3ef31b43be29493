//! Records for those who ask through the bridge: launches, findings, and spans of the virtual clock.
//!
//! Each launch has a record of its own only where somebody asked for that; else it is added to those of its kernel and
//! shape. All records together have a limit in bytes, and what was dropped is counted.
use super::certificate::Certificate;
use super::journal::{self, Activity, Journal};
use super::launches::{LaunchConfiguration, LaunchRecord, or_empty};
use clock::streams::span::Span;
use machine::exec::executable::Executable;
use machine::memory::Memory;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use watch::counters::Counters;
use watch::counters::totals::{Line, Totals};
use watch::diagnostics::{Diagnosis, RaceFreedom};

/// All launches of one kernel in one shape.
struct Aggregate {
    launches: u64,
    time_ns: u64,
    longest_ns: u64,
    /// The longest launch's.
    bound_by: &'static str,
    /// The sum over the launches that were counted: one that repeats another is not.
    counters: Option<Counters>,
    counted: u64,
    /// Also keeps the address apart from those of later programs.
    program: Arc<Executable>,
}

/// As the bridge tells it.
#[derive(Debug, Serialize)]
pub struct Kernel {
    kernel: String,
    #[serde(flatten)]
    shape: LaunchConfiguration,
    launches: u64,
    time_ns: u64,
    bound_by: &'static str,
    /// The sum over the launches that were counted.
    #[serde(serialize_with = "or_empty")]
    counters: Option<Totals>,
    counted: u64,
    lines: Vec<Line>,
}

/// How many records were dropped, because nobody took them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Dropped {
    pub launches: u64,
    pub findings: u64,
    pub activities: u64,
}

/// Bytes that records of launches, and activities, may take each; findings and kernels are counted instead.
const CAPACITY_BYTES: usize = 256 << 20;
const MOST_FINDINGS: usize = 1 << 16;
const MOST_KERNELS: usize = 1 << 12;
/// Activities are of one size, but for a name's few bytes.
const MOST_ACTIVITIES: usize = CAPACITY_BYTES / (size_of::<Activity>() + 32);

/// Records since the last take.
#[derive(Default)]
pub struct Records {
    pub journal: Option<Journal>,
    /// True if each launch has a record of its own.
    pub each_launch: bool,
    /// True if spans of the clock are kept.
    pub trace: bool,
    /// True if a finding is told on standard error at once: under `sim`, where no journal tells of it at the end.
    pub tells: bool,
    /// Instructions in the kernels so far that a card computes otherwise.
    pub certificate: Certificate,
    /// Kernels that were run so far.
    pub launches_run: u64,
    launches: VecDeque<LaunchRecord>,
    launch_bytes: usize,
    kernels: FxHashMap<(usize, LaunchConfiguration), Aggregate>,
    findings: Vec<Diagnosis>,
    activities: VecDeque<Activity>,
    dropped: Dropped,
    /// Kernels of which work that nothing orders has overlapped a launch: what is proved of launches alone says nothing there.
    overlapped: FxHashSet<String>,
    /// By the serial number of an allocation the first address in it that a kernel was given, 0 once another was.
    given: FxHashMap<u64, u64>,
}

impl Records {
    /// Nothing yet; the journal gets what is added.
    pub fn new(journal: Option<Journal>) -> Records {
        Records { journal, ..Records::default() }
    }

    /// Adds a span, where traces are on.
    pub fn activity(&mut self, activity: Activity) {
        if self.trace {
            journal::span(&activity);
            push(&mut self.activities, activity, &mut self.dropped.activities);
        }
    }

    /// Adds a finding.
    pub fn finding(&mut self, finding: Diagnosis) {
        if let Some(journal) = &self.journal {
            journal.finding(&finding);
        } else if self.tells && !self.findings.contains(&finding) {
            eprintln!("{}\n", finding.message);
        }
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(finding);
        } else {
            self.dropped.findings += 1;
        }
    }

    /// Adds a launch with a record of its own.
    pub fn launch(&mut self, launch: LaunchRecord) {
        if let Some(journal) = &mut self.journal {
            journal.launch(&launch);
        }
        self.launch_bytes += launch.bytes();
        self.launches.push_back(launch);
        while self.launch_bytes > CAPACITY_BYTES {
            let Some(oldest) = self.launches.pop_front() else { break };
            self.launch_bytes -= oldest.bytes();
            self.dropped.launches += 1;
        }
    }

    /// Adds a launch to those of its kernel and shape.
    pub fn add(
        &mut self,
        shape: LaunchConfiguration,
        span: Span,
        bound_by: &'static str,
        program: Arc<Executable>,
        counters: Option<Counters>,
    ) {
        let time_ns = span.end_ns - span.start_ns;
        let counted = u64::from(counters.is_some());
        let key = (Arc::as_ptr(&program) as usize, shape);
        if let Some(known) = self.kernels.get_mut(&key) {
            known.launches += 1;
            known.time_ns += time_ns;
            known.counted += counted;
            if time_ns > known.longest_ns {
                (known.longest_ns, known.bound_by) = (time_ns, bound_by);
            }
            if let (Some(known), Some(counters)) = (&mut known.counters, &counters) {
                known.add(counters);
            }
        } else if self.kernels.len() < MOST_KERNELS {
            let first = Aggregate { launches: 1, time_ns, longest_ns: time_ns, bound_by, counters, counted, program };
            self.kernels.insert(key, first);
        } else {
            self.dropped.launches += 1;
        }
    }

    /// Work that nothing orders has overlapped a launch of a kernel, and clashes with it.
    pub fn overlapped(&mut self, kernel: String) {
        if self.journal.is_some() {
            journal::overlapped(&kernel);
        }
        self.overlapped.insert(kernel);
    }

    /// Notes the allocations into which a kernel's arguments point, for the journal: one of several places is a pool, or has parts.
    pub fn given(&mut self, arguments: &[u8], memory: &Memory) {
        let words = arguments.chunks_exact(8).filter_map(|word| Some(u64::from_le_bytes(word.try_into().ok()?)));
        for (word, allocation) in words.filter_map(|word| Some((word, memory.find(word)?))) {
            let first = self.given.entry(allocation.serial).or_insert(word);
            if *first != word && *first != 0 {
                *first = 0;
                journal::in_parts(allocation.bytes);
            }
        }
    }

    /// Launches that have a record of their own.
    pub fn take_launches(&mut self) -> VecDeque<LaunchRecord> {
        self.launch_bytes = 0;
        let mut launches = std::mem::take(&mut self.launches);
        let overlapped = launches.iter_mut().filter(|launch| self.overlapped.contains(&launch.kernel));
        overlapped.filter_map(|launch| launch.race_freedom.as_mut()).for_each(RaceFreedom::overlapped);
        launches
    }

    /// Kernels with all their other launches, those that took the longest first.
    pub fn take_kernels(&mut self) -> Vec<Kernel> {
        let mut kernels: Vec<Kernel> = std::mem::take(&mut self.kernels)
            .into_iter()
            .map(|((_, shape), all)| {
                let report = all.counters.map(|counters| counters.report(&all.program));
                let (counters, lines) = report.map_or((None, Vec::new()), |report| (Some(report.totals), report.lines));
                let kernel = all.program.functions[shape.index].name.clone();
                let Aggregate { launches, time_ns, bound_by, counted, .. } = all;
                Kernel { kernel, shape, launches, time_ns, bound_by, counters, counted, lines }
            })
            .collect();
        kernels.sort_by(|a, b| b.time_ns.cmp(&a.time_ns).then_with(|| a.kernel.cmp(&b.kernel)));
        kernels
    }

    pub fn take_findings(&mut self) -> Vec<Diagnosis> {
        std::mem::take(&mut self.findings)
    }

    /// All spans since the last call, in the order of their start.
    pub fn take_activities(&mut self) -> Vec<Activity> {
        let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Activity> = std::mem::take(&mut self.activities).into();
        all.extend(std::mem::take(&mut calls.0));
        self.dropped.activities += std::mem::take(&mut calls.1);
        all.sort_by_key(|activity| activity.span.start_ns);
        all
    }

    /// Records that the limits have cost since the last call.
    pub fn take_dropped(&mut self) -> Dropped {
        std::mem::take(&mut self.dropped)
    }
}

fn push(activities: &mut VecDeque<Activity>, activity: Activity, dropped: &mut u64) {
    if activities.len() >= MOST_ACTIVITIES {
        activities.pop_front();
        *dropped += 1;
    }
    activities.push_back(activity);
}

/// API calls have a log of their own, with the number of those dropped: the surface adds to it without the driver's lock.
static CALLS: Mutex<(VecDeque<Activity>, u64)> = Mutex::new((VecDeque::new(), 0));
static TRACE_CALLS: AtomicBool = AtomicBool::new(false);

/// True if calls are kept.
pub fn trace_calls(on: bool) {
    TRACE_CALLS.store(on, Ordering::Relaxed);
}

/// A call that took virtual time.
pub fn api(name: &'static str, start_ns: u64, end_ns: u64) {
    if TRACE_CALLS.load(Ordering::Relaxed) {
        let span = Span { start_ns, end_ns };
        let call = Activity { kind: "api", name: name.to_owned(), stream: 0, span, bytes: 0 };
        journal::span(&call);
        let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
        let (calls, dropped) = &mut *calls;
        push(calls, call, dropped);
    }
}
