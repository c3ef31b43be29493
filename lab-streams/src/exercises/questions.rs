//! The batches that every schedule is asked for.

use common::exercise::rand::{RngExt, seq::SliceRandom};
use common::exercise::{draw, spread};

/// A question to a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Items.
    pub count: usize,
    /// Sets of buffers, where that is a choice.
    pub ring: usize,
    /// How far the answer is followed.
    pub scrutiny: Scrutiny,
}

/// How far a schedule is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scrutiny {
    /// As data only.
    Data,
    /// Carried out on small items.
    Run,
    /// Carried out on items so large that copies take their time.
    Measured,
}

/// The batch whose time a verdict reports: the same for every seed.
pub const TIMED: [usize; 2] = [8, 4];
/// Items of the other measured batches. Fewer cannot hide enough of their copies: the first one in and the last one out are alone.
const MEASURED_ITEMS: [usize; 2] = [7, 16];

/// The inputs that every schedule is asked for.
pub fn batches(seed: u64) -> Vec<Batch> {
    let draw = &mut draw(seed, 0);
    let mut batches: Vec<Batch> = Vec::new();
    let mut ask = |count, ring, scrutiny| batches.push(Batch { count, ring, scrutiny });
    ask(TIMED[0], TIMED[1], Scrutiny::Measured);
    for [count, ring] in [[1, 4], [2, 4], [5, 1], [6, 4], [10, 3]] {
        ask(count, ring, Scrutiny::Run);
    }
    ask(70, 4, Scrutiny::Data);
    for _ in 0..2 {
        let [least, most] = MEASURED_ITEMS;
        ask(draw.random_range(least..=most), draw.random_range(3..=6), Scrutiny::Measured);
    }
    for _ in 0..3 {
        ask(draw.random_range(1..=12), draw.random_range(1..=8), Scrutiny::Run);
    }
    for _ in 0..20 {
        ask(spread(draw, 1, 100), spread(draw, 1, 16), Scrutiny::Data);
    }
    batches.shuffle(draw);
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_asks_the_same_and_another_one_asks_other_things() {
        assert!(batches(7) == batches(7) && batches(7) != batches(8));
    }

    #[test]
    fn what_is_asked_is_legal_and_holds_the_special_cases() {
        for seed in 0..50 {
            let batches = batches(seed);
            assert!(batches.iter().all(|batch| batch.count > 0 && batch.ring > 0));
            let measured = batches.iter().filter(|batch| batch.scrutiny == Scrutiny::Measured);
            assert!(measured.clone().any(|batch| [batch.count, batch.ring] == TIMED) && measured.count() == 3);
            assert!(batches.iter().any(|batch| batch.count == 1) && batches.iter().any(|batch| batch.count == 70));
        }
    }
}
