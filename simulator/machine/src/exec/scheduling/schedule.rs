//! The order in which blocks and warps run: the natural one for seed 0, another for every other seed.

/// A seeded order. Equal seeds give equal orders.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    seed: u64,
    blocks: u64,
    /// Block `i` in the order is `(i·step + start) mod blocks`; the step has no divisor in common with their number.
    step: u64,
    start: u64,
}

/// Instructions of a turn in the natural order.
pub(super) const LONG_TURN: u64 = 1 << 20;

impl Schedule {
    pub fn new(seed: u64, blocks: u64) -> Schedule {
        let (mut step, mut start) = (1, 0);
        if seed != 0 && blocks > 1 {
            step = mix(seed) % blocks;
            while divisor(step, blocks) != 1 {
                step = (step + 1) % blocks;
            }
            start = mix(seed ^ 1) % blocks;
        }
        Schedule { seed, blocks, step, start }
    }

    /// The block that is `i`-th in the order.
    pub fn block(&self, i: u64) -> u64 {
        let product = u128::from(i) * u128::from(self.step) + u128::from(self.start);
        (product % u128::from(self.blocks)) as u64
    }

    /// Returns whether the order is not the natural one.
    pub fn is_shuffled(&self) -> bool {
        self.seed != 0
    }

    /// Instructions of the next turn: long in the natural order, short and irregular in others, so that more
    /// interleavings are seen.
    pub fn turn(&self, count: u64) -> u64 {
        if self.seed == 0 { LONG_TURN } else { 8 + mix(self.seed ^ count << 20) % 500 }
    }

    /// Shuffles what belongs to a block.
    pub fn shuffle(&self, block: u64, order: &mut [usize]) {
        if self.seed != 0 {
            for i in (1..order.len()).rev() {
                order.swap(i, (mix(self.seed ^ block << 32 ^ i as u64) % (i as u64 + 1)) as usize);
            }
        }
    }
}

/// SplitMix64's finaliser.
fn mix(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_runs_once_in_every_order() {
        for seed in 0..50 {
            for blocks in [1, 2, 3, 7, 60, 64, 1000] {
                let schedule = Schedule::new(seed, blocks);
                let mut seen: Vec<_> = (0..blocks).map(|i| schedule.block(i)).collect();
                if seed == 0 {
                    assert!(seen.is_sorted());
                }
                seen.sort_unstable();
                assert!(seen.iter().copied().eq(0..blocks), "seed {seed}, {blocks} blocks");
            }
        }
    }
}
