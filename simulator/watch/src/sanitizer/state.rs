//! The sanitizer's state in a launch.
use super::block::BlockState;
use super::dependents::Touched;
use super::finding::Finding;
use super::found::Found;
use super::geometry::Geometry;
use super::knowledge::Outside;
use super::products::Hazards;
use super::race::Races;
use super::signals::Signals;
use super::sites::Sites;
use super::strictly_after::StrictlyAfter;
use super::transfers::Transfers;
use super::undefined_values::UndefinedValues;
use super::written::Global;
use machine::probe::Following;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The listener. [`Sanitizer::findings`] tells what is wrong once the launch is over.
#[derive(Default)]
pub struct Sanitizer {
    pub(super) geometry: Geometry,
    pub(super) races: Races,
    /// Publications, by their addresses in global memory.
    pub(super) signals: Signals,
    pub(super) strictly_after: StrictlyAfter,
    pub(super) sites: Sites,
    pub(super) initialised: Option<Global>,
    pub(super) undefined: UndefinedValues,
    pub(super) following: Arc<Following>,
    /// The global memory that the launch touches, where somebody asked for that.
    pub(super) touched: Option<Touched>,
    pub(super) blocks: Vec<BlockState>,
    /// Blocks that have ended.
    pub(super) ended: Vec<BlockState>,
    /// Index in `blocks` of the one that was looked up last.
    pub(super) recent: usize,
    pub(super) found: Found,
    pub(super) transfers: Transfers,
    /// Knowledge that was told at each phase of the barrier of each cluster, and how often warps have arrived.
    pub(super) clusters: FxHashMap<(u64, u32), Arc<Outside>>,
    pub(super) arrivals: FxHashMap<(u64, u32, u32), u32>,
    pub(super) hazards: Hazards,
}

impl Sanitizer {
    /// A sanitizer for one launch.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that also keeps what the launch touches, and if it may overlap those before it, what it touches before it has waited.
    pub fn with_footprint(overlaps: bool) -> Self {
        Self { touched: Some(Touched::new(overlaps)), ..Self::default() }
    }

    /// The global memory that the launch has touched.
    pub fn take_touched(&mut self) -> Option<Touched> {
        self.touched.take()
    }

    /// The findings, the likeliest cause first: a barrier that not all threads reach makes races after it. Else in the order in
    /// which they happened.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.found.likeliest_first(&self.sites)
    }

    /// Findings that count if the host reads values that were stored to global memory: by the number under which the memory tells of that.
    pub fn pending(&self) -> impl Iterator<Item = (u32, &Finding)> {
        self.undefined.pending().filter(|(_, finding)| self.found.says_something(&self.sites, finding))
    }

    /// The place in `blocks` of a block, by its number in the grid.
    pub(super) fn block(&mut self, index: u64) -> Option<usize> {
        if self.blocks.get(self.recent).is_none_or(|block| block.warps.index != index) {
            self.recent = self.blocks.iter().position(|block| block.warps.index == index)?;
        }
        Some(self.recent)
    }
}
