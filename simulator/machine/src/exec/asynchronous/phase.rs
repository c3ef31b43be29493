//! The object of an `mbarrier`: 64 bits that the kernel does not look into.
//!
//! Bits 0–19: arrivals that the phase waits for. 20–39: arrivals expected in each phase. 40–60: bytes of transactions that the
//! phase waits for, in two's complement, since copies may end before they are announced. 63: the phase's parity. The PTX
//! manual gives the ranges (2²⁰ − 1 each way) and leaves the layout open.

/// An `mbarrier` object as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Object(pub u64);

/// The most arrivals of a phase, and the most bytes that it waits for.
pub(crate) const COUNT: u64 = (1 << 20) - 1;
const BYTES_SHIFT: u32 = 40;
const BYTES_BITS: u32 = 21;
const PARITY: u64 = 1 << 63;

impl Object {
    /// A new object for `count` arrivals in each phase.
    pub fn new(count: u32) -> Object {
        let count = u64::from(count) & COUNT;
        Object(count | count << 20)
    }

    /// Arrivals that the phase waits for.
    pub fn pending(self) -> u32 {
        (self.0 & COUNT) as u32
    }

    fn expected(self) -> u64 {
        self.0 >> 20 & COUNT
    }

    /// Bytes that the phase waits for; below zero where more came than was announced.
    pub fn bytes(self) -> i32 {
        let up = 64 - BYTES_SHIFT - BYTES_BITS;
        ((self.0 << up) as i64 >> (64 - BYTES_BITS)) as i32
    }

    /// The parity of the phase under way.
    pub fn parity(self) -> bool {
        self.0 & PARITY != 0
    }

    /// Returns whether two objects are in different phases.
    pub fn is_past(self, earlier: Object) -> bool {
        (self.0 ^ earlier.0) & PARITY != 0
    }

    fn with_bytes(self, bytes: i64) -> Object {
        let mask = ((1 << BYTES_BITS) - 1) << BYTES_SHIFT;
        Object(self.0 & !mask | ((bytes as u64) << BYTES_SHIFT & mask))
    }

    /// After `count` arrivals, of which `dropped` come no more in later phases.
    pub fn arrive(self, count: u32, dropped: u32) -> Object {
        let pending = u64::from(self.pending().saturating_sub(count));
        let expected = self.expected().saturating_sub(dropped.into());
        Object(self.0 & !(COUNT | COUNT << 20) | pending | expected << 20).end_phase()
    }

    /// With more bytes to wait for. A phase with arrivals to come does not end by this.
    pub fn expect(self, bytes: u32) -> Object {
        self.with_bytes(i64::from(self.bytes()) + i64::from(bytes))
    }

    /// After bytes have come.
    pub fn complete(self, bytes: u32) -> Object {
        self.with_bytes(i64::from(self.bytes()) - i64::from(bytes)).end_phase()
    }

    /// Ends the phase if nothing is left to wait for.
    fn end_phase(self) -> Object {
        if self.pending() != 0 || self.bytes() != 0 {
            return self;
        }
        let expected = self.expected();
        Object(expected | expected << 20 | (self.0 ^ PARITY) & PARITY)
    }
}

/// The arrivals and bytes that a phase still waited for when it was last asked for in vain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waited {
    pub address: u64,
    pub arrivals: u32,
    pub bytes: i32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_ends_with_its_last_arrival() {
        let object = Object::new(3).arrive(1, 0).arrive(1, 0);
        assert_eq!((object.pending(), object.parity()), (1, false));
        let object = object.arrive(1, 1);
        assert_eq!((object.pending(), object.expected(), object.parity()), (2, 2, true));
        assert!(!object.arrive(2, 0).parity());
    }

    #[test]
    fn a_phase_waits_for_its_bytes_whatever_comes_first() {
        let armed = Object::new(1).expect(4096).arrive(1, 0);
        assert_eq!((armed.pending(), armed.bytes(), armed.parity()), (0, 4096, false));
        assert!(!armed.complete(4080).parity());
        let done = armed.complete(4096);
        assert_eq!((done.pending(), done.bytes(), done.parity()), (1, 0, true));
        let early = Object::new(1).complete(4096);
        assert_eq!((early.bytes(), early.parity()), (-4096, false));
        assert!(early.expect(4096).arrive(1, 0).parity());
    }

    #[test]
    fn the_largest_count_of_bytes_fits() {
        let most = (1 << 20) - 1;
        assert_eq!(Object::new(1).expect(most).bytes(), most as i32);
        assert_eq!(Object::new(1).complete(most).bytes(), -(most as i32));
        assert!(Object::new(1).expect(most).complete(most).arrive(1, 0).parity());
    }
}
