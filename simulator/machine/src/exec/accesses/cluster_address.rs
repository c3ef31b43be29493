//! Addresses in the shared memory of a cluster's blocks: whose memory one names, and ranges that are checked there.
//!
//! The window of `.shared::cluster` is that of `.shared::cta` and after it one for each block of the cluster, by rank: bits
//! 24 and up of an address are 0 for the executing block's own memory, else the rank plus one. The manual leaves the numbers
//! open; like a card's, an address of a block's own is one of both windows.
use crate::exec::asynchronous::transfers::{Side, UNIT};
use crate::exec::scheduling::clusters::{Clusters, Member};
use crate::exec::view::{Lanes, Op, Register, Selected, WARP, whole};
use crate::fault::Fault;
use crate::memory::{SHARED_WINDOW, space_of};
use crate::probe::AccessKind;
use ptx::isa::{Form, Refusal, Space};

/// Where the rank stands in an address of shared memory.
pub(crate) const RANK_SHIFT: u32 = 24;

/// `mapa`: the address of the same place in the block of a rank.
pub fn mapa(form: &Form) -> Result<Selected, Refusal> {
    match (form.space, form.widths[1]) {
        (Space::Shared, 32) => Ok(whole(map::<u32>)),
        (Space::Shared, 64) => Ok(whole(map::<u64>)),
        (Space::Generic, 64) => Ok(whole(map::<u64>)),
        _ => Err(Refusal::NoSuchForm),
    }
}

/// `getctarank`: the rank of the block that an address belongs to.
pub fn rank(form: &Form) -> Result<Selected, Refusal> {
    match (form.space, form.widths[1]) {
        (Space::Shared, 32) => Ok(whole(rank_of::<u32>)),
        (Space::Shared | Space::Generic, 64) => Ok(whole(rank_of::<u64>)),
        _ => Err(Refusal::NoSuchForm),
    }
}

#[inline(always)]
fn map<T: Register>(lanes: &mut Lanes, op: &Op) {
    let (a, ranks) = (lanes.get::<T>(op.a), lanes.get::<u32>(op.b));
    let mut d = a;
    lanes.each(|lane| {
        // Generic addresses keep their window; plain ones have none.
        let window = if space_of(a[lane].wide()).0 == Space::Shared { SHARED_WINDOW } else { 0 };
        let offset = a[lane].wide().wrapping_sub(window) & ((1 << RANK_SHIFT) - 1);
        d[lane] = T::narrow(window + (offset | (u64::from(ranks[lane] & 0xff) + 1) << RANK_SHIFT));
    });
    lanes.set(op.dst, d);
}

#[inline(always)]
fn rank_of<T: Register>(lanes: &mut Lanes, op: &Op) {
    let a = lanes.get::<T>(op.a);
    let own = lanes.context.blocks.clusters.rank;
    let mut d = [0u32; WARP];
    lanes.each(|lane| {
        let window = if space_of(a[lane].wide()).0 == Space::Shared { SHARED_WINDOW } else { 0 };
        d[lane] = match a[lane].wide().wrapping_sub(window) >> RANK_SHIFT {
            0 => own,
            tag => tag as u32 - 1,
        };
    });
    lanes.set(op.dst, d);
}

/// Whose memory an address of shared memory is in, and where in it. `None`: the cluster has no such block.
pub(super) fn owner(clusters: &Clusters, own: Member, address: u64) -> Option<(Member, u64)> {
    match address >> RANK_SHIFT {
        0 => Some((own, address)),
        tag => {
            let rank = u32::try_from(tag - 1).ok()?;
            // A launch without clusters is one of clusters of a single block.
            let alone = clusters.size() == 1 && rank == 0;
            let member = if alone { own } else { clusters.member(rank)? };
            Some((member, address & ((1 << RANK_SHIFT) - 1)))
        }
    }
}

/// The block that runs, as a member of its cluster.
pub(crate) fn own(lanes: &Lanes) -> Member {
    let (base, bytes) = (lanes.shared.base as u64, lanes.shared.bytes);
    Member { block: lanes.context.who.block_index, base, bytes, left: false }
}

/// A checked range of memory.
#[derive(Clone, Copy)]
pub(crate) struct ClusterLocation {
    pub host: u64,
    pub side: Side,
}

/// A range of a block's shared memory, at a multiple of an alignment.
pub(crate) fn shared(
    lanes: &mut Lanes,
    op: &Op,
    lane: usize,
    address: u64,
    (bytes, align): (u64, u64),
    kind: AccessKind,
) -> Option<ClusterLocation> {
    if !address.is_multiple_of(align) {
        return misaligned(lanes, op, lane, Space::Shared, address, kind);
    }
    let Some((member, offset)) = owner(&lanes.context.blocks.clusters, own(lanes), address) else {
        return outside(lanes, op, lane, Space::Shared, address, bytes, kind);
    };
    if member.left {
        return stop(lanes, op, lane, |at| Fault::BlockLeft { at, address, kind });
    }
    if offset >= member.bytes || bytes > member.bytes - offset {
        return outside(lanes, op, lane, Space::Shared, address, bytes, kind);
    }
    let side = Side { space: Space::Shared, block: member.block, base: member.base };
    Some(ClusterLocation { host: member.base + offset, side })
}

/// Stops the launch for a lane whose range does not begin where it must.
pub(crate) fn misaligned<T>(
    lanes: &mut Lanes,
    op: &Op,
    lane: usize,
    space: Space,
    address: u64,
    kind: AccessKind,
) -> Option<T> {
    stop(lanes, op, lane, |at| Fault::Misaligned { at, space, address, bytes: UNIT as u32, kind })
}

/// Stops the launch for a lane whose range lies outside of its memory.
pub(crate) fn outside<T>(
    lanes: &mut Lanes,
    op: &Op,
    lane: usize,
    space: Space,
    address: u64,
    bytes: u64,
    kind: AccessKind,
) -> Option<T> {
    let bytes = bytes.min(u64::from(u32::MAX)) as u32;
    stop(lanes, op, lane, |at| Fault::OutOfBounds { at, space, address, bytes, kind })
}

/// Stops the launch for a lane.
pub(crate) fn stop<T>(
    lanes: &mut Lanes,
    op: &Op,
    lane: usize,
    fault: impl FnOnce(crate::probe::Place) -> Fault,
) -> Option<T> {
    let at = lanes.context.place(op.site, 1 << lane);
    lanes.context.stop(fault(at));
    lanes.mask = 0;
    None
}
