//! Texture and surface objects: what `cuTexObjectCreate` packs into the bytes that a handle names, and where texels lie.
//!
//! The bytes are opaque to programs, so their order here is our own.

pub use super::texel::{Format, Mode};

/// Bytes of an object.
pub const OBJECT_BYTES: usize = 128;
/// First bytes of an object: other memory is none.
const MAGIC: u64 = 0x6a626f_2d786574;
/// Rows of arrays begin at multiples of this.
const ROW_ALIGN: u64 = 64;

/// Where the texels of an array lie, or of one level of a mipmapped array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// Address of the first texel.
    pub address: u64,
    /// Texels along x, y and z; of a layered array or a cube, the layers or faces are along z.
    pub extents: [u32; 3],
    /// Bytes from a row to the next, and from a slice or layer to the next.
    pub pitch: u64,
    pub slice: u64,
}

impl Level {
    /// An array's: `None` where the bytes cannot be counted.
    pub fn of_array(address: u64, extents: [u32; 3], texel_bytes: u32) -> Option<Level> {
        let row_bytes = u64::from(extents[0]) * u64::from(texel_bytes);
        let pitch = row_bytes.checked_next_multiple_of(ROW_ALIGN)?;
        let slice = pitch.checked_mul(extents[1].max(1).into())?;
        slice.checked_mul(extents[2].max(1).into())?;
        Some(Level { address, extents, pitch, slice })
    }

    /// Bytes of all its slices.
    pub fn bytes(&self) -> u64 {
        self.slice * u64::from(self.extents[2].max(1))
    }

    /// The next smaller level, which lies after this one. Layers do not get fewer.
    pub fn next(&self, texel_bytes: u32, is_layered: bool) -> Level {
        let half = |extent: u32| if extent == 0 { 0 } else { (extent / 2).max(1) };
        let [width, height, depth] = self.extents;
        let extents = [half(width), half(height), if is_layered { depth } else { half(depth) }];
        let address = self.address + self.bytes();
        // No level has more bytes than the one before it.
        Level::of_array(address, extents, texel_bytes).unwrap_or(*self)
    }

    /// The address of a texel inside.
    #[inline(always)]
    pub(super) fn texel(&self, at: [u32; 3], texel_bytes: u32) -> u64 {
        let [x, y, z] = at.map(u64::from);
        self.address + z * self.slice + y * self.pitch + x * u64::from(texel_bytes)
    }
}

/// How levels of a mipmapped array are chosen and mixed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mipmap {
    /// How many there are.
    pub levels: u32,
    /// Two levels are mixed, instead of the nearest one read.
    pub is_linear: bool,
    /// Added to the level that is asked for.
    pub bias: f32,
    /// The least and the most level.
    pub range: [f32; 2],
}

impl Mipmap {
    /// A texture with one level.
    pub const NONE: Mipmap = Mipmap { levels: 1, is_linear: false, bias: 0.0, range: [0.0; 2] };
}

/// A texture or a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texture {
    /// The first level.
    pub base: Level,
    /// Where a view of layers begins, and how many it has; other textures have what the array has.
    pub first_layer: u32,
    pub layers: u32,
    pub mipmap: Mipmap,
    pub format: Format,
    pub channels: u32,
    pub modes: [Mode; 3],
    pub is_linear_filter: bool,
    /// Coordinates from 0 to 1 instead of texels.
    pub is_normalised: bool,
    /// Integers of 8 and 16 bits are read as they are, instead of as fractions of their largest value.
    pub reads_integers: bool,
    /// Colours of 8 bits are stored as sRGB has them.
    pub is_srgb: bool,
    /// A filter goes over the edges of a cube's faces.
    pub is_seamless: bool,
    /// An array of layers or a cube: levels have as many.
    pub is_layered: bool,
    /// Plain memory, read by integer coordinates.
    pub is_plain: bool,
    pub is_surface: bool,
    /// An array of rows, which a card keeps in tiles.
    pub is_tiled: bool,
    pub border: [f32; 4],
}

impl Texture {
    /// A texture of one level that reads texels as they are.
    pub fn of(base: Level, format: Format, channels: u32) -> Texture {
        Texture {
            base,
            first_layer: 0,
            layers: base.extents[2],
            mipmap: Mipmap::NONE,
            format,
            channels,
            modes: [Mode::Clamp; 3],
            is_linear_filter: false,
            is_normalised: false,
            reads_integers: false,
            is_srgb: false,
            is_seamless: false,
            is_layered: false,
            is_plain: false,
            is_surface: false,
            is_tiled: false,
            border: [0.0; 4],
        }
    }

    #[inline(always)]
    pub fn texel_bytes(&self) -> u32 {
        self.format.bytes() * self.channels
    }

    /// Returns whether a fetch gives floats: integers of 32 bits and those read as they are stay integers.
    #[inline(always)]
    pub fn gives_floats(&self) -> bool {
        self.format.is_float() || !self.reads_integers && self.format.bytes() < 4
    }

    /// A level by its number, the first one being 0.
    pub fn level(&self, number: u32) -> Level {
        let next = |level: Level, _| level.next(self.texel_bytes(), self.is_layered);
        (0..number.min(self.mipmap.levels.saturating_sub(1))).fold(self.base, next)
    }

    /// The bytes that texels of all levels may lie in: the first address, and how many.
    pub fn span(&self) -> (u64, u64) {
        let last = self.level(self.mipmap.levels);
        let rows = u64::from(self.base.extents[1].max(1)) - 1;
        let bytes = match self.is_tiled || self.base.slice != 0 {
            true => last.address + last.bytes() - self.base.address,
            // The last of plain rows may end before the pitch.
            false => rows * self.base.pitch + u64::from(self.base.extents[0]) * u64::from(self.texel_bytes()),
        };
        (self.base.address, bytes)
    }

    /// The layer that an index leads to: the last one, if there are fewer.
    #[inline(always)]
    pub(super) fn layer(&self, index: u32) -> u32 {
        self.first_layer + index.min(self.layers.saturating_sub(1))
    }

    /// The address of `bytes` of a surface from byte `x` of a row on; `None`: they lie outside.
    pub fn surface(&self, x: i32, y: i32, z: i32, bytes: u32, clamps: bool) -> Option<u64> {
        let Level { address, extents, pitch, slice } = self.base;
        let row_bytes = i64::from(extents[0]) * i64::from(self.texel_bytes());
        let limits = [row_bytes - i64::from(bytes), i64::from(extents[1].max(1)) - 1, i64::from(extents[2].max(1)) - 1];
        let mut at = [x, y, z].map(i64::from);
        for (index, limit) in at.iter_mut().zip(limits) {
            if clamps {
                *index = (*index).clamp(0, limit.max(0));
            } else if !(0..=limit).contains(index) {
                return None;
            }
        }
        let [x, y, z] = at.map(|index| index as u64);
        Some(address + z * slice + y * pitch + x)
    }

    /// Which sector of 32 bytes holds an address on a card, by a number for what lies together and one in it: arrays of rows lie in
    /// tiles, where a sector has 16 bytes of two rows (Tegra X1 technical reference manual, "Block Linear").
    pub fn sector(&self, address: u64) -> (u64, u64) {
        if !self.is_tiled {
            return (0, address / 32);
        }
        let next = |level: &Level| Some(level.next(self.texel_bytes(), self.is_layered));
        let mut levels = std::iter::successors(Some(self.base), next).take(self.mipmap.levels as usize);
        let holds = |level: &Level| address.wrapping_sub(level.address) < level.bytes();
        let level = levels.find(holds).unwrap_or(self.base);
        let offset = address.wrapping_sub(level.address);
        let (slice, within) = (offset / level.slice, offset % level.slice);
        let (row, byte) = (within / level.pitch, within % level.pitch);
        (level.address + slice * level.slice, row / 2 * (level.pitch / 16) + byte / 16)
    }

    /// As memory holds it.
    pub fn encode(&self) -> [u8; OBJECT_BYTES] {
        let mut bytes = [0; OBJECT_BYTES];
        let mut at = 0;
        let mut put = |part: &[u8]| {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        };
        let base = self.base;
        [MAGIC, base.address, base.pitch, base.slice].iter().for_each(|word| put(&word.to_le_bytes()));
        base.extents.iter().for_each(|word| put(&word.to_le_bytes()));
        [self.channels, self.first_layer, self.layers, self.mipmap.levels]
            .iter()
            .for_each(|word| put(&word.to_le_bytes()));
        let [least, most] = self.mipmap.range;
        [self.mipmap.bias, least, most].iter().for_each(|word| put(&word.to_le_bytes()));
        self.border.iter().for_each(|word| put(&word.to_le_bytes()));
        put(&self.modes.map(|mode| mode as u8));
        put(&self.flags().map(u8::from));
        put(&[self.format as u8]);
        bytes
    }

    fn flags(&self) -> [bool; 10] {
        [
            self.is_linear_filter,
            self.is_normalised,
            self.reads_integers,
            self.is_srgb,
            self.is_seamless,
            self.is_layered,
            self.is_plain,
            self.is_surface,
            self.is_tiled,
            self.mipmap.is_linear,
        ]
    }

    /// Reads an object from memory, if one is there.
    pub fn decode(bytes: &[u8; OBJECT_BYTES]) -> Option<Texture> {
        let long = |at: usize| Some(u64::from_le_bytes(bytes[at..at + 8].try_into().ok()?));
        let word = |at: usize| Some(u32::from_le_bytes(bytes[at..at + 4].try_into().ok()?));
        let float = |at: usize| word(at).map(f32::from_bits);
        if long(0)? != MAGIC {
            return None;
        }
        let mode = |at: usize| Mode::of(bytes[at].into());
        let flag = |at: usize| bytes[91 + at] != 0;
        Some(Texture {
            base: Level {
                address: long(8)?,
                pitch: long(16)?,
                slice: long(24)?,
                extents: [word(32)?, word(36)?, word(40)?],
            },
            channels: word(44)?,
            first_layer: word(48)?,
            layers: word(52)?,
            mipmap: Mipmap { levels: word(56)?, bias: float(60)?, range: [float(64)?, float(68)?], is_linear: flag(9) },
            border: [float(72)?, float(76)?, float(80)?, float(84)?],
            modes: [mode(88)?, mode(89)?, mode(90)?],
            is_linear_filter: flag(0),
            is_normalised: flag(1),
            reads_integers: flag(2),
            is_srgb: flag(3),
            is_seamless: flag(4),
            is_layered: flag(5),
            is_plain: flag(6),
            is_surface: flag(7),
            is_tiled: flag(8),
            format: Format::of(bytes[101].into())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: Level = Level { address: 0x1000, extents: [40, 5, 2], pitch: 192, slice: 960 };

    fn texture() -> Texture {
        let modes = [Mode::Mirror, Mode::Wrap, Mode::Border];
        let mipmap = Mipmap { levels: 3, is_linear: true, bias: -0.5, range: [0.25, 1.5] };
        let border = [-1.0, -2.0, -3.0, -4.0];
        let (is_srgb, is_layered, is_tiled) = (true, true, true);
        let (first_layer, layers) = (1, 1);
        let plain = Texture::of(BASE, Format::F32, 1);
        Texture { modes, mipmap, border, is_srgb, is_layered, is_tiled, first_layer, layers, ..plain }
    }

    #[test]
    fn an_object_comes_back_from_its_bytes() {
        assert_eq!(Texture::decode(&texture().encode()), Some(texture()));
        assert_eq!(Texture::decode(&[0; OBJECT_BYTES]), None);
    }

    #[test]
    fn a_sector_of_an_array_has_two_rows() {
        let sector = |x, y, z| texture().sector(BASE.texel([x, y, z], 4));
        assert_eq!(sector(0, 0, 0), sector(3, 1, 0));
        for other in [sector(4, 0, 0), sector(0, 2, 0), sector(0, 0, 1)] {
            assert_ne!(sector(0, 0, 0), other);
        }
        let rows = Texture { is_tiled: false, ..texture() };
        assert_eq!(rows.sector(0x1000), rows.sector(0x101f));
        assert_ne!(rows.sector(0x1000), rows.sector(0x1000 + 192));
    }

    #[test]
    fn levels_lie_behind_each_other_and_layers_stay() {
        let [first, second, third] = [0, 1, 2].map(|number| texture().level(number));
        assert_eq!(first, BASE);
        assert_eq!(second, Level { address: 0x1000 + 2 * 960, extents: [20, 2, 2], pitch: 128, slice: 256 });
        assert_eq!(third, Level { address: second.address + 2 * 256, extents: [10, 1, 2], pitch: 64, slice: 64 });
        // There is no fourth.
        assert_eq!(texture().level(3), third);
        assert_eq!(texture().span(), (0x1000, 2 * 960 + 2 * 256 + 2 * 64));
        let solid = Texture { is_layered: false, ..texture() };
        assert_eq!(solid.level(1).extents, [20, 2, 1]);
    }
}
