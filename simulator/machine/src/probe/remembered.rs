//! The memory of a site's last address pattern.
//!
//! The cost of an access depends on the *differences* between its lanes' addresses and on where the first one lies within
//! a sector or a bank. A site nearly always repeats its last pattern, at a few places in turn, so the cost of each is computed once and
//! remembered.

/// Costs that are remembered of a pattern, one for each word of a sector. The number changes how soon a cost is found, and not the cost.
const REMEMBERED_PATTERNS: usize = 8;

/// The last pattern of a site, with what it cost.
#[derive(Clone, Default)]
pub struct Remembered<T> {
    mask: u32,
    differences: [u64; 32],
    /// By the word that the first address is: the address modulo the alignment that matters, and the cost there.
    costs: [(u64, T); REMEMBERED_PATTERNS],
    /// A bit for each of these that is known.
    known: u8,
}

impl<T: Copy + Default> Remembered<T> {
    /// The cost of an access: the remembered one, if the site's last pattern had such a place, else what `count` says, which is
    /// remembered. `alignment` is a power of two.
    pub fn cost(
        last: &mut Option<Box<Self>>,
        mask: u32,
        addresses: &[u64; 32],
        alignment: u64,
        count: impl FnOnce() -> T,
    ) -> T {
        let first = addresses[(mask.trailing_zeros() & 31) as usize];
        let phase = first & (alignment - 1);
        let pattern = match last {
            Some(known) if known.is(mask, addresses, first) => known,
            Some(other) => other.put(mask, addresses, first),
            None => last.insert(Box::default()).put(mask, addresses, first),
        };
        let place = (phase / 4) as usize % REMEMBERED_PATTERNS;
        if pattern.known >> place & 1 == 0 || pattern.costs[place].0 != phase {
            pattern.costs[place] = (phase, count());
            pattern.known |= 1 << place;
        }
        pattern.costs[place].1
    }

    /// Remembers a pattern that has not cost anything yet.
    fn put(&mut self, mask: u32, addresses: &[u64; 32], first: u64) -> &mut Self {
        self.mask = mask;
        self.differences.iter_mut().zip(addresses).for_each(|(own, address)| *own = address.wrapping_sub(first));
        self.known = 0;
        self
    }

    /// True if it is the pattern of an access.
    fn is(&self, mask: u32, addresses: &[u64; 32], first: u64) -> bool {
        if mask != self.mask {
            return false;
        }
        let mut other = 0u64;
        if mask == u32::MAX {
            for (address, difference) in addresses.iter().zip(&self.differences) {
                other |= address.wrapping_sub(first) ^ difference;
            }
        } else {
            for (lane, (address, difference)) in addresses.iter().zip(&self.differences).enumerate() {
                let active = u64::from(mask >> lane & 1).wrapping_neg();
                other |= (address.wrapping_sub(first) ^ difference) & active;
            }
        }
        other == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cost of an access, and whether it was counted anew.
    fn cost(last: &mut Option<Box<Remembered<u32>>>, mask: u32, addresses: &[u64; 32], counted: u32) -> (u32, bool) {
        let mut anew = false;
        let cost = Remembered::cost(last, mask, addresses, 32, || {
            anew = true;
            counted
        });
        (cost, anew)
    }

    #[test]
    fn a_pattern_is_recalled_wherever_it_starts_at_the_same_phase() {
        let pattern = |base: u64| std::array::from_fn(|l| base + 12 * l as u64);
        let mut last = None;
        assert_eq!(cost(&mut last, 0xffff, &pattern(64), 7), (7, true));
        assert_eq!(cost(&mut last, 0xffff, &pattern(640), 8), (7, false));
        assert_eq!(cost(&mut last, 0xffff, &pattern(644), 9), (9, true));
        assert_eq!(
            cost(&mut last, 0xffff, &pattern(64), 8),
            (7, false),
            "another place leaves what is known of this one"
        );
        assert_eq!(
            cost(&mut last, 0xffff, &pattern(645), 11),
            (11, true),
            "another byte of a known word is another place"
        );
        assert_eq!(cost(&mut last, 0xffff, &pattern(644), 9), (9, true));
        let mut other: [u64; 32] = pattern(64);
        other[20] = 0;
        assert_eq!(cost(&mut last, 0xffff, &other, 8), (7, false), "an inactive lane's address is no part of it");
        other[3] = 0;
        assert_eq!(cost(&mut last, 0xffff, &other, 12), (12, true));
        assert_eq!(cost(&mut last, 0xffff, &pattern(64), 13), (13, true), "the last pattern is the one that is kept");
        assert_eq!(cost(&mut last, 0xfffe, &pattern(64), 14), (14, true));
    }
}
