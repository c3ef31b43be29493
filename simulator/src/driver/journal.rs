//! The journal: launches and findings, written as they happen into the folder that `LABS_SIM_JOURNAL` names, for a program
//! that outlives this one (`sim`). Nothing that ends a process, be it a signal or `_exit`, takes them along.
//!
//! One file per process, named by its id; one JSON object per line, with the key `launch` or `finding`.
use super::queue::{Patience, demand};
use super::records::LaunchRecord;
use super::state;
use crate::diagnostics::Diagnosis;
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Where the journal is written.
pub struct Journal {
    folder: PathBuf,
}

/// The process that started the driver. A child made by `fork` inherits its pending work, which is not the child's to do.
static OWNER: OnceLock<u32> = OnceLock::new();

impl Journal {
    /// The environment's wish. At the process's end the kernels that nothing waited for are run, so that they are in the
    /// journal.
    pub fn from_environment() -> Option<Journal> {
        let folder = std::env::var_os("LABS_SIM_JOURNAL").filter(|folder| !folder.is_empty())?;
        OWNER.get_or_init(std::process::id);
        // SAFETY: the function neither takes nor gives anything and keeps its panics to itself. Where it cannot be
        // registered, pending work stays undone, as without a journal.
        unsafe { libc::atexit(finish_pending) };
        Some(Journal { folder: folder.into() })
    }

    /// Adds a launch, without the counters of its lines.
    pub fn launch(&self, launch: &LaunchRecord) {
        let LaunchRecord { kernel, device, grid, block, dynamic_shared_bytes, span, bound_by, counters, .. } = launch;
        self.add(&json!({ "launch": {
            "kernel": kernel, "device": device, "grid": grid, "block": block,
            "dynamic_shared_bytes": dynamic_shared_bytes, "time_ns": span.end_ns - span.start_ns,
            "bound_by": bound_by, "counters": counters,
        } }));
    }

    /// Adds a finding.
    pub fn finding(&self, finding: &Diagnosis) {
        self.add(&json!({ "finding": finding }));
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

/// Runs the kernels that are pending, unless somebody else is at it: the process must end whatever state its threads are
/// in. Host functions are left alone, they would meet a program that is half gone.
extern "C" fn finish_pending() {
    let _ = std::panic::catch_unwind(|| {
        if OWNER.get() == Some(&std::process::id())
            && let Some(driver) = state::try_lock()
        {
            let pending = driver.pending_launches();
            let _ = demand(driver, &pending, Patience::Poll);
        }
    });
}
