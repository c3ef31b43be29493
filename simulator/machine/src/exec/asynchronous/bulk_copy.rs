//! `cp.async.bulk` and `cp.reduce.async.bulk`: ranges of memory that the asynchronous proxy copies, and `st.async` and
//! `red.async`, which send registers to another block the same way.
//!
//! The rows of their operands, each 64 bits wide, stand in "more" in the order of the text.
use super::bulk;
use super::bulk_reduce::Reduction;
use super::transfers::{Completion, Order, Piece, Side, Source, UNIT};
use crate::exec::accesses::access::{self, AccessForm};
use crate::exec::accesses::cluster_address::{ClusterLocation, RANK_SHIFT, misaligned, outside, shared};
use crate::exec::undefined::twins;
use crate::exec::view::{Lanes, Op, Selected, plainly};
use crate::probe::{AccessKind, Origin, Use, lanes as lanes_of};
use ptx::isa::{self, Refusal, Space, Type};

/// Which way a copy goes: bits 16–17 of [`Op::data`].
const LOAD: u32 = 0;
const STORE: u32 = 1;
const BETWEEN_BLOCKS: u32 = 2;
/// In [`Op::data`]: to the blocks that the last operand names; with the reduction in bits 20–26.
pub(super) const MULTICAST: u32 = 1 << 18;
const REDUCES: u32 = 1 << 19;
const REDUCTION_SHIFT: u32 = 20;

/// `cp.async.bulk`
pub fn copy(form: &isa::Form) -> Result<Selected, Refusal> {
    let data = way(form)?;
    Ok(plainly(copy_all).with(data))
}

/// `cp.reduce.async.bulk`
pub fn reduce(form: &isa::Form) -> Result<Selected, Refusal> {
    let data = way(form)?;
    let reduction = Reduction::of(form)?;
    let half = matches!(form.ty(0), Some(Type::F16 | Type::Bf16));
    refuse_if!(data >> 16 & 3 == LOAD || half && form.has("add") != form.has("noftz"), Refusal::NoSuchForm);
    Ok(plainly(copy_all).with(data | REDUCES | reduction.pack() << REDUCTION_SHIFT))
}

fn way(form: &isa::Form) -> Result<u32, Refusal> {
    let barrier = form.has("mbarrier::complete_tx::bytes");
    let multicast = form.has("multicast::cluster");
    let (way, operands) = match form.space {
        Space::Shared if form.has("global") && barrier => (LOAD, 4),
        Space::Shared if form.has("shared::cta") && barrier && !multicast => (BETWEEN_BLOCKS, 4),
        Space::Global if form.has("shared::cta") && form.has("bulk_group") && !multicast => (STORE, 3),
        _ => return Err(Refusal::NoSuchForm),
    };
    match usize::from(form.vector) == operands + usize::from(multicast) {
        true => Ok(way << 16 | if multicast { MULTICAST } else { 0 }),
        false => Err(Refusal::NoSuchForm),
    }
}

/// `cp.async.bulk.commit_group`
pub fn commit_group(_: &isa::Form) -> Result<Selected, Refusal> {
    Ok(plainly(|lanes, _| bulk::commit(lanes)))
}

/// `cp.async.bulk.wait_group`, with the number of groups that may be under way in `imm`; `.read` waits for less, and here
/// for no less.
pub fn wait_group(_: &isa::Form) -> Result<Selected, Refusal> {
    Ok(plainly(|lanes, op| bulk::wait_group(lanes, op.imm.clamp(0, u32::MAX.into()) as u32)))
}

/// `st.async`: a value to another block's shared memory.
pub fn store(form: &isa::Form) -> Result<Selected, Refusal> {
    send(form, None)
}

/// `red.async`
pub fn red(form: &isa::Form) -> Result<Selected, Refusal> {
    send(form, Some(Reduction::of(form)?))
}

fn send(form: &isa::Form, reduction: Option<Reduction>) -> Result<Selected, Refusal> {
    refuse_if!(form.space != Space::Shared || !form.has("mbarrier::complete_tx::bytes"), Refusal::NoSuchForm);
    let elements = form.modifiers.iter().find_map(|m| m.strip_prefix('v')?.parse::<u32>().ok()).unwrap_or(1);
    let bytes = form.ty(0).ok_or(Refusal::NoSuchForm)?.bytes();
    if !matches!(bytes, 4 | 8) || u32::from(form.vector) != 2 + elements || bytes * elements > 16 {
        return Err(Refusal::NoSuchForm);
    }
    let data = reduction.map_or(0, |reduction| REDUCES | reduction.pack() << REDUCTION_SHIFT);
    Ok(plainly(|lanes, op| each_lane(lanes, op, send_lane)).with(data | bytes << 8))
}

/// The value of an operand in a lane.
pub(crate) fn operand(lanes: &Lanes, op: &Op, index: usize, lane: usize) -> u64 {
    lanes.get::<u64>(lanes.more(op, index))[lane]
}

fn reduction(op: &Op) -> Option<Reduction> {
    (op.data & REDUCES != 0).then(|| Reduction::unpack(op.data >> REDUCTION_SHIFT))
}

/// Does something for each active lane, up to one that faults.
pub(super) fn each_lane(lanes: &mut Lanes, op: &Op, of_lane: impl Fn(&mut Lanes, &Op, usize) -> Option<()>) {
    let _ = lanes_of(lanes.mask).try_for_each(|lane| of_lane(lanes, op, lane));
}

fn copy_all(lanes: &mut Lanes, op: &Op) {
    each_lane(lanes, op, issue);
}

/// Issues a lane's copy. `None`: it faulted.
fn issue(lanes: &mut Lanes, op: &Op, lane: usize) -> Option<()> {
    let [to, from, size] = std::array::from_fn(|index| operand(lanes, op, index, lane));
    if !size.is_multiple_of(UNIT) || size > u64::from(u32::MAX) {
        return misaligned(lanes, op, lane, Space::Global, size, AccessKind::Load);
    }
    if size == 0 {
        return Some(());
    }
    let way = op.data >> 16 & 3;
    let (kind, site) = (AccessKind::Store, op.site);
    let source = match way {
        LOAD => global(lanes, op, lane, from, size, AccessKind::Load)?,
        _ => shared(lanes, op, lane, from, (size, UNIT), AccessKind::Load)?,
    };
    let order = |place: ClusterLocation, completion| Order {
        lane: lane as u32,
        site,
        to: place.side,
        from: source.side,
        pieces: vec![Piece { to: place.host, from: Source::At(source.host), bytes: size as u32 }],
        reduction: reduction(op),
        completion,
        bytes: size as u32,
        undefined: None,
    };
    if way == STORE {
        let place = global(lanes, op, lane, to, size, kind)?;
        let completion = Completion::Group(bulk::open_group(lanes, lane as u32));
        bulk::begin(lanes, order(place, completion));
        return Some(());
    }
    let barrier = operand(lanes, op, 3, lane);
    for (to, barrier) in targets(lanes, op, to, barrier, lane, 4) {
        let place = shared(lanes, op, lane, to, (size, UNIT), kind)?;
        let completion = self::barrier(lanes, op, lane, barrier)?;
        bulk::begin(lanes, order(place, completion));
    }
    Some(())
}

/// The places in shared memory that a copy and its barrier go to: one, or one in each block of a multicast's mask.
pub(crate) fn targets(lanes: &Lanes, op: &Op, to: u64, barrier: u64, lane: usize, mask_at: usize) -> Vec<(u64, u64)> {
    if op.data & MULTICAST == 0 {
        return vec![(to, barrier)];
    }
    let offset = |address: u64| address & ((1 << RANK_SHIFT) - 1);
    let of_rank = |rank: usize, address: u64| offset(address) | (rank as u64 + 1) << RANK_SHIFT;
    let mask = operand(lanes, op, mask_at, lane) as u32 & 0xffff;
    lanes_of(mask).map(|rank| (of_rank(rank, to), of_rank(rank, barrier))).collect()
}

/// A range of global memory, in one allocation and a multiple of the unit.
pub(crate) fn global(
    lanes: &mut Lanes,
    op: &Op,
    lane: usize,
    address: u64,
    bytes: u64,
    kind: AccessKind,
) -> Option<ClusterLocation> {
    if !address.is_multiple_of(UNIT) {
        return misaligned(lanes, op, lane, Space::Global, address, kind);
    }
    if !access::inside(lanes, op, Space::Global, address, bytes) {
        return outside(lanes, op, lane, Space::Global, address, bytes, kind);
    }
    Some(ClusterLocation { host: address, side: Side::GLOBAL })
}

/// The barrier at an address of shared memory.
pub(crate) fn barrier(lanes: &mut Lanes, op: &Op, lane: usize, address: u64) -> Option<Completion> {
    let place = shared(lanes, op, lane, address, (8, 8), AccessKind::Atomic)?;
    Some(Completion::Barrier { host: place.host, block: place.side.block, address: place.host - place.side.base })
}

/// `[a], values…, [mbar]`.
fn send_lane(lanes: &mut Lanes, op: &Op, lane: usize) -> Option<()> {
    let element = AccessForm::of(op).register_bytes();
    let elements = u32::from(op.vector) - 2;
    let bytes = element * elements;
    let mut value = 0u128;
    for index in 0..elements {
        let bits = operand(lanes, op, 1 + index as usize, lane) & (u64::MAX >> (64 - 8 * element));
        value |= u128::from(bits) << (8 * element * index);
    }
    let to = operand(lanes, op, 0, lane);
    let place = shared(lanes, op, lane, to, (bytes.into(), bytes.into()), AccessKind::Store)?;
    let barrier = operand(lanes, op, 1 + elements as usize, lane);
    let completion = self::barrier(lanes, op, lane, barrier)?;
    let piece = Piece { to: place.host, from: Source::Value(value), bytes };
    let reduction = reduction(op);
    let undefined = undefined(lanes, op, lane, (elements, element));
    let who = lanes.context.who;
    if let (Some((_, origin)), Some(_)) = (undefined, reduction)
        && let Some(probe) = lanes.context.probe()
    {
        probe.undefined_used(who, op.site, 1 << lane, Use::Atomic, origin);
    }
    bulk::begin(
        lanes,
        Order {
            lane: lane as u32,
            site: op.site,
            to: place.side,
            from: place.side,
            pieces: vec![piece],
            reduction,
            completion,
            bytes,
            undefined,
        },
    );
    Some(())
}

/// The undefined bits of the values that a lane sends, and the origin of the first.
fn undefined(lanes: &Lanes, op: &Op, lane: usize, (elements, bytes): (u32, u32)) -> Option<([u8; 16], Origin)> {
    let (mut mask, mut origin) = ([0; 16], None);
    for (index, part) in mask.chunks_exact_mut(bytes as usize).take(elements as usize).enumerate() {
        let (bits, from) = twins::undefined_bits(lanes, lanes.more(op, 1 + index), 8, lane);
        part.copy_from_slice(&bits.to_le_bytes()[..bytes as usize]);
        if part.iter().any(|&byte| byte != 0) {
            origin.get_or_insert(from);
        }
    }
    Some((mask, origin?))
}
