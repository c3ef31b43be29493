//! The arithmetic of fetches (CUDA C++ programming guide, "Texture Fetching"): which texels, and how they are mixed.
use super::cube;
use super::texel::{Format, Mode, linear_of_srgb};
use super::texture_object::{Level, Texture};
use crate::exec::view::half_bits::{narrow_f16, widen_f16};

/// A texel's place in memory, or none: the border.
type Texel = Option<u64>;

/// Where a fetch reads.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// Coordinates; of a cube, where a ray from its centre goes.
    pub at: [f32; 3],
    /// How many coordinates there are.
    pub dimensions: usize,
    pub layer: Option<u32>,
    pub is_cube: bool,
}

/// A spot's coordinates along a texture's rows and columns: a cube has two of them on one of its faces.
#[derive(Clone, Copy)]
struct Flat {
    at: [f32; 3],
    dimensions: usize,
    /// Slice, where the coordinates do not tell.
    slice: Option<u32>,
    face: Option<u32>,
}

/// Reads so many bytes of a texel, as the lowest bits.
pub trait Read<E>: FnMut(u64, u32) -> Result<u128, E> {}
impl<E, F: FnMut(u64, u32) -> Result<u128, E>> Read<E> for F {}

/// The weights of a filter are whole numbers that add up to this.
pub(super) const ONE: i64 = 256;

impl Texture {
    /// A fetch by integer coordinates: no filter, and 0 outside.
    #[inline(always)]
    pub fn fetch_at<E>(
        &self,
        at: [i32; 3],
        dimensions: usize,
        layer: Option<u32>,
        number: u32,
        read: &mut impl Read<E>,
    ) -> Result<[u32; 4], E> {
        let level = self.level(number);
        let index = at.map(i64::from);
        // No mode leads such an index back inside, as seen on a card.
        if (0..dimensions).any(|d| !(0..i64::from(level.extents[d].max(1))).contains(&index[d])) {
            return Ok([0; 4]);
        }
        let flat = Flat { at: [0.0; 3], dimensions, slice: layer.map(|layer| self.layer(layer)), face: None };
        self.values(self.texel(&level, index, &flat), read)
    }

    /// A fetch by float coordinates, of the nearest texel or filtered, from the level between two of which `lod` lies.
    #[inline(always)]
    pub fn fetch<E>(&self, spot: &Spot, lod: f32, read: &mut impl Read<E>) -> Result<[u32; 4], E> {
        let flat = self.flat(spot);
        let (number, weight) = if self.mipmap.levels > 1 { self.mipmap.choose(lod) } else { (0, 0) };
        let level = if number == 0 { self.base } else { self.level(number) };
        let is_mixed = self.gives_floats() && (self.is_linear_filter || weight != 0);
        if !is_mixed {
            return self.values(self.nearest(&level, &flat), read);
        }
        let mut sum = self.mixed(&level, &flat, ONE - weight, read)?;
        if weight != 0 {
            let next = self.mixed(&self.level(number + 1), &flat, weight, read)?;
            sum.iter_mut().zip(next).for_each(|(sum, next)| *sum += next);
        }
        let sum = sum.map(|sum| sum / ONE as f64);
        let grain = self.grain();
        Ok(sum.map(|mixed| match (self.format, grain) {
            (Format::F16, _) => widen_f16(narrow_f16(mixed as f32)).to_bits(),
            (_, Some(grain)) => ((round(mixed) / grain) as f32).to_bits(),
            _ => (mixed as f32).to_bits(),
        }))
    }

    /// One element of the four texels that a filtered fetch of two dimensions mixes: those at (0, 1), (1, 1), (1, 0), (0, 0).
    #[inline(always)]
    pub fn gather<E>(&self, spot: &Spot, element: usize, read: &mut impl Read<E>) -> Result<[u32; 4], E> {
        let flat = self.flat(spot);
        let (first, _) = self.corner(&self.base, &flat);
        let mut gathered = [0; 4];
        for (slot, (x, y)) in gathered.iter_mut().zip([(0, 1), (1, 1), (1, 0), (0, 0)]) {
            let texel = self.texel(&self.base, [first[0] + x, first[1] + y, 0], &flat);
            *slot = self.values(texel, read)?[element];
        }
        Ok(gathered)
    }

    #[inline(always)]
    fn flat(&self, spot: &Spot) -> Flat {
        if !spot.is_cube {
            let slice = spot.layer.map(|layer| self.layer(layer));
            return Flat { at: spot.at, dimensions: spot.dimensions, slice, face: None };
        }
        let (face, [x, y]) = cube::face(spot.at);
        // A cube of a layered array has six layers.
        let first = self.first_layer + 6 * spot.layer.unwrap_or(0).min((self.layers / 6).saturating_sub(1));
        Flat { at: [x, y, 0.0], dimensions: 2, slice: Some(first), face: Some(face) }
    }

    /// A coordinate in texels.
    #[inline(always)]
    fn place(&self, level: &Level, flat: &Flat, dimension: usize) -> f64 {
        let is_fraction = self.is_normalised || flat.face.is_some();
        let scale = if is_fraction { f64::from(level.extents[dimension]) } else { 1.0 };
        f64::from(flat.at[dimension]) * scale
    }

    #[inline(always)]
    fn nearest(&self, level: &Level, flat: &Flat) -> Texel {
        let index = |d| {
            let index = if d < flat.dimensions { self.place(level, flat, d).floor() as i64 } else { 0 };
            // A ray along an edge stays on its face where no mode leads away from there.
            if flat.face.is_some() && self.is_seamless {
                index.clamp(0, i64::from(level.extents[d]) - 1)
            } else {
                index
            }
        };
        self.texel(level, std::array::from_fn(index), flat)
    }

    /// The lowest of the texels between which a spot lies, and how much of the next one along each dimension is mixed in.
    #[inline(always)]
    fn corner(&self, level: &Level, flat: &Flat) -> ([i64; 3], [i64; 3]) {
        let (mut first, mut weight) = ([0; 3], [0; 3]);
        for dimension in 0..flat.dimensions {
            let centred = self.place(level, flat, dimension) - 0.5;
            let floor = centred.floor();
            first[dimension] = floor as i64;
            weight[dimension] = round((centred - floor) * ONE as f64) as i64;
        }
        (first, weight)
    }

    /// The value of a level whose texels have `whole` of [`ONE`] parts together: for integers, in units of [`Texture::grain`]'s inverse.
    #[inline(always)]
    fn mixed<E>(&self, level: &Level, flat: &Flat, whole: i64, read: &mut impl Read<E>) -> Result<[f64; 4], E> {
        let grain = self.grain();
        let grained = |value: u32| {
            let value = f64::from(f32::from_bits(value));
            grain.map_or(value, |grain| round(value * grain))
        };
        if !self.is_linear_filter {
            return Ok(self.values(self.nearest(level, flat), read)?.map(|value| grained(value) * whole as f64));
        }
        let (first, weight) = self.corner(level, flat);
        let mut weights = weights(weight, flat.dimensions, whole);
        if let (Some(_), true) = (flat.face, self.is_seamless) {
            cube::share_missing_corner(&mut weights, first, level.extents[0]);
        }
        let mut sum = [0.0; 4];
        for (corner, &share) in weights.iter().enumerate().take(1 << flat.dimensions) {
            // A texel without weight need not be a number.
            if share == 0.0 {
                continue;
            }
            let step = |d| if d < flat.dimensions { (corner >> d & 1) as i64 } else { 0 };
            let index = std::array::from_fn(|d| first[d] + step(d));
            let values = self.values(self.texel(level, index, flat), read)?;
            for (sum, value) in sum.iter_mut().zip(values) {
                *sum += share * grained(value);
            }
        }
        Ok(sum)
    }

    /// The texel at indices along rows and columns.
    #[inline(always)]
    fn texel(&self, level: &Level, index: [i64; 3], flat: &Flat) -> Texel {
        let mut at = [0; 3];
        if let Some(face) = flat.face {
            let first = flat.slice.unwrap_or(0);
            let (mut face, mut place) = (face, [index[0], index[1]]);
            if self.is_seamless {
                (face, place) = cube::across(face, place, level.extents[0]);
            }
            for dimension in 0..2 {
                at[dimension] = self.modes[dimension].texel(place[dimension], level.extents[dimension])?;
            }
            at[2] = first + face;
            return Some(level.texel(at, self.texel_bytes()));
        }
        for dimension in 0..flat.dimensions {
            // Wrapping and mirroring are for normalised coordinates.
            let mode = match self.modes[dimension] {
                Mode::Wrap | Mode::Mirror if !self.is_normalised => Mode::Clamp,
                mode => mode,
            };
            at[dimension] = mode.texel(index[dimension], level.extents[dimension])?;
        }
        if let Some(slice) = flat.slice {
            at[2] = slice;
        }
        Some(level.texel(at, self.texel_bytes()))
    }

    /// A filter mixes fractions in units of this one's inverse, as seen on a card.
    #[inline(always)]
    fn grain(&self) -> Option<f64> {
        match self.format {
            Format::U8 if self.is_srgb => None,
            Format::U8 | Format::U16 => Some(65535.0),
            Format::S8 | Format::S16 => Some(32767.0),
            _ => None,
        }
    }

    /// A texel's elements; those that it does not have are 0.
    #[inline(always)]
    fn values<E>(&self, texel: Texel, read: &mut impl Read<E>) -> Result<[u32; 4], E> {
        let channels = self.channels as usize;
        let Some(address) = texel else {
            // The elements that a texel has; their bits, whatever the type.
            let border = |channel: usize| if channel < channels { self.border[channel].to_bits() } else { 0 };
            return Ok(std::array::from_fn(border));
        };
        let (bits, size) = (read(address, self.texel_bytes())?, 8 * self.format.bytes());
        let mut values = [0; 4];
        for (channel, value) in values.iter_mut().enumerate().take(channels) {
            let element = (bits >> (channel as u32 * size)) as u32;
            *value = match self.is_srgb && channel < 3 {
                true => linear_of_srgb(element as u8).to_bits(),
                false => self.format.value(element, self.reads_integers),
            };
        }
        Ok(values)
    }
}

/// To the nearest whole number, halves up; of a number that is not far below 0.
#[inline(always)]
fn round(value: f64) -> f64 {
    (value + 0.5).floor()
}

/// The weights of the corners between which a fetch lies, `whole` together, from those of the upper one along each dimension. A Hopper card
/// rounds each product and gives the rest to the others: first x has its part, then y has its part of that, and z comes before y.
#[inline(always)]
fn weights([x, y, z]: [i64; 3], dimensions: usize, whole: i64) -> [f64; 8] {
    let part = |whole: i64, share: i64| (whole * share + ONE / 2) / ONE;
    let right = part(whole, x);
    // The weights of the corners along x and one more dimension; halves of the left ones are rounded down.
    let square = |other: i64| {
        let (left, both) = (whole - right, part(right, other));
        let upper = (left * other + ONE / 2 - 1) / ONE;
        [left - upper, right - both, upper, both]
    };
    let weights = match dimensions {
        1 => [whole - right, right, 0, 0, 0, 0, 0, 0],
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
    };
    weights.map(|weight| weight as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXELS: [f32; 4] = [10.0, 20.0, 40.0, 80.0];

    fn texture(mode: Mode, filters: bool, normalised: bool) -> Texture {
        let base = Level { address: 0, extents: [4, 1, 1], pitch: 16, slice: 16 };
        let plain = Texture::of(base, Format::F32, 1);
        Texture { modes: [mode; 3], is_linear_filter: filters, is_normalised: normalised, ..plain }
    }

    fn fetch(texture: &Texture, x: f32) -> f32 {
        let mut read = |address: u64, _: u32| Ok::<_, ()>(TEXELS[address as usize / 4].to_bits().into());
        let spot = Spot { at: [x, 0.0, 0.0], dimensions: 1, layer: None, is_cube: false };
        f32::from_bits(texture.fetch(&spot, 0.0, &mut read).expect("inside")[0])
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
            let border = [-1.0; 4];
            let got = [false, true].map(|filters| fetch(&Texture { border, ..texture(mode, filters, normalised) }, x));
            assert_eq!(got, [nearest, filtered], "{mode:?} at {x}");
        }
        // 1/1000 is less than half of 1/256, so its weight is 0.
        assert_eq!(fetch(&texture(Mode::Clamp, true, false), 1.501), 20.0);
        assert_eq!(fetch(&texture(Mode::Clamp, true, false), 1.503), 20.0 + 20.0 / 256.0);
    }
}
