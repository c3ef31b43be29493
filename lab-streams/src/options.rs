//! The lab's command line.

use crate::workload::{GemmKernel, Kind};
use common::command_line::CommonArgs;
use std::path::PathBuf;

/// Streams and host memory: ways to order the copies and kernels of a batch, checked, timed and drawn, on a GPU or on a simulated one.
#[derive(Clone, Debug, clap::Parser)]
#[command(version, about)]
pub struct Options {
    /// The flags that every lab has; --size is n of a product, or the elements of a chunk.
    #[command(flatten)]
    pub common: CommonArgs,

    /// The batch's work: independent products, or one element-wise pass in chunks.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WORK,…")]
    pub workload: Vec<Kind>,

    /// Items of the batch: products (by default 10), or chunks.
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,

    /// The kernel of the products, at block 16×16.
    #[arg(long, value_enum, default_value_t)]
    pub kernel: GemmKernel,

    /// Sets of device buffers that the pipelined variants go round.
    #[arg(long, default_value_t = DEFAULT_RING, value_name = "N")]
    pub ring: usize,

    /// Draw what ran when, one panel per row of the report, as SVG.
    #[arg(long, value_name = "FILE.svg")]
    pub timeline: Option<PathBuf>,
}

/// One buffer set for each engine of the device, and one more.
pub const DEFAULT_RING: usize = 4;
