//! A lab's program as its users meet it, and the calls that it has to refuse.

use super::pristine::pristine_checkout;
use crate::device::DeviceChoice;
use crate::lab::Lab;
use anstream::adapter::strip_str;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Output, Stdio};

/// Calls that every lab refuses, words separated by bars, and the place that the message names.
const WRONG_CALLS: &str = include_str!("wrong_calls.txt");

/// Variables of the environment that say nothing.
const WRONG_VARIABLES: &str = "LABS_DEVICE=voodoo LABS_SIM_PROFILE=foo LABS_SIM_BUDGET=abc LABS_SIM_BUDGET=0 LABS_SIM_DEVICES=0 LABS_SIM_DEVICES=99 \
    LABS_SIM_SCHEDULE_SEED=x LABS_SIM_THREADS=-1 LABS_SIM_COUNTERS=maybe LABS_SIM_SANITIZE=yes LABS_SIM_TRACE=2";

/// A lab's program, as `LAB`, by Cargo's name for it, and the test of its answer on terminals of these widths.
#[macro_export]
macro_rules! lab_program {
    ($program:literal, $Lab:ty, $widths:expr) => {
        const LAB: $crate::testing::LabProgram = $crate::testing::LabProgram(env!($program));

        #[test]
        fn a_command_without_flags_answers_the_question_on_one_screen() {
            LAB.assert_answers::<$Lab>(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screen.txt"), $widths);
        }
    };
}

/// A lab's program as its users meet it.
#[derive(Clone, Copy, Debug)]
pub struct LabProgram(
    /// Its path: `env!("CARGO_BIN_EXE_lab-gemm")`.
    pub &'static str,
);

impl LabProgram {
    /// Runs it to its end.
    pub fn run(self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program starts")
    }

    /// Runs it with standard output on a terminal of so many columns. What it printed there.
    pub fn on_terminal(self, columns: u16, arguments: &[&str]) -> String {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("its other end");
        let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).expect("a size");
        let name = ptsname(&terminal, Vec::new()).expect("a name");
        let end = File::options().read(true).write(true).open(OsStr::from_bytes(name.as_bytes())).expect("its end");
        let mut child = self.command(arguments).stdout(end).stderr(Stdio::null()).spawn().expect("the program starts");
        let mut printed = Vec::new();
        // When nobody has the other end any more, reading is an error.
        let _ = File::from(terminal).read_to_end(&mut printed);
        child.wait().expect("it ends");
        String::from_utf8_lossy(&printed).replace("\r\n", "\n")
    }

    /// Runs it until it has printed `awaited`, and sends it what Ctrl-C sends. Its exit code, and all that it printed.
    pub fn interrupt(self, arguments: &[&str], awaited: &str) -> (Option<i32>, String) {
        let (mut printed, end) = std::io::pipe().expect("a pipe");
        let both = end.try_clone().expect("its end once more");
        let mut child = self.command(arguments).stdout(end).stderr(both).spawn().expect("the program starts");
        let (mut text, mut part) = (Vec::new(), [0; 4096]);
        let mut sent = false;
        while let Ok(read @ 1..) = printed.read(&mut part) {
            text.extend_from_slice(&part[..read]);
            if !sent && String::from_utf8_lossy(&text).contains(awaited) {
                kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
                sent = true;
            }
        }
        let status = child.wait().expect("it ends");
        (status.code(), String::from_utf8_lossy(&text).into_owned())
    }

    /// Runs it without flags, with its standard output in a pipe, among these variables. What it printed there.
    pub fn without_flags(self, variables: &[(&str, &str)]) -> String {
        let output = self.command(&[]).envs(variables.iter().copied()).output().expect("the program starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Panics unless a command without flags answers the lab's question: in 30 lines of 80 columns on terminals of these widths, the worst bar first, with the
    /// reason of each, and on the card that is simulated by default as in the file `golden`.
    pub fn assert_answers<L: Lab>(self, golden: &str, widths: &[u16]) {
        let question = L::QUESTION.expect("the lab has a question");
        let texts: Vec<String> =
            widths.iter().map(|&columns| strip_str(&self.on_terminal(columns, &[])).to_string()).collect();
        for text in &texts {
            let lines: Vec<&str> = text.lines().collect();
            assert!(lines.len() <= 30, "{} lines: {text}", lines.len());
            // A command is copied in one piece, so it has a line of its own.
            let too_long = lines.iter().find(|line| line.chars().count() > 80);
            assert_eq!(too_long, None, "{text}");
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let rungs = question.runs.iter().flat_map(|run| run.rungs).filter(|rung| question.ceiling != Some(rung));
            for rung in rungs {
                let idea = L::VARIANTS.iter().find(|variant| variant.name == *rung).expect("a rung of the ladder").idea;
                assert!(words.contains(&format!("{idea} ")), "{rung} has no reason: {text}");
            }
            for label in ["check: ", "learnt: ", "next: "] {
                assert!(text.contains(label), "no {label} in {text}");
            }
        }
        if !texts[0].contains("(sim:rtx4060)") {
            return;
        }
        if std::env::var_os("LABS_WRITE").is_some() {
            std::fs::write(golden, &texts[0]).expect("the golden screen is written");
        }
        let known = std::fs::read_to_string(golden).unwrap_or_default();
        for text in texts {
            assert_eq!(text, known, "{golden} has another screen\n  next: LABS_WRITE=1 and the same test");
        }
    }

    /// Panics where a terminal of a usual width would break a line. A command is copied, and so is one line however long it is.
    pub fn assert_fits(self, arguments: &str) {
        let fits = |columns: u16| {
            let text = self.on_terminal(columns, &arguments.split(' ').collect::<Vec<_>>());
            assert!(text.contains('─'), "{arguments}: no table in {text}");
            for line in text.lines().filter(|line| !line.starts_with("next: ")) {
                let length = line.chars().count();
                assert!(length <= usize::from(columns), "{arguments}: {length} of {columns} columns: {line}");
            }
        };
        std::thread::scope(|scope| {
            for columns in [80, 120] {
                scope.spawn(move || fits(columns));
            }
        });
    }

    /// Panics unless each of the wrong calls that no lab takes is refused, before any work: exit code 2, nothing on standard output, and
    /// a message that names the place and what to do next.
    pub fn assert_refuses_what_no_lab_takes<L: Lab>(self) {
        // An unknown variant is answered with the near ones.
        let name = L::VARIANTS.last().expect("a rung").name;
        let (mistyped, near) = (format!("{name}x"), format!("did you mean {name}"));
        self.assert_refuses(&["--variant", &mistyped], &["your command line", &mistyped, &near]);
        let refused = |command: &mut Command, call: &str, place: &str| {
            let output = command.output().expect("the program starts");
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{call}: {message}");
            assert!(output.stdout.is_empty(), "{call} printed a result");
            assert!(message.contains(place), "{call}: '{place}' is not in: {message}");
            assert!(message.contains("next: ") || message.contains("try '--help'"), "{call}: and now? {message}");
        };
        for (arguments, place) in WRONG_CALLS.lines().filter_map(|line| line.split_once(" => ")) {
            let arguments: Vec<&str> = arguments.split('|').collect();
            refused(&mut self.command(&arguments), &format!("{arguments:?}"), place);
        }
        let on_gpu = matches!(DeviceChoice::for_tests(), Ok(DeviceChoice::Gpu(_)));
        // Nobody reads the simulator's variables where it does not run.
        let variables = WRONG_VARIABLES.split(' ').filter_map(|variable| variable.split_once('='));
        for (name, value) in variables.filter(|(name, _)| !on_gpu || *name == "LABS_DEVICE") {
            let mut command = self.command(&["--size", "8"]);
            refused(command.env(name, value), &format!("{name}={value}"), name);
        }
    }

    fn command(self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.0);
        if let Some(folder) = pristine_checkout() {
            command.current_dir(folder);
        }
        if std::env::var_os("LABS_DEVICE").is_none() {
            command.env("LABS_DEVICE", "sim");
        }
        command.args(arguments);
        command
    }

    /// Runs it and parses its JSON document. Panics unless it passes and standard output is that document and no more.
    pub fn json(self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json", "-"]].concat());
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {message}");
        serde_json::from_slice(&output.stdout).expect("one JSON document")
    }

    /// Panics unless each call of a table is refused: arguments, and after an arrow the words of the message, both separated by bars.
    pub fn assert_refuses_each(self, table: &str) {
        for row in table.lines().filter(|row| !row.starts_with('#')) {
            let (arguments, words) = row.split_once(" => ").unwrap_or_else(|| panic!("{row}: no arrow"));
            self.assert_refuses(&arguments.split('|').collect::<Vec<_>>(), &words.split('|').collect::<Vec<_>>());
        }
    }

    /// Runs it and panics unless it refuses: exit code 2, nothing on standard output, and a message that holds all of `words`.
    pub fn assert_refuses(self, arguments: &[&str], words: &[&str]) {
        let output = self.run(arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty(), "{arguments:?} printed a result");
        for word in words {
            assert!(message.contains(word), "{arguments:?}: '{word}' is not in: {message}");
        }
    }
}

/// Counters of what lies below L1, and by how many % they may differ in a launch of which some blocks are run for all: there they are those of
/// whole waves, which have other parts of blocks at the edges than the grid has, where its tiles are cut. Where tiles are not cut, the difference was
/// seen to be within 0.1 %.
const BELOW_L1: [(&str, f64); 3] = [("l2_bytes", 2.0), ("host_bytes", 2.0), ("memory_bytes", 5.0)];
/// Counters of which a whole run has so few that one more is 1 % of them are not compared.
const LEAST: f64 = 1000.0;

/// Runs variants of a lab on a card in whole and with `--sample`, and panics unless the second run's rows are sampled, right, and alike: times within so
/// many %, what is counted over the time within three more (eligible warps within a tenth of one), hits in L1 within two points and in L2 within
/// five, bytes below L1 as above, and all other counters within 1 %.
pub fn assert_sampled_as_whole(lab: LabProgram, card: &str, flags: &str, sampled: &[&str], most_percent_of_time: f64) {
    let (device, names) = (format!("sim:{card}"), sampled.join(","));
    let flags: Vec<&str> = flags.split(' ').collect();
    let arguments = [&["--device", &device, "--variant", &names][..], &flags].concat();
    let rows = |more: &[&str]| lab.json(&[&arguments, more].concat())["rows"].as_array().expect("rows").clone();
    let (whole, part) = (rows(&[]), rows(&["--sample"]));
    assert_eq!(whole.len(), part.len(), "{arguments:?}");
    for (whole, part) in whole.iter().zip(&part).filter(|row| sampled.iter().any(|name| row.0["variant"] == **name)) {
        let name = format!("{} {} {}", whole["variant"], whole["size"], whole["block"]);
        assert!(whole.get("sampled").is_none() && part["correct"] == true, "{name}: {}", part["mismatch"]);
        let percent = part["sampled"]["percent"].as_f64().unwrap_or(100.0);
        assert!(percent < 50.0, "{name}: {percent} % of the blocks were run; {}", part["not_sampled"]);
        for (counter, value) in whole["counters"].as_object().expect("counters") {
            let Some(value) = value.as_f64().filter(|value| value.abs() > LEAST || *value <= 100.0) else { continue };
            let other = part["counters"][counter].as_f64().expect(counter);
            let over_time = counter.ends_with("per_s") || counter.starts_with("throughput");
            let below = BELOW_L1.iter().find(|below| below.0 == counter);
            let most = match counter.as_str() {
                "l1_hit_rate" => 2.0,
                "l2_hit_rate" => 5.0,
                _ if below.is_some() => below.map_or(0.0, |below| below.1) / 100.0 * value.abs(),
                // The counter is that of the blocks that are played through, which are few.
                "eligible_warps" => f64::max(0.1, (most_percent_of_time + 3.0) / 100.0 * value.abs()),
                _ if over_time => (most_percent_of_time + 3.0) / 100.0 * value.abs(),
                _ => 0.01 * value.abs(),
            };
            assert!((other - value).abs() <= most, "{name}: {counter} {other}, whole {value}");
        }
        let [other, value] = [part, whole].map(|row| row["time_ms"]["median"].as_f64().expect("a time"));
        let percent = 100.0 * (other / value - 1.0);
        assert!(percent.abs() <= most_percent_of_time, "{name}: {other} ms, whole {value} ms");
    }
}

/// Panics unless a JSON document has every key that all labs share, with values of their kinds.
pub fn assert_shared_keys(report: &Value) {
    for key in ["name", "simulated", "profile", "compute_capability"] {
        assert!(report["device"].get(key).is_some(), "device.{key}");
    }
    assert!(report["lab"].is_string());
    let rows = report["rows"].as_array().expect("rows");
    assert!(!rows.is_empty());
    for row in rows {
        let shared = "variant size block host_memory dtype correct max_relative_error \
            time_ms phases_ms gflops gbytes_per_s counters findings";
        for key in shared.split(' ') {
            assert!(row.get(key).is_some(), "rows[].{key}");
        }
        for key in ["min", "max", "mean", "median", "stddev", "runs"] {
            assert!(row["time_ms"][key].is_number(), "rows[].time_ms.{key}");
        }
        assert_eq!(row["correct"], Value::Bool(true), "{row}");
    }
}
