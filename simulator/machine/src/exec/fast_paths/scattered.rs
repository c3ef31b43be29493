//! A full warp's access whose addresses are neither in a row nor the same for all lanes: in rows of eight lanes, as blocks have them
//! that are 8 or 16 threads wide, or anywhere.
//!
//! The loops go over registers as they lie in memory: where the compiler holds 32 addresses in vector registers, it takes each out of them by
//! several instructions.
#![allow(clippy::needless_range_loop, reason = "loops over lanes read several rows: the index is what they share")]
use super::pattern::{EIGHT, Pattern};
use crate::exec::accesses::access::{AccessForm, Hosts, addresses};
use crate::exec::view::{Lane, Lane32, Lanes, Op, WARP};
use ptx::isa::Space;

/// Memory that an access may lie in: where its first byte is on the host and in the space, and how many bytes it has.
struct Allowed {
    host: u64,
    start: u64,
    bytes: u64,
}

impl Allowed {
    /// The memory that the site hit last; `None` where that says nothing.
    #[inline(always)]
    fn of(lanes: &Lanes, op: &Op, space: Space) -> Option<Allowed> {
        match space {
            Space::Shared => Some(Allowed { host: lanes.shared.base as u64, start: 0, bytes: lanes.shared.bytes }),
            Space::Global | Space::Generic => {
                let range = lanes.cached(op);
                Some(Allowed { host: range.start, start: range.start, bytes: range.end.checked_sub(range.start)? })
            }
            _ => None,
        }
    }

    /// The host address of `span` bytes from `address` on, which are a multiple of elements of `element` bytes.
    #[inline(always)]
    fn host(&self, address: u64, span: u64, element: u64) -> Option<u64> {
        let at = address.wrapping_sub(self.start);
        let inside = at <= self.bytes.checked_sub(span)? && address & (element - 1) == 0;
        inside.then(|| self.host.wrapping_add(at))
    }
}

/// Host addresses of a full warp's access, if all of it is inside what the site hit last, and aligned. `None` says nothing.
#[inline(always)]
pub(crate) fn hosts<T: Lane>(lanes: &mut Lanes, op: &Op, space: Space) -> Option<Hosts> {
    let form = AccessForm::of(op);
    let place = (form.has(AccessForm::KEEPS) || form.has(AccessForm::TAKES)).then(|| form.place());
    let pattern = match place.and_then(|place| lanes.together.patterns()[place]) {
        Some(Pattern::Dense | Pattern::Same) => return None,
        Some(known @ (Pattern::DenseEights | Pattern::SameEights | Pattern::Scattered)) => known,
        Some(Pattern::Other) | None => {
            let found = match form.has(AccessForm::ADDRESS_32) {
                true => look(lanes.with_next::<u32>(op.a), size_of::<T>() as u32),
                false => look(lanes.with_next::<u64>(op.a), size_of::<T>() as u64),
            };
            if let Some(place) = place {
                lanes.together.patterns()[place] = Some(found);
            }
            found
        }
    };
    let (allowed, element) = (Allowed::of(lanes, op, space)?, size_of::<T>() as u64);
    if pattern == Pattern::Scattered {
        return anywhere(&addresses(lanes, op), &allowed, element).map(Hosts::Each);
    }
    let dense = pattern == Pattern::DenseEights;
    let span = if dense { EIGHT as u64 * element } else { element };
    let mut firsts = [0; WARP / EIGHT];
    for (row, first) in firsts.iter_mut().enumerate() {
        let address = match form.has(AccessForm::ADDRESS_32) {
            true => lanes.lane::<u32>(op.a, row * EIGHT).wrapping_add(op.imm as u32).into(),
            false => lanes.lane::<u64>(op.a, row * EIGHT).wrapping_add(op.imm as u64),
        };
        *first = allowed.host(address, span, element)?;
    }
    Some(Hosts::Eights { firsts, dense })
}

/// Host addresses of a full warp's access to elements of `element` bytes, if they are in no pattern, all inside what the site hit last, and
/// aligned. `None` says nothing. `raw`: the addresses.
pub(crate) fn hosts_of_scattered(
    lanes: &Lanes,
    op: &Op,
    space: Space,
    element: u64,
    raw: &Lane32<u64>,
) -> Option<Lane32<u64>> {
    let pattern = || match AccessForm::of(op).has(AccessForm::ADDRESS_32) {
        true => look(lanes.with_next::<u32>(op.a), element as u32),
        false => look(lanes.with_next::<u64>(op.a), element),
    };
    let in_no_pattern = lanes.mask == !0 && pattern() == Pattern::Scattered;
    if in_no_pattern { anywhere(raw, &Allowed::of(lanes, op, space)?, element) } else { None }
}

/// The pattern of 32 addresses, with one more value after them that does not count. Each lane is compared with its neighbour.
#[inline(always)]
fn look<A: Address>(row: &[A; WARP + 1], stride: A) -> Pattern {
    let (mut dense, mut same) = (A::default(), A::default());
    for lane in 0..WARP {
        let step = row[lane + 1].minus(row[lane]);
        let within = A::within_row(lane);
        dense = dense | (step ^ stride) & within;
        same = same | step & within;
    }
    match (dense == A::default(), same == A::default()) {
        (true, _) => Pattern::DenseEights,
        (_, true) => Pattern::SameEights,
        _ => Pattern::Scattered,
    }
}

/// An address as a register holds it.
trait Address:
    Lane
    + Default
    + PartialEq
    + std::ops::BitXor<Output = Self>
    + std::ops::BitAnd<Output = Self>
    + std::ops::BitOr<Output = Self>
{
    fn minus(self, other: Self) -> Self;
    /// All bits where the lane after this one is in the same row of eight.
    fn within_row(lane: usize) -> Self;
}

macro_rules! address {
    ($($ty:ty),*) => { $(
        impl Address for $ty {
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn within_row(lane: usize) -> Self {
                if lane % EIGHT == EIGHT - 1 { 0 } else { !0 }
            }
        }
    )* };
}
address!(u32, u64);

/// Host addresses of elements that lie anywhere in what is allowed.
#[inline(always)]
fn anywhere(addresses: &Lane32<u64>, allowed: &Allowed, element: u64) -> Option<Lane32<u64>> {
    let last = allowed.bytes.checked_sub(element)?;
    let (mut outside, mut low) = (0, 0);
    let mut hosts = [0; WARP];
    for lane in 0..WARP {
        let at = addresses[lane].wrapping_sub(allowed.start);
        // Bit 63 is set in one of the two if `at` is larger than `last`, which has no such bit.
        outside |= at | last.wrapping_sub(at);
        low |= addresses[lane];
        hosts[lane] = at.wrapping_add(allowed.host);
    }
    (outside >> 63 == 0 && low & (element - 1) == 0).then_some(hosts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(f: impl Fn(u64) -> u64) -> [Pattern; 2] {
        // The value after the last lane is not looked at.
        let wide: [u64; WARP + 1] = std::array::from_fn(|lane| if lane == WARP { 77 } else { f(lane as u64) });
        [look(&wide, 4), look(&wide.map(|address| address as u32), 4)]
    }

    #[test]
    fn rows_of_eight_lanes_are_seen_wherever_they_lie() {
        for base in [0, 4096, u64::MAX - 20] {
            let row = |lane: u64| base.wrapping_add(lane / 8 * 4 * 100);
            assert_eq!(both(|lane| row(lane).wrapping_add(4 * (lane % 8))), [Pattern::DenseEights; 2]);
            assert_eq!(both(row), [Pattern::SameEights; 2]);
            assert_eq!(both(|lane| base.wrapping_add(lane / 16 * 64)), [Pattern::SameEights; 2]);
            for odd in 0..32 {
                let other = |lane: u64| if lane == odd { 8 } else { 0 };
                let dense = both(|lane| row(lane).wrapping_add(4 * (lane % 8) + other(lane)));
                assert_eq!(dense, [Pattern::Scattered; 2], "{odd}");
                assert_eq!(both(|lane| row(lane).wrapping_add(other(lane))), [Pattern::Scattered; 2], "{odd}");
            }
        }
    }

    #[test]
    fn elements_outside_are_refused() {
        let allowed = Allowed { host: 1 << 40, start: 4096, bytes: 400 };
        let at = |odd: u64| {
            anywhere(&std::array::from_fn(|lane| if lane == 13 { odd } else { 4096 + 8 * lane as u64 }), &allowed, 4)
        };
        assert_eq!(at(4096).map(|hosts| hosts[13]), Some(1 << 40));
        assert_eq!(at(4492).map(|hosts| hosts[13]), Some((1 << 40) + 396));
        for outside in [0, 4092, 4496, 4100 + 1, 1 << 63, u64::MAX - 3, 4096 + (1 << 32)] {
            assert_eq!(at(outside), None, "{outside:x}");
        }
        assert_eq!(allowed.host(4096, 400, 4), Some(1 << 40));
        for (address, span) in [(4096, 404), (4100, 400), (4092, 4), (4098, 4)] {
            assert_eq!(allowed.host(address, span, 4), None, "{address} {span}");
        }
    }
}
