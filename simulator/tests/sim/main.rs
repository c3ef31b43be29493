//! `sim --counters --sanitize --json FILE COMMAND`: what it prints, what it writes, and how it ends.
//!
//! The command is this program itself, started with `--as-program WORD…`: it speaks to whatever `libcuda.so` the loader finds.
#![allow(unsafe_code)]

mod calls;
mod profile;
mod program;
mod refusals;
mod replay;
mod search;

use libtest_mimic::{Arguments, Trial};
use program::program;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

const SIM: &str = env!("CARGO_BIN_EXE_sim");

/// A trial of each function, by its name.
macro_rules! trials {
    ($($test:path),*) => {
        vec![$({
            let name = stringify!($test).rsplit(':').next().unwrap_or_default();
            Trial::test(name, || {
                $test();
                Ok(())
            })
        }),*]
    };
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() == Some("--as-program") {
        return program(words);
    }
    let trials = trials! {
        a_table_of_counters, findings_and_a_summary, both_and_json, lines_that_cost_most, a_trace_and_a_page,
        profile::a_report_for_nsight_compute, a_kernel_that_dies_is_told_without_a_flag, a_card_by_its_name,
        a_right_program_has_no_findings, a_proof_is_about_one_launch, the_exit_code_is_kept,
        pools_are_switched_off_under_the_sanitizer, nothing_is_lost_in_a_crash, kernels_that_nobody_waits_for,
        child_processes_count_too, a_program_without_kernels, a_program_that_saw_no_card_is_told,
        without_flags_nothing_is_added, refusals::refused_work_has_an_exit_code,
        refusals::what_was_found_otherwise_is_no_refusal, refusals::the_newest_cards,
        refusals::answered_operations_are_told, refusals::a_certificate_of_the_run,
        other_orders_of_blocks_and_warps, launches_that_block,
        replay::a_race_is_recorded_with_both_accesses_and_turned_round,
        replay::a_right_launch_has_its_values_and_no_finding,
        replay::a_launch_that_stops_ends_with_the_element_outside, replay::without_a_launch_there_is_no_page,
        search::an_order_that_goes_wrong_is_found_and_replayed,
        search::a_kernel_that_is_right_in_every_order_is_told_as_such, search::an_order_that_shows_is_no_fault,
        search::a_search_that_is_given_up_says_so, refusals::questions_are_no_work,
        refusals::without_sim_the_driver_tells, memory_left_to_the_end_is_a_note, calls::signals_reach_the_command,
        calls::a_misspelt_variable_is_named, calls::any_version_of_the_interface, calls::a_runner_for_cargo,
        calls::wrong_calls, calls::an_answer_whose_reader_left_is_no_failure
    };
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// How a command under `sim` ended, and what it said.
struct Ended {
    code: Option<i32>,
    said: String,
    printed: String,
}

fn sim(flags: &[&str], words: &[&str]) -> Ended {
    let own = std::env::current_exe().expect("a path").display().to_string();
    called(&[flags, &["--", &own, "--as-program"], words].concat())
}

/// The same with a variable of the environment, and without flags.
fn sim_where(name: &str, value: &str, words: &[&str]) -> Ended {
    let own = std::env::current_exe().expect("a path");
    ended(Command::new(SIM).arg(own).arg("--as-program").args(words).env(name, value))
}

/// The standard error of a run that ends with this code.
#[track_caller]
fn says(code: i32, flags: &[&str], words: &[&str]) -> String {
    let ended = sim(flags, words);
    assert_eq!(ended.code, Some(code), "{}", ended.said);
    ended.said
}

fn called(words: &[&str]) -> Ended {
    ended(Command::new(SIM).args(words))
}

/// A place for a file that `sim` writes.
fn place(name: &str) -> String {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).display().to_string()
}

fn written(path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("written")).expect("JSON")
}

fn ended(command: &mut Command) -> Ended {
    let Output { status, stdout, stderr } = command.output().expect("sim starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Ended { code: status.code(), said: text(stderr), printed: text(stdout) }
}

/// The cells of the table's row of this kernel.
fn row(said: &str, kernel: &str) -> Vec<String> {
    let line = said.lines().find(|line| line.starts_with(kernel));
    line.unwrap_or_else(|| panic!("no row of {kernel}:\n{said}")).split_whitespace().map(str::to_owned).collect()
}

fn a_table_of_counters() {
    let said = says(0, &["--counters"], &["right", "right", "racy"]);
    assert!(said.starts_with("== counters, simulated: NVIDIA "), "{said}");
    for heading in ["bound by", "launches", "mean µs", "occupancy %", "load eff. %", "shared eff. %"] {
        assert!(said.contains(heading), "{heading}: {said}");
    }
    // The two modules' kernels have one name and one shape.
    let row = row(&said, "shared_product");
    assert_eq!(row[1..3], ["2x2", "16x16"], "{said}");
    assert!(row.contains(&"3".to_owned()), "three launches: {said}");
    assert!(!said.contains("race"), "{said}");
    let (table, legend) = said.split_once("  mean µs").expect("the columns in words");
    assert!(legend.contains("mean simulated time of a launch"), "{said}");
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{said}");
    let Ended { said, .. } = sim(&["--counters", "--no-legend"], &["right"]);
    assert!(!said.contains("mean simulated time of a launch"), "{said}");
}

fn findings_and_a_summary() {
    let Ended { code, said, .. } = sim(&["--sanitize"], &["racy", "racy"]);
    assert_eq!(code, Some(1), "found although the program ended with 0: {said}");
    assert!(said.contains("race_shared/gemm_missing_second_barrier.cu:"), "{said}");
    assert!(said.contains("next: tried: with a __syncthreads() after line 19 nothing is found"), "{said}");
    assert!(said.contains("seen in 2 launches"), "{said}");
    let last = said.lines().rev().nth(1).unwrap_or_default();
    assert!(
        last.starts_with("== sanitizer: ") && last.contains("; 2 launches ran to the end; --replay FILE"),
        "{said}"
    );
    assert!(!said.contains("== counters"), "{said}");
}

fn both_and_json() {
    let path = place("both.json");
    let said = says(1, &["--counters", "--sanitize", "--json", &path], &["right", "racy"]);
    assert!(said.contains("== counters") && said.contains("== sanitizer"), "{said}");
    let json = written(&path);
    assert_eq!(json["exit_code"], 0);
    let kernel = &json["kernels"][0];
    assert_eq!((&kernel["kernel"], &kernel["launches"]), (&"shared_product".into(), &2.into()));
    assert_eq!(kernel["grid"], serde_json::json!([2, 2, 1]));
    // 30 of 32 rows and columns of tiles are inside: 2 launches × 2 rounds × 8 warps × 4 blocks of two loads each, at most.
    let requests = kernel["counters"]["global_load_requests"].as_u64().expect("a count");
    assert!(requests > 0 && requests <= 2 * 2 * 8 * 4 * 2, "{requests}");
    assert!(kernel["time_ns"].as_u64().is_some_and(|time| time > 0));
    assert_eq!((&json["findings"][0]["kind"], &json["findings"][0]["family"]), (&"race".into(), &"kernel".into()));
    assert_eq!(json["launches"], 2);
    // The worse of the two launches.
    let verdict = &json["race_freedom"][0];
    assert_eq!((&verdict["verdict"], &verdict["launches"]), (&"refuted".into(), &2.into()), "{verdict}");
}

/// Per kernel the lines in the order of their cost, at most 25 screen lines of it, and none wider than the usual width.
fn lines_that_cost_most() {
    let said = says(0, &["--explain", "--lines"], &["right", "right"]);
    assert!(said.starts_with("== lines of each kernel's first launch, simulated: NVIDIA "), "{said}");
    assert!(said.contains("\nshared_product, 2x2 x 16x16, 2 launches, 100 % of all time: "), "{said}");
    let shares: Vec<f64> =
        said.lines().filter_map(|line| line.trim_start().split_once(" % ")?.0.parse().ok()).collect();
    assert!(shares.len() > 2 && shares.is_sorted_by(|a, b| a >= b), "{shares:?} {said}");
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["tile_b[p][x];", "tried in the model", " instructions, "] {
        assert!(words.contains(part), "{part}: {said}");
    }
    assert!(said.lines().count() <= 25 + 5 && said.lines().all(|line| line.chars().count() <= 100), "{said}");
    let Ended { said, .. } = sim(&["--explain"], &["7"]);
    assert!(said.contains("== lines: no kernel was run under the simulated driver"), "{said}");
}

fn a_trace_and_a_page() {
    let (trace, html) = (place("trace.json"), place("page.html"));
    let said = says(0, &["--trace", &trace, "--html", &html], &["right", "child"]);
    assert!(said.contains(&format!("== wrote {trace}: ")) && said.contains(&format!("== wrote {html}: ")), "{said}");
    let trace = written(&trace);
    let spans: Vec<&Value> =
        trace["traceEvents"].as_array().expect("events").iter().filter(|event| event["ph"] == "X").collect();
    let of = |category: &str| spans.iter().filter(|span| span["cat"] == category).count();
    assert_eq!((of("kernels"), of("copies to the device"), of("copies to the host")), (2, 2, 2), "{trace}");
    assert!(of("host calls") > 10, "{trace}");
    // The command and its child, each with a clock of its own; on one track nothing overlaps.
    for span in &spans {
        let end = |span: &Value| span["ts"].as_f64().expect("a time") + span["dur"].as_f64().expect("a time");
        let is_beside = |other: &&&Value| other["tid"] == span["tid"] && other["pid"] == span["pid"];
        let starts = |other: &&&Value| other["ts"].as_f64() > span["ts"].as_f64();
        for next in spans.iter().filter(is_beside).filter(starts) {
            assert!(next["ts"].as_f64().expect("a time") >= end(span) - 1e-6, "{span} {next}");
        }
    }
    let page = std::fs::read_to_string(html).expect("written");
    for part in [
        " shared_product had ",
        "\"title\":\"kernels\"",
        "\"track\":\"copy in\"",
        "tiled_product.cu",
        "\"told\":\"shared_product, ",
        "\"space\":\"shared\"",
        "SHA-256",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.len() < 200_000, "{} bytes", page.len());
}

/// Also where the program sees a bare number of an error, or goes on. It ends with 0, and looked at no error or provokes it.
fn a_kernel_that_dies_is_told_without_a_flag() {
    let told = "== 1 kernel or launch failed in this run, so what it computed may be wrong:\n   - your kernel: `shared_product` reads ";
    for (flags, wanted) in
        [(&[][..], 6), (&["--counters"], 6), (&["--strict"], 6), (&["--allow-refused"], 6), (&["--sanitize"], 1)]
    {
        let Ended { code, said, .. } = sim(flags, &["stray"]);
        let message = "your kernel: `shared_product` reads just past the end of `a`\n  --> ";
        assert_eq!((code, said.matches(message).count()), (Some(wanted), 1), "{flags:?}: {said}");
        for part in [told, "clean/tiled_product.cu:", " = who: thread (", " = what: ", " = next: "] {
            assert!(said.contains(part) && !said.contains("fidelity: all"), "{flags:?} {part}: {said}");
        }
    }
    for flags in [&["--allow-faults"][..], &["--allow-faults", "--sanitize"]] {
        let Ended { code, said, .. } = sim(flags, &["stray"]);
        assert!(code == Some(0) && said.contains("`shared_product` reads ") && !said.contains(told), "{said}");
    }
    assert_eq!(
        sim(&["--allow-faults", "--sanitize"], &["racy", "stray"]).code,
        Some(1),
        "a race is none that was provoked"
    );
    assert_eq!(sim(&[], &["stray", "7"]).code, Some(7), "its own code is worth more");
    // A launch that no card takes does nothing, and tells nobody who does not ask; a program may look for a shape that fits.
    let Ended { code, said, .. } = sim(&[], &["too-large"]);
    assert!(code == Some(6) && said.contains("x of the block is 2048") && said.contains("kernel `one`"), "{said}");
    assert_eq!(sim(&[], &["too-large", "last-block"]).code, Some(0), "a kernel of that name was launched");
    assert_eq!(sim(&[], &["too-large", "right"]).code, Some(6));
}

fn a_card_by_its_name() {
    let Ended { code, said, .. } = sim(&["--card", "h200", "--counters"], &["right"]);
    assert!(code == Some(0) && said.starts_with("== counters, simulated: NVIDIA H200"), "{said}");
    let Ended { code, said, .. } = sim(&["--card", "h20"], &["right"]);
    assert!(code == Some(2) && said.contains("--card h20: ") && said.contains("h200"), "{said}");
}

fn a_right_program_has_no_findings() {
    let said = says(0, &["--sanitize"], &["right"]);
    let [summary, proof, certificate] = said.lines().collect::<Vec<_>>()[..] else { panic!("three lines: {said}") };
    assert_eq!(summary, "== sanitizer: no findings; 1 launch ran to the end");
    assert_eq!(
        proof,
        "== race freedom of each launch by itself, for all data, at its grid and with its arguments: proved of 1 kernel"
    );
    assert!(certificate.starts_with("== fidelity: all "), "{said}");
}

/// Another stream's fill writes what the launch writes.
fn a_proof_is_about_one_launch() {
    let Ended { said, .. } = sim(&["--sanitize"], &["right", "overlapped"]);
    assert!(said.contains("two streams use") && !said.contains("proved of"), "{said}");
    assert!(said.contains("race freedom of `shared_product` for all data: not decided; other work uses"), "{said}");
}

/// By a stand-in for CuPy, beside a file of the user's own that Python loads at its start; `tests/clients/run cupy14` has CuPy itself.
fn pools_are_switched_off_under_the_sanitizer() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pools");
    std::fs::create_dir_all(folder.join("cupy")).expect("a folder");
    let module = "class cuda:\n    set_allocator = lambda to: print('allocator', to)\ncuda.set_allocator('pool')\n";
    std::fs::write(folder.join("cupy/__init__.py"), module).expect("written");
    std::fs::write(folder.join("sitecustomize.py"), "print('own')\n").expect("written");
    for (flags, pool) in [(&["--sanitize"][..], "allocator None\n1\n"), (&[], "None\n")] {
        let program = "import cupy, cupy, os; print(os.environ.get('PYTORCH_NO_CUDA_MEMORY_CACHING'))";
        let mut command = Command::new(SIM);
        command.args(flags).args(["--", "python3", "-c", program]).env("PYTHONPATH", &folder);
        let Ended { printed, said, .. } = ended(&mut command);
        assert_eq!(printed, format!("own\nallocator pool\n{pool}"), "{said}");
    }
    let told = |words: &[&str]| sim(&["--sanitize"], words).said.contains("several places in one of 8192 bytes");
    assert!(told(&["parts"]) && !told(&["right", "right"]));
}

fn the_exit_code_is_kept() {
    assert_eq!(sim(&["--counters"], &["right", "7"]).code, Some(7));
    assert_eq!(sim(&["--sanitize"], &["racy", "7"]).code, Some(7));
    assert_eq!(sim(&["--sanitize"], &["racy", "0"]).code, Some(1));
    assert_eq!(sim(&[], &["7"]).code, Some(7));
}

fn nothing_is_lost_in_a_crash() {
    let Ended { code, said, .. } = sim(&["--counters", "--sanitize"], &["racy", "abort"]);
    assert_eq!(code, Some(128 + libc::SIGABRT), "{said}");
    assert!(said.contains("signal 6 ended the command"), "{said}");
    assert!(said.contains("next: tried: with a __syncthreads() after line 19 nothing is found"), "{said}");
    row(&said, "shared_product");
    let said = says(5, &["--counters"], &["right", "_exit"]);
    row(&said, "shared_product");
}

fn kernels_that_nobody_waits_for() {
    let said = says(0, &["--counters"], &["hasty"]);
    row(&said, "shared_product");
}

fn child_processes_count_too() {
    let said = says(1, &["--sanitize"], &["right", "child"]);
    assert!(
        said.contains("tried: with a __syncthreads() after line 19") && said.contains("2 launches ran to the end"),
        "{said}"
    );
}

fn a_program_without_kernels() {
    let Ended { code, said, printed } = called(&["--counters", "--sanitize", "echo", "--counters"]);
    assert_eq!((code, printed.as_str()), (Some(0), "--counters\n"), "{said}");
    assert_eq!(said.matches("no kernel was run under the simulated driver").count(), 2, "{said}");
}

/// A program that fell back to its CPU ends well, and has tested nothing.
fn a_program_that_saw_no_card_is_told() {
    let told = "== no CUDA call was made: ";
    let Ended { code, said, .. } = called(&["true"]);
    assert!(code == Some(0) && said.starts_with(told) && said.lines().count() == 1, "{said}");
    assert_eq!((called(&["--strict", "true"]).code, called(&["--strict", "false"]).code), (Some(4), Some(1)));
    // A question is a call, and one under another `sim` is one too.
    let own = std::env::current_exe().expect("a path").display().to_string();
    for words in [&["--", &own, "--as-program", "version"][..], &["--", SIM, &own, "--as-program", "right"]] {
        let Ended { code, said, .. } = called(words);
        assert!(code == Some(0) && !said.contains(told), "{words:?}: {said}");
    }
    let Ended { said, .. } = called(&["--", SIM, "true"]);
    assert_eq!(said.matches(told).count(), 2, "{said}");
}

fn without_flags_nothing_is_added() {
    let Ended { code, said, printed } = sim(&[], &["racy"]);
    assert_eq!((code, said.as_str(), printed.as_str()), (Some(0), "", ""));
}

/// A kernel and a copy in two streams that nothing orders: the copy reads old data, unless launches block.
fn launches_that_block() {
    for (blocking, printed) in [("0", "read 0"), ("1", "read 7")] {
        let ended = sim_where("CUDA_LAUNCH_BLOCKING", blocking, &["two-streams"]);
        assert_eq!(ended.printed.trim(), printed, "CUDA_LAUNCH_BLOCKING={blocking}");
    }
}

fn other_orders_of_blocks_and_warps() {
    let path = place("schedules.json");
    let Ended { code, said, printed } = sim(&["--schedules", "16", "--json", &path], &["last-block"]);
    assert_eq!((code, printed.as_str()), (Some(1), "block 7\n"), "{said}");
    let json = written(&path);
    let changed = &json["schedules"]["changed"];
    let seed = changed["seed"].as_u64().unwrap_or_else(|| panic!("a seed: {json}"));
    assert_eq!((&json["exit_code"], &changed["exit_code"]), (&0.into(), &9.into()), "{json}");
    let told = format!(
        "== schedules: exit code 9 instead of exit code 0 in order {seed} of blocks and warps; LABS_SIM_SCHEDULE_SEED={seed} sim -- "
    );
    assert!(said.contains(&told) && said.contains("says otherwise in order"), "{said}");
    let again = sim_where("LABS_SIM_SCHEDULE_SEED", &seed.to_string(), &["last-block"]);
    assert_eq!(again.code, Some(9), "the order is replayed");
    let said = says(0, &["--schedules", "2", "--sanitize"], &["right"]);
    assert!(said.contains("none of 2 other orders of blocks and warps changes the verdict"), "{said}");
}

fn memory_left_to_the_end_is_a_note() {
    let said = says(0, &["--sanitize"], &["destroyed"]);
    assert!(said.contains("== note: your host code: 4096 bytes still allocated at the end"), "{said}");
    let said = says(1, &["--sanitize", "--leaks"], &["destroyed"]);
    assert!(said.contains("your host code: 4096 bytes still allocated at the end\n"), "{said}");
    assert_eq!(sim(&["--sanitize", "--leaks"], &["right"]).code, Some(0));
}
