//! Random elements from a seed.

use crate::number::Number;
use rand::rngs::ChaCha12Rng;
use rand::{Rng, SeedableRng};
use rayon::prelude::*;

/// One generator draws so many elements, so that chunks can be drawn in parallel; the length is part of what the seed means.
const CHUNK: usize = 1 << 14;

pub(crate) fn fill<T: Number>(elements: &mut [T], seed: u64) {
    elements.par_chunks_mut(CHUNK).enumerate().for_each(|(index, chunk)| draw(chunk, seed, index, 0));
}

pub(crate) fn fill_part<T: Number>(elements: &mut [T], seed: u64, first: usize) {
    let (mut at, mut rest) = (first, elements);
    while !rest.is_empty() {
        let offset = at % CHUNK;
        let (chunk, after) = rest.split_at_mut(rest.len().min(CHUNK - offset));
        draw(chunk, seed, at / CHUNK, offset);
        at += chunk.len();
        rest = after;
    }
}

/// Elements of a chunk from an offset in it on. Each takes two words of the generator.
fn draw<T: Number>(elements: &mut [T], seed: u64, chunk: usize, offset: usize) {
    let mut generator = ChaCha12Rng::seed_from_u64(distinct_seed(seed, chunk as u64));
    generator.set_word_pos(2 * offset as u128);
    for element in elements {
        *element = T::uniform(generator.next_u64());
    }
}

/// A seed for the `index`-th item that depends on `seed`: distinct for distinct pairs (SplitMix64's finaliser, Steele et al. 2014).
pub fn distinct_seed(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_elements_and_another_seed_others() {
        let mut first = vec![0f32; 40_000];
        let mut again = first.clone();
        let mut other = first.clone();
        fill(&mut first, 1);
        fill(&mut again, 1);
        fill(&mut other, 2);
        assert_eq!(first, again);
        assert_ne!(first, other);
        assert_ne!(first[..100], first[1 << 14..][..100], "chunks repeat");
    }

    #[test]
    fn a_part_has_the_elements_of_the_whole() {
        let mut whole = vec![0f32; 40_000];
        fill(&mut whole, 5);
        for (first, len) in [(0, 40_000), (1, 1), (16_383, 2), (16_384, 7), (31_003, 5_000)] {
            let mut part = vec![0f32; len];
            fill_part(&mut part, 5, first);
            assert_eq!(part, whole[first..first + len], "{first}");
        }
    }

    #[test]
    fn a_seed_keeps_its_meaning() {
        let mut elements = [0f64; 3];
        fill(&mut elements, 1);
        assert_eq!(elements, [-0.725_266_272_900_153_8, -0.164_897_666_733_254_23, 0.687_832_466_361_137_5]);
    }

    #[test]
    fn elements_are_spread_over_the_whole_range() {
        let mut elements = vec![0f64; 100_000];
        fill(&mut elements, 7);
        let mean = elements.iter().sum::<f64>() / elements.len() as f64;
        let square = elements.iter().map(|x| x * x).sum::<f64>() / elements.len() as f64;
        assert!(elements.iter().all(|x| (-1.0..1.0).contains(x)));
        // Standard errors are 0.0018 and 0.00094.
        assert!(mean.abs() < 0.01, "{mean}");
        assert!((square - 1.0 / 3.0).abs() < 0.006, "{square}");
    }
}
