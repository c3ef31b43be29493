//! Accesses to memory: what a warp does, where, and in which order.
use super::undefined::Origin;
use super::who::Who;
use ptx::isa::Space;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    Load,
    Store,
    Atomic,
}

/// How an access orders others, and for whom: PTX's `.sem` and `.scope`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Order {
    pub strength: Strength,
    /// Means nothing for weak accesses.
    pub scope: Scope,
}

/// PTX's `.sem`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strength {
    /// An ordinary load or store.
    #[default]
    Weak,
    /// `.volatile`: relaxed for the whole system, by a load or a store of its own.
    Volatile,
    /// `.relaxed`, `.mmio`, and atomics without a named order.
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    /// An operation of an `mbarrier` object, which [`Probe::phase`](super::Probe::phase) tells of.
    Phase,
}

/// The threads among which an access or a fence orders: PTX's `.scope`, from near to far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// `.cta`
    #[default]
    Block,
    /// `.cluster`
    Cluster,
    /// `.gpu`
    Device,
    /// `.sys`
    System,
}

impl Order {
    /// The order of an ordinary load or store.
    pub const WEAK: Order = Order { strength: Strength::Weak, scope: Scope::Block };

    /// Returns whether it is that of an ordinary load or store.
    #[inline(always)]
    pub fn is_weak(self) -> bool {
        self.strength == Strength::Weak
    }
}

/// The addresses of an access, as short as they are known: absolute for global and constant memory, offsets for shared,
/// local and parameter memory. Values of lanes outside the access's mask mean nothing.
#[derive(Clone, Copy, Debug)]
pub enum Addresses<'a> {
    /// All lanes have this one.
    Same(u64),
    /// Lane i is at this one plus i times the bytes per lane (modulo 2⁶⁴).
    Dense(u64),
    /// One per lane, which may happen to be the same or dense.
    Each(&'a [u64; 32]),
}

/// The bytes that a store is about to write, and those that are there now: 16 at the most, low address first.
pub trait Stored {
    /// The value that the lane writes.
    fn value(&self, lane: u32) -> [u8; 16];
    /// The value at the lane's address.
    fn current(&self, lane: u32) -> [u8; 16];
    /// Which bits of what the lane writes are not defined, and where they come from, as the probe numbered it; `None`: all
    /// are defined.
    fn undefined(&self, lane: u32) -> Option<([u8; 16], Origin)>;
}

/// The elements that the lanes of a full warp load.
#[derive(Clone, Copy, Debug)]
pub struct WarpElements {
    pub space: Space,
    pub bytes: u8,
    /// Lane i has the one that is i elements after lane 0's; else all lanes have the same.
    pub dense: bool,
}

impl WarpElements {
    /// How many bytes they are together.
    #[inline(always)]
    pub fn span(self) -> u64 {
        if self.dense { 32 * u64::from(self.bytes) } else { self.bytes.into() }
    }
}

impl Default for WarpElements {
    fn default() -> Self {
        WarpElements { space: Space::Global, bytes: 4, dense: true }
    }
}

/// A weak load of a full warp.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarpLoad {
    /// Lane 0's.
    pub address: u64,
    pub site: u32,
    pub elements: WarpElements,
}

impl WarpLoad {
    /// The address of its last byte.
    #[inline(always)]
    pub fn last(&self) -> u64 {
        self.address + self.elements.span() - 1
    }

    /// The same as any other access.
    #[inline(never)]
    pub fn access(&self, who: &Who) -> Access<'static> {
        let WarpLoad { address, site, elements } = *self;
        let addresses = if elements.dense { Addresses::Dense(address) } else { Addresses::Same(address) };
        let (kind, space, bytes, order) = (AccessKind::Load, elements.space, elements.bytes.into(), Order::WEAK);
        Access { who: *who, site, kind, space, mask: !0, addresses, bytes, order, stored: None }
    }
}

/// One warp-wide access to memory.
#[derive(Clone, Copy)]
pub struct Access<'a> {
    pub who: Who,
    pub site: u32,
    pub kind: AccessKind,
    /// Resolved: never `Generic`. A warp that touches two spaces through generic addresses makes one access per space.
    pub space: Space,
    /// Lanes that access; never empty.
    pub mask: u32,
    pub addresses: Addresses<'a>,
    /// Bytes per lane, the whole vector: 1, 2, 4, 8, 16 or 32.
    pub bytes: u32,
    pub order: Order,
    /// For stores: the values. `None` where the executor cannot tell.
    pub stored: Option<&'a dyn Stored>,
}

impl Access<'_> {
    #[inline]
    pub fn address(&self, lane: usize) -> u64 {
        match self.addresses {
            Addresses::Same(address) => address,
            Addresses::Dense(first) => first.wrapping_add(lane as u64 * u64::from(self.bytes)),
            Addresses::Each(all) => all[lane & 31],
        }
    }

    /// How many lanes the mask has.
    #[inline(always)]
    pub fn lane_count(&self) -> u32 {
        // Nearly always the answer, and counting bits is slow where the compiler may not assume an instruction for it.
        if self.mask == !0 { 32 } else { self.mask.count_ones() }
    }

    /// The lowest lane of the mask.
    #[inline]
    pub fn first_lane(&self) -> usize {
        (self.mask.trailing_zeros() & 31) as usize
    }

    /// The address of the lowest lane of the mask.
    #[inline]
    pub fn first_address(&self) -> u64 {
        self.address(self.first_lane())
    }

    /// The bytes of the access, where they are one element for all lanes or one piece in the order of the lanes: the first
    /// byte's address and how many.
    #[inline(always)]
    pub fn range(&self) -> Option<(u64, u64)> {
        let bytes = u64::from(self.bytes);
        match self.addresses {
            Addresses::Same(address) => Some((address, bytes)),
            Addresses::Dense(first) if self.mask == !0 => Some((first, 32 * bytes)),
            Addresses::Dense(_) => {
                let run = self.mask >> self.first_lane();
                (run & run.wrapping_add(1) == 0).then(|| (self.first_address(), u64::from(run.count_ones()) * bytes))
            }
            Addresses::Each(_) => None,
        }
    }

    /// The lanes of the mask, lowest first.
    pub fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        lanes(self.mask)
    }

    /// One lane where all have the same address, else all of the mask.
    #[inline]
    pub fn distinct_lanes(&self) -> u32 {
        match self.addresses {
            Addresses::Same(_) => self.mask & self.mask.wrapping_neg(),
            _ => self.mask,
        }
    }
}

/// The lanes of a mask, lowest first.
pub fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        (mask != 0).then(|| {
            mask &= mask - 1;
            lane as usize
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(mask: u32, addresses: Addresses) -> Option<(u64, u64)> {
        let (who, order) = (Who::default(), Order::WEAK);
        let (kind, space) = (AccessKind::Load, Space::Global);
        Access { who, site: 0, kind, space, mask, addresses, bytes: 8, order, stored: None }.range()
    }

    #[test]
    fn neighbouring_lanes_cover_one_range() {
        for (mask, range_of_mask) in [
            (!0, Some((0, 256))),
            (1, Some((0, 8))),
            (0b110, Some((8, 16))),
            (0x8000_0000, Some((248, 8))),
            (0xffff_0000, Some((128, 128))),
            (0x7fff_fffe, Some((8, 240))),
            (0b101, None),
            (0x8000_0001, None),
        ] {
            let wanted = range_of_mask.map(|(first, bytes)| (4096 + first, bytes));
            assert_eq!(range(mask, Addresses::Dense(4096)), wanted, "{mask:b}");
            assert_eq!(range(mask, Addresses::Same(4096)), Some((4096, 8)), "{mask:b}");
            assert_eq!(range(mask, Addresses::Each(&[4096; 32])), None, "{mask:b}");
        }
    }
}
