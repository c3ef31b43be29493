//! The mathematical libraries (`simulator/math/`) as programs under `sim` find them: cuBLAS by cudarc's declarations of it, cublasLt,
//! cuRAND, cuFFT, cuSOLVER and cuSPARSE by name. Results are compared with sums in f64 on the host.
//!
//! The command under `sim` is this program itself, started with `--as-program WORD`.
#![allow(unsafe_code)]

#[macro_use]
mod gpu;

mod answered;
mod batches;
mod complex;
mod complex_numbers;
mod fourier;
mod lt;
mod matrices;
mod random;
mod triangles;
mod vectors;

use libtest_mimic::{Arguments, Failed, Trial};
use std::process::{Command, ExitCode, Output};

const PROGRAMS: [(&str, fn()); 10] = [
    ("vectors", vectors::all),
    ("products", matrices::products),
    ("batches_and_types", batches::batches_and_types),
    ("triangles", triangles::triangles),
    ("complex", complex::all),
    ("lt", lt::all),
    ("random", random::all),
    ("fourier", fourier::all),
    ("answered", answered::all),
    ("refused", refuse),
];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() == Some("--as-program") {
        let name = words.next().expect("which");
        PROGRAMS.iter().find(|(known, _)| *known == name).expect("a program").1();
        return ExitCode::SUCCESS;
    }
    let clean = PROGRAMS.iter().filter(|(name, _)| *name != "refused");
    let mut trials: Vec<Trial> =
        clean.map(|&(name, _)| Trial::test(name, move || succeeded(&under_sim(&["--sanitize"], name)?))).collect();
    trials.push(Trial::test("what_is_lacking_is_refused_by_name", refused));
    trials.push(Trial::test("kernels_are_counted", counted));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Calls of functions that the libraries lack.
fn refuse() {
    matrices::refused();
    random::refused();
    fourier::refused();
    answered::refused();
}

fn under_sim(flags: &[&str], program: &str) -> Result<Output, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sim"));
    command.args(flags).arg(std::env::current_exe()?).args(["--as-program", program]);
    Ok(command.env("LABS_SIM_PROFILE", "h200").output()?)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn succeeded(output: &Output) -> Result<(), Failed> {
    if output.status.success() { Ok(()) } else { Err(said(output).into()) }
}

/// The program itself ends with 0, and `sim` does not.
fn refused() -> Result<(), Failed> {
    let output = under_sim(&[], "refused")?;
    let told = said(&output);
    let names = [
        "[math] cublasChemm_v2 has",
        "[math] cublasGemmEx for A, B and C of cudaDataType 4, 4 and 5 with",
        "[math] curandCreateGenerator for curandRngType_t 202 has",
        "[math] cufftPlan1d for a length of 262, which has a prime factor above 127 has",
        "[math] cufftXtExec has",
        "[math] cusolverDnDpotri has",
        "[math] cusolverDnDgetrf for 128 bytes at 0x40, which are in no allocation has",
    ];
    let are_told = names.iter().all(|name| told.contains(name));
    if are_told && !output.status.success() && !told.contains("panicked") { Ok(()) } else { Err(told.into()) }
}

fn counted() -> Result<(), Failed> {
    let output = under_sim(&["--counters"], "triangles")?;
    let told = said(&output);
    if output.status.success() && told.contains("trsm_f64") { Ok(()) } else { Err(told.into()) }
}
