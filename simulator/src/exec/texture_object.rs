//! Texture and surface objects: what `cuTexObjectCreate` packs into the bytes that a handle names, and where texels lie.
//!
//! The bytes are opaque to programs, so their order here is our own.

use super::texel::FORMATS;
pub use super::texel::{Format, Mode};

/// Bytes of an object.
pub const OBJECT_BYTES: usize = 128;
/// First bytes of an object: other memory is none.
const MAGIC: u64 = 0x6a626f_2d786574;

/// A texture or a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texture {
    /// Of the first texel.
    pub address: u64,
    /// Texels along x, y and z; of a layered array, the layers are along z.
    pub extents: [u32; 3],
    /// Bytes from a row to the next, and from a slice or layer to the next.
    pub pitch: u64,
    pub slice: u64,
    pub format: Format,
    pub channels: u32,
    pub modes: [Mode; 3],
    pub is_linear_filter: bool,
    /// Coordinates from 0 to 1 instead of texels.
    pub is_normalised: bool,
    /// Integers of 8 and 16 bits are read as they are, instead of as fractions of their largest value.
    pub reads_integers: bool,
    /// Plain memory, read by integer coordinates.
    pub is_plain: bool,
    pub is_surface: bool,
    /// An array of rows, which a card keeps in tiles.
    pub is_tiled: bool,
    pub border: [f32; 4],
}

impl Texture {
    /// Bytes of a texel.
    pub fn texel_bytes(&self) -> u32 {
        self.format.bytes() * self.channels
    }

    /// Whether a fetch gives floats: integers of 32 bits and those read as they are stay integers.
    pub fn gives_floats(&self) -> bool {
        self.format.is_float() || !self.reads_integers && self.format.bytes() < 4
    }

    /// The address of a texel inside.
    fn address_of(&self, at: [u32; 3]) -> u64 {
        let [x, y, z] = at.map(u64::from);
        self.address + z * self.slice + y * self.pitch + x * u64::from(self.texel_bytes())
    }

    /// The texel at indices along the first `dimensions`, in a layer of a layered array.
    pub(super) fn texel(&self, index: [i64; 3], dimensions: usize, layer: Option<u32>) -> Option<u64> {
        let mut at = [0; 3];
        for dimension in 0..dimensions {
            // Wrapping and mirroring are for normalised coordinates.
            let mode = match self.modes[dimension] {
                Mode::Wrap | Mode::Mirror if !self.is_normalised => Mode::Clamp,
                mode => mode,
            };
            at[dimension] = mode.texel(index[dimension], self.extents[dimension])?;
        }
        if let Some(layer) = layer {
            at[2] = layer.min(self.extents[2].saturating_sub(1));
        }
        Some(self.address_of(at))
    }

    /// The address of `bytes` of a surface from byte `x` of a row on; `None`: they lie outside.
    pub fn surface(&self, x: i32, y: i32, z: i32, bytes: u32, clamps: bool) -> Option<u64> {
        let row_bytes = i64::from(self.extents[0]) * i64::from(self.texel_bytes());
        let limits = [
            row_bytes - i64::from(bytes),
            i64::from(self.extents[1].max(1)) - 1,
            i64::from(self.extents[2].max(1)) - 1,
        ];
        let mut at = [x, y, z].map(i64::from);
        for (index, limit) in at.iter_mut().zip(limits) {
            if clamps {
                *index = (*index).clamp(0, limit.max(0));
            } else if !(0..=limit).contains(index) {
                return None;
            }
        }
        let [x, y, z] = at.map(|index| index as u64);
        Some(self.address + z * self.slice + y * self.pitch + x)
    }

    /// Which sector of 32 bytes holds an address on a card, by a number for what lies together and one in it: arrays of rows lie in
    /// tiles, where a sector has 16 bytes of two rows (Tegra X1 technical reference manual, "Block Linear").
    pub fn sector(&self, address: u64) -> (u64, u64) {
        if !self.is_tiled {
            return (0, address / 32);
        }
        let offset = address.wrapping_sub(self.address);
        let (slice, within) = (offset / self.slice, offset % self.slice);
        let (row, byte) = (within / self.pitch, within % self.pitch);
        (self.address + slice * self.slice, row / 2 * (self.pitch / 16) + byte / 16)
    }

    /// As memory holds it.
    pub fn encode(&self) -> [u8; OBJECT_BYTES] {
        let mut bytes = [0; OBJECT_BYTES];
        let mut at = 0;
        let mut put = |part: &[u8]| {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        };
        [MAGIC, self.address, self.pitch, self.slice].iter().for_each(|word| put(&word.to_le_bytes()));
        self.extents.iter().for_each(|word| put(&word.to_le_bytes()));
        put(&self.channels.to_le_bytes());
        self.border.iter().for_each(|word| put(&word.to_le_bytes()));
        put(&self.modes.map(|mode| mode as u8));
        let flags = [
            self.is_linear_filter,
            self.is_normalised,
            self.reads_integers,
            self.is_plain,
            self.is_surface,
            self.is_tiled,
        ];
        put(&flags.map(u8::from));
        let format = FORMATS.iter().position(|(_, known)| *known == self.format).unwrap_or(0);
        put(&[format as u8]);
        bytes
    }

    /// What memory holds, if that is an object.
    pub fn decode(bytes: &[u8; OBJECT_BYTES]) -> Option<Texture> {
        let long = |at: usize| Some(u64::from_le_bytes(bytes[at..at + 8].try_into().ok()?));
        let word = |at: usize| Some(u32::from_le_bytes(bytes[at..at + 4].try_into().ok()?));
        if long(0)? != MAGIC {
            return None;
        }
        let mode = |at: usize| Mode::of(bytes[at].into());
        Some(Texture {
            address: long(8)?,
            pitch: long(16)?,
            slice: long(24)?,
            extents: [word(32)?, word(36)?, word(40)?],
            channels: word(44)?,
            border: [word(48)?, word(52)?, word(56)?, word(60)?].map(f32::from_bits),
            modes: [mode(64)?, mode(65)?, mode(66)?],
            is_linear_filter: bytes[67] != 0,
            is_normalised: bytes[68] != 0,
            reads_integers: bytes[69] != 0,
            is_plain: bytes[70] != 0,
            is_surface: bytes[71] != 0,
            is_tiled: bytes[72] != 0,
            format: FORMATS.get(usize::from(bytes[73]))?.1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTURE: Texture = Texture {
        address: 0x1000,
        extents: [40, 5, 2],
        pitch: 192,
        slice: 960,
        format: Format::F32,
        channels: 1,
        modes: [Mode::Mirror, Mode::Wrap, Mode::Border],
        is_linear_filter: true,
        is_normalised: true,
        reads_integers: false,
        is_plain: false,
        is_surface: false,
        is_tiled: true,
        border: [-1.0; 4],
    };

    #[test]
    fn an_object_comes_back_from_its_bytes() {
        assert_eq!(Texture::decode(&TEXTURE.encode()), Some(TEXTURE));
        assert_eq!(Texture::decode(&[0; OBJECT_BYTES]), None);
    }

    #[test]
    fn a_sector_of_an_array_has_two_rows() {
        let sector = |x, y, z| TEXTURE.sector(TEXTURE.address_of([x, y, z]));
        assert_eq!(sector(0, 0, 0), sector(3, 1, 0));
        for other in [sector(4, 0, 0), sector(0, 2, 0), sector(0, 0, 1)] {
            assert_ne!(sector(0, 0, 0), other);
        }
        let rows = Texture { is_tiled: false, ..TEXTURE };
        assert_eq!(rows.sector(0x1000), rows.sector(0x101f));
        assert_ne!(rows.sector(0x1000), rows.sector(0x1000 + 192));
    }
}
