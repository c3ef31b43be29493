//! Refused work and answers that are not exact, and what becomes of them at the end of a run.

use crate::{Ended, called, ended, place, says, sim, sim_where, written};
use std::path::Path;
use std::process::Command;

/// The image is for a newer card, and the program goes on as if nothing had been.
pub fn refused_work_has_an_exit_code() {
    let said = says(3, &[], &["too-new", "right"]);
    assert!(said.contains("== 1 thing was refused in this run, so what it computed may be wrong"), "{said}");
    assert!(said.contains("sm_100") && said.contains("LABS_SIM_PROFILE=b200"), "{said}");
    let said = says(3, &[], &["cuMemcpyBatchAsync", "cuMemcpyBatchAsync", "cuModuleGetTexRef"]);
    assert!(said.contains("== 2 things were refused") && said.contains("cuModuleGetTexRef"), "{said}");
    // A function that the runtime library lacks counts as well, once the program has used the runtime.
    let said = says(3, &[], &["runtime", "cudaMemcpy3DPeer", "cudaGraphicsMapResources"]);
    assert!(said.contains("== 1 thing was refused") && said.contains("cudaMemcpy3DPeer"), "{said}");
    assert_eq!(sim(&["--allow-refused"], &["too-new"]).code, Some(0));
    assert_eq!(sim(&[], &["too-new", "7"]).code, Some(7), "its own code is worth more");
    assert_eq!(sim(&["--sanitize"], &["too-new", "racy"]).code, Some(1));
    assert_eq!(sim(&[], &["too-new", "_exit"]).code, Some(5));
    let path = place("refused.json");
    let Ended { code, said, .. } = sim(&["--json", &path], &["too-new", "cuDeviceGetLuid"]);
    let json = written(&path);
    assert_eq!((code, &json["exit_code"]), (Some(3), &0.into()), "{said}");
    assert!(json["refused"][0].as_str().is_some_and(|why| why.contains("sm_100")), "{json}");
    assert!(json["asked_in_vain"][0].as_str().is_some_and(|why| why.contains("cuDeviceGetLuid")), "{json}");
}

/// Programs try one image after the other; only what none of them has is missing.
pub fn what_was_found_otherwise_is_no_refusal() {
    let said = says(0, &["--sanitize"], &["too-new", "for-all"]);
    assert!(said.contains("== 1 thing asked for in vain"), "{said}");
    assert_eq!(sim(&[], &["too-new", "other"]).code, Some(3));
    assert_eq!(sim(&[], &["no-image"]).code, Some(0), "nobody takes a text that is no PTX");
}

/// Older cards cannot load these programs; and what these can and the simulator cannot is refused by name.
pub fn the_newest_cards() {
    let Ended { code, said, .. } = sim_where("LABS_SIM_PROFILE", "rtx5090", &["for-sm-120", "right", "racy"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(sim_where("LABS_SIM_PROFILE", "b200", &["right"]).code, Some(0));
    let Ended { code, said, .. } = sim_where("LABS_SIM_PROFILE", "b200", &["tensor-memory"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("tcgen05.alloc") && said.contains("fill_mode.global"), "{said}");
}

/// Exactness is said where something was asked for, the lack of it in any case.
pub fn a_certificate_of_the_run() {
    let path = place("fidelity.json");
    let said = says(4, &["--strict", "--json", &path], &["right", "approximate"]);
    let last = said.lines().last().unwrap_or_default();
    let parts = ", 1 approximate (sin.approx.f32), 1 without effect here (nanosleep.u32); times are simulated";
    assert!(last.starts_with("== fidelity: ") && last.ends_with(parts), "{said}");
    let json = written(&path);
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

pub fn questions_are_no_work() {
    let said = says(0, &[], &["cuDeviceGetLuid", "cuMemPrefetchBatchAsync", "cuCoredumpGetAttribute"]);
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
    ended(command.arg("--as-program").args(words).env("LD_LIBRARY_PATH", links).env("LABS_SIM_STRICT", strict))
}

pub fn without_sim_the_driver_tells() {
    let Ended { code, said, .. } = without_sim(&["too-new"], "0");
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(said.matches("1 thing was refused in this run").count(), 1, "{said}");
    assert_eq!(without_sim(&["too-new"], "1").code, Some(3));
    assert_eq!(without_sim(&["too-new", "for-all"], "1").code, Some(0));
    assert_eq!(without_sim(&["right"], "1").code, Some(0));
}

/// As `python/answers.py` notes them: the first time of each, and the rest at the end.
pub fn answered_operations_are_told() {
    let noted = "import os; file = open(os.environ['LABS_SIM_REFUSALS'] + '/answered-1', 'w'); \
                 file.write('{\"answered\": [\"mm\", 1]}\\n{\"answered\": [\"add\", 1]}\\n{\"answered\": [\"mm\", 40]}\\n{\"answered\": [\"cusolverDnSpotrf\", 1]}\\n')";
    for (flags, code) in [(&[][..], 0), (&["--strict"], 4)] {
        let Ended { code: ended, said, .. } = called(&[flags, &["--", "python3", "-c", noted]].concat());
        assert_eq!(ended, Some(code), "{said}");
        let words = "== 42 operations of PyTorch's own were answered by its CPU kernels (mm 41, add 1): their results are the CPU's, their times estimates";
        assert!(said.lines().any(|line| line == words), "{said}");
        let words = "== 1 operations of NVIDIA's libraries were answered on the host (cusolverDnSpotrf 1): their results are the host's, their times estimates";
        assert!(said.lines().any(|line| line == words), "{said}");
    }
}
