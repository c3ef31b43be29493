//! What atomics on global memory cost in L2, where they are carried out.
//!
//! A warp's atomic goes to each sector that it touches once. There the words of a sector are worked on side by side, and lanes that
//! name the same word one after the other: so many *steps* as lanes meet in the busiest word. Steps of different sectors
//! overlap; how many there are to choose from follows from the addresses that the blocks of one wave touch.
use crate::probe::{Access, Addresses};
use rustc_hash::FxHashSet;

const SECTOR: u64 = 32;
/// Beyond this many, sectors are not told apart any more: everything has work then, and it bounds the memory this takes.
const MOST_SECTORS: usize = 1 << 20;

/// Of one launch, or of one worker's part of it.
#[derive(Clone, Default)]
pub struct Atomics {
    pub steps: u64,
    /// Sectors, and the wave that touched them.
    sectors: FxHashSet<(u64, u32)>,
}

impl Atomics {
    /// One atomic access by a warp of this wave, of which one lane goes to memory if the warp has added its lanes up.
    pub fn access(&mut self, access: &Access, wave: u32, added_up: bool) {
        if let Addresses::Same(address) = access.addresses {
            self.steps += if added_up { 1 } else { u64::from(access.lane_count()) };
            self.touch(address, wave);
            return;
        }
        let mut words = [(0u64, 0u64); 32];
        let mut count = 0;
        for lane in access.lanes() {
            let address = access.address(lane);
            match words[..count].iter_mut().rev().find(|word| word.0 == address) {
                Some(word) => word.1 += 1,
                None => {
                    words[count] = (address, 1);
                    count += 1;
                }
            }
        }
        let words = &words[..count];
        for (i, &(address, _)) in words.iter().enumerate() {
            let beside = |other: &&(u64, u64)| other.0 / SECTOR == address / SECTOR;
            if !words[..i].iter().any(|other| beside(&other)) {
                self.steps += words.iter().filter(beside).map(|&(_, lanes)| lanes).max().unwrap_or(0);
                self.touch(address, wave);
            }
        }
    }

    /// How many sectors a wave touches, on average.
    pub fn spread(&self) -> f64 {
        let waves: FxHashSet<u32> = self.sectors.iter().map(|&(_, wave)| wave).collect();
        self.sectors.len() as f64 / waves.len().max(1) as f64
    }

    /// Takes another worker's part over.
    pub fn join(&mut self, other: Atomics) {
        self.steps += other.steps;
        self.sectors.extend(other.sectors);
    }

    fn touch(&mut self, address: u64, wave: u32) {
        if self.sectors.len() < MOST_SECTORS {
            self.sectors.insert((address / SECTOR, wave));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Space;
    use crate::probe::{AccessKind, Order, Who};

    /// One warp's additions.
    fn add(atomics: &mut Atomics, addresses: Addresses) {
        let (who, order) = (Who::default(), Order::WEAK);
        let (kind, space) = (AccessKind::Atomic, Space::Global);
        atomics.access(
            &Access { who, site: 0, kind, space, mask: !0, addresses, bytes: 4, order, stored: None },
            0,
            false,
        );
    }

    /// Addresses of the words that `word` gives for the lanes.
    fn words(word: impl Fn(usize) -> u64) -> [u64; 32] {
        std::array::from_fn(|lane| 0x1000 + 4 * word(lane))
    }

    fn steps(word: impl Fn(usize) -> u64) -> u64 {
        let mut atomics = Atomics::default();
        add(&mut atomics, Addresses::Each(&words(word)));
        atomics.steps
    }

    #[test]
    fn lanes_of_one_word_take_turns_and_words_of_one_sector_do_not() {
        assert_eq!(steps(|_| 0), 32);
        assert_eq!(steps(|lane| lane as u64 / 16), 16);
        assert_eq!(steps(|lane| lane as u64 / 4), 4);
        // A word each, in four sectors.
        assert_eq!(steps(|lane| lane as u64), 4);
        // The same pairs, each in a sector of its own.
        assert_eq!(steps(|lane| lane as u64 / 2 * 8), 32);
    }

    #[test]
    fn a_pattern_that_is_known_counts_as_one_that_is_not() {
        let (mut same, mut any) = (Atomics::default(), Atomics::default());
        add(&mut same, Addresses::Same(0x1000));
        add(&mut any, Addresses::Each(&words(|_| 0)));
        assert_eq!((same.steps, same.spread()), (any.steps, any.spread()));
        assert_eq!((same.steps, same.spread()), (32, 1.0));
    }

    #[test]
    fn a_waves_sectors_are_told_apart() {
        let mut atomics = Atomics::default();
        for warp in 0..4 {
            add(&mut atomics, Addresses::Each(&words(|lane| 32 * warp + lane as u64)));
        }
        assert_eq!(atomics.spread(), 16.0);
    }
}
