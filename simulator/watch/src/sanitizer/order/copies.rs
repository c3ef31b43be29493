//! Asynchronous copies: what was known when one began. Its writes are done at any time until its thread has waited for it,
//! so they come after what was known at the beginning and not after what its thread has done or learnt since. So do its reads.
use super::vector_clock::VectorClock;
use super::warps::Warps;
use crate::sanitizer::findings::undefined_values::CopiedByte;
use machine::probe::{Access, Who};

/// The copies of a block that are under way, oldest first.
#[derive(Default)]
pub struct Copies(Vec<Copy>);

struct Copy {
    warp: u32,
    function: u32,
    site: u32,
    mask: u32,
    began: Box<VectorClock>,
    /// The undefined bytes that it has read.
    undefined: Vec<CopiedByte>,
}

impl Copies {
    /// True if none is under way.
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

    /// The clock of the beginning of the copy that an access of some of its lanes belongs to.
    pub fn began(&self, access: &Access) -> Option<&VectorClock> {
        self.of(access).map(|index| &*self.0[index].began)
    }

    /// The oldest one that an access of some of its lanes belongs to.
    fn of(&self, access: &Access) -> Option<usize> {
        let who = (access.who.warp, access.who.function, access.site);
        let of_site = |copy: &Copy| (copy.warp, copy.function, copy.site) == who && copy.mask & access.mask != 0;
        self.0.iter().position(of_site)
    }

    /// If an access is the end of a copy: the clock of its warp when it began, and what was undefined of what it read. What is
    /// noted of the access is new.
    pub fn end(&mut self, warps: &mut Warps, access: &Access) -> Option<(Box<VectorClock>, Vec<CopiedByte>)> {
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
