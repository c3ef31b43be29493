//! The flags that every lab has, with the same meaning everywhere. A lab flattens [`CommonArgs`] into its own.

use crate::choice::DeviceChoice;
use crate::device::{Device, Instrumentation};
use crate::element::Dtype;
use crate::error::LabError;
use crate::host_memory::HostMemory;
use crate::shape::Shape;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// The groups of the flags in `--help`.
const RUN: &str = "What to run";
const MEASURE: &str = "How to measure";
const CHECK: &str = "What to check";
const SHOW: &str = "What to show";
const WRITE: &str = "What to write";

/// The shared part of a lab's command line. An empty list or `None` means the lab's default for the device.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct CommonArgs {
    /// Where to run: auto, gpu, gpu:INDEX, sim, sim:PROFILE or sim:PROFILE:COUNT; auto takes a GPU where there is one. Of several, as
    /// sim:h200,sim:rtx5090, the rows stand side by side.
    #[arg(long, env = "LABS_DEVICE", default_value = "auto", value_name = "DEVICE,…", help_heading = RUN)]
    pub device: DeviceChoice,

    /// Put the rows beside those of an earlier run, which --json has written: what differs, and why.
    #[arg(long, value_name = "PATH", help_heading = RUN)]
    pub against: Option<PathBuf>,

    /// Problem sizes, one extent or one per dimension: 512 or 512x256x128, comma lists.
    #[arg(long, value_delimiter = ',', allow_negative_numbers = true, value_name = "SIZE,…", help_heading = RUN)]
    pub size: Vec<Shape>,

    /// Variants to run; --list names them.
    #[arg(long, value_delimiter = ',', value_name = "NAME,…", help_heading = RUN)]
    pub variant: Vec<String>,

    /// Element types.
    #[arg(long, value_delimiter = ',', value_name = "DTYPE,…", help_heading = RUN)]
    pub dtype: Vec<Dtype>,

    /// Edges of square thread blocks.
    #[arg(long, value_delimiter = ',', value_parser = whole::<usize>, allow_negative_numbers = true, value_name = "EDGE,…", help_heading = RUN)]
    pub edge: Vec<usize>,

    /// Where matrices live on the host.
    #[arg(long, value_delimiter = ',', value_name = "KIND,…", help_heading = RUN)]
    pub host_memory: Vec<HostMemory>,

    /// Counted runs of each row.
    #[arg(long, value_parser = whole::<usize>, allow_negative_numbers = true, value_name = "N", help_heading = MEASURE)]
    pub repeat: Option<usize>,

    /// Runs before the counted ones.
    #[arg(long, value_parser = whole::<usize>, allow_negative_numbers = true, value_name = "N", help_heading = MEASURE)]
    pub warmup: Option<usize>,

    /// Time many launches of a kernel back to back instead of one, in a graph where that is faster.
    #[arg(long, help_heading = MEASURE)]
    pub series: bool,

    /// Seed of all random inputs.
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>, allow_negative_numbers = true, value_name = "N", help_heading = RUN)]
    pub seed: u64,

    /// Write the result as JSON, to a file or, with -, to standard output instead of the tables.
    #[arg(long, num_args = 0..=1, default_missing_value = "-", value_name = "PATH|-", help_heading = WRITE)]
    pub json: Option<Destination>,

    /// Write the rows as CSV, likewise.
    #[arg(long, num_args = 0..=1, default_missing_value = "-", value_name = "PATH|-", help_heading = WRITE)]
    pub csv: Option<Destination>,

    /// Write one page of this run, readable in any browser and without a network: figures, sources with their counters, findings.
    #[arg(long, value_name = "PATH", help_heading = WRITE)]
    pub html: Option<PathBuf>,

    /// Write figures into this folder, as SVG that is right on light pages and on dark ones.
    #[arg(long, value_name = "DIR", help_heading = WRITE)]
    pub plot: Option<PathBuf>,

    /// Write what ran when in Chrome's trace format, for <https://ui.perfetto.dev>.
    #[arg(long, value_name = "PATH", help_heading = WRITE)]
    pub trace: Option<PathBuf>,

    /// Write a page that plays a launch step by step: the first of the first --variant, or the first in which something is found. Of a launch of more
    /// than 64 warps it has two blocks.
    #[arg(long, value_name = "PATH", help_heading = WRITE)]
    pub replay: Option<PathBuf>,

    /// For --replay: where something goes wrong, halve the edge of the blocks and each extent of --size for as long as it goes wrong in the same way.
    #[arg(long, requires = "replay", help_heading = WRITE)]
    pub smallest: bool,

    /// Run all variants at all default sizes, and print their table. A run with no flag but --device and --seed answers the lab's question on one
    /// screen instead, with the few variants that it takes.
    #[arg(long, help_heading = SHOW)]
    pub all: bool,

    /// Show every row and every column in the tables, not only what answers the lab's question.
    #[arg(long, help_heading = SHOW)]
    pub wide: bool,

    /// Leave out the lines that say what each column means.
    #[arg(long, help_heading = SHOW)]
    pub no_legend: bool,

    /// Print registers, shared, constant and local memory and spills of each kernel (needs NVRTC, no GPU).
    #[arg(long, help_heading = SHOW)]
    pub resources: bool,

    /// Print every counter of every row (simulator).
    #[arg(long, help_heading = SHOW)]
    pub counters: bool,

    /// Print the counters of every source line (simulator).
    #[arg(long, help_heading = SHOW)]
    pub lines: bool,

    /// Say what bounds each row, and what warps wait for, by source line (simulator).
    #[arg(long, help_heading = SHOW)]
    pub explain: bool,

    /// Print what nvprof printed: GPU activities and API calls.
    #[arg(long, help_heading = SHOW)]
    pub activities: bool,

    /// Check every memory access and look for races (simulator; slower).
    #[arg(long, help_heading = CHECK)]
    pub sanitize: bool,

    /// Try another legal order of blocks and warps (simulator).
    #[arg(long, value_parser = whole::<u64>, allow_negative_numbers = true, value_name = "N", help_heading = CHECK)]
    pub schedule_seed: Option<u64>,

    /// Run each rung in N other legal orders as well, and name the first that makes it wrong (simulator).
    #[arg(long, value_parser = whole::<u64>, allow_negative_numbers = true, value_name = "N", help_heading = CHECK)]
    pub schedules: Option<u64>,

    /// Run only some blocks of each large grid, N times as many as the card holds at once and those at the edges; check what they compute,
    /// and extrapolate counters and times (simulator).
    #[arg(long, value_parser = whole::<u64>, allow_negative_numbers = true, value_name = "N", num_args = 0..=1, default_missing_value = "2", help_heading = MEASURE)]
    pub sample: Option<u64>,

    /// Warp instructions after which a launch is taken for endless (simulator); by default about ten seconds of each of its blocks.
    #[arg(long, value_parser = whole::<u64>, allow_negative_numbers = true, value_name = "N", help_heading = MEASURE)]
    pub budget: Option<u64>,

    /// Run the experiment of the lab's source document on the document's own card, and print its tables with the published figures.
    #[arg(long, num_args = 0..=1, default_missing_value = "", value_name = "DOCUMENT", help_heading = RUN)]
    pub assignment: Option<String>,

    /// For how long a problem is repeated at most.
    #[arg(skip)]
    pub within: Option<Duration>,

    /// True if blocks may stand for others as well that only add to memory that they share.
    #[arg(skip)]
    pub sample_sums: bool,

    /// True if each row is told on standard error as soon as it is there.
    #[arg(skip)]
    pub tells_rows: bool,

    /// The simulated cards that a document's experiment is run on: its own, unless the command line names one.
    #[arg(skip)]
    pub cards: Vec<String>,

    /// List the variants and the devices, and stop.
    #[arg(long, help_heading = RUN)]
    pub list: bool,
}

/// Where a rendering goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// Standard output, in place of the tables.
    StandardOutput,
    /// A file; the tables are printed as well.
    File(PathBuf),
}

impl FromStr for Destination {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "-" => Destination::StandardOutput,
            path => Destination::File(path.into()),
        })
    }
}

impl CommonArgs {
    /// Opens the chosen device with the chosen instrumentation.
    pub fn open_device(&self) -> anyhow::Result<Device> {
        self.check()?;
        let instrumentation = Instrumentation {
            sanitize: self.sanitize,
            // The page draws them.
            samples: self.html.is_some(),
            trials: self.explain || self.lines || self.html.is_some(),
            schedule_seed: self.schedule_seed,
            budget: self.budget,
            sample: self.sample.map(|waves| (waves, self.seed, self.sample_sums)),
        };
        let mut device = Device::open(&self.device, &instrumentation)?;
        if self.series {
            device = device.on_its_own_stream()?;
        }
        if self.schedules.is_some() {
            device.require_schedules()?;
        }
        if self.sample.is_some() && !device.facts.simulated {
            return Err(LabError::usage("--sample: a GPU runs all blocks of a launch", "--device sim").into());
        }
        if self.records() {
            device.record_activities()?;
        }
        Ok(device)
    }

    /// Returns whether the activities are to be kept.
    pub fn records(&self) -> bool {
        self.activities || self.trace.is_some()
    }

    /// Refuses combinations that make no sense, before anything starts.
    pub fn check(&self) -> Result<(), LabError> {
        if self.repeat == Some(0) {
            return Err(LabError::usage("--repeat 0: no counted run, so nothing to report", "--repeat 1 or more"));
        }
        if self.sample == Some(0) {
            return Err(LabError::usage("--sample 0: no block to run", "--sample, or --sample 4 for more blocks"));
        }
        for (flag, given) in [("--sanitize", self.sanitize), ("--series", self.series)] {
            if given && self.sample.is_some() {
                let why = format!("--sample and {flag} exclude each other: {flag} needs every block of a launch");
                return Err(LabError::usage(why, format!("{flag} without --sample, with a small --size")));
            }
        }
        for (flag, runs, usual) in [("--repeat", self.repeat, 1000), ("--warmup", self.warmup, 3)] {
            if let Some(runs) = runs.filter(|&runs| runs > MOST_RUNS) {
                let why = format!("{flag} {runs}: more than {MOST_RUNS} runs of each row tell nothing new");
                return Err(LabError::usage(why, format!("{flag} {usual}, as the first source document has")));
            }
        }
        if let Some(orders) = self.schedules.filter(|&orders| orders > MOST_SCHEDULES) {
            let why = format!(
                "--schedules {orders}: each order is another run of each rung, and {MOST_SCHEDULES} are the most"
            );
            return Err(LabError::usage(why, "--schedules 100"));
        }
        if self.schedules == Some(0) {
            return Err(LabError::usage("--schedules 0: no order to try", "--schedules 16"));
        }
        let to_standard_output = |destination: &Option<Destination>| destination == &Some(Destination::StandardOutput);
        if to_standard_output(&self.json) && to_standard_output(&self.csv) {
            return Err(LabError::usage("--json and --csv cannot share standard output", "give one of them a path"));
        }
        if self.budget == Some(0) {
            return Err(LabError::usage("--budget 0: no instruction to run", "--budget 10000000000"));
        }
        for (flag, destination) in [("--json", &self.json), ("--csv", &self.csv)] {
            if let Some(Destination::File(path)) = destination {
                require_writable(flag, path)?;
            }
        }
        for (flag, path) in [("--html", &self.html), ("--trace", &self.trace), ("--replay", &self.replay)] {
            if let Some(path) = path {
                require_writable(flag, path)?;
            }
        }
        if let Some(folder) = &self.plot {
            let refused = |error| cannot_write("--plot", folder, &error);
            std::fs::create_dir_all(folder).map_err(refused)?;
            require_writable("--plot", &folder.join(".writable"))?;
        }
        Ok(())
    }
}

/// Refuses a path that cannot be written, before the work whose result is to go there. A file that was not there does not stay.
pub fn require_writable(flag: &str, path: &Path) -> Result<(), LabError> {
    let is_new = !path.exists();
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|error| cannot_write(flag, path, &error))?;
    if is_new {
        // It was made just now, and is empty.
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

fn cannot_write(flag: &str, path: &Path, error: &std::io::Error) -> LabError {
    LabError::usage(
        format!("{flag} {} cannot be written: {error}", path.display()),
        "choose a path in a folder of yours",
    )
}

/// Rounds of all rows, counted or not, that still say something new: a median of a million is no better than that of a thousand.
const MOST_RUNS: usize = 1_000_000;
/// Orders that each rung is run in at most. Each is another run of it, and a race that ten thousand do not show is not found by more.
const MOST_SCHEDULES: u64 = 10_000;

/// A whole number as the command line has it.
pub fn whole<N: FromStr>(text: &str) -> Result<N, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().map_err(|_| match digits {
        true => "this number is too large".to_owned(),
        false => "a whole number is expected, 0 or more, in digits alone".to_owned(),
    })
}

/// The values that were asked for, or the default where none were.
pub fn or_default<T: Clone>(asked: &[T], default: &[T]) -> Vec<T> {
    if asked.is_empty() { default } else { asked }.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Lab {
        #[command(flatten)]
        common: CommonArgs,
    }

    fn parse(arguments: &[&str]) -> CommonArgs {
        Lab::try_parse_from([&["lab"], arguments].concat()).map_err(|error| error.to_string()).unwrap().common
    }

    #[test]
    fn lists_are_separated_by_commas() {
        let args = parse(&["--size", "64,512x256x128", "--edge=8,16", "--host-memory", "pinned,write_combined"]);
        assert_eq!(args.size, [Shape::square(64), Shape::new(&[512, 256, 128])]);
        assert_eq!(args.edge, [8, 16]);
        assert_eq!(args.host_memory, [HostMemory::Pinned, HostMemory::WriteCombined]);
    }

    #[test]
    fn a_bare_json_means_standard_output() {
        assert_eq!(parse(&["--json"]).json, Some(Destination::StandardOutput));
        assert_eq!(parse(&["--json", "-"]).json, Some(Destination::StandardOutput));
        assert_eq!(parse(&["--json", "--csv", "x.csv"]).csv, Some(Destination::File("x.csv".into())));
        assert!(parse(&["--json", "--csv"]).check().is_err());
    }

    #[test]
    fn a_path_that_cannot_be_written_is_refused_and_another_is_left_as_it_is() {
        let folder = std::env::temp_dir().join(format!("command-line-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let [file, new] = ["file", "new"].map(|name| folder.join(name));
        std::fs::write(&file, "text").unwrap();
        for flag in ["--json", "--csv", "--html", "--trace", "--replay", "--plot"] {
            for bad in [file.join("below"), PathBuf::from("/proc/nothing/at/all")] {
                let refused = parse(&[flag, bad.to_str().unwrap()]).check();
                assert!(refused.is_err_and(|error| error.message.contains(flag)), "{flag} {}", bad.display());
            }
        }
        for good in [&file, &new] {
            assert!(parse(&["--json", good.to_str().unwrap()]).check().is_ok());
        }
        assert_eq!((std::fs::read_to_string(&file).unwrap().as_str(), new.exists()), ("text", false));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn numbers_that_are_none_are_answered_with_what_is_expected() {
        let refused = |arguments: &[&str]| {
            Lab::try_parse_from([&["lab"], arguments].concat()).err().expect("refused").to_string()
        };
        for flag in ["--seed", "--repeat", "--warmup", "--schedules", "--sample", "--budget", "--edge"] {
            for bad in ["abc", "-5", "1.5"] {
                let message = refused(&[flag, bad]);
                let words = [flag, &format!("'{bad}'"), "a whole number is expected, 0 or more"];
                assert!(words.iter().all(|word| message.contains(word)), "{message}");
            }
        }
        for bad in ["-5", "four", "64x"] {
            let message = refused(&["--size", bad]);
            assert!(message.contains("--size") && message.contains("write 512 or 512x256x128"), "{message}");
        }
        assert!(refused(&["--seed", "99999999999999999999999"]).contains("too large"));
        assert_eq!(parse(&["--sample", "--json", "x"]).sample, Some(2));
    }

    #[test]
    fn more_runs_and_orders_than_are_useful_are_refused_with_a_number_that_is() {
        for (flag, bad, good) in [
            ("--warmup", "99999999999", "3"),
            ("--repeat", "99999999999", "1000"),
            ("--schedules", "1000000000", "100"),
        ] {
            let refused = parse(&[flag, bad]).check().unwrap_err();
            assert!(refused.message.contains(bad) && refused.next.contains(good), "{refused}");
            assert!(parse(&[flag, good]).check().is_ok());
        }
    }
}
