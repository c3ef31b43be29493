//! Random elements from a seed.

use crate::number::Number;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rayon::prelude::*;

/// Fills with uniform elements in [−1, 1); the same for the same seed and length on every machine and any number of cores.
pub fn fill_random<T: Number>(elements: &mut [T], seed: u64) {
    T::fill_random(elements, seed);
}

pub(crate) fn fill<T: Number>(elements: &mut [T], seed: u64) {
    // One generator per chunk, so that chunks can be drawn in parallel; the chunk length is part of what the seed means.
    const CHUNK: usize = 1 << 14;
    elements.par_chunks_mut(CHUNK).enumerate().for_each(|(index, chunk)| {
        let mut generator = StdRng::seed_from_u64(distinct_seed(seed, index as u64));
        for element in chunk {
            *element = T::uniform(generator.next_u64());
        }
    });
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
        fill_random(&mut first, 1);
        fill_random(&mut again, 1);
        fill_random(&mut other, 2);
        assert_eq!(first, again);
        assert_ne!(first, other);
        assert_ne!(first[..100], first[1 << 14..][..100], "chunks repeat");
    }

    #[test]
    fn elements_are_spread_over_the_whole_range() {
        let mut elements = vec![0f64; 100_000];
        fill_random(&mut elements, 7);
        let mean = elements.iter().sum::<f64>() / elements.len() as f64;
        let square = elements.iter().map(|x| x * x).sum::<f64>() / elements.len() as f64;
        assert!(elements.iter().all(|x| (-1.0..1.0).contains(x)));
        // Standard errors are 0.0018 and 0.00094.
        assert!(mean.abs() < 0.01, "{mean}");
        assert!((square - 1.0 / 3.0).abs() < 0.006, "{square}");
    }
}
