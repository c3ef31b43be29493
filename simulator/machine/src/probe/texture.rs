//! Fetches of textures and accesses to surfaces: which texels a warp's instruction has touched.
use super::{Access, AccessKind, Addresses, Order, Who};
use ptx::isa::Space;

/// The texels that one instruction of a warp reads from textures, or reads from or writes to surfaces, before a store happens.
#[derive(Clone, Copy, Debug)]
pub struct TextureAccess<'a> {
    pub who: Who,
    pub site: u32,
    /// Lanes that fetch: what lies outside of a texture has no texel.
    pub mask: u32,
    /// A load or a store.
    pub kind: AccessKind,
    /// Through a surface object, not a texture object.
    pub of_surface: bool,
    /// By lanes, and for each lane in the order in which it reads them.
    pub texels: &'a [Texel],
}

/// A texel that a lane touches, or a piece of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texel {
    pub lane: u32,
    pub address: u64,
    pub bytes: u32,
    /// Which sector of 32 bytes holds it on a card: arrays lie in tiles there.
    pub sector: (u64, u64),
}

impl TextureAccess<'_> {
    /// As accesses to global memory: the first texel of each lane, then the second, up to the last. Each has texels of one size.
    pub fn rounds(&self, mut tell: impl FnMut(&Access)) {
        let mut left = self.texels.to_vec();
        while let Some(first) = left.first() {
            let bytes = first.bytes;
            let (mut mask, mut addresses) = (0, [0; 32]);
            left.retain(|texel| {
                let bit = 1u32 << (texel.lane & 31);
                let taken = mask & bit == 0 && texel.bytes == bytes;
                if taken {
                    mask |= bit;
                    addresses[texel.lane as usize & 31] = texel.address;
                }
                !taken
            });
            tell(&Access {
                who: self.who,
                site: self.site,
                kind: self.kind,
                space: Space::Global,
                mask,
                addresses: Addresses::Each(&addresses),
                bytes,
                order: Order::WEAK,
                stored: None,
            });
        }
    }

    /// Distinct sectors.
    pub fn sectors(&self) -> u64 {
        let mut sectors: Vec<(u64, u64)> = self.texels.iter().map(|texel| texel.sector).collect();
        sectors.sort_unstable();
        sectors.dedup();
        sectors.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_of_one_lane_are_accesses_behind_each_other() {
        let texel = |lane, address| Texel { lane, address, bytes: 4, sector: (0, address / 32) };
        let texels = [texel(0, 0), texel(0, 64), texel(3, 4), texel(3, 68)];
        let (who, kind) = (Who::default(), AccessKind::Load);
        let access = TextureAccess { who, site: 0, mask: 9, kind, of_surface: false, texels: &texels };
        let mut seen = Vec::new();
        access.rounds(|round| seen.push((round.mask, round.address(0), round.address(3), round.bytes)));
        assert_eq!(seen, [(9, 0, 4, 4), (9, 64, 68, 4)]);
        assert_eq!(access.sectors(), 2);
    }
}
