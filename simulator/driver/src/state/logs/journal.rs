//! The journal: launches and findings, written as they happen into the folder that `LABS_SIM_JOURNAL` names, for a program
//! that outlives this one (`sim`). Nothing that ends a process, be it a signal or `_exit`, takes them along.
//!
//! One file per process, named by its id; one JSON object per line, with the key `launch`, `finding`, `note`, `search`, `replay`, `span`, `overlapped` or `in_parts`.
use super::launches::{LaunchConfiguration, LaunchRecord};
use clock::streams::span::Span;
use rustc_hash::FxHashSet;
use serde::Serialize;
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::sync::OnceLock;
use watch::diagnostics::{Diagnosis, RaceFreedom};

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

/// The facts that the journal needs to know of its entries so far.
pub struct Journal {
    /// True if `LABS_SIM_LINES` asks for the counters of source lines, and the kernels and shapes that have theirs in the journal: those of
    /// every launch would be gigabytes.
    lines: bool,
    with_lines: FxHashSet<(String, LaunchConfiguration)>,
}

/// The process that started the driver. A child made by `fork` inherits its pending work, which is not the child's to do.
static OWNER: OnceLock<u32> = OnceLock::new();

/// Where the journal is written, where one is kept.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// True if this process started the driver that keeps the journal.
pub fn is_owner() -> bool {
    OWNER.get() == Some(&std::process::id())
}

impl Journal {
    /// The environment's request. At the process's end the kernels that nothing waited for are run, so that they are in the
    /// journal.
    pub fn from_environment() -> Option<Journal> {
        let folder = std::env::var_os("LABS_SIM_JOURNAL").filter(|folder| !folder.is_empty())?;
        OWNER.get_or_init(std::process::id);
        let lines = std::env::var_os("LABS_SIM_LINES").is_some_and(|value| value == "1");
        FOLDER.get_or_init(|| folder.into());
        Some(Journal { lines, with_lines: FxHashSet::default() })
    }

    /// Adds a launch; the first of its kernel and shape with the counters of its lines, where they are asked for.
    pub fn launch(&mut self, launch: &LaunchRecord) {
        let LaunchRecord { kernel, shape, span, bound_by, counters, lines, trials, race_freedom, .. } = launch;
        let mut entry = json!({
            "kernel": kernel, "time_ns": span.end_ns - span.start_ns, "bound_by": bound_by, "counters": {},
            "compute_capability": shape.compute_capability,
        });
        let of_shape = *shape;
        if let (Value::Object(entry), Ok(Value::Object(shape))) = (&mut entry, serde_json::to_value(shape)) {
            entry.extend(shape);
            if let Some(counters) = counters.as_ref().and_then(|counters| serde_json::to_value(counters).ok()) {
                entry.insert("counters".into(), counters);
            }
            if let Some(race_freedom) = race_freedom {
                entry.insert("race_freedom".into(), json!(race_freedom));
            }
            if self.lines && !lines.is_empty() && self.with_lines.insert((kernel.clone(), of_shape)) {
                entry.insert("lines".into(), json!(lines));
                entry.insert("trials".into(), json!(trials));
            }
        }
        add(&json!({ "launch": entry }));
    }

    /// Adds a finding.
    pub fn finding(&self, finding: &Diagnosis) {
        add(&json!({ "finding": finding }));
    }

    /// Adds what is worth a word and no fault.
    pub fn note(&self, note: &Diagnosis) {
        add(&json!({ "note": note }));
    }
}

/// Adds a kernel of which work that nothing orders has overlapped a launch, with what becomes of a proof of its launches.
pub fn overlapped(kernel: &str) {
    let mut race_freedom = RaceFreedom { verdict: "proved", reason: None };
    race_freedom.overlapped();
    add(&json!({ "overlapped": { "kernel": kernel, "race_freedom": race_freedom } }));
}

/// Adds an allocation, by its bytes, of which kernels were given several places.
pub fn in_parts(bytes: u64) {
    add(&json!({ "in_parts": bytes }));
}

/// Adds the recording of a launch; it stands in the place of earlier ones.
pub fn replay(recording: &Value) {
    add(&json!({ "replay": recording }));
}

/// Adds the search through a kernel's orders.
pub fn searched(searched: &impl Serialize) {
    add(&json!({ "search": searched }));
}

/// Adds a span of the clock, where `LABS_SIM_TRACE` asks for them.
pub fn span(span: &Activity) {
    static ASKED: OnceLock<bool> = OnceLock::new();
    if *ASKED.get_or_init(|| std::env::var_os("LABS_SIM_TRACE").is_some_and(|value| value == "1")) {
        add(&json!({ "span": span }));
    }
}

fn add(entry: &Value) {
    let Some(folder) = FOLDER.get() else { return };
    let path = folder.join(std::process::id().to_string());
    // Opened each time: a program may close all files, or fork.
    let written = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(format!("{entry}\n").as_bytes()));
    if let Err(error) = written {
        static SAID: OnceLock<()> = OnceLock::new();
        SAID.get_or_init(|| eprintln!("[simulator] LABS_SIM_JOURNAL: {}: {error}", path.display()));
    }
}
