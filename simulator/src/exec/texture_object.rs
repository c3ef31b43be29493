//! Texture and surface objects: what `cuTexObjectCreate` packs into the bytes that a handle names, and the arithmetic of fetches
//! (CUDA C++ programming guide, "Texture Fetching").
//!
//! The bytes are opaque to programs, so their order here is our own.

use crate::exec::half_bits::{narrow_f16, widen_f16};

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
    pub border: [f32; 4],
}

/// How an element of a texel is stored: `CUarray_format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Format {
    U8,
    U16,
    U32,
    S8,
    S16,
    S32,
    F16,
    F32,
}

/// Where a coordinate outside of the texture leads: `CUaddress_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Mode {
    Wrap,
    Clamp,
    Mirror,
    Border,
}

const MODES: [Mode; 4] = [Mode::Wrap, Mode::Clamp, Mode::Mirror, Mode::Border];

const FORMATS: [(u32, Format); 8] = [
    (0x01, Format::U8),
    (0x02, Format::U16),
    (0x03, Format::U32),
    (0x08, Format::S8),
    (0x09, Format::S16),
    (0x0a, Format::S32),
    (0x10, Format::F16),
    (0x20, Format::F32),
];

impl Mode {
    /// By the number of `CUaddress_mode`.
    pub fn of(number: u32) -> Option<Mode> {
        MODES.get(number as usize).copied()
    }

    /// The texel that an index leads to; `None`: the border.
    fn texel(self, index: i64, extent: u32) -> Option<u32> {
        let extent = i64::from(extent.max(1));
        let inside = match self {
            Mode::Clamp => index.clamp(0, extent - 1),
            Mode::Border if !(0..extent).contains(&index) => return None,
            Mode::Border => index,
            Mode::Wrap => index.rem_euclid(extent),
            Mode::Mirror => {
                let at = index.rem_euclid(2 * extent);
                at.min(2 * extent - 1 - at)
            }
        };
        Some(inside as u32)
    }
}

impl Format {
    /// By the number of `CUarray_format`.
    pub fn of(number: u32) -> Option<Format> {
        FORMATS.iter().find(|(known, _)| *known == number).map(|&(_, format)| format)
    }

    /// Bytes of an element.
    pub fn bytes(self) -> u32 {
        match self {
            Format::U8 | Format::S8 => 1,
            Format::U16 | Format::S16 | Format::F16 => 2,
            Format::U32 | Format::S32 | Format::F32 => 4,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Format::F16 | Format::F32)
    }

    /// An element as a fetch gives it: a float, or an integer widened to 32 bits.
    fn value(self, bytes: [u8; 4], reads_integers: bool) -> u32 {
        let [a, b, ..] = bytes;
        let short = u16::from_le_bytes([a, b]);
        let fraction = |value: f32| value.max(-1.0).to_bits();
        match (self, reads_integers) {
            (Format::F32 | Format::U32 | Format::S32, _) => u32::from_le_bytes(bytes),
            (Format::F16, _) => widen_f16(short.into()).to_bits(),
            (Format::U8, true) => a.into(),
            (Format::S8, true) => a as i8 as i32 as u32,
            (Format::U16, true) => short.into(),
            (Format::S16, true) => short as i16 as i32 as u32,
            (Format::U8, false) => fraction(f32::from(a) / 255.0),
            (Format::S8, false) => fraction(f32::from(a as i8) / 127.0),
            (Format::U16, false) => fraction(f32::from(short) / 65535.0),
            (Format::S16, false) => fraction(f32::from(short as i16) / 32767.0),
        }
    }
}

/// A texel's place in memory, or none: the border.
type Texel = Option<u64>;

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
    fn texel(&self, index: [i64; 3], dimensions: usize, layer: Option<u32>) -> Texel {
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

    /// A fetch by integer coordinates: no filter, and 0 outside.
    pub fn fetch_at<E>(
        &self,
        at: [i32; 3],
        dimensions: usize,
        layer: Option<u32>,
        read: &mut impl FnMut(u64, u32) -> Result<[u8; 16], E>,
    ) -> Result<[u32; 4], E> {
        let index = at.map(i64::from);
        // No mode leads such an index back inside, as seen on a card.
        if (0..dimensions).any(|d| !(0..i64::from(self.extents[d].max(1))).contains(&index[d])) {
            return Ok([0; 4]);
        }
        let texel = self.texel(index, dimensions, layer);
        self.values(texel, read)
    }

    /// A fetch by float coordinates, of the nearest texel or filtered.
    pub fn fetch<E>(
        &self,
        at: [f32; 3],
        dimensions: usize,
        layer: Option<u32>,
        read: &mut impl FnMut(u64, u32) -> Result<[u8; 16], E>,
    ) -> Result<[u32; 4], E> {
        let place = |dimension: usize| {
            let scale = if self.is_normalised { f64::from(self.extents[dimension]) } else { 1.0 };
            f64::from(at[dimension]) * scale
        };
        if !self.is_linear_filter || !self.gives_floats() {
            let index = std::array::from_fn(|d| if d < dimensions { place(d).floor() as i64 } else { 0 });
            let texel = self.texel(index, dimensions, layer);
            return self.values(texel, read);
        }
        let (mut first, mut weight) = ([0; 3], [0; 3]);
        for dimension in 0..dimensions {
            let centred = place(dimension) - 0.5;
            first[dimension] = centred.floor() as i64;
            weight[dimension] = ((centred - centred.floor()) * ONE as f64).round() as i64;
        }
        let weights = weights(weight, dimensions);
        let grain = self.grain();
        let mut sum = [0.0; 4];
        for (corner, &share) in weights.iter().enumerate().take(1 << dimensions) {
            // A texel without weight need not be a number.
            if share == 0 {
                continue;
            }
            let index = std::array::from_fn(|d| first[d] + if d < dimensions { (corner >> d & 1) as i64 } else { 0 });
            let values = self.values(self.texel(index, dimensions, layer), read)?;
            for (sum, value) in sum.iter_mut().zip(values) {
                let value = f64::from(f32::from_bits(value));
                *sum += share as f64 * grain.map_or(value, |grain| (value * grain).round());
            }
        }
        Ok(sum.map(|sum| {
            let mixed = sum / ONE as f64;
            match (self.format, grain) {
                (Format::F16, _) => widen_f16(narrow_f16(mixed as f32)).to_bits(),
                (_, Some(grain)) => ((mixed.round() / grain) as f32).to_bits(),
                _ => (mixed as f32).to_bits(),
            }
        }))
    }

    /// A filter mixes fractions in units of this one's inverse, as seen on a card.
    fn grain(&self) -> Option<f64> {
        match self.format {
            Format::U8 | Format::U16 => Some(65535.0),
            Format::S8 | Format::S16 => Some(32767.0),
            _ => None,
        }
    }

    /// One element of the four texels that a filtered fetch of two dimensions mixes: those at (0, 1), (1, 1), (1, 0), (0, 0).
    pub fn gather<E>(
        &self,
        at: [f32; 3],
        element: usize,
        layer: Option<u32>,
        read: &mut impl FnMut(u64, u32) -> Result<[u8; 16], E>,
    ) -> Result<[u32; 4], E> {
        let first: [i64; 2] = std::array::from_fn(|d| {
            let scale = if self.is_normalised { f64::from(self.extents[d]) } else { 1.0 };
            (f64::from(at[d]) * scale - 0.5).floor() as i64
        });
        let mut gathered = [0; 4];
        for (slot, (x, y)) in gathered.iter_mut().zip([(0, 1), (1, 1), (1, 0), (0, 0)]) {
            let texel = self.texel([first[0] + x, first[1] + y, 0], 2, layer);
            *slot = self.values(texel, read)?[element];
        }
        Ok(gathered)
    }

    /// A texel's elements; those that it does not have are 0.
    fn values<E>(&self, texel: Texel, read: &mut impl FnMut(u64, u32) -> Result<[u8; 16], E>) -> Result<[u32; 4], E> {
        let Some(address) = texel else {
            // The elements that a texel has; their bits, whatever the type.
            let has = |channel: usize| channel < self.channels as usize;
            return Ok(std::array::from_fn(|channel| if has(channel) { self.border[channel].to_bits() } else { 0 }));
        };
        let bytes = read(address, self.texel_bytes())?;
        let size = self.format.bytes() as usize;
        let mut values = [0; 4];
        for (channel, value) in values.iter_mut().enumerate().take(self.channels as usize) {
            let mut element = [0; 4];
            element[..size].copy_from_slice(&bytes[channel * size..][..size]);
            *value = self.format.value(element, self.reads_integers);
        }
        Ok(values)
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
        let flags = [self.is_linear_filter, self.is_normalised, self.reads_integers, self.is_plain, self.is_surface];
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
            format: FORMATS.get(usize::from(bytes[72]))?.1,
        })
    }
}

/// The weights of a filter are whole numbers that add up to this.
const ONE: i64 = 256;

/// The weights of the corners between which a fetch lies, from those of the upper one along each dimension. A Hopper card rounds
/// the product of two, gives the rest to the others, and takes y last of three.
fn weights([x, y, z]: [i64; 3], dimensions: usize) -> [i64; 8] {
    let part = |whole: i64, share: i64| (whole * share + ONE / 2) / ONE;
    // Of the corners along x and one more dimension.
    let square = |other: i64| {
        let both = part(x, other);
        [ONE - x - other + both, x - both, other - both, both]
    };
    match dimensions {
        1 => [ONE - x, x, 0, 0, 0, 0, 0, 0],
        2 => {
            let [a, b, c, d] = square(y);
            [a, b, c, d, 0, 0, 0, 0]
        }
        _ => {
            let four = square(z);
            let upper = four.map(|share| part(share, y));
            let lower = |at: usize| four[at] - upper[at];
            [lower(0), lower(1), upper[0], upper[1], lower(2), lower(3), upper[2], upper[3]]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXELS: [f32; 4] = [10.0, 20.0, 40.0, 80.0];

    fn texture(mode: Mode, filters: bool, normalised: bool) -> Texture {
        Texture {
            address: 0,
            extents: [4, 1, 1],
            pitch: 16,
            slice: 16,
            format: Format::F32,
            channels: 1,
            modes: [mode; 3],
            is_linear_filter: filters,
            is_normalised: normalised,
            reads_integers: false,
            is_plain: false,
            is_surface: false,
            border: [-1.0; 4],
        }
    }

    fn fetch(texture: &Texture, x: f32) -> f32 {
        let mut read = |address: u64, _: u32| {
            let mut bytes = [0; 16];
            bytes[..4].copy_from_slice(&TEXELS[address as usize / 4].to_le_bytes());
            Ok::<_, ()>(bytes)
        };
        f32::from_bits(texture.fetch([x, 0.0, 0.0], 1, None, &mut read).expect("inside")[0])
    }

    #[test]
    fn modes_are_those_of_the_programming_guide() {
        // (mode, normalised, x, nearest, filtered)
        let cases = [
            (Mode::Clamp, false, 1.5, 20.0, 20.0),
            (Mode::Clamp, false, 2.0, 40.0, 30.0),
            (Mode::Clamp, false, -3.0, 10.0, 10.0),
            (Mode::Clamp, false, 9.0, 80.0, 80.0),
            (Mode::Border, false, -1.0, -1.0, -1.0),
            (Mode::Border, false, 0.0, 10.0, 4.5),
            // Without normalised coordinates there is no wrapping.
            (Mode::Wrap, false, 5.0, 80.0, 80.0),
            (Mode::Wrap, true, 1.125, 10.0, 10.0),
            (Mode::Wrap, true, 1.0, 10.0, 45.0),
            (Mode::Mirror, true, 1.125, 80.0, 80.0),
            (Mode::Mirror, true, -0.375, 20.0, 20.0),
        ];
        for (mode, normalised, x, nearest, filtered) in cases {
            let got = [false, true].map(|filters| fetch(&texture(mode, filters, normalised), x));
            assert_eq!(got, [nearest, filtered], "{mode:?} at {x}");
        }
        // 1/1000 is less than half of 1/256, so its weight is 0.
        assert_eq!(fetch(&texture(Mode::Clamp, true, false), 1.501), 20.0);
        assert_eq!(fetch(&texture(Mode::Clamp, true, false), 1.503), 20.0 + 20.0 / 256.0);
    }

    #[test]
    fn integers_are_fractions_or_themselves() {
        let value = |format: Format, bytes: [u8; 2], plain| format.value([bytes[0], bytes[1], 0, 0], plain);
        assert_eq!(f32::from_bits(value(Format::U8, [255, 0], false)), 1.0);
        assert_eq!(f32::from_bits(value(Format::S8, [0x80, 0], false)), -1.0);
        assert_eq!(f32::from_bits(value(Format::S16, [0xff, 0x7f], false)), 1.0);
        assert_eq!(value(Format::S16, [0xff, 0xff], true), u32::MAX);
        assert_eq!(f32::from_bits(value(Format::F16, [0, 0x3c], false)), 1.0);
    }

    #[test]
    fn an_object_comes_back_from_its_bytes() {
        let texture = texture(Mode::Mirror, true, true);
        assert_eq!(Texture::decode(&texture.encode()), Some(texture));
        assert_eq!(Texture::decode(&[0; OBJECT_BYTES]), None);
    }
}
