//! Which warp, at which stamp, the 32 bits "who" of a cell stand for.
//!
//! In a block's own shared memory they are the warp and the stamp themselves. In global memory, and for a block that
//! touches another's shared memory, they are the number of a context: block, warp and stamp.
use super::cells::Cell;
use crate::sanitizer::order::knowledge::When;
use crate::sanitizer::order::warps::Warps;
use ptx::isa::Space;

/// Bits of a stamp in a cell of shared memory; the warp is above it.
pub const STAMP_BITS: u32 = 26;
const STAMP: u32 = (1 << STAMP_BITS) - 1;
/// Instead of a warp: of another block of the cluster, whose context's number is where the stamp would be.
const OUTSIDE: u32 = 63;

/// The block whose shared memory is touched.
#[derive(Clone, Copy)]
pub struct Owner {
    index: u32,
    coordinates: [u32; 3],
}

impl Owner {
    pub fn of(warps: &Warps) -> Owner {
        Owner { index: warps.index as u32, coordinates: warps.coordinates }
    }
}

#[derive(Clone, Copy)]
struct Context {
    block: u32,
    coordinates: [u32; 3],
    warp: u32,
    stamp: u32,
}

/// The contexts of a launch, by their number less one.
#[derive(Default)]
pub struct Contexts(Vec<Context>);

impl Contexts {
    /// The number that stands for a warp in a cell of `space`; `elsewhere`: in another block's shared memory.
    #[inline(always)]
    pub fn who(&mut self, warps: &mut Warps, space: Space, elsewhere: bool, warp: u32, stamp: u32) -> u32 {
        match () {
            () if space == Space::Global => self.number(warps, warp, stamp),
            () if elsewhere => OUTSIDE << STAMP_BITS | self.number(warps, warp, stamp),
            () => (warp + 1) << STAMP_BITS | stamp & STAMP,
        }
    }

    /// The number of a warp's context, which it keeps until its stamp changes.
    #[inline(always)]
    fn number(&mut self, warps: &mut Warps, warp: u32, stamp: u32) -> u32 {
        let (number, its_stamp) = warps.contexts[warp as usize];
        if number != 0 && its_stamp == stamp { number } else { self.add(warps, warp, stamp) }
    }

    #[cold]
    #[inline(never)]
    fn add(&mut self, warps: &mut Warps, warp: u32, stamp: u32) -> u32 {
        let (index, coordinates) = (warps.index as u32, warps.coordinates);
        self.0.push(Context { block: index, coordinates, warp, stamp });
        let number = self.0.len() as u32;
        warps.contexts[warp as usize] = (number, stamp);
        number
    }

    /// The maker of a cell and the time, with the coordinates of the block.
    #[inline(always)]
    pub fn when(&self, owner: Owner, space: Space, cell: Cell) -> Option<(When, [u32; 3])> {
        let outside = cell.who() >> STAMP_BITS == OUTSIDE;
        if space == Space::Global || outside {
            let number = if outside && space != Space::Global { cell.who() & STAMP } else { cell.who() };
            let who = self.0.get((number as usize).checked_sub(1)?)?;
            let when = When { block: who.block, warp: who.warp, lane: cell.lane(), stamp: who.stamp };
            return Some((when, who.coordinates));
        }
        let (warp, stamp) = ((cell.who() >> STAMP_BITS).checked_sub(1)?, cell.who() & STAMP);
        Some((When { block: owner.index, warp, lane: cell.lane(), stamp }, owner.coordinates))
    }
}
