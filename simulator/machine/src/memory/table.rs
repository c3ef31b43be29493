//! The table of a device's allocations by address, and what it says of an address.
use super::allocation::{ALIGNMENT, Allocation, Described, GUARD_BYTES, Kind};
use super::range::Range;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// The allocations of a device, live and lately freed.
#[derive(Default)]
pub(super) struct Table {
    pub live: BTreeMap<u64, Allocation>,
    /// The latest freed allocations, oldest first: for messages.
    pub freed: VecDeque<Allocation>,
    pub used_bytes: u64,
    pub next_serial: u64,
    pub ranges: Option<Arc<[Range]>>,
}

/// How many freed allocations are remembered.
const REMEMBERED: usize = 4096;
/// Addresses below this are taken for an index of a null pointer.
const NULL_BYTES: u64 = 1 << 20;

/// Bytes that an allocation takes from the device's memory: host memory takes none, and shown pages were counted where they were made.
pub(super) fn counted_bytes(bytes: u64, kind: Kind) -> u64 {
    match kind {
        Kind::HostPinned | Kind::HostRegistered | Kind::Mapped => 0,
        _ => bytes.next_multiple_of(ALIGNMENT),
    }
}

impl Table {
    pub fn insert(&mut self, mut allocation: Allocation) {
        allocation.serial = self.next_serial;
        self.next_serial += 1;
        let (start, end) = (allocation.address, allocation.address + allocation.bytes);
        self.freed.retain(|old| old.address + old.bytes.max(1) <= start || old.address >= end.max(start + 1));
        self.live.insert(allocation.address, allocation);
        self.ranges = None;
    }

    pub fn remove(&mut self, address: u64) -> Option<Allocation> {
        let allocation = self.live.remove(&address)?;
        if self.freed.len() == REMEMBERED {
            self.freed.pop_front();
        }
        self.freed.push_back(allocation.clone());
        self.ranges = None;
        Some(allocation)
    }

    pub fn find(&self, address: u64) -> Option<&Allocation> {
        let (_, last) = self.live.range(..=address).next_back()?;
        (address - last.address < last.bytes).then_some(last)
    }

    pub fn describe(&self, address: u64) -> Described {
        if let Some(found) = self.find(address) {
            return Described::Inside(found.clone(), address - found.address);
        }
        let freed = |old: &&Allocation| address >= old.address && address - old.address < old.bytes.max(1);
        if let Some(old) = self.freed.iter().rev().find(freed) {
            return Described::Freed(old.clone(), address - old.address);
        }
        if address < NULL_BYTES {
            return Described::Null;
        }
        let below = self.live.range(..=address).next_back().map(|(_, a)| (a, address - (a.address + a.bytes)));
        let above = self.live.range(address..).next().map(|(_, a)| (a, a.address - address));
        let near = GUARD_BYTES;
        match (below, above) {
            (Some((a, past)), next) if past < near && next.is_none_or(|(_, before)| past <= before) => {
                Described::Near(a.clone(), past as i64)
            }
            (_, Some((a, before))) if before < near => Described::Near(a.clone(), -(before as i64)),
            // Far from everything: an overrun by a wrong index is still most likely from the one below.
            (Some((a, past)), _) if past < 1 << 40 => Described::Near(a.clone(), past as i64),
            _ => Described::Nowhere,
        }
    }
}
