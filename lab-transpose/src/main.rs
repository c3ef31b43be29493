//! Lab 3: matrix transpose and bank conflicts.

use clap::Parser;
use lab_transpose::{COLUMNS, Options, VARIANTS, measure, plan};
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
