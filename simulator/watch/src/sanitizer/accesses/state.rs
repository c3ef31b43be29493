//! The sanitizer's state in a launch.
use super::block::BlockState;
use super::dependents::Touched;
use super::products::Hazards;
use super::race::Races;
use crate::sanitizer::findings::finding::Finding;
use crate::sanitizer::findings::found::Found;
use crate::sanitizer::findings::sites::Sites;
use crate::sanitizer::findings::undefined_values::UndefinedValues;
use crate::sanitizer::order::geometry::Geometry;
use crate::sanitizer::order::knowledge::Outside;
use crate::sanitizer::order::signals::Signals;
use crate::sanitizer::order::strictly_after::StrictlyAfter;
use crate::sanitizer::order::transfers::Transfers;
use crate::sanitizer::shadow::written::Global;
use machine::probe::{Following, Who};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The listener. [`Sanitizer::findings`] tells what is wrong once the launch is over.
#[derive(Default)]
pub struct Sanitizer {
    pub(crate) geometry: Geometry,
    pub(crate) races: Races,
    /// Publications, by their addresses in global memory.
    pub(crate) signals: Signals,
    pub(crate) strictly_after: StrictlyAfter,
    pub(crate) sites: Sites,
    pub(crate) initialised: Option<Global>,
    pub(crate) undefined: UndefinedValues,
    pub(crate) following: Arc<Following>,
    /// The global memory that the launch touches, where somebody asked for that.
    pub(crate) touched: Option<Touched>,
    pub(crate) blocks: Vec<BlockState>,
    /// Blocks that have ended.
    pub(crate) ended: Vec<BlockState>,
    /// Index in `blocks` of the one that was looked up last.
    pub(crate) recent: usize,
    pub(crate) found: Found,
    /// Something that is right, and that the guide does not promise.
    pub(crate) note: Option<Finding>,
    pub(crate) transfers: Transfers,
    /// Knowledge that was told at each phase of the barrier of each cluster, and how often warps have arrived.
    pub(crate) clusters: FxHashMap<(u64, u32), Arc<Outside>>,
    pub(crate) arrivals: FxHashMap<(u64, u32, u32), u32>,
    pub(crate) hazards: Hazards,
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

    /// The first thing that is no fault and that a reader should know.
    pub fn note(&self) -> Option<&Finding> {
        self.note.as_ref()
    }

    /// Findings that count if the host reads values that were stored to global memory: by the number under which the memory tells of that.
    pub fn pending(&self) -> impl Iterator<Item = (u32, &Finding)> {
        self.undefined.pending().filter(|(_, finding)| self.found.says_something(&self.sites, finding))
    }

    /// The place in `blocks` of a block, by its number in the grid.
    pub(crate) fn block(&mut self, index: u64) -> Option<usize> {
        if self.blocks.get(self.recent).is_none_or(|block| block.warps.index != index) {
            self.recent = self.blocks.iter().position(|block| block.warps.index == index)?;
        }
        Some(self.recent)
    }

    /// True if a warp has waited for the launches that this one may overlap.
    pub(crate) fn has_waited(&mut self, who: &Who) -> bool {
        self.block(who.block_index).is_some_and(|index| self.blocks[index].waited >> (who.warp % 32) & 1 != 0)
    }

    /// A warp waits for them, or lets those begin that may overlap this one.
    pub(crate) fn dependency(&mut self, who: Who, waits: bool) {
        let Some(index) = self.block(who.block_index) else { return };
        let (waited, warp) = (&mut self.blocks[index].waited, 1 << (who.warp % 32));
        if waits {
            *waited |= warp;
        } else if let Some(touched) = &mut self.touched {
            touched.lets_go = true;
            touched.lets_go_early |= touched.early.is_some() && *waited & warp == 0;
        }
    }
}
