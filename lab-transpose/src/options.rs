//! The lab's command line.

use common::command_line::CommonArgs;
use std::fmt;

/// Matrix transpose B = Aᵀ: variants checked, timed, counted and compared, on a GPU or on a simulated one.
#[derive(Clone, Debug, Default, clap::Parser)]
#[command(version, about)]
pub struct Options {
    /// The flags that every lab has.
    #[command(flatten)]
    pub common: CommonArgs,

    /// Where the result goes: into a second matrix, or (square ones only) over the first.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PLACE,…")]
    pub place: Vec<Place>,

    /// Leave out the rows of cuBLAS and of the driver's own copy.
    #[arg(long)]
    pub no_yardsticks: bool,
}

/// Where the result goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Place {
    /// Into a second matrix.
    #[default]
    Out,
    /// Over the first.
    In,
}

impl Place {
    /// As `--place` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Place::Out => "out",
            Place::In => "in",
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
