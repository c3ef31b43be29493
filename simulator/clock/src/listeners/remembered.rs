//! The memory of a site's last address pattern.
//!
//! The cost of an access depends on the *differences* between its lanes' addresses and on where the first one lies within
//! a sector or a bank. A site nearly always repeats its last pattern, so its cost is computed once and remembered.

/// The last pattern of a site, with what it cost.
#[derive(Clone)]
pub struct Remembered<T> {
    mask: u32,
    /// First address modulo the alignment that matters.
    phase: u64,
    differences: Box<[u64; 32]>,
    cost: T,
}

impl<T: Copy> Remembered<T> {
    /// The cost of an access: that of the last one, if it had the same pattern, else what `count` says, which is remembered.
    pub fn cost(
        last: &mut Option<Self>,
        mask: u32,
        addresses: &[u64; 32],
        alignment: u64,
        count: impl FnOnce() -> T,
    ) -> T {
        if let Some(cost) = last.as_ref().and_then(|known| known.recall(mask, addresses, alignment)) {
            return cost;
        }
        let cost = count();
        *last = Some(Remembered::new(mask, addresses, alignment, cost));
        cost
    }

    /// Remembers the cost of an access; `alignment` is a power of two.
    fn new(mask: u32, addresses: &[u64; 32], alignment: u64, cost: T) -> Self {
        let first = addresses[(mask.trailing_zeros() & 31) as usize];
        let differences = Box::new(std::array::from_fn(|lane| addresses[lane].wrapping_sub(first)));
        Self { mask, phase: first & (alignment - 1), differences, cost }
    }

    /// The cost, if the access has the remembered pattern.
    fn recall(&self, mask: u32, addresses: &[u64; 32], alignment: u64) -> Option<T> {
        let first = addresses[(mask.trailing_zeros() & 31) as usize];
        if mask != self.mask || first & (alignment - 1) != self.phase {
            return None;
        }
        let mut other = 0u64;
        if mask == u32::MAX {
            for (address, difference) in addresses.iter().zip(self.differences.iter()) {
                other |= address.wrapping_sub(first) ^ difference;
            }
        } else {
            for (lane, (address, difference)) in addresses.iter().zip(self.differences.iter()).enumerate() {
                let active = u64::from(mask >> lane & 1).wrapping_neg();
                other |= (address.wrapping_sub(first) ^ difference) & active;
            }
        }
        (other == 0).then_some(self.cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_recalled_wherever_it_starts_at_the_same_phase() {
        let pattern = |base: u64| std::array::from_fn(|l| base + 12 * l as u64);
        let remembered = Remembered::new(0xffff, &pattern(64), 32, 7);
        assert_eq!(remembered.recall(0xffff, &pattern(640), 32), Some(7));
        assert_eq!(remembered.recall(0xffff, &pattern(644), 32), None);
        assert_eq!(remembered.recall(0xfffe, &pattern(64), 32), None);
        let mut other: [u64; 32] = pattern(64);
        other[20] = 0;
        assert_eq!(remembered.recall(0xffff, &other, 32), Some(7), "an inactive lane's address is no part of it");
        other[3] = 0;
        assert_eq!(remembered.recall(0xffff, &other, 32), None);
    }
}
