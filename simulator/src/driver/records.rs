//! What happened, for those who ask through the bridge: launches, findings, and spans of the virtual clock.
use super::journal::Journal;
use crate::diagnostics::Diagnosis;
use crate::timeline::Span;
use serde::Serialize;
use std::sync::Mutex;

/// One span on the virtual clock.
#[derive(Clone, Debug, Serialize)]
pub struct Activity {
    pub kind: &'static str,
    pub name: String,
    pub stream: u64,
    #[serde(flatten)]
    pub span: Span,
    pub bytes: u64,
}

/// One finished launch.
#[derive(Clone, Debug, Serialize)]
pub struct LaunchRecord {
    pub kernel: String,
    /// The card's name.
    pub device: &'static str,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared_bytes: u32,
    pub stream: u64,
    #[serde(flatten)]
    pub span: Span,
    pub bound_by: String,
    pub counters: serde_json::Value,
    pub lines: serde_json::Value,
}

/// What was recorded since the last take.
#[derive(Default)]
pub struct Records {
    pub journal: Option<Journal>,
    pub trace: bool,
    /// Kernels that were run so far.
    pub launches_run: u64,
    pub launches: Vec<LaunchRecord>,
    pub findings: Vec<Diagnosis>,
    pub activities: Vec<Activity>,
}

/// Records that nobody takes are dropped from here on, oldest first.
const KEPT: usize = 1 << 20;

impl Records {
    /// Adds a span, where traces are on.
    pub fn activity(&mut self, activity: Activity) {
        if self.trace {
            if self.activities.len() >= KEPT {
                self.activities.drain(..KEPT / 2);
            }
            self.activities.push(activity);
        }
    }
    /// Adds a finding.
    pub fn finding(&mut self, finding: Diagnosis) {
        if let Some(journal) = &self.journal {
            journal.finding(&finding);
        }
        if self.findings.len() < KEPT {
            self.findings.push(finding);
        }
    }
    /// Adds a launch.
    pub fn launch(&mut self, launch: LaunchRecord) {
        if let Some(journal) = &self.journal {
            journal.launch(&launch);
        }
        if self.launches.len() >= KEPT {
            self.launches.drain(..KEPT / 2);
        }
        self.launches.push(launch);
    }
}

/// API calls have a log of their own: the surface adds to it without the driver's lock.
static CALLS: Mutex<Vec<Activity>> = Mutex::new(Vec::new());

/// A call that took virtual time.
pub fn api(name: &'static str, start_ns: u64, end_ns: u64) {
    let mut calls = CALLS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if calls.len() >= KEPT {
        calls.drain(..KEPT / 2);
    }
    calls.push(Activity { kind: "api", name: name.to_owned(), stream: 0, span: Span { start_ns, end_ns }, bytes: 0 });
}

/// All spans since the last call, in the order of their start.
pub fn take_activities(records: &mut Records) -> Vec<Activity> {
    let mut all = std::mem::take(&mut records.activities);
    all.append(&mut CALLS.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
    all.sort_by_key(|activity| activity.span.start_ns);
    all
}
