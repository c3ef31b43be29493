//! What the driver refused while the command ran, read back.
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Refusals of all processes of the command, each text once.
#[derive(Default)]
pub struct Refusals {
    /// Work that was refused: what depends on it was not computed.
    pub work: Vec<String>,
    /// Questions and hints that were refused, and images in whose place the program found others.
    pub harmless: Vec<String>,
}

/// A line of a process's file.
#[derive(Deserialize)]
enum Entry {
    #[serde(rename = "refused")]
    Refused { number: u64, why: String, is_work: bool },
    #[serde(rename = "handled")]
    Handled(u64),
}

impl Refusals {
    /// Reads what the processes left in a folder. A line that a dying process did not finish is left out.
    pub fn read(folder: &Path) -> std::io::Result<Refusals> {
        let mut all = Refusals::default();
        let mut files: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
        files.sort_by_key(std::fs::DirEntry::file_name);
        for file in files {
            let text = String::from_utf8_lossy(&std::fs::read(file.path())?).into_owned();
            let mut of_process = BTreeMap::new();
            for entry in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
                match entry {
                    Entry::Refused { number, why, is_work } => drop(of_process.insert(number, (why, is_work))),
                    Entry::Handled(number) => {
                        of_process.entry(number).and_modify(|(_, is_work): &mut (String, bool)| *is_work = false);
                    }
                }
            }
            for (why, is_work) in of_process.into_values() {
                let list = if is_work { &mut all.work } else { &mut all.harmless };
                if !list.contains(&why) {
                    list.push(why);
                }
            }
        }
        Ok(all)
    }
}
