//! The ladder: one row per kernel file under `kernels/transpose/`.

use crate::options::Place;
use common::element::Dtype;
use common::ladder;
use common::ladder::Variant;
use common::report::{Column, Role};

/// The launch of a rung.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// How threads are dealt out.
    pub threads: Threads,
    /// True if the file has a kernel that works in place, too.
    pub in_place: bool,
}

/// How a rung's threads own elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// The matrix as a row of chunks of 16 bytes, one per thread.
    Chunks,
    /// A square block, one element per thread.
    Square {
        /// True if the edge is compiled into the kernel: then its symbol ends in it.
        edge_compiled_in: bool,
        /// True if the tile lies in dynamic shared memory.
        dynamic_tile: bool,
    },
    /// A tile of 32×32 by 32×8 threads.
    Coarsened,
    /// A tile of 16×16 chunks of 16 bytes, as wide as high, by 16×16 threads.
    Vectorised,
    /// The same with C×C chunks by C×C threads, C compiled into the kernel: its symbol ends in it.
    Downward,
    /// The same, but the larger tiles are taken down single columns.
    Ahead,
}

/// Threads of a block that copies, one chunk of 16 bytes each.
const COPY_THREADS: usize = 256;
/// The edges that files with a constant edge instantiate.
pub const COMPILED_EDGES: &[usize] = &[8, 16, 32];
/// The edges of the blocks that go down columns of tiles.
const DOWNWARD_EDGES: &[usize] = &[8, 16];
/// Fewer of the larger tiles than these, and the smaller ones are faster: 16 for each multiprocessor of a large card. Measured on an H200
/// in f32: at n = 2048 (1024 of the larger tiles) the smaller ones gain 4 %, at 1024 7 %; at 4096 they lose 3 %.
const MANY_TILES: usize = 2048;
/// Shared memory that a block of `ahead` asks for beside its tile and does not use: with it a multiprocessor of an H100 or H200 runs five
/// blocks at once in f32 and six in f64. Shares of the driver's copy on an H200 at n = 4096, 8192 and 16384: 0.990, 0.992 and 0.985, and
/// 0.987, 0.988 and 0.978 without; f64 at 16384 0.969, and 0.950 without.
const AHEAD_ROOM_BYTES: usize = 28 << 10;

const ELEMENT: Threads = Threads::Square { edge_compiled_in: false, dynamic_tile: false };
const STATIC_TILE: Threads = Threads::Square { edge_compiled_in: true, dynamic_tile: false };

/// The rungs: the ceiling, the assignment's four, and what is left to gain.
pub const VARIANTS: &[Variant<Rung>] = ladder! {
    "copy", "no transpose, each element is read once and written once, which is the limit of the others",
        Rung { threads: Threads::Chunks, in_place: false };
    "naive", "one thread per element; rows are read, columns written, a sector each", Rung { threads: ELEMENT, in_place: true };
    "shared_dynamic", "global memory is read and written by rows, a tile in shared memory by columns, all from one bank",
        Rung { threads: Threads::Square { edge_compiled_in: false, dynamic_tile: true }, in_place: true };
    "shared_static", "the same tile in static shared memory, whose size is known when compiling", Rung { threads: STATIC_TILE, in_place: true };
    "padded", "one more element per row of the tile puts a column into different banks", Rung { threads: STATIC_TILE, in_place: true };
    "swizzled", "exclusive-or of row and column does the same without the padding", Rung { threads: STATIC_TILE, in_place: true };
    "coarsened", "32×8 threads for a tile of 32×32, so four loads are on their way per thread", Rung { threads: Threads::Coarsened, in_place: true };
    "vectorised", "16 bytes per access on both sides, squares turned around in registers", Rung { threads: Threads::Vectorised, in_place: true };
    "downward", "the same tiles, taken down pairs of columns, so what blocks write at the same time lies together",
        Rung { threads: Threads::Downward, in_place: false };
    "ahead", "down single columns, and each block asks for a later block's tile, which waits in the L2",
        Rung { threads: Threads::Ahead, in_place: false };
};

/// The lab's own columns of the main table.
#[rustfmt::skip]
pub const COLUMNS: &[Column] = &[
    Column::new("place", "place", "in: the matrix is overwritten by its transpose; out: the transpose is another matrix"),
    Column::shared("gbytes_per_s").role(Role::ByBlock),
    Column::new("copy_percent", "of copy %", "the time of the kernel that only copies the matrix as a share of this one's, at the same size"),
    Column::new("driver_copy_percent", "of driver's copy %", "the time of the driver's own copy of as many bytes as a share of this one's"),
    Column::shared("cublas_percent"),
    Column::new("cold_gbytes_per_s", "cold GB/s", "the same rate where the matrix is in no cache before the kernel begins"),
    Column::new("cold_driver_copy_percent", "of cold driver's copy %", "its share of the driver's copy, in no cache too"),
    Column::shared("launched_by").role(Role::Detail),
    Column::shared("shared_efficiency").role(Role::ByBlock),
    Column::new("conflicts_per_access", "conflicts per access", "passes over shared memory beyond the first, for one access of a warp, on average"),
    Column::shared("global_load_efficiency"),
    Column::shared("global_store_efficiency"),
    Column::shared("theoretical_occupancy"),
    Column::shared("shared_bytes").detail(),
];

impl Rung {
    /// The kernel's symbol: `naive_f32`, `padded_in_place_f32_32`.
    pub fn symbol(&self, name: &str, dtype: Dtype, edge: usize, place: Place) -> String {
        let place = match place {
            Place::Out => "",
            Place::In => "_in_place",
        };
        match self.threads {
            Threads::Square { edge_compiled_in: true, .. } | Threads::Downward | Threads::Ahead => {
                format!("{name}{place}_{dtype}_{edge}")
            }
            _ => format!("{name}{place}_{dtype}"),
        }
    }
}

impl Threads {
    /// The edges that a rung's file instantiates; none where the edge is no constant of the file.
    pub fn compiled_edges(self) -> &'static [usize] {
        match self {
            Threads::Square { edge_compiled_in: true, .. } => COMPILED_EDGES,
            Threads::Downward | Threads::Ahead => DOWNWARD_EDGES,
            _ => &[],
        }
    }

    /// The edges of the blocks for an m×n matrix where these are asked for: rungs with a shape of their own have one.
    pub fn edges(self, asked: &[usize], [m, n]: [usize; 2], dtype: Dtype) -> &[usize] {
        match self {
            Threads::Square { .. } => asked,
            Threads::Downward | Threads::Ahead => {
                let large = 16 * (16 / dtype.bytes());
                let tiles = m.div_ceil(large) * n.div_ceil(large);
                if tiles < MANY_TILES { &DOWNWARD_EDGES[..1] } else { &DOWNWARD_EDGES[1..] }
            }
            _ => &asked[..1],
        }
    }

    /// Threads of a block, in x and y. `edge` is for those only whose symbol or launch has it.
    pub fn block(self, edge: usize) -> [usize; 2] {
        match self {
            Threads::Chunks => [COPY_THREADS, 1],
            Threads::Square { .. } | Threads::Downward | Threads::Ahead => [edge, edge],
            Threads::Coarsened => [32, 8],
            Threads::Vectorised => [16, 16],
        }
    }

    /// Blocks in x, y and z for an m×n matrix.
    pub fn grid(self, [m, n]: [usize; 2], edge: usize, dtype: Dtype) -> [usize; 3] {
        let tiles = |edge: usize| [n.div_ceil(edge), m.div_ceil(edge), 1];
        let chunk = 16 / dtype.bytes();
        match self {
            Threads::Chunks => [(m * n).div_ceil(chunk * COPY_THREADS), 1, 1],
            Threads::Square { .. } => tiles(edge),
            Threads::Coarsened => tiles(32),
            Threads::Vectorised => tiles(16 * chunk),
            Threads::Ahead if edge == DOWNWARD_EDGES[1] => [1, m.div_ceil(edge * chunk), n.div_ceil(edge * chunk)],
            // Pairs of tile columns.
            Threads::Downward | Threads::Ahead => [2, m.div_ceil(edge * chunk), n.div_ceil(2 * edge * chunk)],
        }
    }

    /// Bytes of dynamic shared memory of a block: one tile, in place two; or room that is not used.
    pub fn dynamic_shared_bytes(self, edge: usize, dtype: Dtype, place: Place) -> usize {
        let tiles = match place {
            Place::Out => 1,
            Place::In => 2,
        };
        match self {
            Threads::Square { dynamic_tile: true, .. } => tiles * edge * edge * dtype.bytes(),
            Threads::Ahead if edge == DOWNWARD_EDGES[1] => AHEAD_ROOM_BYTES,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rung_has_its_file_and_the_symbols_are_those_of_the_files() {
        common::testing::assert_ladder_is_complete("transpose", VARIANTS, |variant| {
            let rung = variant.rung;
            let places: &[Place] = if rung.in_place { &[Place::Out, Place::In] } else { &[Place::Out] };
            let mut symbols: Vec<String> = Vec::new();
            for dtype in [Dtype::F32, Dtype::F64] {
                for &place in places {
                    let edges = match rung.threads.compiled_edges() {
                        [] => &[32],
                        compiled_in => compiled_in,
                    };
                    symbols.extend(edges.iter().map(|&edge| rung.symbol(variant.name, dtype, edge, place)));
                }
            }
            symbols
        });
    }

    #[test]
    fn the_grid_covers_the_matrix_and_no_more_blocks() {
        assert_eq!(ELEMENT.grid([33, 64], 32, Dtype::F32), [2, 2, 1]);
        assert_eq!(Threads::Vectorised.grid([64, 65], 32, Dtype::F32), [2, 1, 1]);
        assert_eq!(Threads::Vectorised.grid([64, 65], 32, Dtype::F64), [3, 2, 1]);
        assert_eq!(Threads::Downward.grid([64, 65], 8, Dtype::F32), [2, 2, 2]);
        assert_eq!(Threads::Ahead.grid([64, 65], 8, Dtype::F32), [2, 2, 2]);
        assert_eq!(Threads::Ahead.grid([64, 65], 16, Dtype::F32), [1, 1, 2]);
        assert_eq!(Threads::Chunks.grid([1, 1], 32, Dtype::F32), [1, 1, 1]);
        assert_eq!(Threads::Chunks.grid([64, 65], 32, Dtype::F32), [5, 1, 1]);
    }

    #[test]
    fn small_matrices_have_small_tiles() {
        let edges = |n| Threads::Downward.edges(&[32], [n, n], Dtype::F32)[0];
        assert_eq!([1, 2048, 4096].map(edges), [8, 8, 16]);
        assert_eq!(Threads::Vectorised.edges(&[8, 32], [64, 64], Dtype::F32), [8]);
    }
}
