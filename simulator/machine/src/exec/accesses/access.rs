//! The way of an access from a row of addresses to host memory: form, pattern, bounds, alignment.
//!
//! Most accesses of a warp are dense (lane i touches the i-th element from lane 0's on) or the same for all lanes; both
//! are seen with two vector comparisons, checked with one look at the allocation that the site hit last, and moved as a
//! whole. All others are checked by their lowest and highest address and moved lane by lane.
//!
//! A misaligned access is one wherever it lies. A load that begins inside global or shared memory may reach over the end:
//! compilers make one wide load of several narrow ones, and since it is aligned, the bytes past the end lie in the
//! same granule of the card's memory (512 bytes; here they read as what lies there, zeros after an allocation). Whoever
//! listens is told. So it is with a load after the end of shared memory in the last unit of it that the card gave the
//! block. Any other load that begins past the end, and a store or an atomic that touches a byte there, are out of bounds,
//! but for the swap of a word by which an atomic of its first bytes is made: nobody is told of it.
#![allow(clippy::needless_range_loop, reason = "loops over lanes read several rows: the index is what they share")]
use super::cluster_address::{self, RANK_SHIFT};
use crate::exec::fast_paths::pattern::{EIGHT, PLACES, Pattern};
use crate::exec::view::{Lane32, Lanes, Op, WARP, lane};
use crate::fault::Fault;
use crate::memory::{FUNCTION_WINDOW, Range, View, space_of};
use crate::probe::{Access, AccessKind, Addresses, Order, Scope, Strength};
use ptx::isa::Space;

/// The parts of an access's form that are in [`Op::data`].
///
/// Bits: 0–2 space · 3 address of 32 bits · 4 signed · 5 spins when repeated · 6 parameter of a call · 8–11 bytes of an
/// element's register · 12–14 strength · 15 a load through the read-only cache · 7 and 16–25 for the class (atomic operation and type; the pattern of a hot load or
/// store, see [`AccessForm::PLACE`]) · 26 an atomic that swaps a word · 30–31 scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AccessForm(pub u32);

const SPACES: [Space; 6] = [Space::Generic, Space::Global, Space::Shared, Space::Local, Space::Const, Space::Param];
const STRENGTHS: [Strength; 7] = {
    use Strength::*;
    [Weak, Volatile, Relaxed, Acquire, Release, AcquireRelease, Phase]
};
/// In the order of their numbers.
pub(super) const SCOPES: [Scope; 4] = [Scope::Block, Scope::Cluster, Scope::Device, Scope::System];

impl AccessForm {
    pub const ADDRESS_32: u32 = 1 << 3;
    pub const SIGNED: u32 = 1 << 4;
    pub const SPINS: u32 = 1 << 5;
    pub const CALL_PARAMETER: u32 = 1 << 6;
    /// A hot load or store: its semantics looks at the pattern of its addresses.
    pub const HOT: u32 = 1 << 7;
    /// A load through the read-only cache.
    pub const READ_ONLY: u32 = 1 << 15;
    /// The pattern that a hot access finds stays in a place of [`Lanes::patterns`], or is taken from there: an access before
    /// it in the block has the same address register, which nothing wrote in between. Lowering sets them.
    pub const KEEPS: u32 = 1 << 16;
    pub const TAKES: u32 = 1 << 17;
    const PLACE: u32 = 18;
    /// An atomic that compares and swaps four bytes.
    pub const SWAPS_A_WORD: u32 = 1 << 26;

    pub fn new(space: Space, order: Order, register_bytes: u32, flags: u32) -> AccessForm {
        let space = SPACES.iter().position(|&s| s == space).unwrap_or(0) as u32;
        let strength = STRENGTHS.iter().position(|&s| s == order.strength).unwrap_or(0) as u32;
        let scope = SCOPES.iter().position(|&s| s == order.scope).unwrap_or(0) as u32;
        AccessForm(space | flags | register_bytes << 8 | strength << 12 | scope << 30)
    }

    #[inline(always)]
    pub fn of(op: &Op) -> AccessForm {
        AccessForm(op.data)
    }

    #[inline(always)]
    pub fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }

    pub fn space(self) -> Space {
        SPACES[(self.0 & 7) as usize % SPACES.len()]
    }

    pub fn order(self) -> Order {
        let strength = STRENGTHS[(self.0 >> 12 & 7) as usize % STRENGTHS.len()];
        Order { strength, scope: SCOPES[(self.0 >> 30) as usize % SCOPES.len()] }
    }

    pub fn register_bytes(self) -> u32 {
        self.0 >> 8 & 0xf
    }

    /// The place of a pattern that is kept or taken.
    #[inline(always)]
    pub fn place(self) -> usize {
        (self.0 >> AccessForm::PLACE) as usize % PLACES
    }

    /// The same with a place for its pattern, and [`KEEPS`](Self::KEEPS) or [`TAKES`](Self::TAKES).
    pub fn at_place(self, place: usize, flag: u32) -> AccessForm {
        AccessForm(self.0 | flag | (place as u32) << AccessForm::PLACE)
    }
}

/// Host addresses of an access that is in bounds and aligned.
#[expect(clippy::large_enum_variant, reason = "never stored: a box would cost an allocation per access")]
pub(crate) enum Hosts {
    /// All 32 lanes, one element after the other from here on.
    Dense(u64),
    /// All 32 lanes, one address.
    Same(u64),
    /// All 32 lanes, each eight of them one element after the other from here on, or at one address.
    Eights { firsts: [u64; WARP / EIGHT], dense: bool },
    /// One address per lane. Inactive lanes have that of the first active one: reading there does no harm.
    Each(Lane32<u64>),
}

impl Hosts {
    /// A lane's address.
    pub fn of(&self, lane: usize, bytes: u64) -> u64 {
        match self {
            Hosts::Dense(first) => first + lane as u64 * bytes,
            Hosts::Same(address) => *address,
            Hosts::Eights { firsts, dense } => {
                firsts[lane / EIGHT] + if *dense { (lane % EIGHT) as u64 * bytes } else { 0 }
            }
            Hosts::Each(addresses) => addresses[lane],
        }
    }

    /// One address per lane in any case.
    pub fn each(&self, bytes: u64) -> Lane32<u64> {
        match *self {
            Hosts::Dense(first) => lane::array(|lane| first + lane as u64 * bytes),
            Hosts::Same(address) => [address; WARP],
            Hosts::Eights { .. } => lane::array(|lane| self.of(lane, bytes)),
            Hosts::Each(addresses) => addresses,
        }
    }
}

/// The addresses that the op's lanes name, in its own space.
#[inline(always)]
pub(crate) fn addresses(lanes: &Lanes, op: &Op) -> Lane32<u64> {
    let mut addresses = [0; WARP];
    if AccessForm::of(op).has(AccessForm::ADDRESS_32) {
        let base = lanes.get::<u32>(op.a);
        for lane in 0..WARP {
            addresses[lane] = u64::from(base[lane].wrapping_add(op.imm as u32));
        }
    } else {
        let base = lanes.get::<u64>(op.a);
        for lane in 0..WARP {
            addresses[lane] = base[lane].wrapping_add(op.imm as u64);
        }
    }
    addresses
}

/// Checks an access of `bytes` per lane and finds its place in host memory. `None`: it faulted, or nobody is active.
///
/// `space` is never generic. The pattern is that of the active lanes' addresses; dense ones belong to a full warp.
#[inline(always)]
pub(crate) fn resolve(
    lanes: &mut Lanes,
    op: &Op,
    space: Space,
    kind: AccessKind,
    bytes: u64,
    raw: &Lane32<u64>,
) -> Option<(Hosts, Pattern)> {
    let first = raw[0];
    if lanes.mask == !0 {
        let (mut dense, mut same) = (0, 0);
        for lane in 0..WARP {
            dense |= raw[lane] ^ first.wrapping_add(lane as u64 * bytes);
            same |= raw[lane] ^ first;
        }
        if dense == 0 && first & (bytes - 1) == 0 && inside(lanes, op, space, first, 32 * bytes) {
            return Some(match base(lanes, space) {
                Some(base) => (Hosts::Dense(base.wrapping_add(first)), Pattern::Dense),
                None => (Hosts::Each(local(lanes, raw)), Pattern::Dense),
            });
        }
        if same == 0 && first & (bytes - 1) == 0 && inside(lanes, op, space, first, bytes) {
            return Some(match base(lanes, space) {
                Some(base) => (Hosts::Same(base.wrapping_add(first)), Pattern::Same),
                None => (Hosts::Each(local(lanes, raw)), Pattern::Same),
            });
        }
    }
    if lanes.mask == 0 {
        return None;
    }
    let somebody = raw[lanes.mask.trailing_zeros() as usize];
    let (mut low, mut high, mut misaligned) = (u64::MAX, 0, 0);
    let mut active = *raw;
    for lane in 0..WARP {
        active[lane] = if lanes.has(lanes.mask, lane) { raw[lane] } else { somebody };
        low = low.min(active[lane]);
        high = high.max(active[lane]);
        misaligned |= active[lane] & (bytes - 1);
    }
    if space == Space::Shared && high >> RANK_SHIFT != 0 {
        return in_cluster(lanes, op, kind, bytes, &active);
    }
    // An access that wraps around the address space must not look like a small one.
    let span = (high - low).saturating_add(bytes);
    if (misaligned != 0 || !around(lanes, op, space, low, span)) && !check_each(lanes, op, space, kind, bytes, &active)
    {
        return None;
    }
    let hosts = match base(lanes, space) {
        Some(base) => {
            for address in &mut active {
                *address = address.wrapping_add(base);
            }
            active
        }
        None => local(lanes, &active),
    };
    Some((Hosts::Each(hosts), if low == high { Pattern::Same } else { Pattern::Other }))
}

/// As [`resolve`], where lanes name shared memory of other blocks of the cluster.
#[cold]
#[inline(never)]
fn in_cluster(
    lanes: &mut Lanes,
    op: &Op,
    kind: AccessKind,
    bytes: u64,
    addresses: &Lane32<u64>,
) -> Option<(Hosts, Pattern)> {
    let mut hosts = [0; WARP];
    for lane in crate::probe::lanes(lanes.mask) {
        hosts[lane] = cluster_address::shared(lanes, op, lane, addresses[lane], (bytes, bytes), kind)?.host;
    }
    let somebody = hosts[lanes.mask.trailing_zeros() as usize & 31];
    for lane in (0..WARP).filter(|&lane| lanes.mask >> lane & 1 == 0) {
        hosts[lane] = somebody;
    }
    Some((Hosts::Each(hosts), Pattern::Other))
}

/// The offset from an address of a space to a host address; `None` where that depends on the lane.
#[inline(always)]
fn base(lanes: &Lanes, space: Space) -> Option<u64> {
    match space {
        Space::Shared => Some(lanes.shared.base as u64),
        Space::Param => Some(lanes.context.launch.parameters.as_ptr() as u64),
        Space::Local => None,
        Space::Generic | Space::Global | Space::Const => Some(0),
    }
}

#[inline(always)]
fn local(lanes: &Lanes, raw: &Lane32<u64>) -> Lane32<u64> {
    let (base, stride) = (lanes.local.base as u64, lanes.local.bytes);
    let mut hosts = *raw;
    for lane in 0..WARP {
        hosts[lane] = raw[lane].wrapping_add(base + lane as u64 * stride);
    }
    hosts
}

/// Returns whether `span` bytes from `first` on lie in the space, for global memory in one allocation.
#[inline(always)]
pub(crate) fn inside(lanes: &mut Lanes, op: &Op, space: Space, first: u64, span: u64) -> bool {
    let within = |bytes: u64| first < bytes && span <= bytes - first;
    match space {
        Space::Shared => within(lanes.shared.bytes) || in_reserved(lanes, first, span),
        Space::Local => within(lanes.local.bytes),
        Space::Param => within(lanes.context.launch.parameters.len() as u64),
        Space::Generic | Space::Global | Space::Const => {
            let Some(last) = first.checked_add(span - 1) else { return false };
            lanes.cached(op).holds(first, last)
                || look_up(lanes, op, first, last).is_some_and(|range| range.holds(first, last))
        }
    }
}

/// As [`inside`], of an access to single bytes in the span. `false` says nothing where memory is held in part: what lies between is not
/// looked at.
#[inline(always)]
fn around(lanes: &mut Lanes, op: &Op, space: Space, first: u64, span: u64) -> bool {
    let dense = span <= DENSE_SPAN || !matches!(space, Space::Generic | Space::Global | Space::Const);
    if dense || !lanes.context.device.view.as_ref().is_some_and(View::has_sparse) {
        return inside(lanes, op, space, first, span);
    }
    lanes.cached(op).holds(first, first.saturating_add(span - 1))
}

/// Bytes of a full warp's widest access, from the first to the last.
const DENSE_SPAN: u64 = 32 * 16;

/// Returns whether `span` bytes from `first` on lie in the shared memory that the system keeps for itself.
#[cold]
#[inline(never)]
fn in_reserved(lanes: &Lanes, first: u64, span: u64) -> bool {
    let reserved = &lanes.context.launch.reserved_shared;
    first >= u64::from(reserved.start) && first.saturating_add(span) <= u64::from(reserved.end)
}

/// Returns whether an access lies after the end of shared memory, where the block has more than it asked for: cards give whole units.
fn in_last_unit(lanes: &Lanes, address: u64, bytes: u64) -> bool {
    let given = lanes.context.launch.facts.shared_bytes_given(lanes.context.launch.shared_bytes);
    address >= lanes.shared.bytes && address < u64::from(given) && bytes <= u64::from(given) - address
}

/// Asks the table, and remembers the answer for the site.
#[cold]
#[inline(never)]
fn look_up(lanes: &mut Lanes, op: &Op, first: u64, last: u64) -> Option<Range> {
    let range = lanes.context.device.view.as_mut()?.find(first, last)?;
    lanes.cache(op, range);
    Some(range)
}

/// Checks lane by lane: lanes may hit different allocations. Records the fault of the first lanes that are wrong.
#[cold]
#[inline(never)]
fn check_each(lanes: &mut Lanes, op: &Op, space: Space, kind: AccessKind, bytes: u64, addresses: &Lane32<u64>) -> bool {
    let (mut misaligned, mut outside, mut across) = (0u32, 0u32, 0u32);
    let used = if op.used == 0 { bytes } else { u64::from(op.bytes) * u64::from(op.used) };
    // An atomic of a byte or two is a loop that loads the word around it and swaps that.
    let is_swap = kind == AccessKind::Atomic && AccessForm::of(op).has(AccessForm::SWAPS_A_WORD);
    let is_around = is_swap && space == Space::Global;
    let may_reach_over = kind == AccessKind::Load && matches!(space, Space::Global | Space::Const | Space::Shared);
    for lane in 0..WARP {
        if lanes.mask >> lane & 1 == 0 {
            continue;
        }
        let address = addresses[lane];
        if address & (bytes - 1) != 0 {
            misaligned |= 1 << lane;
        } else if !inside(lanes, op, space, address, bytes) {
            if may_reach_over && space == Space::Shared && in_last_unit(lanes, address, bytes) {
                across |= 1 << lane;
            } else if !(may_reach_over || is_around) || !inside(lanes, op, space, address, 1) {
                outside |= 1 << lane;
            } else if !is_around && !inside(lanes, op, space, address, used) {
                across |= 1 << lane;
            }
        }
    }
    let wrong = if misaligned != 0 { misaligned } else { outside };
    if wrong == 0 {
        if across != 0 {
            tell_across(lanes, op, space, bytes, addresses, across);
        }
        return true;
    }
    let at = lanes.context.place(op.site, wrong);
    let address = addresses[wrong.trailing_zeros() as usize];
    let bytes = bytes as u32;
    lanes.context.stop(if misaligned == 0 {
        Fault::OutOfBounds { at, space, address, bytes, kind }
    } else {
        Fault::Misaligned { at, space, address, bytes, kind }
    });
    lanes.mask = 0;
    false
}

/// Tells the probe of the lanes whose load reaches over the end of memory.
#[cold]
#[inline(never)]
fn tell_across(lanes: &mut Lanes, op: &Op, space: Space, bytes: u64, addresses: &Lane32<u64>, mask: u32) {
    let (who, site, order) = (lanes.context.who, op.site, AccessForm::of(op).order());
    let (kind, addresses, bytes) = (AccessKind::Load, Addresses::Each(addresses), bytes as u32);
    if let Some(probe) = lanes.context.probe() {
        probe.across_the_end(&Access { who, site, kind, space, mask, addresses, bytes, order, stored: None });
    }
}

/// Runs `f` for the op's state space; for generic addresses as [`by_space`].
#[inline(always)]
pub(crate) fn in_spaces(
    lanes: &mut Lanes,
    op: &Op,
    raw: &Lane32<u64>,
    mut f: impl FnMut(&mut Lanes, Space, &Lane32<u64>),
) {
    match AccessForm::of(op).space() {
        Space::Generic => by_space(lanes, raw, f),
        space => f(lanes, space, raw),
    }
}

/// Runs `f` once for each state space that the active lanes' generic addresses lie in, with the lanes of that space
/// active and their addresses in that space.
fn by_space(lanes: &mut Lanes, raw: &Lane32<u64>, mut f: impl FnMut(&mut Lanes, Space, &Lane32<u64>)) {
    let active = lanes.mask;
    let mut rest = active;
    while rest != 0 {
        let (space, window) = space_of(raw[rest.trailing_zeros() as usize]);
        let same = lanes.pack(|lane| space_of(raw[lane]).0 == space) & rest;
        let mut addresses = *raw;
        for address in &mut addresses {
            *address = address.wrapping_sub(window);
        }
        lanes.mask = same;
        f(lanes, space, &addresses);
        if lanes.mask == 0 {
            return;
        }
        rest &= !same;
    }
    lanes.mask = active;
}

/// Returns whether every active lane's generic address is one of global memory.
#[inline(always)]
pub(crate) fn all_global(lanes: &Lanes, raw: &Lane32<u64>) -> bool {
    let mut high = 0;
    for lane in 0..WARP {
        high = high.max(if lanes.has(lanes.mask, lane) { raw[lane] } else { 0 });
    }
    high < FUNCTION_WINDOW
}

/// How an instruction's modifiers order it. Volatile accesses are strong for the whole system; where no scope is named, it
/// is the device.
pub(crate) fn order_of(form: &ptx::isa::Form) -> Order {
    let strength = if form.has("acq_rel") || form.has("sc") {
        Strength::AcquireRelease
    } else if form.has("acquire") {
        Strength::Acquire
    } else if form.has("release") {
        Strength::Release
    } else if form.has("relaxed") || form.has("mmio") {
        Strength::Relaxed
    } else if form.has("volatile") {
        return Order { strength: Strength::Volatile, scope: Scope::System };
    } else {
        return Order::WEAK;
    };
    Order { strength, scope: scope_of(form).unwrap_or(Scope::Device) }
}

/// The scope that an instruction names.
pub(crate) fn scope_of(form: &ptx::isa::Form) -> Option<Scope> {
    let named = [
        ("cta", Scope::Block),
        ("cluster", Scope::Cluster),
        ("gpu", Scope::Device),
        ("gl", Scope::Device),
        ("sys", Scope::System),
    ];
    named.into_iter().find(|(name, _)| form.has(name)).map(|(_, scope)| scope)
}
