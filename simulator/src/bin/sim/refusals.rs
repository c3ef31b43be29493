//! Refusals of the driver while the command ran, and what its kernels hold that is not exact, read back.
use serde::Deserialize;
use simulator::driver::{Certificate, OfKernel};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

/// A line of a process's file.
#[derive(Deserialize)]
enum Entry {
    #[serde(rename = "refused")]
    Refused { number: u64, why: String, is_work: bool },
    #[serde(rename = "handled")]
    Handled(u64),
    #[serde(rename = "fault")]
    Fault { why: String },
    #[serde(rename = "relaunched")]
    Relaunched(String),
    #[serde(rename = "newer")]
    Newer(u32),
    /// Written by a test's tool.
    #[serde(rename = "expected")]
    Expected(String),
    /// Written by pytest's plugin, which tells of findings itself.
    #[serde(rename = "told")]
    Told(bool),
    /// Written by PyTorch's answers, and those of cuSOLVER and cuSPARSE: an operation, and how often.
    #[serde(rename = "answered")]
    Answered(String, u64),
    #[serde(rename = "kernel")]
    Kernel(OfKernel),
}

/// The variable that names the folder.
pub const FOLDER: &str = "LABS_SIM_REFUSALS";

/// True if a process started the driver, be it to ask for a card alone.
pub fn has_started(folder: &Path) -> bool {
    let is_word = |name: OsString| name.to_string_lossy().starts_with("nvrtc-");
    std::fs::read_dir(folder).is_ok_and(|files| files.flatten().any(|file| !is_word(file.file_name())))
}

/// True if a process asked the loader for NVRTC by its name, and none found it: the auditor's words (`fronts/audit`).
pub fn lacked_nvrtc(folder: &Path) -> bool {
    folder.join("nvrtc-asked").exists() && !folder.join("nvrtc-found").exists()
}

/// Tells the `sim` that this program runs under, if there is one, that no word about the absence of CUDA calls is due: they were made under another
/// `sim`, or nvcc was called, which makes none.
pub fn note_other_work() {
    if let Some(folder) = std::env::var_os(FOLDER).filter(|folder| !folder.is_empty()) {
        // Where the folder is gone, so is its reader.
        let _ = std::fs::write(Path::new(&folder).join(format!("other-{}", std::process::id())), "");
    }
}

/// Reads what the processes left in a folder, each text once. A line that a dying process did not finish is left out.
pub fn read(folder: &Path) -> std::io::Result<Certificate> {
    let mut all = Certificate::default();
    let mut files: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    for file in files {
        let text = String::from_utf8_lossy(&std::fs::read(file.path())?).into_owned();
        let mut of_process = BTreeMap::new();
        let mut faults = Vec::new();
        for entry in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            match entry {
                Entry::Fault { why } => faults.push(why),
                Entry::Relaunched(why) => faults.retain(|known| *known != why),
                Entry::Expected(why) => all.expected_faults.push(why),
                Entry::Newer(target) => all.newer.push(target),
                Entry::Told(told) => all.told |= told,
                Entry::Answered(name, times) => *all.answered.entry(name).or_default() += times,
                Entry::Kernel(of) => all.add(of),
                Entry::Refused { number, why, is_work } => drop(of_process.insert(number, (why, is_work))),
                Entry::Handled(number) => {
                    of_process.entry(number).and_modify(|(_, is_work): &mut (String, bool)| *is_work = false);
                }
            }
        }
        faults.retain(|why| !all.faults.contains(why));
        all.faults.extend(faults);
        for (why, is_work) in of_process.into_values() {
            let list = if is_work { &mut all.refused } else { &mut all.asked_in_vain };
            if !list.contains(&why) {
                list.push(why);
            }
        }
    }
    all.faults.retain(|why| !all.expected_faults.contains(why));
    Ok(all)
}
