//! Texels: how their elements are stored, what a fetch makes of them, and where coordinates outside of a texture lead.
use crate::exec::view::half_bits::widen_f16;

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

pub(super) const FORMATS: [(u32, Format); 8] = [
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
#[rustfmt::skip]
const SRGB: [u16; 256] = [
    0x0000, 0x39a0, 0x3a20, 0x3a70, 0x3aa0, 0x3ac8, 0x3af0, 0x3b0c, 0x3b20, 0x3b34, 0x3b48, 0x3b5c, 0x3b70, 0x3b84, 0x3b90, 0x3b9c,
    0x3baa, 0x3bb8, 0x3bc6, 0x3bd6, 0x3be6, 0x3bf6, 0x3c03, 0x3c0c, 0x3c16, 0x3c1f, 0x3c29, 0x3c34, 0x3c3e, 0x3c49, 0x3c55, 0x3c60,
    0x3c6c, 0x3c7a, 0x3c83, 0x3c8a, 0x3c91, 0x3c98, 0x3c9f, 0x3ca6, 0x3cae, 0x3cb6, 0x3cbe, 0x3cc6, 0x3cce, 0x3cd7, 0x3ce0, 0x3ce9,
    0x3cf2, 0x3cfc, 0x3d03, 0x3d08, 0x3d0d, 0x3d12, 0x3d17, 0x3d1c, 0x3d22, 0x3d28, 0x3d2d, 0x3d33, 0x3d39, 0x3d3f, 0x3d45, 0x3d4c,
    0x3d52, 0x3d58, 0x3d60, 0x3d66, 0x3d6c, 0x3d74, 0x3d7a, 0x3d81, 0x3d85, 0x3d88, 0x3d8c, 0x3d90, 0x3d94, 0x3d98, 0x3d9c, 0x3da0,
    0x3da4, 0x3da9, 0x3dad, 0x3db1, 0x3db6, 0x3dba, 0x3dbf, 0x3dc3, 0x3dc8, 0x3dcd, 0x3dd1, 0x3dd6, 0x3ddb, 0x3de0, 0x3de5, 0x3dea,
    0x3df0, 0x3df4, 0x3dfa, 0x3e00, 0x3e02, 0x3e05, 0x3e08, 0x3e0b, 0x3e0e, 0x3e11, 0x3e14, 0x3e17, 0x3e1a, 0x3e1d, 0x3e20, 0x3e23,
    0x3e26, 0x3e29, 0x3e2c, 0x3e30, 0x3e33, 0x3e36, 0x3e3a, 0x3e3d, 0x3e40, 0x3e44, 0x3e47, 0x3e4b, 0x3e4e, 0x3e52, 0x3e56, 0x3e59,
    0x3e5d, 0x3e61, 0x3e65, 0x3e68, 0x3e6c, 0x3e70, 0x3e74, 0x3e78, 0x3e7c, 0x3e80, 0x3e82, 0x3e84, 0x3e86, 0x3e88, 0x3e8a, 0x3e8d,
    0x3e8f, 0x3e91, 0x3e93, 0x3e95, 0x3e98, 0x3e9a, 0x3e9c, 0x3e9e, 0x3ea1, 0x3ea3, 0x3ea5, 0x3ea8, 0x3eaa, 0x3ead, 0x3eaf, 0x3eb2,
    0x3eb4, 0x3eb6, 0x3eb9, 0x3ebc, 0x3ebe, 0x3ec1, 0x3ec3, 0x3ec6, 0x3ec8, 0x3ecb, 0x3ece, 0x3ed1, 0x3ed3, 0x3ed6, 0x3ed9, 0x3edb,
    0x3ede, 0x3ee1, 0x3ee4, 0x3ee7, 0x3eea, 0x3eed, 0x3ef0, 0x3ef2, 0x3ef6, 0x3ef8, 0x3efc, 0x3efe, 0x3f01, 0x3f02, 0x3f04, 0x3f05,
    0x3f07, 0x3f09, 0x3f0a, 0x3f0c, 0x3f0d, 0x3f0f, 0x3f11, 0x3f12, 0x3f14, 0x3f16, 0x3f17, 0x3f19, 0x3f1b, 0x3f1c, 0x3f1e, 0x3f20,
    0x3f21, 0x3f23, 0x3f25, 0x3f27, 0x3f29, 0x3f2a, 0x3f2c, 0x3f2e, 0x3f30, 0x3f32, 0x3f33, 0x3f35, 0x3f37, 0x3f39, 0x3f3b, 0x3f3d,
    0x3f3f, 0x3f41, 0x3f43, 0x3f45, 0x3f47, 0x3f49, 0x3f4b, 0x3f4d, 0x3f4f, 0x3f51, 0x3f53, 0x3f55, 0x3f57, 0x3f59, 0x3f5b, 0x3f5d,
    0x3f5f, 0x3f61, 0x3f63, 0x3f65, 0x3f68, 0x3f6a, 0x3f6c, 0x3f6e, 0x3f70, 0x3f72, 0x3f74, 0x3f76, 0x3f7a, 0x3f7c, 0x3f7e, 0x3f80,
];

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
