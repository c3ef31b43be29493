//! Weak loads of full warps, most of all accesses: noted by the short way where the memory is written and nobody is met.
use super::block::BlockState;
use super::cells::{Cell, Use};
use super::contexts::Owner;
use super::knowledge::MANY;
use super::race::Races;
use super::shadow::Shadows;
use super::state::Sanitizer;
use super::visit::Visit;
use super::warp_access::WarpAccess;
use machine::probe::{WarpElements, WarpLoad, Who};
use ptx::isa::Space;

impl Sanitizer {
    /// Notes a load. `false`: nothing is noted, and it is to be judged like any other access.
    #[inline(always)]
    pub(super) fn note_warp_load(&mut self, who: &Who, load: &WarpLoad) -> bool {
        let WarpLoad { address, site, elements } = *load;
        // Shared memory of another block of the cluster has that block's rank in its address.
        if elements.space == Space::Shared && address >> 24 != 0 && self.geometry.is_clustered() {
            return false;
        }
        if elements.space == Space::Global && self.touched.is_some() {
            self.note_footprint(&load.access(who));
        }
        if elements.space == Space::Shared
            && let Some(array) = self.sites.array(who.function, site)
            && !(array.start <= address && address + elements.span() <= array.end)
        {
            return false;
        }
        if self.may_be_stale(who, load) {
            return false;
        }
        let Some(index) = self.block(who.block_index) else { return true };
        let block = &mut self.blocks[index];
        let is_written = match elements.space {
            Space::Global => {
                self.initialised.as_ref().is_none_or(|global| global.is_complete(site, address, elements.span()))
            }
            Space::Shared => {
                block.shared_written.is_complete() || block.shared_written.is_written(address, elements.span())
            }
            _ => return true,
        };
        is_written && self.races.note_warp_load(block, who, load)
    }
}

impl Races {
    /// Likewise, of what is written. `false`: nothing is noted, because of words that are not there, or because an earlier
    /// access may conflict.
    #[inline(always)]
    fn note_warp_load(&mut self, block: &mut BlockState, who: &Who, load: &WarpLoad) -> bool {
        let WarpLoad { address, site, elements: WarpElements { space, bytes, dense } } = *load;
        let Some(clock) = block.warps.clocks.get(who.warp as usize) else { return true };
        let stamp = clock.stamp();
        let site = self.first_site.get(who.function as usize).map_or(0, |first| first + site);
        let party = self.contexts.who(&mut block.warps, space, false, who.warp, stamp);
        let now = Cell::new(party, site, 0, 0xf);
        let (shared, word, words_per_lane) = (space == Space::Shared, (address / 4) as usize, usize::from(bytes) / 4);
        let (shadow, first) = if shared { (&mut block.shared, word) } else { self.global.of(word) };
        let visit = Visit {
            contexts: &self.contexts,
            warps: &block.warps,
            warp: who.warp,
            space,
            clock: &block.warps.clocks[who.warp as usize],
            owner: Owner::of(&block.warps),
            is_transfer: false,
        };
        if !dense {
            return shadow.read_words(first, words_per_lane, now.of_lane(MANY.into()), shared, &visit);
        }
        if words_per_lane == 1 && shadow.read_row(first, now, shared, &visit) {
            return true;
        }
        // A copy, so that only this way needs the visit in memory.
        let (visit, used) = (Visit { ..visit }, Use::Read);
        shadow.access_by_warp(self.level, WarpAccess { used, first, words_per_lane, now, reads_clash: shared }, &visit)
    }
}
