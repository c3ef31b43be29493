//! The cost of atomics on global memory in L2, where they are carried out.
//!
//! A warp's atomic goes to each sector that it touches once. There the words of a sector are worked on side by side, and lanes that
//! name the same word one after the other: so many *steps* as lanes meet in the busiest word. Neighbours of 512 bytes lie in one slice of L2,
//! which works on one sector at a time; what lies further apart is dealt out to the slices. A sum of floats is ready for the next one later than
//! the slice could begin with it: it waits where its sector comes again at once.
use super::atomic_queue::{Part, Queue};
use crate::constants::{
    COMING, COMING_OF_WORDS, GROUP_BYTES, MOST_SECTORS, ONE_WORD, SECTOR_BYTES, SECTORS_OF_LINE, STEP, UNDER_WAY,
    WAITS_OF_SECTORS, WAITS_OF_STEPS,
};
use machine::probe::{Access, Addresses};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The kind of an atomic's addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    /// Integers that the warp has added up before: one lane goes to memory.
    AddedUp,
    OfFloats,
    /// Nothing, or integers of each lane.
    Other,
}

/// The atomics of one launch, or of one worker's part of it.
#[derive(Clone, Default)]
pub struct Atomics {
    pub steps: u64,
    /// The part of them whose result somebody asks for.
    pub answered: u64,
    /// The steps of each access's busiest word, added up, by the span of blocks that made it.
    longest: FxHashMap<u32, u64>,
    /// By sector and the span of blocks that touched it.
    sectors: FxHashMap<(u64, u32), OfSector>,
    /// Steps by word, of additions of floats to one word.
    floats: FxHashMap<u64, u64>,
}

/// The work of one sector.
#[derive(Clone, Copy, Default)]
struct OfSector {
    /// Hundredths of turns.
    hundredths: u64,
    /// Hundredths of waits for the float before.
    waits: u64,
}

impl OfSector {
    fn add(&mut self, other: OfSector) {
        self.hundredths += other.hundredths;
        self.waits += other.waits;
    }
}

impl Atomics {
    /// One atomic access by a warp of this span of blocks.
    pub fn access(&mut self, access: &Access, span: u32, sum: Sum) {
        let lanes = u64::from(access.lane_count());
        let one = match access.addresses {
            Addresses::Same(address) => Some(address),
            _ => (lanes == 1).then(|| access.first_address()),
        };
        let of_floats = sum == Sum::OfFloats;
        if let Some(address) = one {
            let steps = if sum == Sum::AddedUp { 1 } else { lanes };
            *self.longest.entry(span).or_default() += steps;
            let hundredths = if steps > 1 { steps * ONE_WORD } else { STEP + COMING };
            let waits = if of_floats { steps * ONE_WORD } else { 0 };
            self.touch(address, span, steps, OfSector { hundredths, waits });
            if of_floats && (self.floats.len() < MOST_SECTORS || self.floats.contains_key(&address)) {
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
        let neighbours = words.windows(2).all(|pair| pair[1].0 == pair[0].0 + u64::from(access.bytes));
        *self.longest.entry(span).or_default() += words.iter().map(|&(_, lanes)| lanes).max().unwrap_or(0);
        let waits_of_words = WAITS_OF_SECTORS[if neighbours { (of_line(words) - 1).min(3) } else { 0 }];
        for (i, &(address, _)) in words.iter().enumerate() {
            let beside = |other: &&(u64, u64)| other.0 / SECTOR_BYTES == address / SECTOR_BYTES;
            if !words[..i].iter().any(|other| beside(&other)) {
                let steps = words.iter().filter(beside).map(|&(_, lanes)| lanes).max().unwrap_or(0);
                let with_line = neighbours && i > 0 && !(address / SECTOR_BYTES).is_multiple_of(SECTORS_OF_LINE);
                let each = if of_floats && steps > 1 { ONE_WORD } else { STEP };
                let several = words.iter().filter(beside).count() > 1;
                let coming = match (several && steps == 1 && neighbours, with_line) {
                    (true, _) => COMING_OF_WORDS,
                    (false, true) => 0,
                    (false, false) => COMING,
                };
                let waits = match (several, steps) {
                    (false, _) => steps * ONE_WORD,
                    (true, 1) => waits_of_words,
                    (true, _) => steps * WAITS_OF_STEPS,
                };
                let own = OfSector { hundredths: steps * each + coming, waits: if of_floats { waits } else { 0 } };
                self.touch(address, span, steps, own);
            }
        }
    }

    /// How many sectors a span of blocks touches, on average.
    pub fn spread(&self) -> f64 {
        let spans: FxHashSet<u32> = self.sectors.keys().map(|&(_, span)| span).collect();
        self.sectors.len() as f64 / spans.len().max(1) as f64
    }

    /// The work of L2's slices for a launch of so many spans of blocks, of which the card holds this share at a time.
    pub fn queue(&self, spans: u32, resident: f64) -> Queue {
        if self.sectors.is_empty() {
            return Queue::default();
        }
        let mut of_spans = vec![0.0; spans.max(1) as usize];
        for (&span, &longest) in &self.longest {
            of_spans[(span as usize).min(spans.max(1) as usize - 1)] += longest as f64;
        }
        let all: f64 = of_spans.iter().sum();
        let under_way = UNDER_WAY.max(all * resident.min(1.0));
        // So many spans are under way together.
        let together = (under_way / all.max(1.0) * f64::from(spans)).round().max(1.0) as u32;
        // By place and span.
        let mut ordered: Vec<(u64, u32, OfSector)> =
            self.sectors.iter().map(|(&(at, span), &own)| (at, span, own)).collect();
        let place = |sector: u64| sector * SECTOR_BYTES / GROUP_BYTES;
        ordered.sort_unstable_by_key(|&(sector, span, _)| (place(sector), span));
        let mut parts = Vec::new();
        let places = ordered.chunk_by(|one, next| place(one.0) == place(next.0));
        for (number, of_place) in (0..).zip(places) {
            let mut rest = of_place;
            for own in of_place.chunk_by(|one, next| one.1 == next.1) {
                let span = own[0].1;
                // Any of the sectors that come while these are under way is as likely the next.
                let with_it = rest.iter().take_while(|other| other.1 < span.saturating_add(together));
                let bit = |other: &(u64, u32, OfSector)| {
                    u16::from(other.2.waits > 0) << (other.0 % (GROUP_BYTES / SECTOR_BYTES))
                };
                let beside = with_it.fold(0, |all, other| all | bit(other)).count_ones();
                let mut sum = OfSector::default();
                own.iter().for_each(|other| sum.add(other.2));
                parts.push(Part {
                    span,
                    place: number,
                    turns: sum.hundredths as f64 / ONE_WORD as f64,
                    floats: sum.waits as f64 / ONE_WORD as f64 / f64::from(beside.max(1)),
                });
                rest = &rest[own.len()..];
            }
        }
        parts.sort_unstable_by_key(|part| (part.span, part.place));
        let floats = self.floats.values().copied().max().unwrap_or(0) as f64;
        Queue { parts: Arc::new(parts), of_spans: Arc::new(of_spans), under_way, floats, besides: 0.0 }
    }

    /// The same of `factor` times as many waves, which follow those that were heard and add to other words of the same allocations, whose first bytes
    /// and ends these are, as long as there are others.
    pub fn queue_of_waves(&self, spans: u32, resident: f64, factor: f64, allocations: &[(u64, u64)]) -> Queue {
        let part = self.queue(spans, resident);
        let owner = |sector: u64| allocations.partition_point(|&(start, _)| start < (sector + 1) * SECTOR_BYTES);
        let owners: FxHashSet<usize> = self.sectors.keys().map(|&(sector, _)| owner(sector)).collect();
        let bytes = |place: &usize| allocations.get(place.wrapping_sub(1)).map_or(0, |&(start, end)| end - start);
        let room = |each: u64| owners.iter().map(|place| bytes(place).div_ceil(each) as f64).sum::<f64>();
        let words = self.floats.len() as f64;
        let floats = part.floats * factor * words / (words * factor).min(room(4)).max(words).max(1.0);
        let heard = part.parts.iter().map(|part| part.place + 1).max().unwrap_or(0);
        let places = (f64::from(heard) * factor).min(room(GROUP_BYTES)).round();
        if 2.0 * f64::from(heard) > places {
            // All waves add to the same places.
            return Queue { floats, besides: factor - 1.0, ..part };
        }
        let sum = |of: fn(&Part) -> f64| factor * part.parts.iter().map(of).sum::<f64>();
        let (turns, waits) = (sum(|part| part.turns), sum(|part| part.floats));
        // One place after the other, each for its share of the blocks.
        let share = f64::from(spans) / places;
        let mut parts = Vec::new();
        for place in 0..places as u32 {
            let (begin, end) = (f64::from(place) * share, f64::from(place + 1) * share);
            for span in begin as u32..(end.ceil() as u32).min(spans) {
                let own = (end.min(f64::from(span + 1)) - begin.max(f64::from(span))).max(0.0) / f64::from(spans);
                parts.push(Part { span, place, turns: turns * own, floats: waits * own });
            }
        }
        let of_spans = vec![factor * part.of_spans.iter().sum::<f64>() / f64::from(spans); spans as usize];
        Queue { parts: Arc::new(parts), of_spans: Arc::new(of_spans), floats, ..part }
    }

    /// Takes another worker's part over.
    pub fn join(&mut self, other: Atomics) {
        self.steps += other.steps;
        self.answered += other.answered;
        other.longest.into_iter().for_each(|(span, steps)| *self.longest.entry(span).or_default() += steps);
        other.floats.into_iter().for_each(|(word, steps)| *self.floats.entry(word).or_default() += steps);
        other.sectors.into_iter().for_each(|(key, own)| self.sectors.entry(key).or_default().add(own));
    }

    fn touch(&mut self, address: u64, span: u32, steps: u64, own: OfSector) {
        self.steps += steps;
        let key = (address / SECTOR_BYTES, span);
        if self.sectors.len() < MOST_SECTORS || self.sectors.contains_key(&key) {
            self.sectors.entry(key).or_default().add(own);
        }
    }
}

/// The number of sectors that words after each other lie in.
fn of_line(words: &[(u64, u64)]) -> usize {
    words.chunk_by(|one, next| one.0 / SECTOR_BYTES == next.0 / SECTOR_BYTES).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::probe::{AccessKind, Order, Who};
    use ptx::isa::Space;

    /// One warp's additions.
    fn add(atomics: &mut Atomics, addresses: Addresses) {
        access(atomics, !0, addresses, 0, Sum::Other);
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

    /// Turns of 64 slices where blocks take no time of their own and floats do not wait, as if one multiprocessor's blocks were all resident.
    fn turns(atomics: &Atomics) -> f64 {
        atomics.queue(64, 0.01).turns(64.0, 0.0, 0.0)
    }

    /// Blocks that go through a vector of 64 places, one after the other: the first eighth of them tells of all, and of the busiest word.
    #[test]
    fn the_first_waves_tell_of_those_that_follow_them() {
        let of = |blocks: std::ops::Range<u64>, all: u64| {
            let mut atomics = Atomics::default();
            for block in blocks {
                let own = words(|lane| block / 64 * 128 + lane as u64 / 8);
                let span = (block * 64 / all) as u32;
                access(&mut atomics, !0, Addresses::Each(&own), span, Sum::OfFloats);
            }
            atomics
        };
        let whole = of(0..4096, 4096).queue(64, 0.01).turns(32.0, 1.4, 0.0);
        let part = of(0..512, 512);
        let vector = [(0, 0x1000), (0x1000, 0x1000 + 64 * 512)];
        let told = part.queue_of_waves(64, 0.08, 8.0, &vector).turns(32.0, 1.4, 0.0);
        assert!((told / whole - 1.0).abs() < 0.03, "{told} of {whole}");
        // A vector of one place: all that follow add to it as well.
        let same = part.queue_of_waves(64, 0.08, 8.0, &[(0x1000, 0x1200)]).turns(32.0, 1.4, 0.0);
        assert!(same > 1.5 * told, "{same} and {told}");
    }

    fn access(atomics: &mut Atomics, mask: u32, addresses: Addresses, span: u32, sum: Sum) {
        let (who, order) = (Who::default(), Order::WEAK);
        let (kind, space) = (AccessKind::Atomic, Space::Global);
        atomics.access(
            &Access { who, site: 0, kind, space, mask, addresses, bytes: 4, order, stored: None },
            span,
            sum,
        );
    }

    #[test]
    fn neighbours_wait_for_one_slice_and_others_do_not() {
        let of = |apart: u64| {
            let mut atomics = Atomics::default();
            (0..4).for_each(|warp| add(&mut atomics, Addresses::Each(&words(|_| warp * apart))));
            turns(&atomics)
        };
        // A word of 32 steps and its sector's coming, four times.
        let each = 32.0 * 0.73 + 0.22;
        assert!((of(1) - 4.0 * each).abs() < 1e-9, "{}", of(1));
        assert!((of(32) - 4.0 * each).abs() < 1e-9, "{}", of(32));
        assert!(of(128) < 1.1 * each, "{}", of(128));
    }

    #[test]
    fn neighbours_of_a_line_come_as_one() {
        let of = |apart: u64| {
            let mut atomics = Atomics::default();
            add(&mut atomics, Addresses::Each(&words(|lane| lane as u64 % 8 + lane as u64 / 8 * 8 * apart)));
            turns(&atomics)
        };
        assert!((of(1) - 4.0 * 0.79).abs() < 1e-9, "{}", of(1));
        assert!((of(2) - 4.0 * (0.73 + 0.22)).abs() < 1e-9, "{}", of(2));
    }

    #[test]
    fn what_later_blocks_add_elsewhere_is_under_way_with_it() {
        let share = |lanes: u32| {
            let mut atomics = Atomics::default();
            for span in 0..8 {
                let own = words(|_| u64::from(span) * 128);
                (0..1000).for_each(|_| {
                    access(&mut atomics, !0 >> (32 - lanes), Addresses::Each(&own), span, Sum::Other);
                });
            }
            turns(&atomics) / atomics.queue(8, 0.01).parts.iter().map(|part| part.turns).sum::<f64>()
        };
        assert!(share(1) < 0.15, "all eight spans at once, each with lines of its own: {}", share(1));
        assert!(share(32) > 0.5, "one span of them nearly fills what is under way: {}", share(32));
    }

    #[test]
    fn what_the_last_blocks_add_comes_after_them() {
        let mut atomics = Atomics::default();
        let own: [[u64; 32]; 8] = std::array::from_fn(|span| words(|_| span as u64 * 128));
        for (span, own) in (0..).zip(&own) {
            (0..100).for_each(|_| access(&mut atomics, 1, Addresses::Each(own), span, Sum::Other));
        }
        let queue = atomics.queue(8, 0.01);
        let after = |alone: f64| queue.turns(1e9, 0.0, alone);
        // Eight places of 95 turns each: the last one's begin when seven eighths of the blocks are through.
        assert!((after(0.0) - 95.0).abs() < 1e-3, "{}", after(0.0));
        assert!((after(8000.0) - 7095.0).abs() < 1e-3, "{}", after(8000.0));
    }

    #[test]
    fn sums_of_floats_wait_for_the_one_before_in_their_sector() {
        let of = |sectors: u64, sum| {
            let mut atomics = Atomics::default();
            for at in 0..64 {
                let own = words(|_| at % sectors * 8);
                access(&mut atomics, 1, Addresses::Each(&own), 0, sum);
            }
            atomics.queue(1, 0.01).turns(1e9, 1.4, 0.0) / 64.0
        };
        assert!((of(1, Sum::OfFloats) - 2.35).abs() < 1e-6, "{}", of(1, Sum::OfFloats));
        assert!((of(4, Sum::OfFloats) - 1.3).abs() < 1e-6, "one in four finds its sector at work");
        assert!((of(1, Sum::Other) - 0.95).abs() < 1e-6);
    }

    #[test]
    fn floats_of_a_line_wait_for_one_another_the_less_the_more_sectors_an_access_has() {
        let of = |lanes: u32| {
            let own = words(|lane| lane as u64);
            let mut atomics = Atomics::default();
            (0..64).for_each(|_| access(&mut atomics, !0 >> (32 - lanes), Addresses::Each(&own), 0, Sum::OfFloats));
            atomics.queue(1, 0.01).turns(1e9, 1.4, 0.0) / 64.0
        };
        let measured = [(1, 2.35), (2, 2.35), (8, 2.35), (16, 2.35), (32, 3.16)];
        for (lanes, turns) in measured {
            assert!((of(lanes) - turns).abs() < 0.02, "{lanes}: {}", of(lanes));
        }
    }

    #[test]
    fn sums_of_floats_in_one_word_are_counted() {
        let all = words(|lane| lane as u64);
        let of = |mask, addresses, sum| {
            let mut atomics = Atomics::default();
            (0..3).for_each(|_| access(&mut atomics, mask, addresses, 0, sum));
            atomics.queue(1, 1.0).floats
        };
        assert_eq!(of(1, Addresses::Each(&all), Sum::OfFloats), 3.0);
        assert_eq!(of(!0, Addresses::Same(0x1000), Sum::OfFloats), 96.0);
        assert_eq!(of(!0, Addresses::Each(&all), Sum::OfFloats), 0.0, "of several words");
        assert_eq!(of(1, Addresses::Each(&all), Sum::Other), 0.0);
    }
}
