//! The result of a lab's run as data. Tables, JSON, CSV and plots are renderings of it; `docs/json.md` documents its keys.

use super::alike::grouped;
use super::figures::{BOUND_BY, Figure, HOST_BOUND};
use super::note::{Next, Note, next_as_text};
use crate::ceiling::Roof;
use crate::check::{Check, Mismatch, or_nan};
use crate::element::Dtype;
use crate::error::Verdict;
use crate::kernel_text::KernelText;
use crate::observations::{DeviceFacts, Finding, Observations, RaceFreedom, Sampled};
use crate::shape::Shape;
use crate::statistics::Statistics;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;
use views::trace::Process;

/// One run of a lab.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Where it ran.
    pub device: DeviceFacts,
    /// The lab's name: "gemm".
    pub lab: &'static str,
    /// The seed that all random inputs follow from.
    pub seed: u64,
    /// The work that `rows[].time_ms` is the time of: "kernel", or "batch".
    pub timed: &'static str,
    /// The limits of every kernel of the card; `None` where nobody asked it.
    pub roof: Option<Roof>,
    /// One per variant and set of parameters, in the order of measurement.
    pub rows: Vec<Row>,
    /// The runs whose rows a table has side by side, in place of rows of its own: of several cards, or with `--against`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<Side>,
    /// Variants against each other.
    pub comparisons: Vec<Comparison>,
    /// The activities and their times, batch by batch, where a page will draw them: `title`, `elapsed_ms` and `spans`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub timelines: Vec<Value>,
    /// With `--trace`: what ran when, problem by problem or batch by batch.
    #[serde(skip)]
    pub traces: Vec<Process>,
    /// With `--assignment`: the source document's experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment: Option<Experiment>,
    /// Other tables of the lab, `--activities` among them.
    pub tables: Vec<Table>,
    /// Titles of those tables that a flag asked for by itself.
    #[serde(skip)]
    pub asked: Vec<String>,
    /// Files that the lab has written, and what each is.
    #[serde(skip)]
    pub written: Vec<(PathBuf, &'static str)>,
    /// The kernels' texts that were run.
    pub kernels: Vec<KernelText>,
    /// Which instructions were exact, approximate or ignored, and what was refused; null on a GPU.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub fidelity: Value,
    /// Facts that the reader has to know to read the figures: what was left out, and why.
    pub notes: Vec<Note>,
    /// The one thing to try next.
    #[serde(serialize_with = "next_as_text")]
    pub next: Option<Next>,
}

/// A run of a lab, as its JSON document has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Side {
    /// Its name among the others: its device as `--device` takes it, or the name of its file.
    #[serde(default)]
    pub label: String,
    /// The lab's name.
    pub lab: String,
    /// Where it ran.
    pub device: DeviceFacts,
    /// The seed of its inputs.
    pub seed: u64,
    /// The work that times are of.
    pub timed: String,
    /// The limits of its card.
    pub roof: Option<Roof>,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Its notes.
    pub notes: Vec<String>,
}

/// One variant with one set of parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The rung's name.
    pub variant: String,
    /// As `--size` takes it.
    pub size: Shape,
    /// Threads of a block, "32x32"; empty where a library chooses.
    pub block: String,
    /// Kind of host memory, as `--host-memory` takes it.
    pub host_memory: String,
    /// Element type.
    pub dtype: Dtype,
    /// Every check passed.
    pub correct: bool,
    /// Largest |got − want| over the largest |want|; null where an element is not finite.
    #[serde(deserialize_with = "or_nan")]
    pub max_relative_error: f64,
    /// The first wrong element; null where all are right.
    pub mismatch: Option<Mismatch>,
    /// With `--sample`: which part of the blocks was run; absent where all were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Share>,
    /// With `--sample`: why all blocks were run, where they could not stand for each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_sampled: Option<String>,
    /// Time of the kernel, in milliseconds.
    pub time_ms: Statistics,
    /// The times that `time_ms` is of, in the order of the runs, and those of other conditions by their names.
    #[serde(skip)]
    pub samples_ms: Vec<(&'static str, Vec<f64>)>,
    /// Mean time of each phase, in milliseconds, and their sum as `total`.
    pub phases_ms: Map<String, Value>,
    /// 10⁹ floating-point operations per second of kernel time.
    pub gflops: Option<f64>,
    /// 10⁹ bytes per second of kernel time, of the bytes that the problem has to move.
    pub gbytes_per_s: Option<f64>,
    /// Counters of one launch by name; empty where the device does not count.
    pub counters: Map<String, Value>,
    /// Counters of every launch that was observed, in their order: where a kernel is launched several times, none of them goes unseen.
    #[serde(skip)]
    pub launches: Vec<Map<String, Value>>,
    /// Counters by source line, for `--lines`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Map<String, Value>>,
    /// The gains of taking causes of its time away: with `--explain`, `--lines` and `--html`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials: Option<Vec<Map<String, Value>>>,
    /// The race freedom of its launches for all data, the worst of them: with `--sanitize`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub race_freedom: Option<RaceFreedom>,
    /// Findings of the sanitizer.
    pub findings: Vec<Finding>,
    /// Figures of this lab only, under keys of its own.
    #[serde(flatten)]
    pub figures: Map<String, Value>,
}

/// The part of a grid's blocks that was run. Counters and times are extrapolated from it, and its elements are those that were checked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Blocks that were run.
    pub blocks: u64,
    /// Blocks of the grid.
    pub of: u64,
    /// The first as a share of the second.
    pub percent: f64,
}

/// One set of rows against another, as gains in %: a positive number is always a gain.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Comparison {
    /// Say "pinned over pageable".
    pub title: String,
    /// A fact that a reader has to know of the two sides, "of C alone"; may be empty.
    #[serde(skip)]
    pub remark: String,
    /// The subject of each gain: a phase, or "GFLOP/s".
    pub columns: Vec<String>,
    /// The meaning of each part of a row's label: "variant", "block".
    pub labels: Vec<String>,
    /// Parts of the label, or "size", that the gains hardly depend on: a table gathers them into one line.
    #[serde(skip)]
    pub spread: Vec<String>,
    /// One per pair of rows.
    pub rows: Vec<ComparisonRow>,
}

impl Comparison {
    /// The kernel times of rows against those of others: `baseline` finds the row that one is compared with, `label` names the pair.
    pub fn of_times<'r>(
        title: &str,
        labels: &[&str],
        rows: &'r [Row],
        baseline: impl Fn(&'r Row) -> Option<&'r Row>,
        label: impl Fn(&Row) -> Vec<String>,
    ) -> Option<Self> {
        let pair = |row: &'r Row| {
            let gain = gain_of_time(baseline(row)?.time_ms.median, row.time_ms.median);
            Some(ComparisonRow { label: label(row), size: row.size.clone(), gain_percent: vec![gain] })
        };
        let rows: Vec<ComparisonRow> = rows.iter().filter_map(pair).collect();
        (!rows.is_empty()).then(|| Comparison {
            title: title.to_owned(),
            columns: vec!["kernel time".to_owned()],
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            rows,
            ..Comparison::default()
        })
    }
}

/// One pair.
#[derive(Clone, Debug, Serialize)]
pub struct ComparisonRow {
    /// Properties that the two have in common besides the size: variant, block.
    pub label: Vec<String>,
    /// The size of both.
    pub size: Shape,
    /// One gain per column, in %; null where the baseline is 0 or has no such figure.
    pub gain_percent: Vec<Option<f64>>,
}

/// Any other table: words and numbers by column.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// The subject of the table.
    pub title: String,
    /// Names, with units.
    pub columns: Vec<String>,
    /// Cells by row.
    pub rows: Vec<Vec<Value>>,
}

/// The results of a run of an experiment, in the document's own tables.
#[derive(Clone, Debug, Serialize)]
pub struct Experiment {
    /// As `--assignment` takes it.
    pub document: &'static str,
    /// The experiment in a line.
    pub title: &'static str,
    /// The document's tables, what was published below what was run here.
    pub tables: Vec<Table>,
    /// Each figure that stands above a published one, where the document's card ran it.
    pub compared: Vec<Compared>,
    /// How many of them are printed already, and the head before them.
    #[serde(skip)]
    pub shown: usize,
    /// Facts that a reader has to know of them.
    pub notes: Vec<String>,
}

/// A figure of an experiment's tables that stands above a published one.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    /// The title of its table.
    pub table: String,
    /// The label of its line.
    pub line: String,
    /// The heading of its column.
    pub column: String,
    /// The document's figure.
    pub published: f64,
    /// The figure here.
    pub own: f64,
    /// True if they differ by no more than a tenth.
    pub near: bool,
    /// Why they differ by more, where that is known.
    pub reason: Option<&'static str>,
}

impl Report {
    /// An empty report on a device.
    pub fn new(device: DeviceFacts, lab: &'static str, seed: u64) -> Self {
        Report {
            device,
            lab,
            seed,
            timed: "kernel",
            roof: None,
            rows: Vec::new(),
            runs: Vec::new(),
            comparisons: Vec::new(),
            timelines: Vec::new(),
            traces: Vec::new(),
            experiment: None,
            tables: Vec::new(),
            asked: Vec::new(),
            written: Vec::new(),
            kernels: Vec::new(),
            fidelity: Value::Null,
            notes: Vec::new(),
            next: None,
        }
    }

    /// Adds a table that a flag asked for by itself.
    pub fn add_asked(&mut self, table: Table) {
        self.asked.push(table.title.clone());
        self.tables.push(table);
    }

    /// Takes over what another run of the same lab has, each note once, comparisons of one kind as one; the first thing to try is still that of the first run in
    /// which something was wrong.
    pub fn append(&mut self, other: Report) {
        if self.verdict() == Verdict::Passed {
            self.next = other.next;
        }
        self.rows.extend(other.rows);
        for comparison in other.comparisons {
            let kind = |of: &Comparison| (of.title.clone(), of.columns.clone(), of.labels.clone());
            match self.comparisons.iter_mut().find(|known| kind(known) == kind(&comparison)) {
                Some(known) => known.rows.extend(comparison.rows),
                None => self.comparisons.push(comparison),
            }
        }
        self.timelines.extend(other.timelines);
        self.traces.extend(other.traces);
        self.tables.extend(other.tables);
        self.asked.extend(other.asked);
        self.written.extend(other.written);
        let new = other.notes.into_iter().filter(|note| !self.notes.contains(note)).collect::<Vec<_>>();
        self.notes.extend(new);
    }

    /// The rows of each variant together, in order of their first.
    pub fn by_variant(&self) -> Vec<Vec<&Row>> {
        grouped(&self.rows, |one, other| one.variant == other.variant)
    }

    /// Passed where every row is right and without findings.
    pub fn verdict(&self) -> Verdict {
        let passed = self.rows.iter().all(|row| row.correct && row.findings.is_empty());
        if passed { Verdict::Passed } else { Verdict::Failed }
    }
}

impl Row {
    /// A row with its identity, its verdict and its kernel time; rates, phases and figures are added by the lab.
    pub fn new(variant: &str, size: Shape, block: String, dtype: Dtype, check: Check, kernel_ms: Statistics) -> Self {
        Row {
            variant: variant.to_owned(),
            size,
            block,
            host_memory: String::new(),
            dtype,
            correct: check.correct,
            max_relative_error: check.max_relative_error,
            mismatch: check.mismatch,
            sampled: None,
            not_sampled: None,
            time_ms: kernel_ms,
            samples_ms: Vec::new(),
            phases_ms: Map::new(),
            gflops: None,
            gbytes_per_s: None,
            counters: Map::new(),
            launches: Vec::new(),
            lines: Vec::new(),
            trials: None,
            race_freedom: None,
            findings: Vec::new(),
            figures: Map::new(),
        }
    }

    /// Takes over what the device observed: the counters of the last launch, those of each by themselves, and all findings, each kind of text
    /// once.
    pub fn observe(&mut self, observations: Observations) {
        self.launches = observations.launches.iter().map(|launch| launch.counters.clone()).collect();
        let verdicts = observations.launches.iter().filter_map(|launch| launch.race_freedom.clone());
        self.race_freedom = RaceFreedom::of_all(self.race_freedom.take().into_iter().chain(verdicts));
        if let Some(launch) = observations.launches.into_iter().next_back() {
            self.counters = launch.counters;
            self.lines = launch.lines;
            self.trials = launch.trials;
            self.sampled = launch.sampled.map(|Sampled { blocks, of, .. }| {
                let percent = 100.0 * blocks as f64 / of as f64;
                Share { blocks, of, percent }
            });
            self.not_sampled = launch.not_sampled;
            if let Some(term) = launch.bound_by {
                self.set(&BOUND_BY, term);
            }
        }
        for finding in observations.findings {
            if !self.findings.contains(&finding) {
                self.findings.push(finding);
            }
        }
    }

    /// A figure of this row; none where it has none.
    pub fn get<T: DeserializeOwned>(&self, figure: &Figure<T>) -> Option<T> {
        serde_json::from_value(self.figures.get(figure.key)?.clone()).ok()
    }

    /// Gives this row a figure.
    pub fn set<T>(&mut self, figure: &Figure<T>, value: impl Into<T>)
    where
        Value: From<T>,
    {
        self.figures.insert(figure.key.to_owned(), Value::from(value.into()));
    }

    /// True if the time is the host's.
    pub fn is_host_bound(&self) -> bool {
        self.get(&HOST_BOUND).is_some()
    }

    /// A value of this row by its key: of the phases as `phases_ms.kernel`, a rate, of the lab's figures, or else of the counters.
    pub fn value(&self, key: &str) -> Option<Value> {
        if let Some(phase) = key.strip_prefix("phases_ms.") {
            return self.phases_ms.get(phase).cloned();
        }
        let value = match key {
            "gflops" => self.gflops?.into(),
            "gbytes_per_s" => self.gbytes_per_s?.into(),
            _ => self.figures.get(key).or(self.counters.get(key))?.clone(),
        };
        (!value.is_null()).then_some(value)
    }

    /// [`Row::value`] where it is a number.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.value(key)?.as_f64()
    }
}

/// 10⁹ per second; `None` where no time passed.
pub fn rate(amount: f64, milliseconds: f64) -> Option<f64> {
    (milliseconds > 0.0).then(|| amount / milliseconds / 1e6)
}

/// Gain in % of a time: what part of the baseline's time is saved.
pub fn gain_of_time(baseline: f64, candidate: f64) -> Option<f64> {
    (baseline > 0.0).then(|| (baseline - candidate) / baseline * 100.0)
}

/// Gain in % of a rate: how much higher the candidate's is.
pub fn gain_of_rate(baseline: f64, candidate: f64) -> Option<f64> {
    (baseline > 0.0).then(|| (candidate - baseline) / baseline * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::samples;

    #[test]
    fn a_comparison_that_is_made_size_by_size_is_one() {
        let of = |n: usize, titles: &[&str]| {
            let mut report = samples::report();
            report.comparisons.extend(titles.iter().map(|&title| Comparison {
                title: title.to_owned(),
                rows: vec![ComparisonRow { label: Vec::new(), size: Shape::square(n), gain_percent: vec![None] }],
                ..Comparison::default()
            }));
            report
        };
        let mut report = of(32, &["over naive"]);
        report.append(of(64, &["over naive", "over copy"]));
        let rows: Vec<(&str, usize)> = report.comparisons.iter().map(|of| (of.title.as_str(), of.rows.len())).collect();
        assert_eq!(rows, [("over naive", 2), ("over copy", 1)]);
    }

    #[test]
    fn a_positive_number_is_a_gain_of_time_and_of_rate() {
        assert_eq!(gain_of_time(10.0, 8.0), Some(20.0));
        assert_eq!(gain_of_rate(10.0, 12.0), Some(20.0));
        assert_eq!(gain_of_time(10.0, 12.0), Some(-20.0));
        assert_eq!(gain_of_time(0.0, 1.0), None);
    }
}
