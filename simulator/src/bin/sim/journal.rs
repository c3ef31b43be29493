//! The journal that the driver kept, read back and added up.
use crate::search::Searched;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// The events in all processes of the command.
#[derive(Default)]
pub struct Journal {
    /// The device of the first launch.
    pub device: Option<String>,
    pub compute_capability: [u64; 2],
    /// The kernel and shape that took the longest first.
    pub kernels: Vec<Kernel>,
    /// Each text once, in the order in which they were found.
    pub findings: Vec<Finding>,
    /// Notes that are worth a word and no fault, likewise.
    pub notes: Vec<Map<String, Value>>,
    /// The bytes of the largest allocation of which kernels were given several places.
    pub in_parts: Option<u64>,
    /// The recording of a launch, of several the last one.
    pub replay: Option<Value>,
    /// The searches through the orders of kernels' warps.
    pub searches: Vec<Searched>,
    /// By the id of the process, each of which has a clock of its own.
    pub spans: BTreeMap<u32, Vec<Span>>,
}

/// Something that took time on the clock.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Span {
    /// `kernel`, `memcpy HtoD` and the like, or `api`.
    pub kind: String,
    /// The kernel's symbol or the function's name.
    pub name: String,
    pub stream: u64,
    pub start_ns: u64,
    pub end_ns: u64,
    pub bytes: u64,
}

/// All launches of one kernel with one shape.
#[derive(Debug, Default, Serialize)]
pub struct Kernel {
    /// The symbol.
    pub kernel: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared_bytes: u32,
    pub launches: u64,
    /// The time of all launches, by the model's clock.
    pub time_ns: u64,
    /// The bound of the longest launch.
    pub bound_by: String,
    /// Sums over the launches; shares are those of the sums.
    pub counters: Map<String, Value>,
    /// Its race freedom for all data, as the driver words it; of its launches the worst verdict. Known under the sanitizer.
    #[serde(skip)]
    pub race_freedom: Option<RaceFreedom>,
    /// The counters of the source lines of its first launch, where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Map<String, Value>>,
    /// The trials of that launch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials: Option<Vec<Map<String, Value>>>,
    #[serde(skip)]
    longest_ns: u64,
}

impl Kernel {
    /// Keeps the worse of two verdicts.
    fn judge(&mut self, race_freedom: Option<RaceFreedom>) {
        let badness = |of: &Option<RaceFreedom>| of.as_ref().and_then(RaceFreedom::badness);
        if badness(&race_freedom) > badness(&self.race_freedom) {
            self.race_freedom = race_freedom;
        }
    }
}

/// A finding of the sanitizer.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// In how many launches.
    pub times: u64,
    /// As the driver words it.
    #[serde(flatten)]
    pub diagnosis: Map<String, Value>,
}

/// The race freedom of a launch for all data.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RaceFreedom {
    pub verdict: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl RaceFreedom {
    fn badness(&self) -> Option<usize> {
        ["proved", "not decided", "refuted"].iter().position(|verdict| *verdict == self.verdict)
    }
}

/// A line of the journal.
#[derive(Deserialize)]
enum Entry {
    #[serde(rename = "launch")]
    Launch(Launch),
    #[serde(rename = "finding")]
    Finding(Map<String, Value>),
    #[serde(rename = "note")]
    Note(Map<String, Value>),
    #[serde(rename = "search")]
    Search(Searched),
    #[serde(rename = "replay")]
    Replay(Value),
    #[serde(rename = "span")]
    Span(Span),
    /// A kernel of which other work has overlapped a launch.
    #[serde(rename = "overlapped")]
    Overlapped { kernel: String, race_freedom: RaceFreedom },
    /// The bytes of an allocation of which kernels were given several places.
    #[serde(rename = "in_parts")]
    InParts(u64),
}

#[derive(Deserialize)]
struct Launch {
    kernel: String,
    device: String,
    compute_capability: [u64; 2],
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared_bytes: u32,
    time_ns: u64,
    bound_by: String,
    counters: Map<String, Value>,
    #[serde(default)]
    race_freedom: Option<RaceFreedom>,
    #[serde(default)]
    lines: Vec<Map<String, Value>>,
    #[serde(default)]
    trials: Option<Vec<Map<String, Value>>>,
}

/// Counters that are no sums, and the one that they are a share of: the mean weighted by it is the share of the sums.
const SHARES: &[(&str, &str)] = &[
    ("global_load_efficiency", "global_load_sectors"),
    ("global_store_efficiency", "global_store_sectors"),
    ("shared_efficiency", "shared_wavefronts"),
    ("branch_efficiency", "branches"),
    ("active_lanes_per_instruction", "instructions"),
    ("cgma", "global_accesses"),
];

/// Facts of a kernel and its shape, the same in every launch.
const FACTS: &[&str] = &["registers", "blocks_per_multiprocessor", "theoretical_occupancy"];

impl Journal {
    /// Reads what the processes left in a folder. A line that a dying process did not finish is left out.
    pub fn read(folder: &Path) -> std::io::Result<Journal> {
        let (mut journal, mut overlapped) = (Journal::default(), Vec::new());
        let mut files: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
        files.retain(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        files.sort_by_key(std::fs::DirEntry::file_name);
        for file in files {
            let process = file.file_name().to_string_lossy().parse().unwrap_or(0);
            let text = String::from_utf8_lossy(&std::fs::read(file.path())?).into_owned();
            for entry in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
                match entry {
                    Entry::Launch(launch) => journal.add_launch(launch),
                    Entry::Finding(diagnosis) => journal.add_finding(diagnosis),
                    Entry::Note(note) if !journal.notes.contains(&note) => journal.notes.push(note),
                    Entry::Note(_) => (),
                    Entry::Replay(recording) => journal.replay = Some(recording),
                    Entry::Search(searched) => journal.searches.push(searched),
                    Entry::Span(span) => journal.spans.entry(process).or_default().push(span),
                    Entry::InParts(bytes) => journal.in_parts = journal.in_parts.max(Some(bytes)),
                    Entry::Overlapped { kernel, race_freedom } => overlapped.push((kernel, race_freedom)),
                }
            }
        }
        for (kernel, race_freedom) in &overlapped {
            let launched = journal.kernels.iter_mut().filter(|known| known.kernel == *kernel);
            launched.for_each(|known| known.judge(Some(race_freedom.clone())));
        }
        journal.kernels.sort_by_key(|kernel| std::cmp::Reverse(kernel.time_ns));
        journal.spans.values_mut().for_each(|spans| spans.sort_by_key(|span| span.start_ns));
        Ok(journal)
    }

    /// All launches that ran to their end.
    pub fn launches(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.launches).sum()
    }

    fn add_launch(&mut self, launch: Launch) {
        let Launch { kernel, device, compute_capability, grid, block, dynamic_shared_bytes, time_ns, bound_by, .. } =
            launch;
        let Launch { counters, race_freedom, lines, trials, .. } = launch;
        if self.device.is_none() {
            (self.device, self.compute_capability) = (Some(device), compute_capability);
        }
        let is_same = |known: &Kernel| {
            (&known.kernel, known.grid, known.block, known.dynamic_shared_bytes)
                == (&kernel, grid, block, dynamic_shared_bytes)
        };
        let index = self.kernels.iter().position(is_same).unwrap_or_else(|| {
            self.kernels.push(Kernel { kernel, grid, block, dynamic_shared_bytes, ..Kernel::default() });
            self.kernels.len() - 1
        });
        let known = &mut self.kernels[index];
        known.launches += 1;
        known.time_ns += time_ns;
        known.judge(race_freedom);
        if known.lines.is_empty() {
            (known.lines, known.trials) = (lines, trials);
        }
        if time_ns >= known.longest_ns {
            (known.longest_ns, known.bound_by) = (time_ns, bound_by);
        }
        add_counters(&mut known.counters, &counters);
    }

    fn add_finding(&mut self, diagnosis: Map<String, Value>) {
        match self.findings.iter_mut().find(|known| known.diagnosis == diagnosis) {
            Some(known) => known.times += 1,
            None => self.findings.push(Finding { times: 1, diagnosis }),
        }
    }
}

/// A counter by name; the wavefronts of loads and stores have a sum of their own.
pub fn number(counters: &Map<String, Value>, key: &str) -> Option<f64> {
    if key == "shared_wavefronts" {
        return Some(number(counters, "shared_load_wavefronts")? + number(counters, "shared_store_wavefronts")?);
    }
    counters.get(key)?.as_f64()
}

fn add_counters(sum: &mut Map<String, Value>, launch: &Map<String, Value>) {
    let shares: Vec<(&str, f64)> = SHARES
        .iter()
        .filter_map(|(key, weight)| {
            let part = |counters| Some((number(counters, key)?, number(counters, weight)?));
            let parts = [part(&*sum), part(launch)].into_iter().flatten();
            let (total, weight) = parts.fold((0.0, 0.0), |(t, w), (share, weight)| (t + share * weight, w + weight));
            (weight > 0.0).then_some((*key, total / weight))
        })
        .collect();
    add(sum, launch);
    sum.extend(shares.into_iter().map(|(key, share)| (key.to_owned(), share.into())));
}

/// Adds number to number, and the members of objects likewise.
fn add(sum: &mut Map<String, Value>, launch: &Map<String, Value>) {
    for (key, value) in launch {
        if FACTS.contains(&key.as_str()) || SHARES.iter().any(|(share, _)| share == key) {
            sum.entry(key.clone()).or_insert_with(|| value.clone());
        } else if let Some(count) = value.as_u64() {
            let known = sum.get(key).and_then(Value::as_u64).unwrap_or(0);
            sum.insert(key.clone(), (known + count).into());
        } else if let Some(members) = value.as_object() {
            let known = sum.entry(key.clone()).or_insert_with(|| Map::new().into());
            known.as_object_mut().into_iter().for_each(|known| add(known, members));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn shares_are_those_of_the_sums() {
        let launch = |sectors: u64, efficiency: f64| {
            let counters = json!({ "global_load_sectors": sectors, "global_load_efficiency": efficiency, "registers": 32,
                "instructions_by_class": { "float": sectors } });
            counters.as_object().cloned().unwrap()
        };
        let mut sum = Map::new();
        add_counters(&mut sum, &launch(100, 100.0));
        add_counters(&mut sum, &launch(300, 20.0));
        assert_eq!(sum["global_load_sectors"], 400);
        assert_eq!(sum["global_load_efficiency"], 40.0);
        assert_eq!(sum["registers"], 32);
        assert_eq!(sum["instructions_by_class"]["float"], 400);
    }
}
