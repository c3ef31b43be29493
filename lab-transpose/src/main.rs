//! Lab 3: matrix transpose and bank conflicts.

use clap::Parser;
use lab_transpose::{COLUMNS, Options, Plan, VARIANTS, measure};
use std::process::ExitCode;

fn main() -> ExitCode {
    common::conclude(|| {
        let options = Options::parse();
        if options.common.list {
            return common::report::list(VARIANTS);
        }
        let device = options.common.open_device()?;
        let plan = Plan::new(&options, &device)?;
        let report = measure(&plan, &device)?;
        common::report::deliver(&report, &options.common, COLUMNS)
    })
}
