//! The journal: launches and findings, written as they happen into the folder that `LABS_SIM_JOURNAL` names, for a program
//! that outlives this one (`sim`). Nothing that ends a process, be it a signal or `_exit`, takes them along.
//!
//! One file per process, named by its id; one JSON object per line, with the key `launch`, `finding` or `note`.
use crate::state::launches::LaunchRecord;
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::sync::OnceLock;
use watch::diagnostics::Diagnosis;

/// Where the journal is written.
pub struct Journal {
    folder: PathBuf,
}

/// The process that started the driver. A child made by `fork` inherits its pending work, which is not the child's to do.
static OWNER: OnceLock<u32> = OnceLock::new();

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
        Some(Journal { folder: folder.into() })
    }

    /// Adds a launch, without the counters of its lines.
    pub fn launch(&self, launch: &LaunchRecord) {
        let LaunchRecord { kernel, shape, span, bound_by, counters, .. } = launch;
        let mut entry = json!({
            "kernel": kernel, "time_ns": span.end_ns - span.start_ns, "bound_by": bound_by, "counters": {},
        });
        if let (Value::Object(entry), Ok(Value::Object(shape))) = (&mut entry, serde_json::to_value(shape)) {
            entry.extend(shape);
            if let Some(counters) = counters.as_ref().and_then(|counters| serde_json::to_value(counters).ok()) {
                entry.insert("counters".into(), counters);
            }
        }
        self.add(&json!({ "launch": entry }));
    }

    /// Adds a finding.
    pub fn finding(&self, finding: &Diagnosis) {
        self.add(&json!({ "finding": finding }));
    }

    /// Adds what is worth a word and no fault.
    pub fn note(&self, note: &Diagnosis) {
        self.add(&json!({ "note": note }));
    }

    fn add(&self, entry: &Value) {
        let path = self.folder.join(std::process::id().to_string());
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
}
