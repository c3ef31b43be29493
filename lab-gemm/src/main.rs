//! Lab 1: matrix product, pageable against pinned memory, and a ladder of kernels.

use clap::Parser;
use lab_gemm::{COLUMNS, Options, VARIANTS, measure, plan};
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = Options::parse();
    common::conclude(|| {
        common::lab::run(&options.common, VARIANTS, COLUMNS, |device| {
            let plan = plan(&options, device)?;
            measure(&options, &plan, device)
        })
    })
}
