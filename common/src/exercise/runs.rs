//! The runs of one kernel, and what a failed one means.

use super::outcome::{Failure, Outcome, Panel, SIZES, TESTED, Talk};
use crate::check::Mismatch;
use crate::device::{Device, take_printed};
use crate::element::Dtype;
use crate::error::{Family, describe};
use crate::matrix;
use crate::observations::Printed;
use crate::result::Row;
use kernels::WRONG_RESULT;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use std::collections::BTreeMap;

/// The runs of one kernel, until one fails.
pub struct Runs<'a> {
    device: &'a Device,
    seed: u64,
    count: u64,
    draw: StdRng,
    /// Figures of the runs whose size was drawn, in all, and the work of those runs.
    tested: BTreeMap<String, (f64, f64)>,
    /// By threads of a block, the runs whose result was right, and those whose was not. The runs after a wrong one are looked at for this alone.
    by_block: BTreeMap<String, [u32; 2]>,
    looks_on: bool,
    /// `false` for a kernel of f32 alone.
    pub f64: bool,
    /// The student's, for messages: "kernels/gemm/2_naive.cu".
    pub file: &'static str,
    /// The outcome of the runs so far.
    pub outcome: Outcome,
}

impl<'a> Runs<'a> {
    /// None yet; all data follows from the seed.
    pub fn new(device: &'a Device, seed: u64) -> Self {
        let draw = StdRng::seed_from_u64(matrix::distinct_seed(seed, u64::MAX));
        Runs {
            device,
            seed,
            count: 0,
            draw,
            tested: BTreeMap::new(),
            by_block: BTreeMap::new(),
            looks_on: true,
            f64: true,
            file: "",
            outcome: Outcome::default(),
        }
    }

    /// A seed that no other run of this verdict has.
    pub fn next_seed(&mut self) -> u64 {
        self.count += 1;
        matrix::distinct_seed(self.seed, self.count)
    }

    /// The type of a run that is meant for this one.
    pub fn dtype(&self, meant: Dtype) -> Dtype {
        if self.f64 { meant } else { Dtype::F32 }
    }

    /// One of a few sizes of a measured run, which a kernel cannot know before. The reference is measured at all of them.
    pub fn size<T: Copy>(&self, sizes: [T; SIZES as usize]) -> T {
        sizes[(self.seed % SIZES) as usize]
    }

    /// An extent that a kernel cannot know before.
    pub fn extent(&mut self, least: usize, most: usize) -> usize {
        self.draw.random_range(least..=most)
    }

    /// One run, unless one failed before. Every other one poisons what is written with ordinary numbers instead of NaN, so that a kernel
    /// cannot tell a verdict's run from another by what it finds there.
    pub fn run(&mut self, what: &str, run: impl FnOnce(&Device) -> anyhow::Result<Row>) -> Option<Row> {
        if let Some(Failure { kind, .. }) = &self.outcome.failure {
            self.looks_on &= kind == WRONG_RESULT && !self.outcome.not_started;
            if self.looks_on {
                self.looks_on = run(self.device).map(|row| self.count_block(&row)).unwrap_or_default();
                take_printed();
            }
            return None;
        }
        let row = self.judged(what, run);
        if let Some(failure) = &mut self.outcome.failure {
            what.clone_into(&mut failure.case);
        }
        // A reader looks for the text that the failed run printed; where none failed, one run is as good as another.
        if let Some(Printed { lines, count, note }) = take_printed() {
            if count > 0 && (self.outcome.failure.is_some() || self.outcome.printed.count == 0) {
                self.outcome.printed = Talk { who: format!("your kernel ({what})"), lines, count };
            }
            self.outcome.note = self.outcome.note.take().or(note);
        }
        row
    }

    /// One run in an order of blocks and warps that is drawn: what nothing but volatile accesses orders gives a wrong result.
    pub fn run_in_another_order(
        &mut self,
        what: &str,
        run: impl FnOnce(&Device) -> anyhow::Result<Row>,
    ) -> Option<Row> {
        let order = matrix::distinct_seed(self.seed, self.count) | 1;
        let shuffled = |device: &Device| device.with_schedule_seed(order, || run(device));
        self.run(&format!("{what}, in another order of warps"), shuffled)
    }

    /// The same of a size that is drawn, so that no kernel can know it. What floors ask of it comes into the measured run's panel, added up over all
    /// such runs and divided by their work, under names that begin with [`TESTED`] and `kind`.
    pub fn run_drawn(
        &mut self,
        (kind, work): (&str, usize),
        what: &str,
        run: impl FnOnce(&Device) -> anyhow::Result<Row>,
    ) {
        if let Some(row) = self.run_in_another_order(what, run) {
            let figures = panel(&row, 1.0);
            for name in FLOORS {
                let (sum, of) = self.tested.entry(format!("{TESTED}{kind}{name}")).or_default();
                *sum += figures.get(name).copied().unwrap_or(0.0);
                *of += work as f64;
            }
        }
    }

    /// Counts a run by its block. Returns whether the next one may be looked at as well.
    fn count_block(&mut self, row: &Row) -> bool {
        let runs = self.by_block.entry(row.block.clone()).or_default();
        runs[usize::from(!row.correct)] += 1;
        row.findings.is_empty() && runs.iter().all(|count| *count < MOST_LOOKED_AT)
    }

    /// The outcome of all runs. A result that is right with some blocks, in each of their runs, and wrong with others is told so.
    pub fn ended(mut self) -> Outcome {
        let blocks = |is_of: fn(&[u32; 2]) -> bool| {
            let of = self.by_block.iter().filter(|(_, runs)| is_of(runs)).map(|(block, _)| block.as_str());
            of.collect::<Vec<_>>().join(" and ")
        };
        let right = blocks(|[right, wrong]| *right > 1 && *wrong == 0);
        let wrong = blocks(|[_, wrong]| *wrong > 1);
        let all = blocks(|[right, wrong]| *wrong == 1 || *right == 1 && *wrong == 0);
        let failure = self.outcome.failure.as_mut().filter(|failure| failure.kind == WRONG_RESULT);
        if let Some(failure) = failure.filter(|_| all.is_empty() && !right.is_empty() && !wrong.is_empty())
            && let Some((before, _)) = failure.story.split_once("\nnext: ").filter(|(_, next)| next.contains(GENERAL))
        {
            let told = format!(
                "next: right with blocks of {right} in each run, wrong with {wrong}: look at what hangs on that"
            );
            failure.story = format!("{before}\n{told}");
        }
        self.outcome
    }

    fn judged(&mut self, what: &str, run: impl FnOnce(&Device) -> anyhow::Result<Row>) -> Option<Row> {
        matrix::poison_with(if self.count.is_multiple_of(2) { 0xff } else { 0x3d });
        let device = self.device;
        let row = match run(device) {
            Ok(row) => row,
            Err(error) => {
                // The finding that ended the launch is the last one.
                let finding = device.observe().ok().and_then(|seen| seen.findings.into_iter().next_back());
                let kind = finding.as_ref().map_or("error", |finding| finding.kind.as_str());
                self.outcome.failure = Some(Failure::new(kind, self.blamed(&describe(&error))));
                return None;
            }
        };
        let idle = ["global_load_requests", "global_store_requests", "atomics"];
        if !row.correct && idle.iter().all(|name| row.number(name) == Some(0.0)) {
            self.outcome.not_started = self.count == 1;
            self.outcome.is_idle = self.count > 1;
        }
        self.count_block(&row);
        let failure = match (row.findings.first(), &row.mismatch) {
            (Some(finding), _) => Some(Failure::new(&finding.kind, format!("{what}: {}", finding.message))),
            (None, Some(mismatch)) => {
                Some(Failure::new(WRONG_RESULT, format!("{what}: {mismatch}\n{}", next_of(mismatch))))
            }
            (None, None) if !row.correct => {
                Some(Failure::new(WRONG_RESULT, format!("{what}: the result disagrees as a whole")))
            }
            _ => None,
        };
        let right = failure.is_none();
        self.outcome.failure = failure;
        right.then_some(row)
    }

    /// A failure's words. The host code here is the course's, so what a driver call refuses is what the kernel's file has made of its kernels:
    /// their names, their bounds.
    fn blamed(&self, story: &str) -> String {
        // A verdict has a budget of its own.
        if let Some((before, after)) = story.split_once("raise the budget: --budget N in a lab, else LABS_SIM_BUDGET=N")
        {
            return format!("{before}do less: this is more than ten times what the exercise needs{after}");
        }
        if let Some(told) = too_much_shared(story, self.file) {
            return told;
        }
        let title = format!("{}: cu", Family::YourHostCode.title());
        let call = story.find(&title).filter(|&at| at == 0 || story[..at].ends_with("error: "));
        let Some((at, (_, why))) = call.and_then(|at| Some((at, story[at + title.len()..].split_once(": ")?))) else {
            return story.to_owned();
        };
        let file = self.file;
        let (first, run) =
            why.split_once('\n').map_or((why, String::new()), |(first, run)| (first, format!("\n{run}")));
        let next = if first.contains("the kernel is compiled for at most") {
            "\n  next: let __launch_bounds__ allow as many threads as the block has"
        } else {
            ""
        };
        format!("{}{}: {file}: {first}{next}{run}", &story[..at], Family::YourKernel.title())
    }

    /// The measured run: its figures are the panel. Counts are made `share` times as large: where its size is drawn, as those of a run of the usual size
    /// would be.
    pub fn measure_share(
        &mut self,
        what: &str,
        share: f64,
        run: impl FnOnce(&Device) -> anyhow::Result<Row>,
    ) -> Option<Row> {
        let row = self.run(what, run)?;
        self.outcome.panel = panel(&row, share);
        self.outcome.panel.extend(self.tested.iter().map(|(name, (sum, work))| (name.clone(), sum / work)));
        Some(row)
    }

    /// A measured run of the same exercise's other kernel: what contracts ask of it comes into the panel under names that begin with `kind`.
    pub fn measure_beside(&mut self, kind: &str, what: &str, run: impl FnOnce(&Device) -> anyhow::Result<Row>) {
        if let Some(row) = self.run(what, run) {
            let figures = panel(&row, 1.0);
            let asked = BESIDE.lines().filter_map(|name| Some((format!("{kind}_{name}"), *figures.get(name)?)));
            self.outcome.panel.extend(asked);
        }
    }
}

/// The words on static shared memory beyond what an assembler takes. All kernels of a file are loaded together, so the run that was under way need
/// not be of the one that is refused; and dynamic shared memory, which the driver advises, is the launch's to ask for, which is the course's.
fn too_much_shared(story: &str, file: &str) -> Option<String> {
    let (kernel, rest) = story.split_once("the kernel `")?.1.split_once("` has ")?;
    let (bytes, rest) = rest.split_once(" bytes of static shared memory; ")?;
    let (most, _) = rest.split_once(' ')?;
    Some(format!(
        "error: {}: {file}: the kernel `{kernel}` has {bytes} bytes of static shared memory; a block may have {most}\n  next: make its \
         __shared__ arrays smaller: fewer buffers, or fewer elements in each (f64 takes twice the bytes of f32)",
        Family::YourKernel.title()
    ))
}

/// The next step after a wrong result, which no finding explains.
fn next_of(mismatch: &Mismatch) -> String {
    let Mismatch { wrong, examined, never_written, likeness, .. } = mismatch;
    if let Some(likeness) = likeness {
        return format!("next: look at why {likeness}");
    }
    let look = match never_written {
        Some(missing) if missing.count == *wrong => {
            "follow the thread that should write the first one, from its number to the store"
        }
        _ if wrong == examined => "compute the first one by hand, and compare what its thread reads and in which order",
        _ => "some are right: look for what is different at the first wrong one (an edge, a last turn, another block)",
    };
    format!("next: {look}; {GENERAL}")
}

/// The end of the advice that stands where nothing is known.
const GENERAL: &str = "printf works in a kernel";
/// Runs with one kind of block that are looked at.
const MOST_LOOKED_AT: u32 = 12;

/// Figures that contracts ask of a kernel measured beside the first one. None of them depends on where its buffers lie, as hits of caches do.
const BESIDE: &str = include_str!("beside.txt");

/// Figures of the runs of drawn sizes: those that have floors, and grow with the work.
const FLOORS: [&str; 4] = ["exchanges", "shared_accesses", "shared_load_elements", "shared_store_elements"];

/// Bytes of a sector.
const SECTOR: f64 = 32.0;
/// Bytes of an element of the measured runs that count by elements: they are all in f32.
const ELEMENT: f64 = 4.0;

/// Whole numbers among the counters that are no counts: they do not add up over launches.
const NO_COUNTS: [&str; 2] = ["registers", "blocks_per_multiprocessor"];

/// Every number of a row by name, counts of all its launches together and `share` times as large.
fn numbers(row: &Row, share: f64) -> Panel {
    let is_count = |name: &str, value: &Value| value.is_u64() && !NO_COUNTS.contains(&name);
    let number = |(name, value): (&String, &Value)| Some((name.clone(), value.as_f64()?));
    let mut numbers: Panel = row.counters.iter().chain(&row.figures).filter_map(number).collect();
    let mut counts = Panel::new();
    for launch in &row.launches {
        let by_class = launch.get("instructions_by_class").and_then(Value::as_object);
        let exchanges = by_class.and_then(|classes| classes.get("warp")).and_then(Value::as_f64).unwrap_or(0.0);
        *counts.entry("exchanges".to_owned()).or_default() += exchanges;
        for (name, value) in launch.iter().filter(|(name, value)| is_count(name, value)) {
            *counts.entry(name.clone()).or_default() += value.as_f64().unwrap_or(0.0);
        }
    }
    numbers.extend(counts.into_iter().map(|(name, count)| (name, (count * share).round())));
    numbers
}

/// Every number of a row by name, times as `…_us`; atomics on data and those of the grid's barrier apart; `exchanges`, the instructions with
/// which lanes of a warp hand values to each other; and sums that no way around a kernel's loads and stores escapes, because atomics and bulk
/// copies are in them too.
fn panel(row: &Row, share: f64) -> Panel {
    let mut panel = numbers(row, share);
    panel.insert("time_us".to_owned(), row.time_ms.median * 1e3);
    let count = |name: &str| panel.get(name).copied().unwrap_or(0.0);
    let (atomics, grid_barriers) = (count("atomics"), count("grid_barriers"));
    let bulk_bytes = count("transfer_global_load_bytes") + count("transfer_global_store_bytes");
    let textures = ["texture", "surface_load", "surface_store"];
    let of_textures = |what: &str| textures.iter().map(|kind| count(&format!("{kind}_{what}"))).sum::<f64>();
    let of_global = |what: &str| count(&format!("global_load_{what}")) + count(&format!("global_store_{what}"));
    let sums = [
        // The barrier of the grid is made of atomics too; a contract asks for the ones on data.
        ("atomics_on_data", atomics - grid_barriers),
        ("grid_barriers", grid_barriers),
        // Without those of barrier objects, which lie in shared memory.
        ("global_atomics", atomics - count("shared_atomic_accesses")),
        // The value over all launches, where there are several.
        ("active_lanes", count("thread_instructions") / count("instructions").max(1.0)),
        (
            "global_traffic_sectors",
            of_global("sectors") + count("atomic_sectors") + of_textures("sectors") + bulk_bytes / SECTOR,
        ),
        (
            "global_traffic_requests",
            of_global("requests") + atomics - count("shared_atomic_accesses")
                + of_textures("requests")
                + count("transfers"),
        ),
        ("global_traffic_accesses", count("global_accesses") + bulk_bytes / ELEMENT),
        ("global_traffic_elements", (count("global_thread_bytes") + bulk_bytes) / ELEMENT),
        ("shared_load_elements", count("shared_load_thread_bytes") / ELEMENT),
        ("shared_store_elements", (count("shared_store_thread_bytes") + count("transfer_shared_bytes")) / ELEMENT),
        ("shared_accesses", count("shared_load_accesses") + count("shared_store_accesses")),
    ];
    let sums = sums.map(|(name, value)| (name.to_owned(), value));
    panel.extend(sums);
    panel
}
