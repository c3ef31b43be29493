//! Products of four warps (`wgmma`): what is wrong with the way in which a program uses their registers, told when a warp
//! comes to such a place.
use crate::sanitizer::findings::finding::Misuse;
use crate::sanitizer::order::geometry::Geometry;
use machine::probe::Who;
use machine::program::{Hazard, Program};
use rustc_hash::FxHashMap;

/// The hazards that nobody has come to yet, by function and basic block.
#[derive(Default)]
pub struct Hazards(FxHashMap<(u32, u32), Vec<(u32, Hazard)>>);

impl Hazards {
    pub fn of(program: &Program) -> Self {
        let mut found: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for (number, function) in (0..).zip(program.functions.iter()) {
            for &(site, hazard) in &function.hazards {
                let block = function.blocks.partition_point(|block| block.sites.end <= site) as u32;
                found.entry((number, block)).or_default().push((site, hazard));
            }
        }
        Self(found)
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Lanes run a basic block: products in it that lack a fence, or whose results are read too early.
    pub fn run(&mut self, geometry: &Geometry, who: Who, block: u32, mask: u32) -> impl Iterator<Item = Misuse> {
        let hazards = self.0.remove(&(who.function, block)).unwrap_or_default();
        hazards.into_iter().map(move |(site, hazard)| {
            let at = geometry.place(who, site, mask);
            match hazard {
                Hazard::NoFence => Misuse::NoProductFence { at },
                Hazard::NotWaitedFor => Misuse::ProductNotWaitedFor { at },
            }
        })
    }
}
