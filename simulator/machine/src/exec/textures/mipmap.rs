//! Which level of a mipmapped array a fetch reads (PTX manual, "tex"; CUDA C++ programming guide, "Texture Fetching").
use super::texture_fetch::{ONE, Spot};
use super::texture_object::{Mipmap, Texture};

/// The level of a fetch that names none: the assembler asks for this one, which the range of the texture bounds from below.
pub const BASE: f32 = -32.0;

/// A bias has five bits before the point and eight after it.
const MOST_BIAS: f32 = 16.0 - 1.0 / ONE as f32;

impl Mipmap {
    /// The level that a fetch reads, and how many 256ths of the next one are mixed in.
    #[inline(always)]
    pub(crate) fn choose(&self, lod: f32) -> (u32, i64) {
        // All in whole 256ths, as on a card: what is less is left out.
        let parts = |level: f32| (level * ONE as f32).floor();
        let [least, most] = self.range.map(parts);
        let biased = parts(lod) + parts(self.bias.clamp(-MOST_BIAS, MOST_BIAS));
        // NaN gives the least level.
        let bounded = if biased > least { biased.min(most.max(least)) } else { least };
        let parts = bounded.clamp(0.0, parts((self.levels - 1) as f32)) as i64;
        match self.is_linear {
            true => ((parts / ONE) as u32, parts % ONE),
            false => (((parts + ONE / 2) / ONE) as u32, 0),
        }
    }
}

impl Texture {
    /// The level at which neighbouring fetches, whose coordinates differ by these two vectors, are a texel apart: the longer one counts.
    pub fn level_of(&self, spot: &Spot, steps: [[f32; 3]; 2]) -> f32 {
        let extents = self.base.extents.map(f64::from);
        let lengths = steps.map(|step| match spot.is_cube {
            true => {
                let [x, y] = super::cube::step(spot.at, step).map(|step| f64::from(step) * extents[0]);
                x.hypot(y)
            }
            // A Hopper card does not take roots.
            false => {
                let texels = |d| if d < spot.dimensions { f64::from(step[d]).abs() * extents[d] } else { 0.0 };
                let mut parts: [f64; 3] = std::array::from_fn(texels);
                parts.sort_by(f64::total_cmp);
                parts[2] + parts[1] * 11.0 / 32.0 + parts[0] / 4.0
            }
        });
        lengths[0].max(lengths[1]).log2() as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::textures::texture_object::{Format, Level};

    #[test]
    fn levels_are_rounded_or_mixed_within_their_range() {
        let nearest = Mipmap { levels: 4, is_linear: false, bias: 0.0, range: [0.0, 10.0] };
        let linear = Mipmap { is_linear: true, ..nearest };
        assert_eq!([BASE, 0.499, 0.5, 2.7, 9.0].map(|lod| nearest.choose(lod).0), [0, 0, 1, 3, 3]);
        assert_eq!(
            [BASE, 0.25, 1.5, 3.0, 9.0].map(|lod| linear.choose(lod)),
            [(0, 0), (0, 64), (1, 128), (3, 0), (3, 0)]
        );
        // Less than a 256th is left out, and a bias has its limit.
        assert_eq!([nearest.choose(0.499), nearest.choose(1.499_9)], [(0, 0), (1, 0)]);
        assert_eq!(linear.choose(1.499_9), (1, 127));
        assert_eq!(Mipmap { bias: 40.0, ..linear }.choose(BASE), (0, 0));
        let bounded = Mipmap { bias: 1.0, range: [0.5, 1.75], ..linear };
        assert_eq!(
            [BASE, 0.0, 0.25, 2.0, f32::NAN].map(|lod| bounded.choose(lod)),
            [(0, 128), (1, 0), (1, 64), (1, 192), (0, 128)]
        );
    }

    #[test]
    fn the_longer_step_tells_the_level() {
        let base = Level { address: 0, extents: [64, 16, 0], pitch: 256, slice: 4096 };
        let texture = Texture::of(base, Format::F32, 1);
        let spot = Spot { at: [0.5; 3], dimensions: 2, layer: None, is_cube: false };
        let level = |x: [f32; 2], y: [f32; 2]| texture.level_of(&spot, [x, y].map(|[x, y]| [x, y, 0.0]));
        assert_eq!(level([4.0 / 64.0, 0.0], [0.0, 2.0 / 16.0]), 2.0);
        assert_eq!(level([-32.0 / 64.0, 32.0 / 16.0], [0.0; 2]), 43f32.log2());
        assert_eq!(level([0.0; 2], [0.0; 2]), f32::NEG_INFINITY);
    }
}
