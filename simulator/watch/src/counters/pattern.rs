//! Sets of a few dozen numbers.

/// A set of at most 64 numbers, by open addressing.
pub struct Distinct {
    slots: [u64; 128],
    len: u64,
}

impl Default for Distinct {
    fn default() -> Self {
        Self { slots: [u64::MAX; 128], len: 0 }
    }
}

impl Distinct {
    /// Adds a number below `u64::MAX`; says whether it is new.
    pub fn insert(&mut self, number: u64) -> bool {
        let mut slot = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57) as usize;
        loop {
            if self.slots[slot] == number {
                return false;
            }
            if self.slots[slot] == u64::MAX {
                self.slots[slot] = number;
                self.len += 1;
                return true;
            }
            slot = (slot + 1) & 127;
        }
    }
    /// How many numbers are in it.
    pub fn count(&self) -> u64 {
        self.len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_counts_each_number_once() {
        let mut set = Distinct::default();
        for number in 0..64u64 {
            assert!(set.insert(number * 1024));
            assert!(!set.insert(number * 1024));
        }
        assert_eq!(set.count(), 64);
    }
}
