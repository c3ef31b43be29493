//! Accesses that leave their array and reach its neighbour in the block's shared memory.
use super::finding::Kind;
use super::state::Sanitizer;
use machine::probe::{Access, Addresses};

impl Sanitizer {
    /// Judges an access to shared memory, of this block or of another one of its cluster, whose arrays lie where its own do.
    #[inline]
    pub(super) fn stays_in_its_array(&mut self, access: &Access) {
        let Some(array) = self.sites.array(access.who.function, access.site) else { return };
        let bytes = u64::from(access.bytes);
        let beyond = |address: u64| {
            let offset = offset(address);
            offset < array.start || offset + bytes > array.end
        };
        let outside = match access.addresses {
            Addresses::Same(address) if !beyond(address) => return,
            Addresses::Same(_) => access.mask,
            Addresses::Dense(first) if !beyond(first) && !beyond(first + 31 * bytes) => return,
            Addresses::Each(all) if !all.iter().fold(false, |any, &address| any | beyond(address)) => return,
            _ => access.lanes().filter(|&lane| beyond(access.address(lane))).fold(0, |lanes, lane| lanes | 1 << lane),
        };
        if outside != 0 {
            self.leaves_its_array(access, array.start as u32, outside);
        }
    }

    #[cold]
    fn leaves_its_array(&mut self, access: &Access, start: u32, outside: u32) {
        let at = self.geometry.place(access.who, access.site, outside);
        let (bytes, kind) = (access.bytes, access.kind);
        let address = offset(access.address(outside.trailing_zeros() as usize));
        self.found.add(&self.sites, Kind::BeyondArray { at, start, address, bytes, kind });
    }
}

/// The place of an address in the shared memory of its block, whichever block of the cluster that is.
#[inline(always)]
fn offset(address: u64) -> u64 {
    address & 0xff_ffff
}
