//! Lab 2: matrix-vector product and its reduction strategies.

use clap::Parser;
use lab_gemv::{COLUMNS, Options, VARIANTS, measure, plan};
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
