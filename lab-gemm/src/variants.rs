//! The ladder: one row per kernel file under `kernels/gemm/`.

use common::element::Dtype;
use common::ladder::Variant;
use common::report::Column;
use cudarc::driver::LaunchConfig;

/// What launching a rung takes, and what theory says of it.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// How blocks cover C.
    pub grid: Grid,
    /// Whether the block edge is compiled into the kernel: then its symbol ends in it.
    pub edge_compiled_in: bool,
    /// Compute-to-global-memory-access ratio for a block edge: flop per element read from global memory by the block.
    pub cgma: fn(edge: f64) -> f64,
    /// The largest size that a default run includes; larger ones run when asked for.
    pub default_up_to: usize,
}

/// How blocks cover C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// One block walks over all of C.
    OneBlock,
    /// Each thread owns so many elements, a block edge apart.
    Tiles {
        /// Elements along a column of C.
        rows: usize,
        /// Elements along a row of C.
        columns: usize,
    },
}

/// The rungs, from the assignment's first method to its last.
pub const VARIANTS: &[Variant<Rung>] = &[
    Variant {
        name: "one_block",
        idea: "one block computes all of C from global memory: one multiprocessor works",
        rung: Rung { grid: Grid::OneBlock, edge_compiled_in: false, cgma: |_| 1.0, default_up_to: 1024 },
    },
    Variant {
        name: "naive",
        idea: "one thread per element, everything from global memory",
        rung: Rung {
            grid: Grid::Tiles { rows: 1, columns: 1 },
            edge_compiled_in: false,
            cgma: |_| 1.0,
            default_up_to: usize::MAX,
        },
    },
    Variant {
        name: "shared",
        idea: "a tile of A and B in shared memory, read edge times each",
        rung: Rung {
            grid: Grid::Tiles { rows: 1, columns: 1 },
            edge_compiled_in: true,
            cgma: |edge| edge,
            default_up_to: usize::MAX,
        },
    },
    Variant {
        name: "shared_2",
        idea: "two elements per thread; the next tile is fetched while this one is used",
        rung: Rung {
            grid: Grid::Tiles { rows: 1, columns: 2 },
            edge_compiled_in: true,
            cgma: |edge| 4.0 / 3.0 * edge,
            default_up_to: usize::MAX,
        },
    },
    Variant {
        name: "shared_4",
        idea: "2×2 elements per thread: half the shared-memory reads per flop",
        rung: Rung {
            grid: Grid::Tiles { rows: 2, columns: 2 },
            edge_compiled_in: true,
            cgma: |edge| 2.0 * edge,
            default_up_to: usize::MAX,
        },
    },
];

/// The lab's own columns of the main table. GMLE and GMSE are the assignment's names: global memory load and store efficiency.
pub const COLUMNS: &[Column] = &[
    Column { heading: "GFLOP/s", key: "gflops" },
    Column { heading: "peak %", key: "peak_percent" },
    Column { heading: "total ms", key: "total_ms" },
    Column { heading: "total GFLOP/s", key: "total_gflops" },
    Column { heading: "cuBLAS %", key: "cublas_percent" },
    Column { heading: "CGMA", key: "cgma" },
    Column { heading: "shared B", key: "shared_bytes" },
    Column { heading: "GMLE %", key: "global_load_efficiency" },
    Column { heading: "GMSE %", key: "global_store_efficiency" },
    Column { heading: "shared eff. %", key: "shared_efficiency" },
    Column { heading: "conflicts", key: "shared_conflicts" },
    Column { heading: "occup. %", key: "theoretical_occupancy" },
];

impl Rung {
    /// The kernel's symbol: `naive_f32`, `shared_f32_32`.
    pub fn symbol(&self, name: &str, dtype: Dtype, edge: usize) -> String {
        if self.edge_compiled_in { format!("{name}_{dtype}_{edge}") } else { format!("{name}_{dtype}") }
    }

    /// Grid and block for an m×n result.
    pub fn launch_config(&self, m: usize, n: usize, edge: usize) -> LaunchConfig {
        let blocks = |extent: usize, per_thread: usize| {
            u32::try_from(extent.div_ceil(edge * per_thread)).expect("extents fit the kernels' int")
        };
        let (x, y) = match self.grid {
            Grid::OneBlock => (1, 1),
            Grid::Tiles { rows, columns } => (blocks(n, columns), blocks(m, rows)),
        };
        let edge = edge as u32;
        LaunchConfig { grid_dim: (x, y, 1), block_dim: (edge, edge, 1), shared_mem_bytes: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rung_has_its_file_and_every_file_its_rung() {
        let mut files: Vec<_> = kernels::sources().filter(|s| s.lab == "gemm").map(|s| s.name).collect();
        let mut rungs: Vec<_> = VARIANTS.iter().map(|variant| variant.name).collect();
        files.sort_unstable();
        rungs.sort_unstable();
        assert_eq!(files, rungs);
    }

    #[test]
    fn the_grid_covers_the_result_and_no_more_blocks() {
        let shared_4 = VARIANTS.iter().find(|v| v.name == "shared_4").unwrap().rung;
        assert_eq!(shared_4.launch_config(64, 65, 32).grid_dim, (2, 1, 1));
        assert_eq!(VARIANTS[0].rung.launch_config(500, 500, 8).grid_dim, (1, 1, 1));
        assert_eq!(VARIANTS[1].rung.launch_config(1, 1, 16).grid_dim, (1, 1, 1));
    }

    #[test]
    fn cgma_is_the_assignments() {
        let of = |name: &str| (VARIANTS.iter().find(|v| v.name == name).unwrap().rung.cgma)(32.0);
        assert_eq!(of("one_block"), 1.0);
        assert_eq!(of("shared_2"), 4.0 / 3.0 * 32.0);
        assert_eq!(of("shared_4"), 64.0);
    }
}
