//! The ladder beside its yardsticks, in one run: `cargo bench -p lab-gemm`, with the lab's own flags after `--`. See [`common::benching`].

use common::command_line::CommonArgs;
use lab_gemm::{COLUMNS, Options, VARIANTS, measure, plan};
use std::process::ExitCode;

fn main() -> ExitCode {
    common::benching::main("gemm", shared, (VARIANTS, COLUMNS), true, |options, device| {
        let plan = plan(options, device)?;
        measure(options, &plan, device)
    })
}

fn shared(options: &mut Options) -> &mut CommonArgs {
    &mut options.common
}
