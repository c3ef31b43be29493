//! Races of the lanes of one instruction for one address.
use crate::sanitizer::findings::finding::{Between, Cause, Kind, Party};
use crate::sanitizer::order::geometry::Geometry;
use machine::probe::{Access, lanes};

/// All lanes of one store write to one address: do they write one value?
#[inline(never)]
pub fn write_clash(geometry: &Geometry, access: &Access) -> Option<Kind> {
    let stored = access.stored?;
    let n = access.bytes.min(16) as usize;
    let first = access.mask.trailing_zeros();
    let value = stored.value(first);
    let other = lanes(access.mask).find(|&lane| stored.value(lane as u32)[..n] != value[..n])?;
    Some(Kind::WriteClash {
        at: geometry.place(access.who, access.site, access.mask),
        other_lane: other as u32,
        space: access.space,
        address: access.address(first as usize),
        bytes: access.bytes,
    })
}

/// Lanes of one warp read a word, each adds to what it read, and all write it back at once.
pub fn lost_update(geometry: &Geometry, access: &Access) -> Kind {
    let first = access.mask & access.mask.wrapping_neg();
    let rest = access.mask & !first;
    let party = |lanes| Party { at: geometry.place(access.who, access.site, lanes), kind: access.kind, strong: true };
    Kind::Race {
        between: Between::Lanes,
        space: access.space,
        address: access.first_address(),
        bytes: access.bytes,
        first: party(first),
        second: party(rest),
        cause: Cause::LostUpdate,
        other_blocks: false,
    }
}
