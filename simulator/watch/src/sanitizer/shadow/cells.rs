//! The notes on a 4-byte word, or on a byte of a word that is used in parts: who wrote it, who read it, and who used it atomically, last.
//!
//! A word's two last readers are kept when they differ, so that a writer that is one of them still meets the other: one from
//! afar (another block, in shared memory another warp) rather than a second one from here. A *strong* access (atomic,
//! volatile, or with an order of its own) is apart from the weak ones: it conflicts with weak writes, in shared memory also
//! with weak reads, and with strong ones only where a scope is too narrow or an update gets lost.

use machine::probe::{Access, AccessKind};

/// One access of a word, in 64 bits: who (an index that the owner of the cells understands) 32, site 26, lane 6. Zero: nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell(u64);

/// The largest site number that a cell can hold; it stands for all that are larger.
pub const LAST_SITE: u32 = (1 << 26) - 1;

impl Cell {
    /// No access.
    pub const NOBODY: Cell = Cell(0);
    /// Instead of a writer: its bytes have cells of their own. Nobody is ordered after it.
    pub const IN_BYTES: Cell = Cell(!0);

    /// `who` is neither 0 nor all ones.
    pub fn new(who: u32, site: u32, lane: u32) -> Self {
        Self(u64::from(who) << 32 | u64::from(site.min(LAST_SITE)) << 6 | u64::from(lane))
    }
    #[inline(always)]
    pub fn who(self) -> u32 {
        (self.0 >> 32) as u32
    }
    pub fn site(self) -> u32 {
        (self.0 >> 6) as u32 & LAST_SITE
    }
    pub fn lane(self) -> u32 {
        self.0 as u32 & 63
    }
    /// True if it is the same thread at the same time, at whatever site.
    #[inline(always)]
    pub fn same_thread(self, other: Cell) -> bool {
        self.other_thread(other) == 0
    }
    /// Zero if it is the same thread at the same time: for loops that collect whether any is not.
    #[inline(always)]
    pub fn other_thread(self, other: Cell) -> u64 {
        (self.0 ^ other.0) & !(u64::from(LAST_SITE) << 6)
    }
    /// The same access by a lane that is so many further on.
    #[inline(always)]
    pub fn of_lane(self, further: u64) -> Cell {
        Cell(self.0 + further)
    }
    /// All of it.
    #[inline(always)]
    pub fn bits(self) -> u64 {
        self.0
    }
}

/// How an access treats a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    Read,
    Write,
    StrongRead,
    StrongWrite,
    /// Atomic: reads and writes in one step.
    Update,
}

impl Use {
    /// How an access treats its words.
    pub fn of(access: &Access) -> Self {
        match (access.kind, access.order.is_weak()) {
            (AccessKind::Atomic, _) => Use::Update,
            (AccessKind::Load, true) => Use::Read,
            (AccessKind::Store, true) => Use::Write,
            (AccessKind::Load, false) => Use::StrongRead,
            (AccessKind::Store, false) => Use::StrongWrite,
        }
    }

    /// True if it is none of the weak ones.
    pub fn is_strong(self) -> bool {
        matches!(self, Use::StrongRead | Use::StrongWrite | Use::Update)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_keeps_what_it_is_given() {
        let cell = Cell::new(77, 12345, 31);
        assert_eq!((cell.who(), cell.site(), cell.lane()), (77, 12345, 31));
    }
}
