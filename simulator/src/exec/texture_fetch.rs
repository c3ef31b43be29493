//! The arithmetic of fetches (CUDA C++ programming guide, "Texture Fetching").
use super::half_bits::{narrow_f16, widen_f16};
use super::texel::Format;
use super::texture_object::Texture;

/// A texel's place in memory, or none: the border.
type Texel = Option<u64>;

impl Texture {
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
    use super::super::texel::Mode;
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
            is_tiled: false,
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
}
