//! Tells the probe of accesses. An event is built only where somebody listens, and no more of it than is asked for.
use super::access::{AccessForm, Hosts};
use crate::exec::fast_paths::pattern::Pattern;
use crate::exec::fast_paths::together::MOST;
use crate::exec::undefined::twins;
use crate::exec::view::{Lane32, Lanes, Op, Row};
use crate::probe::{Access, AccessKind, Addresses, Order, Origin, Probe, Stored, WarpElements, WarpLoad};
use ptx::isa::Space;

/// An access that was found to be in bounds and aligned, and has not happened yet.
pub(crate) struct CheckedAccess<'a> {
    /// Never generic.
    pub space: Space,
    pub kind: AccessKind,
    /// Per lane, the whole vector.
    pub bytes: u64,
    pub addresses: Addresses<'a>,
    /// For stores of registers: where they go.
    pub stored: Option<&'a Hosts>,
}

impl<'a> Addresses<'a> {
    /// A row of addresses whose active lanes have a pattern.
    pub(crate) fn of(pattern: Pattern, row: &'a Lane32<u64>, mask: u32) -> Addresses<'a> {
        match pattern {
            Pattern::Dense => Addresses::Dense(row[0]),
            Pattern::Same => Addresses::Same(row[(mask.trailing_zeros() & 31) as usize]),
            _ => Addresses::Each(row),
        }
    }
}

/// Tells the probe of an access. Inlined, so that what was just put together is not copied once more: a copy wider than
/// the writes before it waits for them to reach the cache.
#[inline(always)]
pub(crate) fn tell(lanes: &mut Lanes, op: &Op, access: CheckedAccess) {
    tell_as(lanes, op, access, None);
}

/// Likewise with an order that is not the one of the form.
#[inline(always)]
pub(crate) fn tell_as(lanes: &mut Lanes, op: &Op, access: CheckedAccess, order: Option<Order>) {
    let CheckedAccess { space, kind, bytes, addresses, stored } = access;
    let form = AccessForm::of(op);
    if form.has(AccessForm::CALL_PARAMETER) {
        return;
    }
    let order = order.unwrap_or_else(|| form.order());
    let (who, site, mask) = (lanes.context.who, op.site, lanes.mask);
    let access = Access { who, site, kind, space, mask, addresses, bytes: bytes as u32, order, stored: None };
    let Some(hosts) = stored else {
        if let Some(probe) = lanes.context.probe() {
            probe.access(&access);
            if kind != AccessKind::Store && lanes.context.listener.following.has_loaded() {
                twins::begin(lanes);
            }
        }
        return;
    };
    if let Some(passage) = lanes.context.listener.passages.recorded() {
        passage.access(&access);
        return;
    }
    // Out of its place, so that it may look at the lanes meanwhile.
    let Some(mut probe) = lanes.context.replace_probe(None) else { return };
    probe.access(&Access { stored: Some(&Pending { lanes, op, hosts, bytes }), ..access });
    lanes.context.replace_probe(Some(probe));
}

/// Tells the probe of a full warp's weak load, lane 0's from `address`.
#[inline(always)]
pub(crate) fn tell_warp_load(lanes: &mut Lanes, op: &Op, elements: WarpElements, address: u64) {
    let told = lanes.context.note_load(WarpLoad { site: op.site, elements, address });
    if told && lanes.context.listener.following.has_loaded() {
        twins::begin(lanes);
    }
}

/// Notes weak accesses of full warps that go together, of those in `columns`.
#[inline(always)]
pub(crate) fn record_whole_warps(
    lanes: &mut Lanes,
    op: &Op,
    (kind, elements): (AccessKind, WarpElements),
    columns: u8,
    addresses: &[u64; MOST],
) {
    if let Some(passage) = lanes.context.listener.passages.recorded() {
        passage.whole_warps((kind, op.site), elements, columns, addresses);
    }
}

/// The value that a store is about to write, read from the registers when somebody asks.
struct Pending<'a, 'l> {
    lanes: &'a Lanes<'l>,
    op: &'a Op,
    hosts: &'a Hosts,
    bytes: u64,
}

/// Tells the probe of a store whose lanes write what other lanes' registers hold: `part` names, for a lane and a piece of
/// `piece` bytes of what it writes, where that comes from.
pub(crate) fn tell_gathered(
    lanes: &mut Lanes,
    op: &Op,
    (access, piece): (CheckedAccess, usize),
    part: &dyn Fn(&Lanes, usize, usize) -> RegisterPart,
) {
    let CheckedAccess { space, kind, bytes, addresses, stored } = access;
    let (who, site, mask, order) = (lanes.context.who, op.site, lanes.mask, AccessForm::of(op).order());
    let Some(hosts) = stored else { return };
    let Some(mut probe) = lanes.context.replace_probe(None) else { return };
    let stored: &dyn Stored = &Gathered { lanes, hosts, bytes: bytes as usize, piece, part };
    probe.access(&Access { who, site, kind, space, mask, addresses, bytes: bytes as u32, order, stored: Some(stored) });
    lanes.context.replace_probe(Some(probe));
}

/// A part of a register that is stored: the row, its bytes, whose lane's, and the bit that it begins with.
pub(crate) struct RegisterPart {
    pub row: Row,
    pub register_bytes: u32,
    pub lane: usize,
    pub shift: u32,
}

/// The part of a matrix that a warp is about to store.
struct Gathered<'a, 'l> {
    lanes: &'a Lanes<'l>,
    hosts: &'a Hosts,
    /// Bytes of a lane's whole store, and of a piece of it.
    bytes: usize,
    piece: usize,
    part: &'a dyn Fn(&Lanes, usize, usize) -> RegisterPart,
}

impl Gathered<'_, '_> {
    /// The parts of what a lane writes, each with its place.
    fn parts(&self, lane: u32) -> impl Iterator<Item = (std::ops::Range<usize>, RegisterPart)> {
        let place = |index: usize| index * self.piece..(index + 1) * self.piece;
        (0..self.bytes.min(16) / self.piece)
            .map(move |index| (place(index), (self.part)(self.lanes, lane as usize, index)))
    }
}

impl Stored for Gathered<'_, '_> {
    fn value(&self, lane: u32) -> [u8; 16] {
        let mut value = [0; 16];
        for (place, RegisterPart { row, register_bytes, lane, shift }) in self.parts(lane) {
            let bits = self.lanes.bits(row, register_bytes, lane) >> shift;
            value[place].copy_from_slice(&bits.to_le_bytes()[..self.piece]);
        }
        value
    }

    fn undefined(&self, lane: u32) -> Option<([u8; 16], Origin)> {
        let (mut mask, mut origin) = ([0; 16], None);
        for (place, RegisterPart { row, register_bytes, lane, shift }) in self.parts(lane) {
            let (bits, from) = twins::undefined_bits(self.lanes, row, register_bytes, lane);
            mask[place.clone()].copy_from_slice(&(bits >> shift).to_le_bytes()[..self.piece]);
            if mask[place].iter().any(|&byte| byte != 0) {
                origin = Some(joined(origin, from));
            }
        }
        Some((mask, origin?))
    }

    fn current(&self, lane: u32) -> [u8; 16] {
        current(self.hosts, lane, self.bytes as u64)
    }
}

/// The origin of a value that is undefined in several parts.
fn joined(first: Option<Origin>, next: Origin) -> Origin {
    Origin { computed: next.computed || first.is_some_and(|first| first.computed), ..first.unwrap_or(next) }
}

/// The bytes that are now in a lane's place: 16 at the most.
#[allow(unsafe_code)]
pub(super) fn current(hosts: &Hosts, lane: u32, bytes: u64) -> [u8; 16] {
    let mut found = [0; 16];
    let host = hosts.of(lane as usize, bytes) as *const u8;
    // SAFETY: the access was found inside live memory, which is there while its instruction runs.
    unsafe { std::ptr::copy_nonoverlapping(host, found.as_mut_ptr(), (bytes as usize).min(16)) };
    found
}

/// The row of a vector's element that is stored.
pub(super) fn element_row(lanes: &Lanes, op: &Op, index: usize) -> Row {
    if op.vector == 1 { op.b } else { lanes.more(op, index) }
}

impl Stored for Pending<'_, '_> {
    fn value(&self, lane: u32) -> [u8; 16] {
        let mut value = [0; 16];
        let (element, register_bytes) = (usize::from(self.op.bytes), AccessForm::of(self.op).register_bytes());
        for (index, part) in value.chunks_exact_mut(element).take(self.op.vector.into()).enumerate() {
            let row = element_row(self.lanes, self.op, index);
            let bits = self.lanes.bits(row, register_bytes, lane as usize).to_le_bytes();
            part.copy_from_slice(&bits[..element]);
        }
        value
    }

    fn undefined(&self, lane: u32) -> Option<([u8; 16], Origin)> {
        let (mut mask, mut origin) = ([0; 16], None);
        let (element, register_bytes) = (usize::from(self.op.bytes), AccessForm::of(self.op).register_bytes());
        for (index, part) in mask.chunks_exact_mut(element).take(self.op.vector.into()).enumerate() {
            let row = element_row(self.lanes, self.op, index);
            let (bits, from) = twins::undefined_bits(self.lanes, row, register_bytes, lane as usize);
            part.copy_from_slice(&bits.to_le_bytes()[..element]);
            if part.iter().any(|&byte| byte != 0) {
                origin = Some(joined(origin, from));
            }
        }
        Some((mask, origin?))
    }

    fn current(&self, lane: u32) -> [u8; 16] {
        current(self.hosts, lane, self.bytes)
    }
}
