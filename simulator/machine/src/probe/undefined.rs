//! Values that are not defined: where they come from, and where that matters.
use crate::memory::Range;
use ptx::isa::Space;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where an undefined value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// A number of the probe's own; `None` where it was lost.
    pub number: Option<u32>,
    /// True if something was computed from it, and not only moved, masked and shifted.
    pub computed: bool,
}

/// A byte that an access has read and that is not defined.
#[derive(Clone, Copy, Debug)]
pub struct UndefinedByte {
    /// All lanes that read it; of local memory the one whose it is.
    pub lanes: u32,
    pub lane: u8,
    pub space: Space,
    /// As in [`Access`](super::Access).
    pub address: u64,
    /// A bit for each of its bits that is not defined.
    pub mask: u8,
    pub origin: Origin,
}

/// Where it matters that a value is not defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// It decides where lanes go, or whether they do something.
    Branch,
    Address,
    /// It is an operand of an atomic.
    Atomic,
    /// It is an operand of a barrier, or names the lanes of a warp-synchronous instruction.
    Barrier,
    Printed,
}

/// Memory of which a listener who follows undefined values knows that it holds none: until something may change memory, full warps' loads from it are
/// told of together.
#[derive(Clone, Copy, Debug)]
pub struct Defined {
    /// The block whose shared memory is such memory, by its number.
    pub shared: Option<u64>,
    pub global: [Range; 2],
}

impl Defined {
    /// No memory.
    pub const NONE: Defined = Defined { shared: None, global: [Range::NONE; 2] };

    /// Returns whether a warp of a block finds the bytes `first ..= last` in it.
    #[inline(always)]
    pub fn holds(&self, space: Space, (first, last): (u64, u64), block: u64) -> bool {
        match space {
            Space::Shared => self.shared == Some(block),
            Space::Global => self.global[0].holds(first, last) || self.global[1].holds(first, last),
            _ => false,
        }
    }
}

/// Flags that the executor and a listener who follows undefined values look at all the time, so that each calls the other only
/// where there is something to tell.
#[derive(Debug, Default)]
pub struct Following {
    loaded: AtomicBool,
    twins: AtomicBool,
}

impl Following {
    /// Returns whether the last access read undefined bytes: [`Probe::undefined`](super::Probe::undefined) has them.
    #[inline(always)]
    pub fn has_loaded(&self) -> bool {
        self.loaded.load(Ordering::Relaxed)
    }
    /// Notes that.
    pub fn loaded(&self, yes: bool) {
        self.loaded.store(yes, Ordering::Relaxed);
    }
    /// Returns whether registers of the warp that runs may hold undefined bits.
    #[inline(always)]
    pub fn has_twins(&self) -> bool {
        self.twins.load(Ordering::Relaxed)
    }
    /// Notes that.
    pub fn twins(&self, yes: bool) {
        self.twins.store(yes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_in_defined_memory_where_the_first_and_the_last_are() {
        let range = |start, end| Range { start, end };
        let defined = Defined { shared: Some(7), global: [range(4096, 8192), range(1 << 20, 2 << 20)] };
        for (bytes, known) in [
            ((4096, 4223), true),
            ((4092, 4095), false),
            ((8064, 8191), true),
            ((8068, 8195), false),
            ((1 << 20, (1 << 20) + 3), true),
        ] {
            assert_eq!(defined.holds(Space::Global, bytes, 7), known, "{bytes:?}");
            assert!(!Defined::NONE.holds(Space::Global, bytes, 7));
        }
        assert!(defined.holds(Space::Shared, (0, 127), 7));
        assert!(!defined.holds(Space::Shared, (0, 127), 8));
        assert!(!defined.holds(Space::Local, (4096, 4223), 7));
        assert!(!Defined::NONE.holds(Space::Shared, (0, 127), 7));
    }
}
