//! The batches beside the limit of bus and kernels, in one run: `cargo bench -p lab-streams`, with the lab's own flags after `--`. A batch
//! is a series already. See [`common::benching`].

use common::command_line::CommonArgs;
use lab_streams::{COLUMNS, Options, Plan, VARIANTS, measure};
use std::process::ExitCode;

fn main() -> ExitCode {
    common::benching::main("streams", shared, (VARIANTS, COLUMNS), false, |options, device| {
        Ok(measure(&Plan::new(options, device)?, device)?.report)
    })
}

fn shared(options: &mut Options) -> &mut CommonArgs {
    &mut options.common
}
