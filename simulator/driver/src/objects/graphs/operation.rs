//! Parts of the work that streams take, of which a graph has nodes as well: copies, fills, waits, functions of the host.

/// Order of submission, over all streams and devices. What an operation waits for has a lower number.
pub type Seq = u64;

/// Operations that one wait has chosen to do.
pub struct Chosen {
    /// In the order of submission.
    pub operations: Vec<Seq>,
    /// The number of the first operation that was not submitted yet. What comes later has no influence on the clock, however
    /// long the host takes for the chosen ones.
    pub horizon: Seq,
}

/// A wait of a stream for a value, whoever writes it.
#[derive(Clone, Copy, Debug)]
pub struct ValueWait {
    pub at: u64,
    pub value: u64,
    pub bytes: u8,
    pub condition: Condition,
}

/// How a value is compared with the one that a stream waits for: `CUstreamWaitValue_flags`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The difference is not negative, as a signed number of that width.
    NotBefore,
    Equal,
    /// A bit of both is set.
    AnyOf,
    /// A bit is set in neither.
    Nor,
}

impl Condition {
    /// The condition of an interface's number.
    pub fn of(flags: u32) -> Option<Condition> {
        Some(match flags {
            0 => Condition::NotBefore,
            1 => Condition::Equal,
            2 => Condition::AnyOf,
            3 => Condition::Nor,
            _ => return None,
        })
    }

    /// True if what was found ends a wait for `value`; both have `bytes` bytes.
    pub fn holds(self, found: u64, value: u64, bytes: u8) -> bool {
        let unused = 64 - 8 * u32::from(bytes);
        match self {
            Condition::NotBefore => (found.wrapping_sub(value) << unused) as i64 >= 0,
            Condition::Equal => found == value,
            Condition::AnyOf => found & value != 0,
            Condition::Nor => !(found | value) << unused != 0,
        }
    }
}

/// A function of the application to be called in stream order.
#[derive(Clone, Copy)]
pub struct HostFunction {
    pub function: unsafe extern "C" fn(*mut std::ffi::c_void),
    /// The application's own pointer, as a number.
    pub data: usize,
}

/// A box of bytes to copy: `height` rows of `width` bytes in `depth` slices. A plain copy has one row.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    pub to: u64,
    pub from: u64,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub to_pitch: usize,
    pub from_pitch: usize,
    pub to_slice: usize,
    pub from_slice: usize,
    /// True if the caller named the sides: such addresses must lie where it said.
    pub sides: Sides,
}

/// The kinds of memory that a caller named for the two sides of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides {
    pub to_device: Option<bool>,
    pub from_device: Option<bool>,
}

/// A pattern to repeat over `height` rows of `count` elements.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    pub at: u64,
    pub value: u32,
    /// Bytes of an element: 1, 2 or 4.
    pub element: usize,
    pub count: usize,
    pub height: usize,
    pub pitch: usize,
}

impl Transfer {
    /// A plain copy.
    pub fn line(to: u64, from: u64, bytes: usize, sides: Sides) -> Self {
        Transfer {
            to,
            from,
            width: bytes,
            height: 1,
            depth: 1,
            to_pitch: bytes,
            from_pitch: bytes,
            to_slice: bytes,
            from_slice: bytes,
            sides,
        }
    }
    /// Bytes that move.
    pub fn bytes(&self) -> u64 {
        (self.width as u64).saturating_mul(self.height as u64).saturating_mul(self.depth as u64)
    }
    /// Bytes from the first to past the last, on a side with this pitch and slice.
    pub fn reach(&self, pitch: usize, slice: usize) -> u64 {
        if self.bytes() == 0 {
            return 0;
        }
        let slices = (self.depth as u64 - 1).saturating_mul(slice as u64);
        let rows = (self.height as u64 - 1).saturating_mul(pitch as u64);
        slices.saturating_add(rows).saturating_add(self.width as u64)
    }
}

impl Fill {
    /// One row of `count` elements of `element` bytes.
    pub fn row(at: u64, value: u32, element: usize, count: usize) -> Fill {
        Fill { at, value, element, count, height: 1, pitch: 0 }
    }
    /// Bytes from the first to past the last.
    pub fn reach(&self) -> u64 {
        if self.count == 0 || self.height == 0 {
            return 0;
        }
        ((self.height as u64 - 1).saturating_mul(self.pitch as u64))
            .saturating_add((self.count as u64).saturating_mul(self.element as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::Condition::{AnyOf, Equal, Nor, NotBefore};

    #[test]
    fn a_condition_holds_within_the_width_of_its_value() {
        assert!(NotBefore.holds(5, 5, 4) && NotBefore.holds(6, 5, 4) && !NotBefore.holds(4, 5, 4));
        // Numbers that count on after their largest.
        assert!(NotBefore.holds(1, 0xffff_ffff, 4) && !NotBefore.holds(0xffff_ffff, 1, 4));
        assert!(!NotBefore.holds(1, 0xffff_ffff, 8) && NotBefore.holds(1, u64::MAX, 8));
        assert!(Equal.holds(7, 7, 4) && !Equal.holds(8, 7, 4));
        assert!(AnyOf.holds(6, 2, 4) && !AnyOf.holds(5, 2, 4));
        assert!(Nor.holds(1, 2, 4) && !Nor.holds(0xffff_fff0, 0xf, 4) && Nor.holds(0xffff_fff0, 0xf, 8));
    }
}
