//! Where the sequences of XORWOW begin. They are 2⁶⁷ numbers apart, and a step of the generator is linear over bits, so a sequence begins where
//! the matrix of 2⁶⁷ steps leads from the one before it.
use std::sync::OnceLock;

/// Bits of the generator's five words.
const BITS: usize = 160;
/// Steps from one sequence to the next, as a power of two.
const APART: u32 = 67;
/// The sixth word grows by this in a step. In 2⁶⁷ steps it comes back to itself.
const GROWTH: u32 = 362_437;

type Words = [u32; 5];

/// A linear map: what it makes of each bit alone.
struct Map(Vec<Words>);

impl Map {
    fn step() -> Map {
        Map::of(|mut words| {
            step(&mut words);
            words
        })
    }

    fn of(image: impl Fn(Words) -> Words) -> Map {
        let bit = |i: usize| std::array::from_fn(|word| if word == i / 32 { 1 << (i % 32) } else { 0 });
        Map((0..BITS).map(|i| image(bit(i))).collect())
    }

    fn apply(&self, words: Words) -> Words {
        let mut sum = [0; 5];
        for (i, image) in self.0.iter().enumerate() {
            if words[i / 32] >> (i % 32) & 1 == 1 {
                sum.iter_mut().zip(image).for_each(|(sum, word)| *sum ^= word);
            }
        }
        sum
    }

    /// The map of twice as many steps.
    fn twice(&self) -> Map {
        Map::of(|words| self.apply(self.apply(words)))
    }
}

/// One step of Marsaglia's xorshift with five words.
fn step(words: &mut Words) {
    let t = words[0] ^ (words[0] >> 2);
    words.rotate_left(1);
    words[4] = words[3] ^ (words[3] << 4) ^ (t ^ (t << 1));
}

/// The maps of 1, 2, 4, … steps, up to those between two sequences.
fn maps() -> &'static [Map] {
    static MAPS: OnceLock<Vec<Map>> = OnceLock::new();
    MAPS.get_or_init(|| {
        let mut maps = vec![Map::step()];
        for power in 0..APART as usize {
            maps.push(maps[power].twice());
        }
        maps
    })
}

/// The states of so many sequences after `offset` numbers that they gave in turns: six words each, word by word, as bytes.
pub fn states(seed: u64, offset: u64, sequences: usize) -> Vec<u8> {
    // The words of a seed, as cuRAND's device interface documents them in its header.
    let (low, high) = (seed as u32 ^ 0xaad2_6b49, (seed >> 32) as u32 ^ 0xf7dc_efdd);
    let (t0, t1) = (1_099_087_573u32.wrapping_mul(low), 2_591_861_531u32.wrapping_mul(high));
    let first = 6_615_241u32.wrapping_add(t1).wrapping_add(t0);
    let mut words: Words = [
        123_456_789u32.wrapping_add(t0),
        362_436_069 ^ t0,
        521_288_629u32.wrapping_add(t1),
        88_675_123 ^ t1,
        5_783_321u32.wrapping_add(t0),
    ];
    let maps = maps();
    let (steps, begun) = (offset / sequences as u64, offset % sequences as u64);
    for (power, map) in maps.iter().enumerate().take(64) {
        if steps >> power & 1 == 1 {
            words = map.apply(words);
        }
    }
    let mut states = vec![0u32; 6 * sequences];
    for sequence in 0..sequences {
        let (mut own, mut taken) = (words, steps as u32);
        if (sequence as u64) < begun {
            step(&mut own);
            taken = taken.wrapping_add(1);
        }
        states[sequence] = first.wrapping_add(GROWTH.wrapping_mul(taken));
        (0..5).for_each(|word| states[(word + 1) * sequences + sequence] = own[word]);
        words = maps[APART as usize].apply(words);
    }
    states.into_iter().flat_map(u32::to_ne_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_of_many_steps_is_those_steps() {
        let (mut walked, mapped) = ([1, 2, 3, 4, 5], maps()[10].apply([1, 2, 3, 4, 5]));
        (0..1024).for_each(|_| step(&mut walked));
        assert_eq!(walked, mapped);
    }
}
