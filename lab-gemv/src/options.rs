//! The lab's command line.

use common::command_line::CommonArgs;
use cudarc::driver::sys::CUfunc_cache_enum as FunctionCache;
use std::fmt;

/// Matrix-vector product b = A·x: variants checked, timed, counted and compared, on a GPU or on a simulated one.
#[derive(Clone, Debug, Default, clap::Parser)]
#[command(version, about)]
pub struct Options {
    /// The flags that every lab has.
    #[command(flatten)]
    pub common: CommonArgs,

    /// Threads of a block along a row of A, powers of two; warp-wide variants have 32.
    #[arg(long, value_delimiter = ',', value_name = "SX,…")]
    pub sx: Vec<usize>,

    /// Threads of a block along a column of A, powers of two.
    #[arg(long, value_delimiter = ',', value_name = "SY,…")]
    pub sy: Vec<usize>,

    /// The kernels' preference for the memory that L1 cache and shared memory divide.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PREFERENCE,…")]
    pub cache: Vec<CachePreference>,

    /// Rows per warp of the vectorised variant: 1, 2 or 4; by default chosen by the number of rows.
    #[arg(long, value_name = "ROWS")]
    pub rows_per_warp: Option<usize>,

    /// Measure each row once more with A in no cache; on a GPU that is always done.
    #[arg(long)]
    pub cold: bool,

    /// Leave out the row of cuBLAS.
    #[arg(long)]
    pub no_cublas: bool,

    /// Leave out the ceiling, with which no table of this run compares.
    #[arg(skip)]
    pub no_ceiling: bool,

    /// Leave out the same product on this host's cores.
    #[arg(long)]
    pub no_cpu: bool,
}

/// A kernel's cache configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum CachePreference {
    /// The driver's choice.
    #[default]
    PreferNone,
    /// As much L1 as there is.
    #[value(name = "prefer-l1")]
    PreferL1,
    /// As much shared memory as there is.
    PreferShared,
}

impl CachePreference {
    /// As `--cache` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            CachePreference::PreferNone => "prefer-none",
            CachePreference::PreferL1 => "prefer-l1",
            CachePreference::PreferShared => "prefer-shared",
        }
    }

    /// As the driver takes it.
    pub const fn function_cache(self) -> FunctionCache {
        match self {
            CachePreference::PreferNone => FunctionCache::CU_FUNC_CACHE_PREFER_NONE,
            CachePreference::PreferL1 => FunctionCache::CU_FUNC_CACHE_PREFER_L1,
            CachePreference::PreferShared => FunctionCache::CU_FUNC_CACHE_PREFER_SHARED,
        }
    }
}

impl fmt::Display for CachePreference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
