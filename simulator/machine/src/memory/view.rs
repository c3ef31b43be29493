//! A running kernel's copy of the allocations: sorted, and renewed when it is old.
use super::device::Memory;
use super::places;
use super::range::Range;
use super::sparse::Sparse;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A worker's copy of the table: looked up without a lock.
pub struct View<'m> {
    memory: &'m Memory,
    ranges: Arc<[Range]>,
    sparse: Arc<Vec<Arc<Sparse>>>,
    version: u64,
}

impl Memory {
    /// A view of the allocations as they are now.
    pub fn view(&self) -> View<'_> {
        let version = self.version.load(Ordering::Acquire);
        let ranges = self.ranges_to_view();
        View { memory: self, ranges, sparse: self.places.all(), version }
    }

    /// The ranges of a view that begins.
    fn ranges_to_view(&self) -> Arc<[Range]> {
        let mut table = self.table();
        self.views.fetch_add(1, Ordering::AcqRel);
        if let Some(ranges) = &table.ranges {
            return ranges.clone();
        }
        let ranges: Arc<[Range]> =
            table.live.values().map(|a| Range { start: a.address, end: a.address + a.bytes }).collect();
        table.ranges = Some(ranges.clone());
        ranges
    }
}

impl<'m> View<'m> {
    /// The allocation that an address lies in. Of one that is held in part: the bytes around that are held, and `first ..= last` from now on.
    pub fn find(&mut self, first: u64, last: u64) -> Option<Range> {
        let version = self.memory.version.load(Ordering::Acquire);
        if version != self.version {
            *self = self.memory.view();
        }
        let after = self.ranges.partition_point(|range| range.start <= first);
        let range = *self.ranges.get(after.checked_sub(1)?)?;
        if self.sparse.is_empty() || first >= range.end {
            return (first < range.end).then_some(range);
        }
        Some(match places::find(&self.sparse, first) {
            Some(sparse) => sparse.hold(first, last.min(sparse.range.end - 1)),
            // A place is the beginning of a range, or all of it.
            None => {
                let place = places::find(&self.sparse, range.start);
                Range { start: place.map_or(range.start, |place| place.range.end), ..range }
            }
        })
    }

    /// True if there are ranges that are held in part.
    #[inline(always)]
    pub fn has_sparse(&self) -> bool {
        !self.sparse.is_empty()
    }

    pub fn memory(&self) -> &'m Memory {
        self.memory
    }
}

impl Drop for View<'_> {
    fn drop(&mut self) {
        self.memory.views.fetch_sub(1, Ordering::AcqRel);
    }
}
