//! The ladders: each rung with its task and its launch.

use crate::results::{self, TILE, Task};
use common::ladder;
use common::ladder::Variant;
use common::lesson::Scratch;

/// How a rung is launched, and its task.
#[derive(Debug)]
pub struct Rung {
    /// The result that it computes.
    pub task: Task,
    /// Threads of a block.
    pub threads: usize,
    /// Elements that a block takes, at least.
    pub per_block: usize,
    /// Blocks at most; they share all elements then.
    pub most_blocks: usize,
    /// The words of its scratch memory, where it has any.
    pub scratch: Option<Scratch<[usize; 1]>>,
}

impl Rung {
    /// Blocks for n elements.
    pub fn blocks(&self, n: usize) -> usize {
        n.div_ceil(self.per_block).min(self.most_blocks)
    }

    const fn most(self, most_blocks: usize) -> Self {
        Rung { most_blocks, ..self }
    }

    const fn with(self, scratch: Scratch<[usize; 1]>) -> Self {
        Rung { scratch: Some(scratch), ..self }
    }
}

/// Blocks of so many threads, each for so many elements.
const fn rung(task: Task, threads: usize, per_block: usize) -> Rung {
    Rung { task, threads, per_block, most_blocks: usize::MAX, scratch: None }
}

/// Elements of a tile that is one of many in a pass over all.
const PART: usize = 4096;
/// Blocks of 256 threads that all multiprocessors of an H100 hold at once.
const RESIDENT: usize = 8 * 132;

/// So many words of 0 for each [`PART`] elements, which a tile has at least, after the words that come first.
fn states(first: Vec<u32>, n: usize, of_tile: usize) -> Vec<u32> {
    let words = first.len() + of_tile * n.div_ceil(PART);
    let mut states = first;
    states.resize(words, 0);
    states
}

/// The rungs, ladder by ladder.
pub const VARIANTS: &[Variant<Rung>] = ladder! {
    "reduce_interleaved", "a tree in each block, its working threads far apart", rung(results::SUM, 256, 256);
    "reduce_sequential", "neighbours work, so whole warps have done; two elements a thread", rung(results::SUM, 256, 512);
    "reduce_shuffle", "shuffles within warps, so that one barrier serves instead of eight", rung(results::SUM, 256, 512);
    "reduce_vectorised", "many elements a thread, four loads of 16 bytes on their way",
        rung(results::SUM_OF_SUMS, 256, PART).most(RESIDENT).with(|_, _| vec![0; 1 + RESIDENT]);
    "scan_doubling", "each level adds what lies twice as far to the left", rung(results::SCAN_OF_TILES, TILE, TILE);
    "scan_sweeps", "a tree up and down has a fifth of the additions; padding keeps its banks apart", rung(results::SCAN_OF_TILES, TILE / 2, TILE);
    "scan_shuffle", "four elements a thread, shuffles within warps, one barrier between them", rung(results::SCAN_OF_TILES, TILE / 4, TILE);
    "scan_lookback", "all elements in one pass, in which a tile looks back at those before it",
        rung(results::SCAN, 256, PART).with(|[n], _| states(vec![0; 2], n, 2));
    "histogram_global", "an atomic addition in global memory for each element", rung(results::HISTOGRAM, 256, 256);
    "histogram_shared", "each block counts in shared memory, and adds its counts at the end", rung(results::HISTOGRAM, 256, PART).most(RESIDENT);
    "histogram_copies", "each warp has counters of its own, and loads 16 bytes at once", rung(results::HISTOGRAM, 256, 2 * PART).most(RESIDENT);
    "histogram_banks", "each lane has counters of its own, in a bank of its own", rung(results::HISTOGRAM, 1024, 4 * PART).most(2 * 132);
    "compact_atomic", "a counter in global memory says where each element goes", rung(results::COMPACTION_IN_ANY_ORDER, 256, 256);
    "compact_ballot", "a warp asks the counter once, and shares the places out by a ballot", rung(results::COMPACTION_IN_ANY_ORDER, 256, 256);
    "compact_ordered", "a scan of counts in one pass keeps the order, and stores whole runs",
        rung(results::COMPACTION, 512, 2 * PART).with(|[n], _| states(vec![0], n, 1));
    "sort_counters", "each thread counts its digits, and a scan of all counters makes places", rung(results::SPLIT_OF_TILES, 256, TILE);
    "sort_ranks", "ballots find the lanes with the same digit, so a warp has one counter a digit", rung(results::SPLIT_OF_TILES, 256, TILE);
    "sort_onesweep", "all keys in one pass, which sorts a tile and scatters it in runs", rung(results::SPLIT, 256, PART).with(|[n], inputs| {
        let first = std::iter::once(0).chain(results::starts(&inputs[0])).collect();
        states(first, n, 256)
    });
};
