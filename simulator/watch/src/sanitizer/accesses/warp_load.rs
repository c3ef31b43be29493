//! Weak loads of full warps, most of all accesses: noted by the short way where the memory is written and nobody is met.
use super::block::BlockState;
use super::fast::warp_access::WarpAccess;
use super::race::Races;
use super::state::Sanitizer;
use super::visit::Visit;
use crate::sanitizer::findings::sites::Sites;
use crate::sanitizer::order::knowledge::MANY;
use crate::sanitizer::shadow::cells::{Cell, Use};
use crate::sanitizer::shadow::contexts::Owner;
use crate::sanitizer::shadow::pages::Pages;
use crate::sanitizer::shadow::stretch::{Shadow, Shadows};
use crate::sanitizer::shadow::written::{Global, SharedWritten};
use machine::host::Level;
use machine::probe::{WarpElements, WarpLoad, Who};
use ptx::isa::Space;

/// The state that loads of one warp between two other events are noted in.
struct Loads<'a> {
    function: u32,
    /// The first site number of the function.
    first_site: u32,
    clustered: bool,
    level: Level,
    sites: &'a Sites,
    shared_written: &'a SharedWritten,
    global_written: Option<&'a Global>,
    shared: &'a mut Shadow,
    global: &'a mut Pages,
    /// The numbers of the warp in cells of shared and of global memory.
    parties: [u32; 2],
    visit: Visit<'a>,
}

impl Sanitizer {
    /// Notes loads of one warp, one after the other, and returns how many: the one after these is to be judged like any other access.
    pub(crate) fn note_warp_loads(&mut self, who: &Who, loads: &[WarpLoad]) -> usize {
        let Some(index) = self.block(who.block_index) else { return loads.len() };
        let Sanitizer { geometry, blocks, races, sites, initialised, .. } = self;
        let Races { level, global, contexts, first_site, .. } = races;
        let BlockState { warps, shared, shared_written, .. } = &mut blocks[index];
        let Some(clock) = warps.clocks.get(who.warp as usize) else { return 0 };
        let stamp = clock.stamp();
        // A number for global memory is made where the warp goes there.
        let mut parties = [0; 2];
        for load in loads {
            let space = load.elements.space;
            let party = &mut parties[usize::from(space != Space::Shared)];
            if *party == 0 {
                *party = contexts.who(warps, space, false, who.warp, stamp);
            }
        }
        let mut state = Loads {
            function: who.function,
            first_site: first_site.get(who.function as usize).copied().unwrap_or(0),
            clustered: geometry.is_clustered(),
            level: *level,
            sites,
            shared_written,
            global_written: initialised.as_ref(),
            shared,
            global,
            parties,
            visit: Visit {
                contexts,
                warps,
                warp: who.warp,
                space: Space::Global,
                clock: &warps.clocks[who.warp as usize],
                owner: Owner::of(warps),
                is_transfer: false,
            },
        };
        loads.iter().position(|load| !state.note(load)).unwrap_or(loads.len())
    }
}

impl Loads<'_> {
    /// Notes a load. `false`: nothing is noted, because it may be of bytes that are not written, because of words that are not there, or because an
    /// earlier access may conflict.
    #[inline(always)]
    fn note(&mut self, load: &WarpLoad) -> bool {
        let WarpLoad { address, site, elements: WarpElements { space, bytes, dense } } = *load;
        let span = load.elements.span();
        let word = (address / 4) as usize;
        let is_shared = space == Space::Shared;
        match space {
            Space::Shared => {
                // Shared memory of another block of the cluster has that block's rank in its address.
                if address >> 24 != 0 && self.clustered {
                    return false;
                }
                let leaves = |array: std::ops::Range<u64>| address < array.start || address + span > array.end;
                if self.sites.array(self.function, site).is_some_and(leaves) {
                    return false;
                }
                if !self.shared_written.is_complete() && !self.shared_written.is_written(address, span) {
                    return false;
                }
            }
            Space::Global => {
                let last = ((address + span - 1) / 4) as usize;
                let may_be_stale = self.sites.is_read_only(self.function, site) && self.global.is_written(word, last);
                if may_be_stale || self.global_written.is_some_and(|global| !global.is_complete(site, address, span)) {
                    return false;
                }
            }
            _ => return true,
        }
        let party = self.parties[usize::from(!is_shared)];
        let now = Cell::new(party, self.first_site + site, 0);
        let visit = Visit { space, ..self.visit };
        let (shadow, first) = if is_shared { (&mut *self.shared, word) } else { self.global.of(word) };
        let words_per_lane = usize::from(bytes) / 4;
        if !dense {
            return shadow.read_words(first, words_per_lane, now.of_lane(MANY.into()), is_shared, &visit);
        }
        if words_per_lane == 1 && shadow.read_row(first, now, is_shared, &visit) {
            return true;
        }
        let access = WarpAccess { used: Use::Read, first, words_per_lane, now, reads_clash: is_shared };
        // A copy, so that only this way needs the visit in memory.
        shadow.access_by_warp(self.level, access, &Visit { ..visit })
    }
}
