//! Loads through the cache for data that nobody writes while the kernel runs (`ld.global.nc`, which is `__ldg` and what compilers make
//! of `const … __restrict__` parameters): the cache hears of no write, and the machine's compiler moves such loads ahead of
//! stores and barriers. So one of bytes that the launch has written is wrong, whatever orders the two (PTX ISA, `ld.global.nc`).
//! Where nothing orders them it is a race like any other, and told as one.
use super::details::AccessDetails;
use super::state::Sanitizer;
use crate::sanitizer::findings::finding::Misuse;
use crate::sanitizer::shadow::contexts::Owner;
use machine::probe::{Access, Place};

/// Bytes that an access reads and that were written in this launch: who reads them, who wrote them, and the first one's address.
pub struct WrittenBefore {
    pub at: Place,
    pub first: Place,
    pub address: u64,
}

impl Sanitizer {
    /// A load through that cache.
    #[cold]
    pub(crate) fn access_of_read_only(&mut self, index: usize, access: &Access) {
        let before = self.written_before(access);
        let (block, found, mut races) = (&mut self.blocks[index], &mut self.found, false);
        self.races.access(block, (&self.geometry, access, AccessDetails::default()), &mut |kind| {
            races = true;
            found.add(&self.sites, kind);
        });
        if let Some(WrittenBefore { at, first, address }) = before
            && !races
        {
            self.found.add(&self.sites, Misuse::StaleLoad { at, first, address, bytes: access.bytes });
        }
    }

    /// The first of the bytes that an access to global memory reads that were written in this launch.
    pub(crate) fn written_before(&mut self, access: &Access) -> Option<WrittenBefore> {
        let index = self.block(access.who.block_index)?;
        let owner = Owner::of(&self.blocks[index].warps);
        for lane in access.lanes() {
            let address = access.address(lane);
            let Some((when, block, site)) = self.races.who_wrote_global(address, access.bytes, owner) else {
                continue;
            };
            let first = self.geometry.place_of(when, block, site);
            let at = self.geometry.place(access.who, access.site, 1 << lane);
            return Some(WrittenBefore { at, first, address });
        }
        None
    }
}
