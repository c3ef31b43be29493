//! Values that were written but are not defined: they were computed from bytes that nobody has written.
use rustc_hash::FxHashMap;

/// The undefined bits of one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stain {
    /// A bit for each bit of the byte that is not defined; never 0.
    pub mask: u8,
    /// Where the value comes from: a number that means something to whoever stored it.
    pub origin: u32,
    /// True if the value was computed from undefined ones, and not only moved, masked and shifted.
    pub computed: bool,
    /// True if it may be padding: structures are copied with what lies between their members, so a value that was only moved,
    /// and of which some bytes are defined, may be a piece of one.
    pub padding: bool,
}

/// Undefined bytes by address.
#[derive(Clone, Debug, Default)]
pub struct Stains(FxHashMap<u64, Stain>);

impl Stains {
    /// Returns whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes an undefined byte.
    pub fn put(&mut self, address: u64, stain: Stain) {
        self.0.insert(address, stain);
    }

    /// The undefined bits of a byte.
    pub fn at(&self, address: u64) -> Option<Stain> {
        self.0.get(&address).copied()
    }

    /// Everything in a range is defined, or gone.
    pub fn clear(&mut self, address: u64, bytes: u64) {
        if self.0.is_empty() {
        } else if bytes <= self.0.len() as u64 {
            (address..address + bytes).for_each(|byte| {
                self.0.remove(&byte);
            });
        } else {
            self.0.retain(|&byte, _| byte.wrapping_sub(address) >= bytes);
        }
    }

    /// The undefined bytes of a range, in no order.
    pub fn of(&self, address: u64, bytes: u64) -> Vec<(u64, Stain)> {
        if bytes <= self.0.len() as u64 {
            (address..address + bytes).filter_map(|byte| Some((byte, self.at(byte)?))).collect()
        } else {
            let inside = |(byte, _): &(&u64, &Stain)| byte.wrapping_sub(address) < bytes;
            self.0.iter().filter(inside).map(|(&byte, &stain)| (byte, stain)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_found_and_cleared() {
        let mut stains = Stains::default();
        let stain = Stain { mask: 0xf0, origin: 3, computed: false, padding: false };
        [100, 101, 107].into_iter().for_each(|byte| stains.put(byte, stain));
        assert_eq!(stains.of(100, 2).len(), 2);
        assert_eq!(stains.of(0, 1000).len(), 3);
        stains.clear(101, 1);
        assert_eq!((stains.at(100), stains.at(101)), (Some(stain), None));
        stains.clear(0, 107);
        assert_eq!(stains.of(0, 1000), [(107, stain)]);
        stains.clear(107, 1 << 40);
        assert!(stains.is_empty());
    }
}
