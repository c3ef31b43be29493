//! A running kernel's copy of the allocations: sorted, and renewed when it is old.
use super::device::Memory;
use super::range::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A worker's copy of the table: looked up without a lock.
pub struct View<'m> {
    memory: &'m Memory,
    ranges: Arc<[Range]>,
    version: u64,
}

impl Memory {
    /// A view of the allocations as they are now.
    pub fn view(&self) -> View<'_> {
        let version = self.version.load(Ordering::Acquire);
        View { memory: self, ranges: self.ranges(), version }
    }

    fn ranges(&self) -> Arc<[Range]> {
        let mut table = self.table();
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
    /// The allocation that an address lies in.
    pub fn find(&mut self, address: u64) -> Option<Range> {
        let version = self.memory.version.load(Ordering::Acquire);
        if version != self.version {
            *self = self.memory.view();
        }
        let after = self.ranges.partition_point(|range| range.start <= address);
        let range = *self.ranges.get(after.checked_sub(1)?)?;
        (address < range.end).then_some(range)
    }

    /// The memory that is viewed.
    pub fn memory(&self) -> &'m Memory {
        self.memory
    }
}
