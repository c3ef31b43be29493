//! Accesses that leave their array and reach its neighbour in the block's shared memory.
use super::state::Sanitizer;
use crate::sanitizer::findings::finding::Kind;
use machine::probe::{Access, AccessKind, Addresses, Transfer};
use ptx::isa::Space;

impl Sanitizer {
    /// Judges an access to shared memory, of this block or of another one of its cluster, whose arrays lie where its own do.
    #[inline]
    pub(crate) fn stays_in_its_array(&mut self, access: &Access) {
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
        self.found.add(&self.sites, Kind::BeyondArray { at, start, address, bytes, kind, copy: false });
    }

    /// Judges the ranges of shared memory that a bulk copy touches. The text tells of one of them which array it is meant for: of the place
    /// that it writes to, if that is shared memory. Another belongs to the array that it begins in.
    pub(crate) fn copy_stays_in_its_array(&mut self, transfer: &Transfer) {
        let (who, site) = (transfer.who, transfer.site);
        let shared = || transfer.regions.iter().filter(|region| region.space == Space::Shared);
        let writes = shared().any(|region| region.kind != AccessKind::Load);
        for region in shared() {
            let named =
                if writes && region.kind == AccessKind::Load { None } else { self.sites.array(who.function, site) };
            let Some(array) = named.or_else(|| self.sites.array_at(region.address)) else { continue };
            if region.address < array.start || region.address + region.bytes > array.end {
                let at = self.geometry.place(who, site, 1 << transfer.lane.min(31));
                let (start, address, kind) = (array.start as u32, region.address, region.kind);
                let bytes = region.bytes as u32;
                self.found.add(&self.sites, Kind::BeyondArray { at, start, address, bytes, kind, copy: true });
            }
        }
    }
}

/// The place of an address in the shared memory of its block, whichever block of the cluster that is.
#[inline(always)]
fn offset(address: u64) -> u64 {
    address & 0xff_ffff
}
