//! A range of addresses.

/// A live allocation's addresses, without its identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub start: u64,
    /// One after the last byte.
    pub end: u64,
}

impl Range {
    /// A range that contains nothing.
    pub const NONE: Range = Range { start: u64::MAX, end: 0 };

    /// Returns whether the addresses `first ..= last` lie inside.
    #[inline(always)]
    pub fn holds(&self, first: u64, last: u64) -> bool {
        first >= self.start && last < self.end
    }
}
