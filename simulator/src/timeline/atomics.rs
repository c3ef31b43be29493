//! What atomics on global memory cost in L2, where they are carried out.
//!
//! A warp's atomic goes to each sector that it touches once. There the words of a sector are worked on side by side, and lanes that
//! name the same word one after the other: so many *steps* as lanes meet in the busiest word. Neighbours of 512 bytes lie in one slice of L2,
//! which works on one sector at a time; what lies further apart is dealt out to the slices.
use crate::probe::{Access, Addresses};
use rustc_hash::{FxHashMap, FxHashSet};

const SECTOR: u64 = 32;
/// Bytes of neighbours that lie in one slice. Measured on an H200: additions to 2, 8, 32, 64 and 256 lines behind each other.
const GROUP: u64 = 512;
/// Beyond this many, sectors are not told apart any more: everything has work then, and it bounds the memory this takes.
const MOST_SECTORS: usize = 1 << 20;
/// Turns of a slice, in tenths: of each step, and of a sector's coming there. Measured on an H200: one lane, eight and 32 of them in a sector.
const TENTHS_OF_STEP: u64 = 10;
const TENTHS_OF_SECTOR: u64 = 3;
/// Accesses of warps that are on their way at once, one of several lanes to a word being as many: blocks do not wait for what they add, and
/// are followed by others. Chosen between an H200's times of 262144 warps that add to 8 to 64 words of 32 to 1056 blocks each, then to those
/// behind, which alone give 52 000, and of gemv's `shared_atomic`, which gives less.
const UNDER_WAY: u64 = 35_000;

/// What an atomic adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    /// Integers that the warp has added up before: one lane goes to memory.
    AddedUp,
    OfFloats,
    /// Nothing, or integers of each lane.
    Other,
}

/// Of one launch, or of one worker's part of it.
#[derive(Clone, Default)]
pub struct Atomics {
    pub steps: u64,
    /// Of each access those of its busiest word, added up.
    longest: u64,
    /// Tenths of turns, of all sectors.
    tenths: u64,
    /// The same by sector and the wave that touched it.
    sectors: FxHashMap<(u64, u32), u64>,
    /// Steps by word, of additions of floats to one word.
    floats: FxHashMap<u64, u64>,
}

/// What waits for the slices of L2, in turns of one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Queue {
    pub turns: f64,
    /// Of the 512 bytes of each wave that most turns are for, added up over the waves.
    pub hottest: f64,
    /// Of one sector in the whole launch, the most.
    pub crowd: f64,
    /// Steps of additions of floats to one word, by accesses that name no other.
    pub floats: f64,
}

impl Queue {
    /// Turns of the busiest of so many slices: the work of all but the hottest place lies evenly on them.
    pub fn busiest(&self, slices: f64) -> f64 {
        self.turns / slices + self.hottest * (1.0 - 1.0 / slices)
    }
}

impl Atomics {
    /// One atomic access by a warp of this wave.
    pub fn access(&mut self, access: &Access, wave: u32, sum: Sum) {
        let lanes = u64::from(access.lane_count());
        let one = match access.addresses {
            Addresses::Same(address) => Some(address),
            _ => (lanes == 1).then(|| access.first_address()),
        };
        if let Some(address) = one {
            let steps = if sum == Sum::AddedUp { 1 } else { lanes };
            self.longest += steps;
            self.touch(address, wave, steps);
            if sum == Sum::OfFloats && (self.floats.len() < MOST_SECTORS || self.floats.contains_key(&address)) {
                *self.floats.entry(address).or_default() += steps;
            }
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
        self.longest += words.iter().map(|&(_, lanes)| lanes).max().unwrap_or(0);
        for (i, &(address, _)) in words.iter().enumerate() {
            let beside = |other: &&(u64, u64)| other.0 / SECTOR == address / SECTOR;
            if !words[..i].iter().any(|other| beside(&other)) {
                self.touch(address, wave, words.iter().filter(beside).map(|&(_, lanes)| lanes).max().unwrap_or(0));
            }
        }
    }

    /// How many sectors a wave touches, on average.
    pub fn spread(&self) -> f64 {
        let waves: FxHashSet<u32> = self.sectors.keys().map(|&(_, wave)| wave).collect();
        self.sectors.len() as f64 / waves.len().max(1) as f64
    }

    /// What the slices of L2 have to do.
    pub fn queue(&self) -> Queue {
        // So many waves of blocks as fill what is under way.
        let waves = 1 + u64::from(self.sectors.keys().map(|key| key.1).max().unwrap_or(0));
        let together = (UNDER_WAY * waves / self.longest.max(1)).clamp(1, waves) as u32;
        let mut groups: FxHashMap<(u64, u32), u64> = FxHashMap::default();
        let mut whole: FxHashMap<u64, u64> = FxHashMap::default();
        for (&(sector, wave), tenths) in &self.sectors {
            *groups.entry((sector * SECTOR / GROUP, wave / together)).or_default() += tenths;
            *whole.entry(sector).or_default() += tenths;
        }
        let mut hottest: FxHashMap<u32, u64> = FxHashMap::default();
        for ((_, wave), tenths) in groups {
            let most = hottest.entry(wave).or_default();
            *most = tenths.max(*most);
        }
        let turns = |tenths: u64| tenths as f64 / TENTHS_OF_STEP as f64;
        Queue {
            turns: turns(self.tenths),
            hottest: turns(hottest.values().sum()),
            crowd: turns(whole.values().copied().max().unwrap_or(0)),
            floats: self.floats.values().copied().max().unwrap_or(0) as f64,
        }
    }

    /// Takes another worker's part over.
    pub fn join(&mut self, other: Atomics) {
        self.steps += other.steps;
        self.longest += other.longest;
        self.tenths += other.tenths;
        other.floats.into_iter().for_each(|(word, steps)| *self.floats.entry(word).or_default() += steps);
        other.sectors.into_iter().for_each(|(key, tenths)| *self.sectors.entry(key).or_default() += tenths);
    }

    fn touch(&mut self, address: u64, wave: u32, steps: u64) {
        let tenths = steps * TENTHS_OF_STEP + TENTHS_OF_SECTOR;
        self.steps += steps;
        self.tenths += tenths;
        let key = (address / SECTOR, wave);
        if self.sectors.len() < MOST_SECTORS || self.sectors.contains_key(&key) {
            *self.sectors.entry(key).or_default() += tenths;
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
            Sum::Other,
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

    #[test]
    fn neighbours_wait_for_one_slice_and_others_do_not() {
        let queue = |apart: u64| {
            let mut atomics = Atomics::default();
            (0..4).for_each(|warp| add(&mut atomics, Addresses::Each(&words(|_| warp * apart))));
            atomics.queue()
        };
        // A word of 32 steps and its sector's coming, four times.
        let queue_of = |turns, hottest, crowd| Queue { turns, hottest, crowd, floats: 0.0 };
        assert_eq!(queue(1), queue_of(129.2, 129.2, 129.2));
        assert_eq!(queue(32), queue_of(129.2, 129.2, 32.3));
        assert_eq!(queue(128), queue_of(129.2, 32.3, 32.3));
        assert!((queue(1).busiest(64.0) - 129.2).abs() < 1e-9);
        assert!(queue(128).busiest(64.0) < 34.0);
    }

    #[test]
    fn what_later_waves_add_elsewhere_is_under_way_with_it() {
        let hottest = |lanes: u32| {
            let mut atomics = Atomics::default();
            for wave in 0..8 {
                let (who, order, own) = (Who::default(), Order::WEAK, words(|_| u64::from(wave) * 128));
                let (kind, space, mask) = (AccessKind::Atomic, Space::Global, !0 >> (32 - lanes));
                let addresses = Addresses::Each(&own);
                let access = Access { who, site: 0, kind, space, mask, addresses, bytes: 4, order, stored: None };
                (0..1000).for_each(|_| atomics.access(&access, wave, Sum::Other));
            }
            let queue = atomics.queue();
            queue.hottest / queue.turns
        };
        assert_eq!(hottest(1), 0.125, "all eight waves at once, each with lines of its own");
        assert_eq!(hottest(32), 1.0, "one wave of them fills what is under way");
    }

    #[test]
    fn sums_of_floats_in_one_word_wait_for_each_other() {
        let (who, order, all) = (Who::default(), Order::WEAK, words(|lane| lane as u64));
        let (kind, space) = (AccessKind::Atomic, Space::Global);
        let of = |mask, addresses, sum| {
            let mut atomics = Atomics::default();
            let access = Access { who, site: 0, kind, space, mask, addresses, bytes: 4, order, stored: None };
            (0..3).for_each(|_| atomics.access(&access, 0, sum));
            atomics.queue().floats
        };
        assert_eq!(of(1, Addresses::Each(&all), Sum::OfFloats), 3.0);
        assert_eq!(of(!0, Addresses::Same(0x1000), Sum::OfFloats), 96.0);
        assert_eq!(of(!0, Addresses::Each(&all), Sum::OfFloats), 0.0, "of several words");
        assert_eq!(of(1, Addresses::Each(&all), Sum::Other), 0.0);
    }
}
