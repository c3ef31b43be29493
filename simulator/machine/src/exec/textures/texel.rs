//! Texels: how their elements are stored, what a fetch makes of them, and where coordinates outside of a texture lead.
use crate::exec::view::half_bits::widen_f16;

/// How an element of a texel is stored: `CUarray_format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    U8 = 0x01,
    U16 = 0x02,
    U32 = 0x03,
    S8 = 0x08,
    S16 = 0x09,
    S32 = 0x0a,
    F16 = 0x10,
    F32 = 0x20,
}

/// Where a coordinate outside of the texture leads: `CUaddress_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Wrap,
    Clamp,
    Mirror,
    Border,
}

const MODES: [Mode; 4] = [Mode::Wrap, Mode::Clamp, Mode::Mirror, Mode::Border];

impl Mode {
    /// By the number of `CUaddress_mode`.
    pub fn of(number: u32) -> Option<Mode> {
        MODES.get(number as usize).copied()
    }

    /// The texel that an index leads to; `None`: the border.
    pub(super) fn texel(self, index: i64, extent: u32) -> Option<u32> {
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
        use Format::*;
        [U8, U16, U32, S8, S16, S32, F16, F32].into_iter().find(|format| *format as u32 == number)
    }

    /// Bytes of an element.
    pub fn bytes(self) -> u32 {
        match self {
            Format::U8 | Format::S8 => 1,
            Format::U16 | Format::S16 | Format::F16 => 2,
            Format::U32 | Format::S32 | Format::F32 => 4,
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Format::F16 | Format::F32)
    }

    /// An element as a fetch gives it: a float, or an integer widened to 32 bits.
    #[inline(always)]
    pub(crate) fn value(self, bits: u32, reads_integers: bool) -> u32 {
        let (byte, short) = (bits as u8, bits as u16);
        let fraction = |value: f32| value.max(-1.0).to_bits();
        match (self, reads_integers) {
            (Format::F32 | Format::U32 | Format::S32, _) => bits,
            (Format::F16, _) => widen_f16(short.into()).to_bits(),
            (Format::U8, true) => byte.into(),
            (Format::S8, true) => byte as i8 as i32 as u32,
            (Format::U16, true) => short.into(),
            (Format::S16, true) => short as i16 as i32 as u32,
            (Format::U8, false) => fraction(f32::from(byte) / 255.0),
            (Format::S8, false) => fraction(f32::from(byte as i8) / 127.0),
            (Format::U16, false) => fraction(f32::from(short) / 65535.0),
            (Format::S16, false) => fraction(f32::from(short as i16) / 32767.0),
        }
    }
}

/// The linear value of a byte of an sRGB colour: IEC 61966-2-1 with eight significant bits, not always the nearest ones. As fetched on an H100 but for
/// 53, 106, 125, 151, 183, 209, which are rounded.
#[inline(always)]
pub(super) fn linear_of_srgb(byte: u8) -> f32 {
    f32::from_bits(u32::from(SRGB[usize::from(byte)]) << 16)
}

/// The upper halves of floats.
const SRGB: [u16; 256] = include!("srgb.txt");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_fractions_or_themselves() {
        let value = |format: Format, bytes: [u8; 2], plain| format.value(u16::from_le_bytes(bytes).into(), plain);
        assert_eq!(f32::from_bits(value(Format::U8, [255, 0], false)), 1.0);
        assert_eq!(f32::from_bits(value(Format::S8, [0x80, 0], false)), -1.0);
        assert_eq!(f32::from_bits(value(Format::S16, [0xff, 0x7f], false)), 1.0);
        assert_eq!(value(Format::S16, [0xff, 0xff], true), u32::MAX);
        assert_eq!(f32::from_bits(value(Format::F16, [0, 0x3c], false)), 1.0);
    }

    #[test]
    fn colours_become_linear() {
        assert_eq!([0, 255].map(linear_of_srgb), [0.0, 1.0]);
        for byte in 0..=255u8 {
            let stored = f32::from(byte) / 255.0;
            let linear = if stored <= 0.04045 { stored / 12.92 } else { ((stored + 0.055) / 1.055).powf(2.4) };
            assert!((linear_of_srgb(byte) - linear).abs() <= linear / 128.0, "{byte}");
        }
    }
}
