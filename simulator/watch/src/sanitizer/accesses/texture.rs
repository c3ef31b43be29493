//! Textures and surfaces: they are read through a cache that does not hear of what the same launch writes (CUDA C++ programming guide,
//! "Read/Write Coherency"), so that a fetch of a texel is wrong once anybody has written it, whatever orders the two. What is written
//! after it was fetched is a race like any other.
use super::details::AccessDetails;
use super::read_only::WrittenBefore;
use super::state::Sanitizer;
use crate::sanitizer::findings::finding::{Kind, Misuse};
use crate::sanitizer::shadow::written::Undefined;
use machine::probe::{Access, AccessKind, TextureAccess};
use ptx::isa::Space;

impl Sanitizer {
    /// A fetch, or an access to a surface.
    pub(crate) fn access_of_texture(&mut self, texture: &TextureAccess) {
        let mut stale = false;
        texture.rounds(|access| {
            if self.touched.is_some() {
                self.note_footprint(access);
            }
            // One texel of a fetch says enough.
            stale |= !stale && access.kind == AccessKind::Load && self.is_stale(access);
            if !stale {
                self.access_of_texels(access);
            }
        });
    }

    /// True if a texel was written in this launch; tells of the first one.
    fn is_stale(&mut self, access: &Access) -> bool {
        let Some(WrittenBefore { at, first, address }) = self.written_before(access) else { return false };
        self.found.add(&self.sites, Misuse::StaleTexel { at, first, address, bytes: access.bytes });
        true
    }

    fn access_of_texels(&mut self, access: &Access) {
        let Some(index) = self.block(access.who.block_index) else { return };
        let (reads, writes) = (access.kind == AccessKind::Load, access.kind == AccessKind::Store);
        let unwritten = self.initialised.as_mut().and_then(|global| global.access(access, reads, writes));
        // Texels are mixed and converted: what comes of one that was never written is not followed further.
        if let Some(Undefined { lanes, address, .. }) = unwritten {
            let at = self.geometry.place(access.who, access.site, lanes);
            let (space, bytes, kind) = (Space::Global, access.bytes, access.kind);
            self.found.add(&self.sites, Kind::Uninitialised { at, space, address, bytes, kind });
        }
        let (block, found) = (&mut self.blocks[index], &mut self.found);
        self.races.access(block, (&self.geometry, access, AccessDetails::default()), &mut |kind| {
            found.add(&self.sites, kind)
        });
    }
}
