//! Kernels with one deliberate defect each, kept to prove that the checks find it *for the stated reason*. A mutant is its
//! rung's source with one passage replaced, so it cannot drift from the rung, and with the one instantiation that its test
//! runs. Several are the defects of the assignments' own published kernels.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use crate::embedded;
use crate::source::{Source, pristine};

/// One deliberate defect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mutant {
    /// The lab, `gemm`.
    pub lab: &'static str,
    /// The rung that is changed, `shared`.
    pub rung: &'static str,
    /// The defect, `missing_barrier`; unique within the rung. `in_place_…` concerns the kernel that works in place.
    pub name: &'static str,
    /// The passage to replace. It occurs exactly once in the rung's source.
    pub find: &'static str,
    /// The text that replaces it.
    pub replace: &'static str,
    /// The finding that is expected: one of the constants below, the finding's kind. Defects that depend on
    /// sizes show for sizes that are multiples neither of the block nor of 4, and larger than the block.
    pub reason: &'static str,
}

/// The check against the reference fails.
pub const WRONG_RESULT: &str = "wrong result";
/// An access outside of every allocation.
pub const OUT_OF_BOUNDS: &str = "out of bounds";
/// An access to an address that is no multiple of its size.
pub const MISALIGNED: &str = "misaligned";
/// Two threads, one address in shared or global memory, at least one of them writing plainly, nothing that orders them.
pub const RACE: &str = "race";
/// A barrier that not all threads of the block reach.
pub const DIVERGENT_BARRIER: &str = "barrier";

/// The block edge, or the rows of a warp, that a lab's mutants are run with, where a rung is compiled for several.
const INSTANTIATIONS: &[(&str, &str)] = &[("gemm", "16"), ("gemv", "1"), ("transpose", "16")];

impl Mutant {
    /// The rung's pristine source with the defect, as [`Mutant::of`] makes it. Its PTX is added to what this process knows, where the
    /// workspace holds it.
    ///
    /// # Panics
    /// As [`Mutant::of`]; if no copy of the rung is kept.
    pub fn source(&self) -> Source {
        let Self { lab, rung, name, .. } = self;
        let rung = pristine(lab, rung).unwrap_or_else(|error| panic!("mutant {lab}/{rung}.{name}: {error}"));
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
        if let Ok(file) = fs::read(root.join(self.ptx_path())) {
            embedded::add(file);
        }
        self.of(&rung)
    }

    /// `source`, which is the rung's, with the defect, and with the instantiations alone that its test runs. It keeps the rung's name,
    /// path and lines.
    ///
    /// # Panics
    /// If the passage does not occur exactly once in the text: the row is out of date.
    pub fn of(&self, source: &Source) -> Source {
        let Self { lab, rung, name, find, .. } = self;
        let count = source.text.matches(find).count();
        assert_eq!(
            count, 1,
            "mutant {lab}/{rung}.{name}: the passage occurs {count} times in {}: {find:?}",
            source.path
        );
        let text = instantiated(&source.text.replacen(find, self.replace, 1), lab);
        Source { text: Cow::Owned(text), ..source.clone() }
    }

    /// Where its PTX is kept, from the workspace's root: beside the test that runs it.
    pub(crate) fn ptx_path(&self) -> String {
        format!("lab-{}/tests/mutants/{}.{}.ptx.z", self.lab, self.rung, self.name)
    }
}

/// `text` without the lines `KERNEL(…)` that a lab's mutants are not run with: f32 only, where there is f32, and of several
/// edges the one of [`INSTANTIATIONS`]. The lines are left empty, so that the others keep their numbers.
fn instantiated(text: &str, lab: &str) -> String {
    fn arguments(line: &str) -> Option<Vec<&str>> {
        Some(line.strip_prefix("KERNEL(")?.strip_suffix(')')?.split(',').map(str::trim).collect())
    }
    let mut kept: Vec<&str> = text.lines().filter(|line| arguments(line).is_some()).collect();
    let edge = INSTANTIATIONS.iter().find(|(of, _)| *of == lab).map_or("", |(_, edge)| edge);
    for wanted in ["f32", edge] {
        let has = |line: &&str| arguments(line).is_some_and(|arguments| arguments.contains(&wanted));
        if kept.iter().any(has) {
            kept.retain(has);
        }
    }
    let keep = |line: &str| arguments(line).is_none() || kept.contains(&line);
    text.lines().map(|line| if keep(line) { line } else { "" }).fold(String::new(), |text, line| text + line + "\n")
}

macro_rules! mutants {
    ($($lab:literal $rung:literal $name:literal: $find:expr => $replace:expr, $reason:expr;)*) => {
        /// Every mutant, lab by lab, rung by rung.
        pub const MUTANTS: &[Mutant] = &[
            $(Mutant { lab: $lab, rung: $rung, name: $name, find: $find, replace: $replace, reason: $reason },)*
        ];
    };
}

mutants! {
    "first" "map" "no_block": "blockIdx.x * blockDim.x + threadIdx.x" => "threadIdx.x", WRONG_RESULT;
    "first" "map" "shifted_index": "= in[i] * in[i];" => "= in[i] * in[i + 1];", OUT_OF_BOUNDS;
    "first" "guard" "no_guard": "if (i < n)" => "if (i < n + 256)", OUT_OF_BOUNDS;
    "first" "guard" "wrong_bound": "i < n" => "i <= n", OUT_OF_BOUNDS;
    "first" "plane" "one_guard": "row < rows && column < columns" => "row < rows", OUT_OF_BOUNDS;
    "first" "plane" "exchanged_extents": "row * columns + column;" => "row * rows + column;", OUT_OF_BOUNDS;
    "first" "stride" "step_too_wide": "gridDim.x * blockDim.x;" => "2 * gridDim.x * blockDim.x;", WRONG_RESULT;
    "first" "stride" "one_turn": "i += threads" => "i += n", WRONG_RESULT;
    "first" "shared" "missing_barrier": "__syncthreads();  // the tile" => "// the tile", RACE;
    "first" "shared" "not_turned": "tile[count - 1 - t]" => "tile[t]", WRONG_RESULT;
    "first" "barrier" "missing_barrier": "__syncthreads();  // the sums of" => "// the sums of", RACE;
    "first" "barrier" "barrier_for_some":
        "__syncthreads();  // the sums of the level before are there\n        if (t < half) {"
        => "if (t < half) {\n            __syncthreads();", DIVERGENT_BARRIER;
    "first" "barrier" "last_warp_in_step":
        "__syncthreads();  // the sums of the level before are there\n        if (t < half) {\n            sums[t] += sums[t + half];"
        => "if (half >= 32) __syncthreads();\n        if (t < half) {\n            volatile float* own = sums;\n            own[t] = own[t] + own[t + half];", RACE;
    "first" "barrier" "lost_sum": "int half = 128" => "int half = 64", WRONG_RESULT;
    "first" "race" "missing_barrier": "__syncthreads();  // everyone" => "// everyone", RACE;
    "first" "race" "wrong_neighbour": "t > 0 ? tile[t - 1] : 0" => "t > 1 ? tile[t - 1] : 0", WRONG_RESULT;
    "first" "atomic" "plain_addition": "atomicAdd(&out[i % columns], in[i]);" => "out[i % columns] += in[i];", RACE;
    "first" "atomic" "wrong_bound": "i < n" => "i <= n", OUT_OF_BOUNDS;
    "first" "shuffle" "lost_sum": "int distance = 16;" => "int distance = 8;", WRONG_RESULT;
    "first" "shuffle" "own_sum": "sum, distance)" => "in[i < n ? i : 0], distance)", WRONG_RESULT;
    "first" "block_sum" "missing_barrier": "__syncthreads();  // the sums of" => "// the sums of", RACE;
    "first" "block_sum" "lost_warp": "warp < 8" => "warp < 7", WRONG_RESULT;

    // The published kernel's loads ignore the window's place.
    "gemm" "one_block" "ignored_window": "a[row * k + p]" => "a[threadIdx.y * k + p]", WRONG_RESULT;
    "gemm" "one_block" "wrong_bound": "row < m;" => "row <= m;", OUT_OF_BOUNDS;
    // The published kernel exchanges the indices.
    "gemm" "naive" "exchanged_index": "a + row * k" => "a + col * k", WRONG_RESULT;
    "gemm" "naive" "shifted_index": "b + col;" => "b + col + 1;", OUT_OF_BOUNDS;
    "gemm" "naive" "wrong_bound": "row >= m || col >= n" => "row > m || col > n", OUT_OF_BOUNDS;
    // The published kernel has one barrier per tile.
    "gemm" "shared" "missing_barrier": "__syncthreads();  // everyone" => "// everyone", RACE;
    "gemm" "shared" "missing_first_barrier": "__syncthreads();  // the tiles" => "// the tiles", RACE;
    "gemm" "shared" "lost_tile": "start < k;" => "start + EDGE <= k;", WRONG_RESULT;
    "gemm" "shared_2" "missing_barrier": "__syncthreads();  // the next" => "// the next", RACE;
    "gemm" "shared_2" "one_column": "sum1 += left * tile_b[buffer][p][x + EDGE]" => "sum1 += left * tile_b[buffer][p][x]", WRONG_RESULT;
    "gemm" "shared_4" "missing_barrier": "__syncthreads();  // the next" => "// the next", RACE;
    // The published kernel adds all four products to the first sum.
    "gemm" "shared_4" "one_sum":
        "sum01 += left0 * right1;\n            sum10 += left1 * right0;\n            sum11 += left1 * right1;"
        => "sum00 += left0 * right1;\n            sum00 += left1 * right0;\n            sum00 += left1 * right1;", WRONG_RESULT;
    "gemm" "shared_4" "wrong_bound": "if (row < m && col < n)" => "if (row <= m && col < n)", OUT_OF_BOUNDS;

    "gemm" "register_tile" "missing_barrier": "__syncthreads();  // everyone is done" => "// everyone is done", RACE;
    "gemm" "vectorised" "misaligned_rows": "col + W <= cols && cols % W == 0" => "col + W <= cols", MISALIGNED;
    "gemm" "double_buffered" "missing_barrier": "__syncthreads();  // the next" => "// the next", RACE;
    "gemm" "async_copy" "missing_barrier": "__syncthreads();  // everyone's" => "// everyone's", RACE;
    "gemm" "warp_tile" "wrong_lane": "row = warp / (BN / WN) * WM + 4 *" => "row = warp / (BN / WN) * WM + 8 *", WRONG_RESULT;
    "gemm" "split_barrier" "missing_wait": "wait_at(barrier, slab % 2);  // everyone's" => "// everyone's", RACE;
    "gemm" "register_banks" "wrong_columns": "p * BN + col + 8 * j" => "p * BN + col + 4 * j", WRONG_RESULT;
    "gemm" "tile_by_size" "repeated_rows": "p * ROW_A + row + 4 * i" => "p * ROW_A + row", WRONG_RESULT;
    "gemm" "last_round" "forgotten_sums": "const bool adds = SHARED && begin > 0;" => "const bool adds = SHARED && begin < 0;", WRONG_RESULT;
    "gemm" "last_round" "no_wait": "            await(count, begin);\n" => "", RACE;
    "gemm" "producer_warp" "forgotten_sums": "const bool adds = work.begin > 0," => "const bool adds = false,", WRONG_RESULT;
    "gemm" "producer_warp" "no_wait": "ready = left == 1 || has_ended(next_stage, next_parity);" => "ready = true;", RACE;
    "gemm" "producer_warp" "early_release": "            __syncwarp();  // the warp has read the stage\n" => "", RACE;
    "gemm" "tf32x3" "lost_product": "product < 3" => "product < 2", WRONG_RESULT;
    "gemm" "fp16x3" "lost_product": "product < 3" => "product < 2", WRONG_RESULT;
    "gemm" "fp16x3" "no_wait": "wait_at(full + 8 * stage, parity);" => "", RACE;

    "gemv" "read" "missing_barrier": "__syncthreads();  // the sums of" => "// the sums of", RACE;
    "gemv" "read" "lost_rest": "rest < count" => "rest < whole", WRONG_RESULT;
    "gemv" "read" "shifted_index": "chunks + chunk" => "chunks + chunk + 1", OUT_OF_BOUNDS;
    "gemv" "repeated" "missing_barrier": "__syncthreads();  // the sums of" => "// the sums of", RACE;
    "gemv" "repeated" "eight_sums": "T* const sums = reinterpret_cast<T*>(shared_bytes);" => "__shared__ T sums[8];", OUT_OF_BOUNDS;
    "gemv" "repeated" "lost_sum": "int half = blockDim.x / 2" => "int half = blockDim.x / 4", WRONG_RESULT;
    // The published kernel has this semicolon: every launch multiplies.
    "gemv" "repeated" "stray_semicolon": "if (multiply) {" => "if (multiply);\n        {", WRONG_RESULT;
    "gemv" "shared_atomic" "missing_barrier": "__syncthreads();  // the sums of" => "// the sums of", RACE;
    "gemv" "shared_atomic" "lost_sum": "int half = blockDim.x / 2" => "int half = blockDim.x / 4", WRONG_RESULT;
    "gemv" "shared_atomic" "plain_addition": "atomicAdd(&b[row], sums[own]);" => "b[row] += sums[own];", RACE;
    "gemv" "atomic" "plain_addition":
        "atomicAdd(&b[row], a[row * n + col] * x[col]);" => "b[row] += a[row * n + col] * x[col];", RACE;
    "gemv" "atomic" "wrong_bound": "row < m && col < n" => "row < m && col <= n", OUT_OF_BOUNDS;
    "gemv" "cooperative" "missing_grid_barrier": "cooperative_groups::this_grid().sync();" => "", RACE;
    "gemv" "cooperative" "missing_barrier": "__syncthreads();  // the sums have" => "// the sums have", RACE;
    // As in the published kernel, threads of one block disagree about the number of turns, and so of barriers.
    "gemv" "cooperative" "divergent_barrier":
        "first < m; first += (long long)gridDim.y * blockDim.y" => "first + threadIdx.y < m; first += (long long)gridDim.y * blockDim.y",
        DIVERGENT_BARRIER;
    "gemv" "cooperative" "lost_sum": "part < parts;" => "part < parts - 1;", WRONG_RESULT;
    "gemv" "shuffle" "lost_sum": "int distance = 16;" => "int distance = 8;", WRONG_RESULT;
    "gemv" "shuffle" "shifted_index": "a_row[col] * x[col]" => "a_row[col] * x[col + 1]", OUT_OF_BOUNDS;
    "gemv" "vectorised" "lost_sum": "int distance = 16;" => "int distance = 8;", WRONG_RESULT;
    "gemv" "vectorised" "misaligned_rows": "n % WIDTH == 0 && " => "", MISALIGNED;
    "gemv" "block_per_row" "missing_barrier": "__syncthreads();  // the sums of" => "// the sums of", RACE;
    "gemv" "block_per_row" "lost_sum": "int distance = 16;" => "int distance = 8;", WRONG_RESULT;
    "gemv" "block_per_row" "misaligned_rows": "n % WIDTH == 0 && " => "", MISALIGNED;

    "transpose" "copy" "lost_rest": "&& rest < count" => "&& rest < chunks * WIDTH", WRONG_RESULT;
    "transpose" "copy" "shifted_index": "(out)[chunk] =" => "(out)[chunk + 1] =", OUT_OF_BOUNDS;
    "transpose" "naive" "not_turned": "out[col * m + row]" => "out[row * n + col]", WRONG_RESULT;
    "transpose" "naive" "shifted_index": "= in[row * n + col]" => "= in[row * n + col + 1]", OUT_OF_BOUNDS;
    "transpose" "naive" "wrong_bound": "if (row < m && col < n)" => "if (row <= m && col < n)", OUT_OF_BOUNDS;
    "transpose" "naive" "in_place_below_too": "if (row < col && col < n)" => "if (row != col && row < n && col < n)", RACE;
    "transpose" "shared_dynamic" "missing_barrier": "__syncthreads();  // the tile" => "// the tile", RACE;
    "transpose" "shared_dynamic" "not_turned": "tile[x * edge + y]" => "tile[y * edge + x]", WRONG_RESULT;
    "transpose" "shared_dynamic" "in_place_missing_barrier": "__syncthreads();  // both tiles" => "// both tiles", RACE;
    "transpose" "shared_static" "missing_barrier": "__syncthreads();  // the tile" => "// the tile", RACE;
    "transpose" "shared_static" "not_turned": "= tile[x][y]" => "= tile[y][x]", WRONG_RESULT;
    "transpose" "padded" "missing_barrier": "__syncthreads();  // the tile" => "// the tile", RACE;
    "transpose" "padded" "wrong_bound": "left + y < n && top + x < m" => "left + y <= n && top + x < m", OUT_OF_BOUNDS;
    "transpose" "swizzled" "missing_barrier": "__syncthreads();  // the tile" => "// the tile", RACE;
    "transpose" "swizzled" "read_unswizzled": "= tile[x][y ^ x]" => "= tile[x][y]", WRONG_RESULT;
    "transpose" "coarsened" "missing_barrier": "__syncthreads();  // the tile" => "// the tile", RACE;
    "transpose" "coarsened" "lost_rows":
        "i < 32; i += 8) {\n        if (left + y + i < n && top + x < m)" => "i < 24; i += 8) {\n        if (left + y + i < n && top + x < m)", WRONG_RESULT;
    "transpose" "coarsened" "in_place_missing_barrier": "__syncthreads();  // both tiles" => "// both tiles", RACE;
    "transpose" "vectorised" "missing_barrier": "__syncthreads();  // the tile" => "// the tile", RACE;
    "transpose" "vectorised" "read_unswizzled": "shared[r][threadIdx.x ^ (r / W)]" => "shared[r][threadIdx.x]", WRONG_RESULT;
    "transpose" "vectorised" "misaligned_rows":
        "columns % W == 0 && (unsigned long long)from" => "(unsigned long long)from", MISALIGNED;
    "transpose" "downward" "missing_barrier": "__syncthreads();  // the tile" => "// the tile", RACE;
    "transpose" "downward" "read_unswizzled": "[x ^ ((y + C * i) / W)]" => "[x]", WRONG_RESULT;
    "transpose" "downward" "misaligned_rows": "n % W == 0 && m % W == 0 && " => "", MISALIGNED;
    "transpose" "ahead" "missing_barrier": "__syncthreads();  // the tile" => "// the tile", RACE;
    "transpose" "ahead" "read_unswizzled": "[x ^ ((y + C * i) / W)]" => "[x]", WRONG_RESULT;
    "transpose" "ahead" "misaligned_rows": "n % W == 0 && m % W == 0 && " => "", MISALIGNED;

    "streams" "one_touch" "lost_rest":
        "i < count; i += threads) {\n        out[i] = touch" => "i < chunks * WIDTH; i += threads) {\n        out[i] = touch", WRONG_RESULT;
    "streams" "one_touch" "shifted_index": "(out)[i] = chunk" => "(out)[i + 1] = chunk", OUT_OF_BOUNDS;
    "streams" "constant" "lost_coefficient": "power >= 0" => "power > 0", WRONG_RESULT;
    "streams" "constant" "wrong_bound": "i < count" => "i <= count", OUT_OF_BOUNDS;
    "streams" "device_timed" "wrong_bound": "i < count" => "i <= count", OUT_OF_BOUNDS;
    "streams" "device_timed" "shifted_index": "4ll * blockIdx.x" => "4ll * (blockIdx.x + 1)", OUT_OF_BOUNDS;

    "patterns" "reduce_interleaved" "missing_barrier": "__syncthreads();  // the sums of" => "// the sums of", RACE;
    "patterns" "reduce_sequential" "missing_barrier": "__syncthreads();  // the sums of" => "// the sums of", RACE;
    "patterns" "reduce_sequential" "last_warp_in_step":
        "__syncthreads();  // the sums of the level before are there\n        if (t < half) {\n            sums[t] += sums[t + half];"
        => "if (half >= 32) __syncthreads();\n        if (t < half) {\n            volatile float* own = sums;\n            own[t] = own[t] + own[t + half];", RACE;
    "patterns" "reduce_sequential" "plain_addition": "atomicAdd(out, sums[0]);" => "out[0] += sums[0];", RACE;
    "patterns" "reduce_shuffle" "lost_warp": "warp < 8" => "warp < 7", WRONG_RESULT;
    "patterns" "reduce_shuffle" "missing_barrier": "__syncthreads();  // the sums of" => "// the sums of", RACE;
    "patterns" "reduce_vectorised" "lost_rest": "thread < n % 4" => "thread < 0", WRONG_RESULT;
    "patterns" "reduce_vectorised" "wrong_bound": "chunk + 3 * threads < count" => "chunk + 2 * threads < count", OUT_OF_BOUNDS;
    "patterns" "reduce_vectorised" "missing_fence": "__threadfence();  // the sum is" => "// the sum is", RACE;
    "patterns" "scan_doubling" "missing_barrier": "__syncthreads();  // the level" => "// the level", RACE;
    "patterns" "scan_doubling" "one_array": "sums[1 - from][t] = sums[from][t] + left;\n        from = 1 - from;" => "sums[from][t] += left;", RACE;
    "patterns" "scan_doubling" "wrong_bound": "t >= distance" => "t > distance", WRONG_RESULT;
    "patterns" "scan_sweeps" "missing_barrier": "__syncthreads();  // the larger" => "// the larger", RACE;
    "patterns" "scan_sweeps" "lost_level": "int stride = 256" => "int stride = 128", WRONG_RESULT;
    "patterns" "scan_sweeps" "array_too_short": "sums[1024 + 32]" => "sums[1024]", OUT_OF_BOUNDS;
    "patterns" "scan_shuffle" "missing_barrier": "__syncthreads();  // the sums of" => "// the sums of", RACE;
    "patterns" "scan_shuffle" "own_counted_twice": "float before = __shfl_up_sync(0xffffffff, through, 1);" => "float before = through;", WRONG_RESULT;
    "patterns" "scan_lookback" "missing_barrier": "__syncthreads();  // what lies" => "// what lies", RACE;
    "patterns" "scan_lookback" "lost_tile": "lane <= last ?" => "lane < last ?", WRONG_RESULT;
    "patterns" "histogram_global" "plain_addition": "atomicAdd(&out[bin_of(in[i])], 1.0f);" => "out[bin_of(in[i])] += 1.0f;", RACE;
    "patterns" "histogram_shared" "missing_barrier": "__syncthreads();  // all counters" => "// all counters", RACE;
    "patterns" "histogram_shared" "missing_last_barrier": "__syncthreads();  // all is counted" => "// all is counted", RACE;
    "patterns" "histogram_copies" "lost_warp": "unsigned count = 0;\n    for (int warp = 0; warp < 8; warp++)" => "unsigned count = 0;\n    for (int warp = 1; warp < 8; warp++)", WRONG_RESULT;
    "patterns" "histogram_banks" "missing_barrier": "__syncthreads();  // all is counted" => "// all is counted", RACE;
    "patterns" "histogram_banks" "lost_rest": "thread < n % 4" => "thread < 0", WRONG_RESULT;
    "patterns" "compact_atomic" "no_place": "out[atomicAdd(kept, 1)] = in[i];" => "atomicAdd(kept, 1); out[i] = in[i];", WRONG_RESULT;
    "patterns" "compact_ballot" "place_of_the_lane": "__popc(keep & ((1u << lane) - 1))" => "lane", RACE;
    "patterns" "compact_ballot" "own_counted": "(1u << lane) - 1" => "(2u << lane) - 1", WRONG_RESULT;
    "patterns" "compact_ordered" "missing_barrier": "__syncthreads();  // the kept" => "// the kept", RACE;
    "patterns" "compact_ordered" "no_other_tiles": "out + before_tile + place," => "out + place,", WRONG_RESULT;
    "patterns" "sort_counters" "missing_barrier": "__syncthreads();  // all is counted" => "// all is counted", RACE;
    "patterns" "sort_counters" "lost_warp": "warp < t / 32" => "warp < t / 32 - 1", WRONG_RESULT;
    "patterns" "sort_ranks" "missing_barrier": "__syncthreads();  // the counters are places" => "// the counters are places", RACE;
    "patterns" "sort_ranks" "counted_too_early": "__syncwarp();  // all peers" => "// all peers", RACE;
    "patterns" "sort_ranks" "last_first": "peers & ((1u << lane) - 1)" => "peers & ~((2u << lane) - 1)", WRONG_RESULT;
    "patterns" "sort_onesweep" "missing_barrier": "__syncthreads();  // the keys" => "// the keys", RACE;
    "patterns" "sort_onesweep" "no_other_tiles": "scratch[1 + t] + before - begin" => "scratch[1 + t] - begin", WRONG_RESULT;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutant_applies() {
        for mutant in MUTANTS {
            let original = pristine(mutant.lab, mutant.rung).unwrap();
            assert_ne!(mutant.source().text, original.text, "{mutant:?}");
        }
    }

    #[test]
    fn a_mutant_has_the_instantiation_that_its_test_runs_and_no_other() {
        let exports = |lab, rung| {
            let mutant = MUTANTS.iter().find(|mutant| (mutant.lab, mutant.rung) == (lab, rung)).unwrap();
            mutant.source().exports()
        };
        assert_eq!(exports("gemm", "naive"), ["naive_f32"]);
        assert_eq!(exports("gemm", "shared_4"), ["shared_4_f32_16"]);
        assert_eq!(exports("gemv", "vectorised"), ["vectorised_f32_1"]);
        assert_eq!(exports("transpose", "padded"), ["padded_f32_16", "padded_in_place_f32_16"]);
    }

    #[test]
    fn a_mutant_keeps_the_lines_of_its_rung() {
        let mutant = MUTANTS.iter().find(|mutant| mutant.name == "exchanged_index").unwrap();
        let (own, rung) = (mutant.source(), pristine(mutant.lab, mutant.rung).unwrap());
        let differ: Vec<(&str, &str)> =
            own.text.lines().zip(rung.text.lines()).filter(|(own, rung)| own != rung).collect();
        assert_eq!(own.text.lines().count(), rung.text.lines().count());
        assert_eq!(differ.len(), 2, "the defect and one instantiation: {differ:?}");
    }

    #[test]
    fn every_rung_has_a_mutant() {
        for source in crate::sources() {
            let has = MUTANTS.iter().any(|mutant| (mutant.lab, mutant.rung) == (source.lab, source.name));
            assert!(has, "no mutant of {}/{}", source.lab, source.name);
        }
    }

    #[test]
    fn names_are_unique_within_a_rung() {
        for (i, mutant) in MUTANTS.iter().enumerate() {
            let same = |other: &&Mutant| (other.lab, other.rung, other.name) == (mutant.lab, mutant.rung, mutant.name);
            assert!(!MUTANTS[..i].iter().any(|other| same(&other)), "{mutant:?}");
        }
    }
}
