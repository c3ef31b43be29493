//! Advice of a program about managed memory: its preferred place, its users, the place of its last prefetch. It changes no result
//! here, where nothing migrates, but the program may ask for it.
use std::ffi::c_int;
use std::ops::Range;

/// A device's number, or −1, the host.
pub type Place = c_int;

/// No device, and not the host.
pub const NOWHERE: Place = -2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    ReadMostly(bool),
    /// Where it likes to lie; [`NOWHERE`] takes it back.
    Preferred(Place),
    /// Who uses it, or does no longer.
    AccessedBy(Place, bool),
    Prefetched(Place),
}

impl Advice {
    /// True if a later word of the other kind takes the place of this one.
    fn is_replaced_by(self, later: Advice) -> bool {
        match (self, later) {
            (Advice::AccessedBy(place, _), Advice::AccessedBy(other, _)) => place == other,
            _ => std::mem::discriminant(&self) == std::mem::discriminant(&later),
        }
    }
}

/// All that was said of an allocation, in its order.
#[derive(Clone, Debug, Default)]
pub struct Advised(Vec<(Range<u64>, Advice)>);

impl Advised {
    /// Notes what is said of a range of addresses, and forgets what it replaces.
    pub fn note(&mut self, range: Range<u64>, advice: Advice) {
        let is_covered = |(old, said): &(Range<u64>, Advice)| {
            range.start <= old.start && old.end <= range.end && said.is_replaced_by(advice)
        };
        self.0.retain(|known| !is_covered(known));
        self.0.push((range, advice));
    }

    /// The answer of `of` for every address of a range, if it is the same for all; else `None`.
    fn same<T: Copy + PartialEq>(&self, range: &Range<u64>, none: T, of: impl Fn(Advice) -> Option<T>) -> Option<T> {
        // It changes only where something that was said begins or ends.
        let borders = self.0.iter().flat_map(|(said, _)| [said.start, said.end]);
        let places = borders.filter(|at| range.contains(at)).chain([range.start]);
        let at = |address: u64| {
            let told = self.0.iter().rev().filter(|(said, _)| said.contains(&address));
            told.filter_map(|&(_, advice)| of(advice)).next().unwrap_or(none)
        };
        let mut values = places.map(at);
        let first = values.next()?;
        values.all(|value| value == first).then_some(first)
    }

    /// True if all of a range is mostly read.
    pub fn is_read_mostly(&self, range: &Range<u64>) -> bool {
        let of = |advice| if let Advice::ReadMostly(on) = advice { Some(on) } else { None };
        self.same(range, false, of) == Some(true)
    }

    /// Where all of a range likes to lie.
    pub fn preferred(&self, range: &Range<u64>) -> Place {
        let of = |advice| if let Advice::Preferred(place) = advice { Some(place) } else { None };
        self.same(range, NOWHERE, of).unwrap_or(NOWHERE)
    }

    /// Where all of a range was last sent.
    pub fn prefetched(&self, range: &Range<u64>) -> Place {
        let of = |advice| if let Advice::Prefetched(place) = advice { Some(place) } else { None };
        self.same(range, NOWHERE, of).unwrap_or(NOWHERE)
    }

    /// True if a place uses all of a range.
    pub fn is_accessed_by(&self, range: &Range<u64>, place: Place) -> bool {
        let of = |advice| match advice {
            Advice::AccessedBy(by, on) if by == place => Some(on),
            _ => None,
        };
        self.same(range, false, of) == Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_part_holds_for_the_part() {
        let mut advised = Advised::default();
        let all = 0..100;
        assert_eq!(advised.preferred(&all), NOWHERE);
        advised.note(0..100, Advice::Preferred(0));
        assert_eq!(advised.preferred(&all), 0);
        advised.note(40..60, Advice::Preferred(-1));
        assert_eq!(
            (advised.preferred(&all), advised.preferred(&(45..50)), advised.preferred(&(60..100))),
            (NOWHERE, -1, 0)
        );
        advised.note(0..100, Advice::Preferred(NOWHERE));
        assert_eq!((advised.preferred(&all), advised.0.len()), (NOWHERE, 1));
    }

    #[test]
    fn users_are_told_apart() {
        let mut advised = Advised::default();
        advised.note(0..10, Advice::AccessedBy(0, true));
        advised.note(0..10, Advice::AccessedBy(-1, true));
        advised.note(0..10, Advice::AccessedBy(0, false));
        assert!(!advised.is_accessed_by(&(0..10), 0) && advised.is_accessed_by(&(0..10), -1));
        assert!(!advised.is_read_mostly(&(0..10)));
    }
}
