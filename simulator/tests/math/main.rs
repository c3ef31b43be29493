//! The mathematical libraries (`simulator/math/`) as programs under `sim` find them: cuBLAS by cudarc's declarations of it, cublasLt,
//! cuRAND, cuFFT, cuSOLVER and cuSPARSE by name. Results are compared with sums in f64 on the host.
//!
//! The command under `sim` is this program itself, started with `--as-program WORD`.
#![allow(unsafe_code)]

#[macro_use]
mod gpu;
#[macro_use]
#[path = "../under_sim/mod.rs"]
mod under_sim;

mod answered;
mod arguments;
mod batches;
mod fourier;
mod host;
mod lt;
mod random;
mod routines;

use libtest_mimic::{Arguments, Failed, Trial};
use std::process::{Command, ExitCode};
use under_sim::{said, under_sim};

const PROGRAMS: [(&str, fn()); 10] = [
    ("vectors", routines::vectors),
    ("products", routines::products),
    ("batches_and_types", batches::batches_and_types),
    ("triangles", routines::triangles),
    ("complex", routines::complex),
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
    let mut trials: Vec<Trial> = clean
        .map(|&(name, _)| Trial::test(name, move || said(&mut program(&["--sanitize"], name)).map(drop)))
        .collect();
    trials.push(Trial::test("what_is_lacking_is_refused_by_name", refused));
    trials.push(Trial::test("kernels_are_counted", || {
        let told = said(&mut program(&["--counters"], "triangles"))?;
        if told.contains("trsm_f64") { Ok(()) } else { Err(told.into()) }
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Calls of functions that the libraries lack.
fn refuse() {
    arguments::refused();
    random::refused();
    fourier::refused();
    answered::refused();
}

fn program(flags: &[&str], name: &str) -> Command {
    let mut command = under_sim(flags, &["--as-program".as_ref(), name.as_ref()]);
    command.env("LABS_SIM_PROFILE", "h200");
    command
}

/// The program itself ends with 0, and `sim` does not.
fn refused() -> Result<(), Failed> {
    let Err(told) = said(&mut program(&[], "refused")) else { return Err("sim ends with 0".into()) };
    let told = told.message().unwrap_or_default();
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
    if are_told && !told.contains("panicked") { Ok(()) } else { Err(told.into()) }
}
