//! The costs of a source line that a page shades it by.

use serde_json::{Value, json};

/// A counter of `rows[].lines[]` that a reader compares lines by.
#[derive(Clone, Copy, Debug)]
pub struct LineCounter {
    /// Its key in the document.
    pub key: &'static str,
    /// Its name in the page.
    pub heading: &'static str,
    /// Its meaning, for a reader who meets it for the first time.
    pub meaning: &'static str,
}

/// All of them, in the order of the page's list.
#[rustfmt::skip]
pub const LINE_COUNTERS: &[LineCounter] = &[
    counter("instructions", "instructions", "instructions that warps executed for this line, in one launch; a warp of 32 threads counts once"),
    counter("global_load_sectors", "global load sectors", "sectors of 32 bytes that global loads moved; lanes that ask for neighbouring bytes share a sector"),
    counter("global_store_sectors", "global store sectors", "sectors of 32 bytes that global stores wrote"),
    counter("shared_load_wavefronts", "shared load wavefronts", "wavefronts of shared memory for loads: one where no two lanes want different words of one bank"),
    counter("shared_store_wavefronts", "shared store wavefronts", "wavefronts of shared memory for stores"),
    counter("shared_conflicts", "conflicts", "wavefronts of shared memory beyond the fewest possible, because lanes of a warp wanted different words of one bank"),
    counter("atomics", "atomics", "atomic accesses of warps"),
    counter("barriers", "barriers", "arrivals of warps at a barrier"),
    counter("divergent_branches", "divergent branches", "branches that some lanes of a warp took and others did not: both ways are executed, one after the other"),
    counter("flops", "floating-point operations", "additions and multiplications of all threads; a fused multiply-add counts as two"),
];

const fn counter(key: &'static str, heading: &'static str, meaning: &'static str) -> LineCounter {
    LineCounter { key, heading, meaning }
}

/// All of them as the page's script takes them.
pub fn counters() -> Value {
    let json = |LineCounter { key, heading, meaning }: &LineCounter| json!({"key": key, "heading": heading, "meaning": meaning});
    LINE_COUNTERS.iter().map(json).collect()
}
