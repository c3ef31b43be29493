//! Asynchronous copies: what was known when one began. Its writes are done at any time until its thread has waited for it,
//! so they come after what was known at the beginning and not after what its thread has done or learnt since. So do its reads.
use super::Sanitizer;
use super::block::Warps;
use super::clock::Clock;
use super::race::Way;
use super::undefined::CopiedByte;
use machine::probe::{Access, Who};

/// The copies of a block that are under way, oldest first.
#[derive(Default)]
pub struct Copies(Vec<Copy>);

struct Copy {
    warp: u32,
    function: u32,
    site: u32,
    mask: u32,
    began: Box<Clock>,
    /// What it has read is not all defined.
    undefined: Vec<CopiedByte>,
}

impl Copies {
    /// Whether none is under way.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Lanes of a warp begin a copy.
    pub fn begin(&mut self, warps: &mut Warps, who: Who, site: u32, mask: u32, undefined: Vec<CopiedByte>) {
        if let Some(clock) = warps.clocks.get_mut(who.warp as usize) {
            let began = Box::new(clock.beginning());
            self.0.push(Copy { warp: who.warp, function: who.function, site, mask, began, undefined });
        }
    }

    /// The oldest one that an access of some of its lanes belongs to.
    fn of(&self, access: &Access) -> Option<usize> {
        let who = (access.who.warp, access.who.function, access.site);
        let of_site = |copy: &Copy| (copy.warp, copy.function, copy.site) == who && copy.mask & access.mask != 0;
        self.0.iter().position(of_site)
    }

    /// If an access is the end of a copy: the clock of its warp when it began, and what was undefined of what it read. What is
    /// noted of the access is new.
    pub fn end(&mut self, warps: &mut Warps, access: &Access) -> Option<(Box<Clock>, Vec<CopiedByte>)> {
        let index = self.of(access)?;
        warps.clocks.get_mut(access.who.warp as usize)?.released();
        let copy = &mut self.0[index];
        copy.mask &= !access.mask;
        Some(match copy.mask {
            0 => {
                let Copy { began, undefined, .. } = self.0.remove(index);
                (began, undefined)
            }
            _ => (copy.began.clone(), copy.undefined.clone()),
        })
    }
}

impl Sanitizer {
    /// A copy reads what it brings, at the latest now.
    pub(super) fn copy_has_read(&mut self, access: &Access) {
        let Some(index) = self.block(access.who.block_index) else { return };
        let block = &mut self.blocks[index];
        let copies = std::mem::take(&mut block.copies);
        if let Some(copy) = copies.of(access)
            && let Some(clock) = block.warps.clocks.get_mut(access.who.warp as usize)
        {
            // What is noted of the access is new: who has met the thread before it waited does not know of it.
            clock.released();
            let (found, way) = (&mut self.found, Way { copy: Some(&copies.0[copy].began), ..Way::default() });
            self.races.access(block, &self.geometry, access, way, &mut |kind| found.add(&self.sites, kind));
        }
        self.blocks[index].copies = copies;
    }
}
