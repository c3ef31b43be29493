//! The lab's command line.

use common::command_line::CommonArgs;

/// Matrix product C = A·B: variants checked, timed, counted and compared, on a GPU or on a simulated one.
#[derive(Clone, Debug, Default, clap::Parser)]
#[command(version, about)]
pub struct Options {
    /// The flags that every lab has.
    #[command(flatten)]
    pub common: CommonArgs,

    /// Which matrices live in the memory that --host-memory names; the others are pageable.
    #[arg(long, value_enum, default_value_t)]
    pub placement: Placement,

    /// Leave out the row of cuBLAS.
    #[arg(long)]
    pub no_cublas: bool,
}

/// Which matrices a host memory policy applies to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Placement {
    /// C only, as in the assignment.
    #[default]
    Result,
    /// A, B and C.
    All,
}
