//! `sim --counters --sanitize --json FILE COMMAND`: what it prints, what it writes, and how it ends.
//!
//! The command is this program itself, started with `--as-program WORD…`: it speaks to whatever `libcuda.so` the loader finds.
#![allow(unsafe_code)]

mod profile;
mod program;
mod search;

use libtest_mimic::{Arguments, Trial};
use program::program;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};

const SIM: &str = env!("CARGO_BIN_EXE_sim");

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() == Some("--as-program") {
        return program(words);
    }
    let tests: &[(&str, fn())] = &[
        ("a_table_of_counters", a_table_of_counters),
        ("findings_and_a_summary", findings_and_a_summary),
        ("both_and_json", both_and_json),
        ("lines_that_cost_most", lines_that_cost_most),
        ("a_trace_and_a_page", a_trace_and_a_page),
        ("a_report_for_nsight_compute", profile::a_report_for_nsight_compute),
        ("a_kernel_that_dies_is_told_without_a_flag", a_kernel_that_dies_is_told_without_a_flag),
        ("a_card_by_its_name", a_card_by_its_name),
        ("a_right_program_has_no_findings", a_right_program_has_no_findings),
        ("a_proof_is_about_one_launch", a_proof_is_about_one_launch),
        ("the_exit_code_is_kept", the_exit_code_is_kept),
        ("pools_are_switched_off_under_the_sanitizer", pools_are_switched_off_under_the_sanitizer),
        ("nothing_is_lost_in_a_crash", nothing_is_lost_in_a_crash),
        ("kernels_that_nobody_waits_for", kernels_that_nobody_waits_for),
        ("child_processes_count_too", child_processes_count_too),
        ("a_program_without_kernels", a_program_without_kernels),
        ("a_program_that_saw_no_card_is_told", a_program_that_saw_no_card_is_told),
        ("without_flags_nothing_is_added", without_flags_nothing_is_added),
        ("refused_work_has_an_exit_code", refused_work_has_an_exit_code),
        ("what_was_found_otherwise_is_no_refusal", what_was_found_otherwise_is_no_refusal),
        ("the_newest_cards", the_newest_cards),
        ("a_certificate_of_the_run", a_certificate_of_the_run),
        ("other_orders_of_blocks_and_warps", other_orders_of_blocks_and_warps),
        ("launches_that_block", launches_that_block),
        ("an_order_that_goes_wrong_is_found", search::an_order_that_goes_wrong_is_found_and_replayed),
        ("a_kernel_that_is_right_in_every_order", search::a_kernel_that_is_right_in_every_order_is_told_as_such),
        ("an_order_that_shows_is_no_fault", search::an_order_that_shows_is_no_fault),
        ("a_search_that_is_given_up_says_so", search::a_search_that_is_given_up_says_so),
        ("questions_are_no_work", questions_are_no_work),
        ("without_sim_the_driver_tells", without_sim_the_driver_tells),
        ("memory_left_to_the_end_is_a_note", memory_left_to_the_end_is_a_note),
        ("signals_reach_the_command", signals_reach_the_command),
        ("a_misspelt_variable_is_named", a_misspelt_variable_is_named),
        ("any_version_of_the_interface", any_version_of_the_interface),
        ("a_runner_for_cargo", a_runner_for_cargo),
        ("wrong_calls", wrong_calls),
        ("an_answer_whose_reader_left_is_no_failure", an_answer_whose_reader_left_is_no_failure),
    ];
    let trial = |&(name, test): &(&str, fn())| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    let trials = tests.iter().map(trial).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// How a command under `sim` ended, and what it said.
struct Ended {
    code: Option<i32>,
    said: String,
    printed: String,
}

fn sim(flags: &[&str], words: &[&str]) -> Ended {
    let own = std::env::current_exe().expect("a path");
    let mut command = Command::new(SIM);
    command.args(flags).arg("--").arg(own).arg("--as-program").args(words);
    ended(command)
}

fn ended(mut command: Command) -> Ended {
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
    let Ended { code, said, .. } = sim(&["--counters"], &["right", "right", "racy"]);
    assert_eq!(code, Some(0), "{said}");
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
    assert!(said.contains("a __syncthreads() is missing"), "{said}");
    assert!(said.contains("seen in 2 launches"), "{said}");
    let last = said.lines().rev().nth(1).unwrap_or_default();
    assert!(last.starts_with("== sanitizer: ") && last.ends_with("; 2 launches ran to the end"), "{said}");
    assert!(!said.contains("== counters"), "{said}");
}

fn both_and_json() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("both.json");
    let path = file.display().to_string();
    let Ended { code, said, .. } = sim(&["--counters", "--sanitize", "--json", &path], &["right", "racy"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("== counters") && said.contains("== sanitizer"), "{said}");
    let json: Value = serde_json::from_str(&std::fs::read_to_string(&file).expect("written")).expect("JSON");
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
    let Ended { code, said, .. } = sim(&["--explain", "--lines"], &["right", "right"]);
    assert_eq!(code, Some(0), "{said}");
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
    let file = |name: &str| Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).display().to_string();
    let (trace, html) = (file("trace.json"), file("page.html"));
    let Ended { code, said, .. } = sim(&["--trace", &trace, "--html", &html], &["right", "child"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(&format!("== wrote {trace}: ")) && said.contains(&format!("== wrote {html}: ")), "{said}");
    let trace: Value = serde_json::from_str(&std::fs::read_to_string(trace).expect("written")).expect("JSON");
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
    let Ended { code, said, .. } = sim(&["--sanitize"], &["right"]);
    assert_eq!(code, Some(0), "{said}");
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
        let mut command = Command::new(SIM);
        let program = "import cupy, cupy, os; print(os.environ.get('PYTORCH_NO_CUDA_MEMORY_CACHING'))";
        command.args(flags).args(["--", "python3", "-c", program]).env("PYTHONPATH", &folder);
        let Ended { printed, said, .. } = ended(command);
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
    assert!(said.contains("a __syncthreads() is missing"), "{said}");
    row(&said, "shared_product");
    let Ended { code, said, .. } = sim(&["--counters"], &["right", "_exit"]);
    assert_eq!(code, Some(5), "{said}");
    row(&said, "shared_product");
}

fn kernels_that_nobody_waits_for() {
    let Ended { code, said, .. } = sim(&["--counters"], &["hasty"]);
    assert_eq!(code, Some(0), "{said}");
    row(&said, "shared_product");
}

fn child_processes_count_too() {
    let Ended { code, said, .. } = sim(&["--sanitize"], &["right", "child"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("a __syncthreads() is missing") && said.contains("2 launches ran to the end"), "{said}");
}

fn a_program_without_kernels() {
    let mut command = Command::new(SIM);
    command.args(["--counters", "--sanitize", "echo", "--counters"]);
    let Ended { code, said, printed } = ended(command);
    assert_eq!((code, printed.as_str()), (Some(0), "--counters\n"), "{said}");
    assert_eq!(said.matches("no kernel was run under the simulated driver").count(), 2, "{said}");
}

/// A program that fell back to its CPU ends well, and has tested nothing.
fn a_program_that_saw_no_card_is_told() {
    let of = |words: &[&str]| {
        let mut command = Command::new(SIM);
        command.args(words);
        ended(command)
    };
    let told = "== no CUDA call was made: ";
    let Ended { code, said, .. } = of(&["true"]);
    assert!(code == Some(0) && said.starts_with(told) && said.lines().count() == 1, "{said}");
    assert_eq!((of(&["--strict", "true"]).code, of(&["--strict", "false"]).code), (Some(4), Some(1)));
    // A question is a call, and one under another `sim` is one too.
    let own = std::env::current_exe().expect("a path").display().to_string();
    for words in [&["--", &own, "--as-program", "version"][..], &["--", SIM, &own, "--as-program", "right"]] {
        let Ended { code, said, .. } = of(words);
        assert!(code == Some(0) && !said.contains(told), "{words:?}: {said}");
    }
    let Ended { said, .. } = of(&["--", SIM, "true"]);
    assert_eq!(said.matches(told).count(), 2, "{said}");
}

fn without_flags_nothing_is_added() {
    let Ended { code, said, printed } = sim(&[], &["racy"]);
    assert_eq!((code, said.as_str(), printed.as_str()), (Some(0), "", ""));
}

/// The image is for a newer card, and the program goes on as if nothing had been.
fn refused_work_has_an_exit_code() {
    let Ended { code, said, .. } = sim(&[], &["too-new", "right"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("== 1 thing was refused in this run, so what it computed may be wrong"), "{said}");
    assert!(said.contains("sm_100") && said.contains("LABS_SIM_PROFILE=b200"), "{said}");
    let Ended { code, said, .. } = sim(&[], &["cuMemcpyBatchAsync", "cuMemcpyBatchAsync", "cuModuleGetTexRef"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("== 2 things were refused") && said.contains("cuModuleGetTexRef"), "{said}");
    // A function that the runtime library lacks counts as well, once the program has used the runtime.
    let Ended { code, said, .. } = sim(&[], &["runtime", "cudaMemcpy3DPeer", "cudaGraphicsMapResources"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("== 1 thing was refused") && said.contains("cudaMemcpy3DPeer"), "{said}");
    assert_eq!(sim(&["--allow-refused"], &["too-new"]).code, Some(0));
    assert_eq!(sim(&[], &["too-new", "7"]).code, Some(7), "its own code is worth more");
    assert_eq!(sim(&["--sanitize"], &["too-new", "racy"]).code, Some(1));
    assert_eq!(sim(&[], &["too-new", "_exit"]).code, Some(5));
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("refused.json");
    let Ended { code, said, .. } = sim(&["--json", &file.display().to_string()], &["too-new", "cuDeviceGetLuid"]);
    let json: Value = serde_json::from_str(&std::fs::read_to_string(&file).expect("written")).expect("JSON");
    assert_eq!((code, &json["exit_code"]), (Some(3), &0.into()), "{said}");
    assert!(json["refused"][0].as_str().is_some_and(|why| why.contains("sm_100")), "{json}");
    assert!(json["asked_in_vain"][0].as_str().is_some_and(|why| why.contains("cuDeviceGetLuid")), "{json}");
}

/// Programs try one image after the other; only what none of them has is missing.
fn what_was_found_otherwise_is_no_refusal() {
    let Ended { code, said, .. } = sim(&["--sanitize"], &["too-new", "for-all"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("== 1 thing asked for in vain"), "{said}");
    assert_eq!(sim(&[], &["too-new", "other"]).code, Some(3));
    assert_eq!(sim(&[], &["no-image"]).code, Some(0), "nobody takes a text that is no PTX");
}

fn of_card(card: &str, words: &[&str]) -> Ended {
    let own = std::env::current_exe().expect("a path");
    let mut command = Command::new(SIM);
    command.arg(own).arg("--as-program").args(words).env("LABS_SIM_PROFILE", card);
    ended(command)
}

/// Older cards cannot load these programs; and what these can and the simulator cannot is refused by name.
fn the_newest_cards() {
    let Ended { code, said, .. } = of_card("rtx5090", &["for-sm-120", "right", "racy"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(of_card("b200", &["right"]).code, Some(0));
    let Ended { code, said, .. } = of_card("b200", &["tensor-memory"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("tcgen05.alloc"), "{said}");
}

/// Exactness is said where something was asked for, the lack of it in any case.
fn a_certificate_of_the_run() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fidelity.json");
    let flags = ["--strict", "--json", &file.display().to_string()];
    let Ended { code, said, .. } = sim(&flags, &["right", "approximate"]);
    assert_eq!(code, Some(4), "{said}");
    let last = said.lines().last().unwrap_or_default();
    let parts = ", 1 approximate (sin.approx.f32), 1 without effect here (nanosleep.u32); times are simulated";
    assert!(last.starts_with("== fidelity: ") && last.ends_with(parts), "{said}");
    let json: Value = serde_json::from_str(&std::fs::read_to_string(&file).expect("written")).expect("JSON");
    let told = &json["fidelity"]["approximate"];
    assert_eq!((&told[0]["instruction"], &told[0]["kernels"][0]), (&"sin.approx.f32".into(), &"one".into()), "{json}");
    assert!(told[0]["how"].as_str().is_some_and(|how| how.contains("2^-20.5")), "{json}");
    assert!(json["fidelity"]["exact"].as_array().is_some_and(|exact| exact.contains(&"fma".into())), "{json}");
    // As `sha256sum` has it of that text.
    let sum = "54b4bc020bbd4405b13031cd8e4f0a1525c9a01638525d4739c407c3ca8cb25f";
    let kernels = json["fidelity"]["kernels"].as_array().expect("a list");
    assert!(kernels.contains(&serde_json::json!({ "kernel": "one", "sha256": sum })), "{json}");
    let Ended { code, said, .. } = sim(&[], &["approximate"]);
    assert!(code == Some(0) && said.lines().count() == 1 && said.contains("1 approximate"), "{said}");
    let Ended { code, said, .. } = sim(&["--strict"], &["right"]);
    assert!(code == Some(0) && said.contains(" instructions exact; times are simulated"), "{said}");
    // The assembler rounds a product by itself or with a sum, as it unrolls a loop.
    let Ended { code, said, .. } = sim(&["--strict"], &["unrolled"]);
    assert!(code == Some(4) && said.contains("1 approximate (mul.f32)"), "{said}");
    let Ended { code, said, .. } = sim(&["--strict"], &["not-unrolled"]);
    assert!(code == Some(0) && !said.contains("approximate"), "{said}");
    assert_eq!(sim(&["--strict"], &["cuDeviceGetLuid"]).code, Some(4), "a question is refused");
    assert_eq!(sim(&["--strict"], &["approximate", "7"]).code, Some(7));
}

/// A kernel and a copy in two streams that nothing orders: the copy reads old data, unless launches block.
fn launches_that_block() {
    let own = std::env::current_exe().expect("a path");
    for (blocking, printed) in [("0", "read 0"), ("1", "read 7")] {
        let mut command = Command::new(SIM);
        command.arg(&own).args(["--as-program", "two-streams"]).env("CUDA_LAUNCH_BLOCKING", blocking);
        assert_eq!(ended(command).printed.trim(), printed, "CUDA_LAUNCH_BLOCKING={blocking}");
    }
}

fn other_orders_of_blocks_and_warps() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schedules.json");
    let flags = ["--schedules", "16", "--json", &file.display().to_string()];
    let Ended { code, said, printed } = sim(&flags, &["last-block"]);
    assert_eq!((code, printed.as_str()), (Some(1), "block 7\n"), "{said}");
    let json: Value = serde_json::from_str(&std::fs::read_to_string(&file).expect("written")).expect("JSON");
    let changed = &json["schedules"]["changed"];
    let seed = changed["seed"].as_u64().unwrap_or_else(|| panic!("a seed: {json}"));
    assert_eq!((&json["exit_code"], &changed["exit_code"]), (&0.into(), &9.into()), "{json}");
    let told = format!(
        "== schedules: exit code 9 instead of exit code 0 in order {seed} of blocks and warps; LABS_SIM_SCHEDULE_SEED={seed} sim -- "
    );
    assert!(said.contains(&told) && said.contains("says otherwise in order"), "{said}");
    let mut again = Command::new(SIM);
    let own = std::env::current_exe().expect("a path");
    again.arg("--").arg(own).args(["--as-program", "last-block"]).env("LABS_SIM_SCHEDULE_SEED", seed.to_string());
    assert_eq!(ended(again).code, Some(9), "the order is replayed");
    let Ended { code, said, .. } = sim(&["--schedules", "2", "--sanitize"], &["right"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("none of 2 other orders of blocks and warps changes the verdict"), "{said}");
}

fn questions_are_no_work() {
    let Ended { code, said, .. } = sim(&[], &["cuDeviceGetLuid", "cuMemPrefetchBatchAsync", "cuCoredumpGetAttribute"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("=="), "{said}");
}

/// The command with the driver in front, as one sets it up by hand.
fn without_sim(words: &[&str], strict: &str) -> Ended {
    let own = std::env::current_exe().expect("a path");
    let links = Path::new(env!("CARGO_TARGET_TMPDIR")).join("by-hand");
    std::fs::create_dir_all(&links).expect("a folder");
    for name in ["libcuda.so", "libcuda.so.1"] {
        let _ = std::os::unix::fs::symlink(own.with_file_name("libsimulator.so"), links.join(name));
    }
    let mut command = Command::new(&own);
    command.arg("--as-program").args(words).env("LD_LIBRARY_PATH", links).env("LABS_SIM_STRICT", strict);
    ended(command)
}

fn without_sim_the_driver_tells() {
    let Ended { code, said, .. } = without_sim(&["too-new"], "0");
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(said.matches("1 thing was refused in this run").count(), 1, "{said}");
    assert_eq!(without_sim(&["too-new"], "1").code, Some(3));
    assert_eq!(without_sim(&["too-new", "for-all"], "1").code, Some(0));
    assert_eq!(without_sim(&["right"], "1").code, Some(0));
}

fn memory_left_to_the_end_is_a_note() {
    let Ended { code, said, .. } = sim(&["--sanitize"], &["destroyed"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("== note: your host code: 4096 bytes still allocated at the end"), "{said}");
    let Ended { code, said, .. } = sim(&["--sanitize", "--leaks"], &["destroyed"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("your host code: 4096 bytes still allocated at the end\n"), "{said}");
    assert_eq!(sim(&["--sanitize", "--leaks"], &["right"]).code, Some(0));
}

/// A signal that asks `sim` to end asks its command.
fn signals_reach_the_command() {
    use std::io::{BufRead, BufReader};
    let own = std::env::current_exe().expect("a path");
    let mut command = Command::new(SIM);
    command.arg(own).args(["--as-program", "sleep"]).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().expect("sim starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    assert_eq!(line, "ready\n");
    // SAFETY: a child that was not waited for.
    unsafe { libc::kill(child.id() as i32, libc::SIGTERM) };
    assert_eq!(child.wait().expect("it ends").code(), Some(128 + libc::SIGTERM));
}

fn a_misspelt_variable_is_named() {
    let own = std::env::current_exe().expect("a path");
    let mut command = Command::new(SIM);
    command.arg(own).args(["--as-program", "right"]).env("LABS_SIM_PROFIL", "h200");
    let Ended { code, said, .. } = ended(command);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(
        said,
        "[simulator] LABS_SIM_PROFIL is set, and nothing reads it; the nearest name is LABS_SIM_PROFILE\n"
    );
}

fn any_version_of_the_interface() {
    for (asked, answered) in [("12", "12090"), ("12.9", "12090"), ("12.4", "12040"), ("13", "13000"), ("13.4", "13040")]
    {
        let own = std::env::current_exe().expect("a path");
        let mut command = Command::new(SIM);
        command.arg(own).args(["--as-program", "version"]).env("LABS_SIM_DRIVER", asked);
        assert_eq!(ended(command).printed, answered, "{asked}");
    }
}

/// Written once, and never over what is there; Cargo's own programs start under it.
fn a_runner_for_cargo() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runner");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("src")).expect("a folder");
    let init = || {
        let mut command = Command::new(SIM);
        command.args(["init", "cargo"]).current_dir(&folder);
        ended(command)
    };
    let Ended { code, said, .. } = init();
    assert!(code == Some(2) && said.contains("has no Cargo.toml"), "{said}");
    std::fs::write(folder.join("Cargo.toml"), "[package]\nname = \"under\"\nedition = \"2021\"\n[workspace]\n")
        .expect("a file");
    let program = "fn main() { println!(\"{:?}\", std::env::var_os(\"LABS_SIM_REFUSALS\").is_some()) }\n";
    std::fs::write(folder.join("src/main.rs"), program).expect("a file");
    let Ended { code, printed, .. } = init();
    let config = folder.join(".cargo/config.toml");
    let written = std::fs::read_to_string(&config).expect("written");
    assert!(code == Some(0) && printed.contains(&written) && written.contains("runner = "), "{printed}");
    assert!(init().printed.contains("has the runner already"));
    let mut cargo = Command::new(env!("CARGO"));
    let path = std::env::join_paths(
        std::iter::once(Path::new(SIM).parent().expect("a folder").to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    cargo.args(["run", "--quiet", "--offline"]).current_dir(&folder).env("PATH", path.expect("a path"));
    cargo.env("CARGO_TARGET_DIR", folder.join("target"));
    let Ended { code, printed, said } = ended(cargo);
    assert_eq!((code, printed.as_str()), (Some(0), "true\n"), "{said}");
    std::fs::write(&config, "[build]\njobs = 1\n").expect("a file");
    let Ended { code, said, .. } = init();
    assert!(code == Some(2) && said.contains("stays as it is") && said.contains("runner = "), "{said}");
}

fn wrong_calls() {
    for (words, why) in [
        (&["--frobnicate", "true"][..], "there is no flag `--frobnicate`"),
        (&[], "which command?"),
        (&["--leaks", "true"], "--leaks goes with"),
        (&["--counters", "--json", "/nowhere/at/all", "true"], "--json /nowhere/at/all cannot be written: "),
        (&["--card", "/nowhere/card.json", "true"], "--card /nowhere/card.json: "),
        (&["init"], "for which runner?"),
    ] {
        let mut command = Command::new(SIM);
        command.args(words);
        let Ended { code, said, printed } = ended(command);
        assert_eq!((code, printed.as_str()), (Some(2), ""), "{words:?}: {said}");
        assert!(said.contains(why) && said.contains("\n  next: "), "{words:?}: {said}");
    }
    for (name, value) in [
        ("LABS_SIM_PROFILE", "foo"),
        ("LABS_SIM_BUDGET", "abc"),
        ("LABS_SIM_BUDGET", "0"),
        ("LABS_SIM_DEVICES", "17"),
        ("LABS_SIM_SCHEDULE_SEED", "x"),
        ("LABS_SIM_COUNTERS", "yes"),
    ] {
        let mut command = Command::new(SIM);
        command.args(["echo", "it ran"]).env(name, value);
        let Ended { code, said, printed } = ended(command);
        assert_eq!((code, printed.as_str()), (Some(2), ""), "{name}={value}: {said}");
        assert!(said.contains(&format!("{name}={value}: ")) && said.contains("next: unset "), "{said}");
    }
    let mut command = Command::new(SIM);
    command.args(["--counters", "/nowhere/at/all"]);
    let Ended { code, said, .. } = ended(command);
    assert_eq!(code, Some(127));
    assert!(said.contains("/nowhere/at/all cannot be started: ") && said.contains("\n  next: "), "{said}");
    let mut command = Command::new(SIM);
    command.arg("--help");
    let Ended { code, said, printed } = ended(command);
    assert!(code == Some(0) && said.is_empty() && printed.starts_with("usage: sim "), "{printed}{said}");
    let mut command = Command::new(SIM);
    command.arg("--version");
    let Ended { code, printed, .. } = ended(command);
    let version = format!("sim {}\nvector instructions: base", env!("CARGO_PKG_VERSION"));
    assert!(code == Some(0) && printed.starts_with(&version), "{printed}");
}

/// A reader that leaves before the first byte, as `head` may: no panic, no word, no failure.
fn an_answer_whose_reader_left_is_no_failure() {
    for flag in ["--help", "--version"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(SIM);
        let output =
            command.arg(flag).stdout(writer).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""), "{flag}");
    }
}
