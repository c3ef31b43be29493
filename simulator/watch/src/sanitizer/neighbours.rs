//! Accesses that leave their array and reach its neighbour in the block's shared memory.
use super::finding::Kind;
use super::state::Sanitizer;
use machine::probe::{Access, Addresses, Who};
use std::ops::Range;

impl Sanitizer {
    /// The array that an access to shared memory must stay in, where the text tells which one that is.
    #[inline]
    pub(super) fn array_of(&self, who: &Who, site: u32) -> Option<Range<u64>> {
        if !self.has_neighbours {
            return None;
        }
        let site = self.sites.function(who.function)?.sites.get(site as usize)?;
        let Range { start, end } = site.shared_array;
        (start < end).then(|| start.into()..end.into())
    }

    /// Judges an access to shared memory.
    #[inline]
    pub(super) fn stays_in_its_array(&mut self, access: &Access) {
        let Some(array) = self.array_of(&access.who, access.site) else { return };
        let bytes = u64::from(access.bytes);
        let beyond = |address: u64| address < array.start || address + bytes > array.end;
        let outside = match access.addresses {
            Addresses::Same(address) if !beyond(address) => return,
            Addresses::Same(_) => access.mask,
            _ => access.lanes().filter(|&lane| beyond(access.address(lane))).fold(0, |lanes, lane| lanes | 1 << lane),
        };
        if outside != 0 {
            self.leaves_its_array(access, array.start as u32, outside);
        }
    }

    #[cold]
    fn leaves_its_array(&mut self, access: &Access, start: u32, outside: u32) {
        let at = self.geometry.place(access.who, access.site, outside);
        let (address, bytes, kind) = (access.address(outside.trailing_zeros() as usize), access.bytes, access.kind);
        self.found.add(&self.sites, Kind::BeyondArray { at, start, address, bytes, kind });
    }
}
