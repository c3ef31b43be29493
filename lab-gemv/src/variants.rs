//! The ladder: one row per kernel file under `kernels/gemv/`.

use common::element::Dtype;
use common::ladder;
use common::ladder::Variant;
use common::report::{Column, Role};

/// Threads of a warp.
const WARP: usize = 32;
/// Threads that a block has at most, on every card.
pub(crate) const MOST_THREADS: usize = 1024;

/// Threads of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Along a row of A.
    pub sx: usize,
    /// Along a column of A.
    pub sy: usize,
}

/// The launch of a rung.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// How threads are dealt out, and what the host does around the launch.
    pub method: Method,
    /// Element types that its file instantiates.
    pub dtypes: &'static [Dtype],
}

/// How a rung adds up the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// No product: sums of A alone, as fast as A can be read. The ceiling of the others.
    Read {
        /// Chunks of 16 bytes per thread that the file instantiates, which are part of the symbol. The fastest is the ceiling.
        chunks: &'static [usize],
    },
    /// Blocks of sx × sy over all of A; the same kernel again on the partial sums, until one column is left.
    Repeated,
    /// Blocks of sx × sy over all of A, whose results are added to b atomically. b is cleared first.
    Atomic {
        /// True if a block adds up its rows first, in shared memory.
        in_shared_memory: bool,
    },
    /// As many blocks of sx × sy as the device holds at once, with a barrier of the whole grid between two phases.
    Cooperative,
    /// A warp for one row or several, sy warps per block.
    Warp {
        /// Rows per warp that the file instantiates; more than one are part of the symbol.
        rows: &'static [usize],
    },
    /// A block for one row.
    BlockPerRow,
}

const BOTH: &[Dtype] = &[Dtype::F32, Dtype::F64];

/// The rungs: the ceiling, the assignment's five, and what is left to gain.
pub const VARIANTS: &[Variant<Rung>] = ladder! {
    "read", "no product, A is only read and summed, which is the memory's limit", Rung { method: Method::Read { chunks: &[2, 8, 32] }, dtypes: BOTH };
    "repeated", "a tree in shared memory, launched again on the partial sums until one column is left",
        Rung { method: Method::Repeated, dtypes: BOTH };
    "shared_atomic", "a tree in shared memory, then one atomic addition per row and block, in one launch",
        Rung { method: Method::Atomic { in_shared_memory: true }, dtypes: &[Dtype::F32] };
    "atomic", "one atomic addition per product; those of a row wait for each other",
        Rung { method: Method::Atomic { in_shared_memory: false }, dtypes: &[Dtype::F32] };
    "cooperative", "no atomics; a barrier of the whole grid", Rung { method: Method::Cooperative, dtypes: BOTH };
    "shuffle", "a warp per row, sums in registers", Rung { method: Method::Warp { rows: &[1] }, dtypes: BOTH };
    "vectorised", "16 bytes per load, several rows per warp", Rung { method: Method::Warp { rows: &[1, 2, 4] }, dtypes: BOTH };
    "block_per_row", "a small block per row, four loads in flight per thread, so no multiprocessor ends late",
        Rung { method: Method::BlockPerRow, dtypes: BOTH };
};

/// The lab's own columns of the main table.
#[rustfmt::skip]
pub const COLUMNS: &[Column] = &[
    Column::shared("gflops").role(Role::ByBlock),
    Column::shared("gbytes_per_s"),
    Column::new("memory_percent", "of memory %", "the time of the fastest run of `read`, which reads A and does no product, as a share of this kernel's. 100 % is what memory allows; of a small A a kernel may have some % more. – where the launch takes most of the time"),
    Column::shared("cublas_percent"),
    Column::new("cold_gbytes_per_s", "cold GB/s", "the same rate where A is in no cache before the kernel begins"),
    Column::new("cold_memory_percent", "of cold memory %", "the same share where A is in no cache, for `read` too"),
    Column::shared("launched_by").role(Role::Detail),
    Column::new("cache", "cache", "what the kernel asks of the memory that L1 cache and shared memory divide").role(Role::Choice),
    Column::shared("global_load_efficiency"),
    Column::shared("atomics"),
    Column::shared("atomic_conflicts"),
    Column::shared("theoretical_occupancy"),
    Column::shared("peak_percent").detail(),
    Column::new("launches", "launches", "kernels that one product needs").detail(),
    Column::new("chunks_per_thread", "chunks", "chunks of 16 bytes that a thread of `read` adds up").detail(),
    Column::new("blocks", "blocks", "blocks of the first launch").detail(),
    Column::shared("shared_efficiency").detail(),
];

impl Rung {
    /// The kernel's symbol: `shuffle_f32`, `vectorised_f32_4`.
    pub fn symbol(&self, name: &str, dtype: Dtype, portion: usize) -> String {
        if self.method.portions().len() > 1 { format!("{name}_{dtype}_{portion}") } else { format!("{name}_{dtype}") }
    }
}

impl Method {
    /// Returns whether it only reads A: the ceiling of the others.
    pub fn is_ceiling(self) -> bool {
        matches!(self, Method::Read { .. })
    }

    /// Returns whether its blocks work on each other's results, so that none can stand for others.
    pub fn meets(self) -> bool {
        matches!(self, Method::Repeated | Method::Atomic { .. } | Method::Cooperative)
    }

    /// The portions that one warp or one thread can take: rows of A per warp, chunks per thread of the ceiling. One where there is no choice.
    pub fn portions(self) -> &'static [usize] {
        match self {
            Method::Read { chunks } => chunks,
            Method::Warp { rows } => rows,
            _ => &[1],
        }
    }

    /// The block for what was asked and a row of so many bytes: rungs whose warps lie along a row are 32 wide, the ceiling has one shape only,
    /// and a block for one row as many threads as have four chunks of 16 bytes each, within reason.
    pub fn block(self, asked: Block, row_bytes: usize) -> Block {
        match self {
            Method::Read { .. } => Block { sx: WARP, sy: 8 },
            Method::Warp { .. } => Block { sx: WARP, sy: asked.sy.min(MOST_THREADS / WARP) },
            Method::BlockPerRow => Block { sx: (row_bytes / 64).next_power_of_two().clamp(64, 256), sy: 1 },
            Method::Repeated | Method::Atomic { .. } | Method::Cooperative => asked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rung_has_its_file_and_the_symbols_are_those_of_the_files() {
        common::testing::assert_ladder_is_complete("gemv", VARIANTS, |variant| {
            let symbol = |&dtype: &Dtype| {
                let portions = variant.rung.method.portions().iter();
                portions.map(move |&portion| variant.rung.symbol(variant.name, dtype, portion))
            };
            variant.rung.dtypes.iter().flat_map(symbol).collect()
        });
    }
}
