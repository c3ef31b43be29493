//! The ladder: one row per kernel file under `kernels/gemm/`.

use common::element::Dtype;
use common::ladder;
use common::ladder::Variant;
use common::report::{Column, Role};
use cudarc::driver::LaunchConfig;

/// The launch of a rung, and its theory.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// How blocks cover C.
    pub grid: Grid,
    /// True if the block edge is compiled into the kernel: then its symbol ends in it.
    pub edge_compiled_in: bool,
    /// Compute-to-global-memory-access ratio for a block edge: flop per element read from global memory by the block. A compiled tile
    /// has no edge: [`Rung::cgma_of`] serves both.
    pub cgma: fn(edge: f64) -> f64,
    /// The largest size that a default run includes; larger ones run when asked for.
    pub default_up_to: usize,
    /// The element types that it has kernels for.
    pub dtypes: &'static [Dtype],
}

/// How blocks cover C.
#[derive(Clone, Copy, Debug)]
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
    /// The tile of C that a block owns is compiled into the kernel, and a block edge says nothing. For each m, k, n the tile to take.
    Compiled(fn(extents: [usize; 3]) -> Tile),
}

/// A tile of C that is compiled into a kernel, and what a block takes for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Elements of C along a column.
    pub rows: usize,
    /// Elements of C along a row.
    pub columns: usize,
    /// Threads of the block, in one dimension.
    pub threads: u32,
    /// Shared memory that the launch asks for, in bytes, beside what the kernel declares.
    pub shared_bytes: u32,
    /// The shared memory that suffices for the kernel where a block may not have more; the same number where it takes no less.
    pub least_shared_bytes: u32,
    /// True if the file has kernels for several tiles: then the symbol ends in this one's rows×columns.
    pub one_of_several: bool,
    /// How the tiles of the last round are divided; `None` where each tile has a block.
    pub last_round: Option<LastRound>,
    /// How A and B are split in parts, or packed, before the product, by a launch of their own.
    pub split: Option<Split>,
    /// The most blocks of the grid: where there are more tiles, blocks go from tile to tile.
    pub most_blocks: usize,
}

/// A launch before the product: the kernel `NAME_split` writes A and B into a buffer of their own, in the form that the rung reads: in parts
/// of fewer bits, or only in another order. Both are divided along k in slabs, one slab of the rows or columns of a tile is written by a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Steps of k of a slab.
    pub depth: usize,
    /// Floats that the parts of one row's slab take.
    pub floats: usize,
    /// Threads of the block, in one dimension.
    pub threads: u32,
}

/// The last round of tiles, divided among as many blocks as a round has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastRound {
    /// Blocks of a round: what the kernel is compiled for, an H100 or H200's 132 multiprocessors full.
    pub slots: usize,
    /// Steps of k of a slab, of which shares are made.
    pub depth: usize,
}

impl LastRound {
    /// The fewest slabs of a share: the sums of a share wait for those of the one before, which has to be worth it.
    const LEAST_SLABS: usize = 8;

    /// Blocks of the grid for C in so many tiles of the size given: one for each tile of the whole rounds, and a share each for the rest.
    fn blocks(self, [m, k, n]: [usize; 3], rows: usize, columns: usize) -> usize {
        let LastRound { slots, depth } = self;
        let tiles = m.div_ceil(rows) * n.div_ceil(columns);
        let rest = tiles % slots;
        let divisible = m.is_multiple_of(rows) && n.is_multiple_of(columns) && k.is_multiple_of(depth);
        // Where only a sixteenth of the round is empty, dividing it costs as much as it brings.
        if !divisible || rest * 16 >= slots * 15 {
            return tiles;
        }
        let shares = (rest * (k / depth) / Self::LEAST_SLABS).clamp(rest, slots);
        tiles - rest + shares
    }
}

const BOTH: &[Dtype] = &[Dtype::F32, Dtype::F64];
const F32: &[Dtype] = &[Dtype::F32];

/// A rung whose tile is compiled into its kernels. Its ratio follows from the tile.
const fn compiled(tile: fn([usize; 3]) -> Tile, dtypes: &'static [Dtype]) -> Rung {
    Rung { grid: Grid::Compiled(tile), edge_compiled_in: false, cgma: |_| f64::NAN, default_up_to: usize::MAX, dtypes }
}

/// A rung whose threads own rows×columns elements each, a block edge apart.
const fn tiles(rows: usize, columns: usize, edge_compiled_in: bool, cgma: fn(f64) -> f64) -> Rung {
    Rung { grid: Grid::Tiles { rows, columns }, edge_compiled_in, cgma, default_up_to: usize::MAX, dtypes: BOTH }
}

/// A stage of 16 steps of k for a tile of 128×128, A's rows padded by 4 floats, in bytes.
const SLAB: u32 = 16 * (128 + 4 + 128) * 4;

/// 128×128 by 256 threads.
const fn square(shared_bytes: u32) -> Tile {
    Tile {
        rows: 128,
        columns: 128,
        threads: 256,
        shared_bytes,
        least_shared_bytes: shared_bytes,
        one_of_several: false,
        last_round: None,
        split: None,
        most_blocks: usize::MAX,
    }
}

/// A block for each multiprocessor of an H100 or H200.
const ROUND: usize = 132;

/// The four stages of `tf32x3` for so many steps of k, in bytes.
const fn tf32_bytes(depth: u32) -> u32 {
    4 * (128 * (depth + 4) + depth * 136) * 4
}

/// The tiles of `tile_by_size`: the large one, unless it leaves multiprocessors of the largest GPUs without a block.
fn tile_by_size([m, _, n]: [usize; 3]) -> Tile {
    let tile = |rows: usize, columns: usize, threads: u32, depth: u32| {
        let shared_bytes = 4 * depth * (rows as u32 + 4 + columns as u32) * 4;
        Tile { rows, columns, threads, one_of_several: true, ..square(shared_bytes) }
    };
    let (large, small) = (tile(128, 256, 256, 8), tile(64, 128, 128, 16));
    let blocks = m.div_ceil(large.rows) * n.div_ceil(large.columns);
    if blocks < 100 { small } else { large }
}

/// The tiles of `last_round`: those of `tile_by_size`, and their last round divided.
fn last_round(extents: [usize; 3]) -> Tile {
    let tile = tile_by_size(extents);
    let (slots, depth) = if tile.columns == 256 { (ROUND, 8) } else { (3 * ROUND, 16) };
    Tile { last_round: Some(LastRound { slots, depth }), ..tile }
}

/// The tile of `producer_warp`: slabs of 16 steps in eight stages; A and B are packed as they are.
fn producer_warp(_: [usize; 3]) -> Tile {
    const DEPTH: usize = 16;
    let shared_bytes = (8 * DEPTH * (128 + 256) * 4) as u32;
    Tile {
        columns: 256,
        threads: 384,
        last_round: Some(LastRound { slots: ROUND, depth: DEPTH }),
        split: Some(Split { depth: DEPTH, floats: DEPTH, threads: 256 }),
        most_blocks: ROUND,
        ..square(shared_bytes)
    }
}

/// The tiles of `fp16x3`: the large one from four rounds of blocks on, with five stages of 32 steps of k; else the small one, with three of 64. A
/// block per multiprocessor of an H100 or H200; slabs of 64 steps in two parts of 2 bytes an element, and a factor.
fn fp16x3([m, _, n]: [usize; 3]) -> Tile {
    let large = m.div_ceil(128) * n.div_ceil(192) >= 4 * ROUND;
    let (columns, shared_bytes) = if large { (192, 5 * 42 * 1024) } else { (128, 3 * 65 * 1024) };
    let split = Split { depth: 64, floats: 65, threads: 256 };
    Tile { columns, threads: 384, one_of_several: true, split: Some(split), most_blocks: ROUND, ..square(shared_bytes) }
}

/// The rungs, from the assignment's first method to its last.
pub const VARIANTS: &[Variant<Rung>] = ladder! {
    "one_block", "one block computes all of C from global memory, so one multiprocessor works",
        Rung { grid: Grid::OneBlock, edge_compiled_in: false, cgma: |_| 1.0, default_up_to: 1024, dtypes: BOTH };
    "naive", "one thread per element, both operands of each step from global memory", tiles(1, 1, false, |_| 1.0);
    "shared", "with tiles, each element is fetched once per block", tiles(1, 1, true, |edge| edge);
    "shared_2", "two elements per thread; the next tile is fetched while this one is used", tiles(1, 2, true, |edge| 4.0 / 3.0 * edge);
    "shared_4", "2×2 elements per thread halve the shared loads", tiles(2, 2, true, |edge| 2.0 * edge);
    "register_tile", "8×8 elements per thread in registers, 64 multiply-adds per 16 shared loads", compiled(|_| square(0), BOTH);
    "vectorised", "loads and stores of 16 bytes; A lies transposed in shared memory", compiled(|_| square(0), BOTH);
    "double_buffered", "the next tiles travel while the current ones are multiplied; one barrier per step", compiled(|_| square(0), BOTH);
    "async_copy", "copies that pass no register, three tiles ahead", compiled(|_| square(0), F32);
    "warp_tile", "a tile per warp, operands one step ahead", compiled(|_| square(3 * SLAB), F32);
    "split_barrier", "arrive early, wait late: no warp stands at a barrier", compiled(|_| square(4 * SLAB), F32);
    "register_banks", "sums and operands in different register banks", compiled(|_| square(4 * SLAB), F32);
    "tile_by_size", "large tiles for large matrices, small ones where there would be too few blocks", compiled(tile_by_size, F32);
    "last_round", "the tiles of the last, partly empty round are divided among all multiprocessors along k", compiled(last_round, F32);
    "producer_warp", "one warp brings packed slabs by bulk copies; the others do nothing but multiply", compiled(producer_warp, F32);
    "tf32x3", "tensor cores, each element split in two TF32 numbers: three products at the error of fp32",
        compiled(|_| Tile { least_shared_bytes: tf32_bytes(16), ..square(tf32_bytes(32)) }, F32);
    "fp16x3", "the tensor cores' own instructions: elements are scaled and split in two fp16 numbers by a launch of its own", compiled(fp16x3, F32);
};

/// The lab's own columns of the main table. What the assignment calls GMLE and GMSE are the load and the store efficiency.
#[rustfmt::skip]
pub const COLUMNS: &[Column] = &[
    Column::shared("gflops").role(Role::ByBlock),
    Column::shared("peak_percent"),
    Column::new("series_gflops", "back to back GFLOP/s", "the rate of many launches one after the other, as the yardstick cuBLAS is measured"),
    Column::shared("cublas_percent"),
    Column::shared("launched_by").role(Role::Detail),
    Column::new("cgma", "CGMA", "compute to global memory access: flops per element loaded from global memory, by the variant's formula"),
    Column::shared("global_load_efficiency").role(Role::ByBlock),
    Column::shared("shared_conflicts"),
    Column::shared("theoretical_occupancy"),
    Column::shared("shared_bytes"),
    Column::shared("global_store_efficiency").detail(),
    Column::shared("shared_efficiency").detail(),
    Column::shared("achieved_occupancy").detail(),
    Column::shared("multiprocessor_activity").detail(),
    Column::shared("requested_load_gbytes_per_s").detail(),
    Column::shared("requested_store_gbytes_per_s").detail(),
    Column::new("total_ms", "total ms", "median of the sum of all phases: allocation, copies, kernel, free").detail(),
    Column::new("total_gflops", "total GFLOP/s", "the rate by the total time").detail(),
];

impl Rung {
    /// The kernel's symbol for a problem of m, k, n: `naive_f32`, `shared_f32_32`.
    pub fn symbol(&self, name: &str, dtype: Dtype, edge: usize, extents: [usize; 3]) -> String {
        match self.grid {
            Grid::Compiled(tile) if tile(extents).one_of_several => {
                let Tile { rows, columns, .. } = tile(extents);
                format!("{name}_{dtype}_{rows}x{columns}")
            }
            _ if self.edge_compiled_in => format!("{name}_{dtype}_{edge}"),
            _ => format!("{name}_{dtype}"),
        }
    }

    /// Those of the block edges with which the rung is another one: the first alone where the edge says nothing.
    pub fn edges<'a>(&self, edges: &'a [usize]) -> &'a [usize] {
        match self.grid {
            Grid::Compiled(_) => &edges[..edges.len().min(1)],
            Grid::OneBlock | Grid::Tiles { .. } => edges,
        }
    }

    /// The compute-to-global-memory-access ratio on m, k, n: see [`Rung::cgma`].
    pub fn cgma_of(&self, edge: usize, extents: [usize; 3]) -> f64 {
        match self.grid {
            Grid::Compiled(tile) => {
                let [rows, columns] = [tile(extents).rows, tile(extents).columns].map(|extent| extent as f64);
                2.0 * rows * columns / (rows + columns)
            }
            Grid::OneBlock | Grid::Tiles { .. } => (self.cgma)(edge as f64),
        }
    }

    /// Grid, block and shared memory for a problem of m, k, n, where a block may have `most_shared` bytes.
    pub fn launch_config(&self, extents: [usize; 3], edge: usize, most_shared: usize) -> LaunchConfig {
        let [m, _, n] = extents;
        let blocks =
            |extent: usize, tile: usize| u32::try_from(extent.div_ceil(tile)).expect("extents fit the kernels' int");
        let square = (edge as u32, edge as u32, 1);
        let (grid, block_dim, shared_mem_bytes) = match self.grid {
            Grid::OneBlock => ((1, 1), square, 0),
            Grid::Tiles { rows, columns } => ((blocks(n, edge * columns), blocks(m, edge * rows)), square, 0),
            Grid::Compiled(tile) => {
                let Tile { rows, columns, threads, shared_bytes, least_shared_bytes, last_round, most_blocks, .. } =
                    tile(extents);
                let shared_bytes = if shared_bytes as usize <= most_shared { shared_bytes } else { least_shared_bytes };
                let tiles = m.div_ceil(rows) * n.div_ceil(columns);
                let grid = match last_round {
                    Some(last) => (blocks(last.blocks(extents, rows, columns).min(most_blocks), 1), 1),
                    None if most_blocks < usize::MAX => (blocks(tiles.min(most_blocks), 1), 1),
                    None => (blocks(n, columns), blocks(m, rows)),
                };
                (grid, (threads, 1, 1), shared_bytes)
            }
        };
        LaunchConfig { grid_dim: (grid.0, grid.1, 1), block_dim, shared_mem_bytes }
    }

    /// The launch that splits A and B before the product of m, k, n, where the rung has one.
    pub fn parts(&self, extents: [usize; 3]) -> Option<Parts> {
        let Grid::Compiled(tile) = self.grid else { return None };
        let Tile { rows, columns, split, .. } = tile(extents);
        let Split { depth, floats, threads } = split?;
        let [m, k, n] = extents;
        let (slabs, down, across) = (k.div_ceil(depth), m.div_ceil(rows), n.div_ceil(columns));
        let blocks = u32::try_from((down + across) * slabs).expect("extents fit the kernels' int");
        let config = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 };
        Some(Parts { config, of_a: down * rows * slabs * floats, of_b: across * columns * slabs * floats })
    }
}

/// The buffer that [`Split`] writes, and its launch.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// Grid and block.
    pub config: LaunchConfig,
    /// Floats of A's parts.
    pub of_a: usize,
    /// Floats of B's, which lie after them.
    pub of_b: usize,
}

impl Parts {
    /// Floats of both.
    pub fn floats(&self) -> usize {
        self.of_a + self.of_b
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
        assert_eq!(shared_4.launch_config([64, 7, 65], 32, 0).grid_dim, (2, 1, 1));
        assert_eq!(VARIANTS[0].rung.launch_config([500; 3], 8, 0).grid_dim, (1, 1, 1));
        assert_eq!(VARIANTS[1].rung.launch_config([1; 3], 16, 0).grid_dim, (1, 1, 1));
    }

    #[test]
    fn a_rung_makes_do_with_less_shared_memory_where_there_is_less() {
        let rung = VARIANTS.iter().find(|v| v.name == "tf32x3").unwrap().rung;
        let asked = |most| rung.launch_config([128; 3], 8, most).shared_mem_bytes;
        assert_eq!((asked(227 << 10), asked(99 << 10)), (143_360, 75_776));
    }

    #[test]
    fn large_matrices_get_large_tiles() {
        assert_eq!((tile_by_size([1024; 3]).rows, tile_by_size([2048; 3]).rows), (64, 128));
    }

    #[test]
    fn the_last_round_is_divided_where_much_of_it_is_empty() {
        let of = |n: usize| {
            let tile = last_round([n; 3]);
            tile.last_round.unwrap().blocks([n; 3], tile.rows, tile.columns)
        };
        // 512 tiles: three rounds of 132, and 116 tiles that 132 blocks divide.
        assert_eq!(of(4096), 4 * 132);
        assert_eq!(of(2048), 128, "128 of 132 places are full");
        // 128 small tiles for 396 places; 32 of 32 slabs each, 8 a share.
        assert_eq!((of(1024), of(512)), (396, 128));
        assert_eq!((of(1), of(4095)), (1, 512), "tiles that stick out are not divided");
    }

    #[test]
    fn packed_panels_cover_the_tiles_and_a_round_takes_all_tiles() {
        let rung = VARIANTS.iter().find(|v| v.name == "producer_warp").unwrap().rung;
        let parts = rung.parts([129, 17, 257]).unwrap();
        assert_eq!((parts.config.grid_dim.0, parts.of_a, parts.of_b), (8, 256 * 32, 512 * 32));
        let blocks = |extents| rung.launch_config(extents, 8, usize::MAX).grid_dim.0;
        assert_eq!((blocks([129, 17, 257]), blocks([8192; 3]), blocks([1024; 3])), (4, 132, 132));
        assert_eq!(blocks([512; 3]), 32, "eight slabs a share");
    }

    #[test]
    fn a_split_covers_the_tiles_that_stick_out() {
        let rung = VARIANTS.iter().find(|v| v.name == "fp16x3").unwrap().rung;
        let parts = rung.parts([129, 65, 193]).unwrap();
        assert_eq!((parts.config.grid_dim.0, parts.of_a, parts.of_b), (8, 256 * 2 * 65, 256 * 2 * 65));
        assert_eq!(rung.launch_config([129, 65, 193], 8, usize::MAX).grid_dim, (4, 1, 1));
        assert_eq!(rung.launch_config([8192; 3], 8, usize::MAX).grid_dim, (132, 1, 1));
        assert_eq!(rung.parts([4096; 3]).unwrap().of_b, 22 * 192 * 64 * 65, "a tile of 192 columns sticks out");
        assert!(VARIANTS[0].rung.parts([1; 3]).is_none());
    }

    #[test]
    fn cgma_is_the_assignments() {
        let of = |name: &str| (VARIANTS.iter().find(|v| v.name == name).unwrap().rung.cgma)(32.0);
        assert_eq!(of("one_block"), 1.0);
        assert_eq!(of("shared_2"), 4.0 / 3.0 * 32.0);
        assert_eq!(of("shared_4"), 64.0);
    }
}
