//! `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`: tiles of tensors that the asynchronous proxy copies (TMA).
//!
//! A tile's rows lie in shared memory one after the other, in the box's order, their chunks of 16 bytes swizzled as the map
//! says. The part outside of the tensor is filled when it is loaded and left out when it is stored.
use super::bulk;
use super::bulk_copy::{MULTICAST, barrier, each_lane, operand, targets};
use super::bulk_reduce::Reduction;
use super::transfers::{Completion, Order, Piece, Side, Source, UNIT};
use crate::exec::accesses::access;
use crate::exec::accesses::cluster_address::{ClusterLocation, shared, stop};
use crate::exec::view::{Lanes, Op, Selected, plainly};
use crate::fault::Fault;
use crate::memory::{PARAM_WINDOW, space_of};
use crate::probe::AccessKind;
use crate::tensor::{MAP_ALIGN, MAP_BYTES, MOST_DIMENSIONS, Swizzle, TensorMap};
use ptx::isa::{Form, Refusal, Space, Type};

/// In [`Op::data`]: bits 0–2 dimensions · 3 a store · 18 multicast, as in `bulk_copy` · 19 reduces · 20–26 how.
const STORE: u32 = 1 << 3;
const REDUCES: u32 = 1 << 19;
const REDUCTION_SHIFT: u32 = 20;

/// Tiles in shared memory begin at multiples of this.
const TILE_ALIGN: u64 = 128;

/// `cp.async.bulk.tensor`
pub fn copy(form: &Form) -> Result<Selected, Refusal> {
    Ok(plainly(copy_all).with(way(form)?))
}

/// `cp.reduce.async.bulk.tensor`
pub fn reduce(form: &Form) -> Result<Selected, Refusal> {
    let data = way(form)?;
    // The map names the elements' type; every operation is defined for one of 32 bits.
    let reduction = Reduction::new(form, Type::U32)?;
    match data & STORE {
        0 => Err(Refusal::NoSuchForm),
        _ => Ok(plainly(copy_all).with(data | REDUCES | reduction.pack() << REDUCTION_SHIFT)),
    }
}

fn way(form: &Form) -> Result<u32, Refusal> {
    let dimensions =
        ["1d", "2d", "3d", "4d", "5d"].iter().position(|name| form.has(name)).ok_or(Refusal::NoSuchForm)?;
    let dimensions = dimensions as u32 + 1;
    let multicast = form.has("multicast::cluster");
    // The tile, the map with its coordinates, and for loads the barrier and the blocks.
    let (data, operands) = match form.space {
        Space::Shared if form.has("global") && form.has("mbarrier::complete_tx::bytes") => (0, 3),
        Space::Global if form.has("shared::cta") && form.has("bulk_group") && !multicast => (STORE, 2),
        _ => return Err(Refusal::NoSuchForm),
    };
    match u32::from(form.vector) == operands + dimensions + u32::from(multicast) {
        true => Ok(dimensions | data | if multicast { MULTICAST } else { 0 }),
        false => Err(Refusal::NoSuchForm),
    }
}

fn copy_all(lanes: &mut Lanes, op: &Op) {
    each_lane(lanes, op, issue);
}

/// Issues a lane's copy. `None`: it faulted.
fn issue(lanes: &mut Lanes, op: &Op, lane: usize) -> Option<()> {
    let dimensions = (op.data & 7) as usize;
    let stores = op.data & STORE != 0;
    // Stores name the tensor first, loads the tile.
    let map_at = usize::from(!stores);
    let map = map(lanes, op, lane, operand(lanes, op, map_at, lane), dimensions)?;
    let corner: [i32; MOST_DIMENSIONS] = std::array::from_fn(|dimension| match dimension < dimensions {
        true => operand(lanes, op, map_at + 1 + dimension, lane) as i32,
        false => 0,
    });
    let (index, element_bytes) = (corner[0], map.element.bytes());
    // No manual says so; an H200 takes anything else for an illegal instruction.
    if i64::from(index) * i64::from(element_bytes) % 16 != 0 {
        return stop(lanes, op, lane, |at| Fault::UnalignedCorner { at, index, element_bytes });
    }
    // No manual says this either: a load fills the part before the tensor; a store with its corner there is an illegal instruction on an H200.
    if let Some(dimension) = corner.iter().position(|&index| stores && index < 0) {
        let (index, dimension) = (corner[dimension], dimension as u32);
        return stop(lanes, op, lane, |at| Fault::CornerBefore { at, dimension, index });
    }
    let bytes = map.rows() * map.row_bytes();
    let tile = operand(lanes, op, if stores { 1 + dimensions } else { 0 }, lane);
    let kind = if stores { AccessKind::Load } else { AccessKind::Store };
    let rows = rows(lanes, op, lane, &map, &corner, stores)?;
    if stores {
        let place = shared(lanes, op, lane, tile, (bytes, TILE_ALIGN), kind)?;
        let reduction = match op.data & REDUCES {
            0 => None,
            _ => match Reduction::unpack(op.data >> REDUCTION_SHIFT).with(map.element.ty()) {
                Some(reduction) => Some(reduction),
                None => return stop(lanes, op, lane, |at| Fault::BadTensorMap { at, address: map.address }),
            },
        };
        let completion = Completion::Group(bulk::open_group(lanes, lane as u32));
        let pieces = pieces(&map, &rows, &place, true);
        let (to, from) = (Side::GLOBAL, place.side);
        begin(lanes, op, lane, (to, from), pieces, (completion, bytes), reduction);
        return Some(());
    }
    let at = 2 + dimensions;
    for (tile, barrier_at) in targets(lanes, op, tile, operand(lanes, op, at, lane), lane, at + 1) {
        let place = shared(lanes, op, lane, tile, (bytes, TILE_ALIGN), kind)?;
        let completion = barrier(lanes, op, lane, barrier_at)?;
        let pieces = pieces(&map, &rows, &place, false);
        begin(lanes, op, lane, (place.side, Side::GLOBAL), pieces, (completion, bytes), None);
    }
    Some(())
}

fn begin(
    lanes: &mut Lanes,
    op: &Op,
    lane: usize,
    (to, from): (Side, Side),
    pieces: Vec<Piece>,
    (completion, bytes): (Completion, u64),
    reduction: Option<Reduction>,
) {
    let (lane, site, bytes) = (lane as u32, op.site, bytes as u32);
    bulk::begin(lanes, Order { lane, site, to, from, pieces, reduction, completion, bytes, undefined: None });
}

/// The map at a generic address, in memory that the host can see or among the kernel's parameters.
#[allow(unsafe_code)]
fn map(lanes: &mut Lanes, op: &Op, lane: usize, address: u64, dimensions: usize) -> Option<TensorMap> {
    let bad = |lanes: &mut Lanes| stop(lanes, op, lane, |at| Fault::BadTensorMap { at, address });
    let mut bytes = [0; MAP_BYTES];
    if !address.is_multiple_of(MAP_ALIGN) {
        return bad(lanes);
    }
    match space_of(address).0 {
        Space::Param => {
            let from = (address - PARAM_WINDOW) as usize;
            match lanes.context.launch.parameters.get(from..).and_then(|rest| rest.get(..MAP_BYTES)) {
                Some(found) => bytes.copy_from_slice(found),
                None => return bad(lanes),
            }
        }
        Space::Global if access::inside(lanes, op, Space::Global, address, MAP_BYTES as u64) => {
            // SAFETY: `inside` found the bytes in a live allocation, whose addresses are the host's.
            unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), MAP_BYTES) };
        }
        _ => return bad(lanes),
    }
    match TensorMap::decode(&bytes) {
        Some(map) if map.rank as usize == dimensions => Some(map),
        _ => bad(lanes),
    }
}

/// The part of a row of the box that lies in the tensor.
#[derive(Clone, Copy)]
struct BoxRow {
    /// Address of its first element inside; means nothing where there is none.
    from: u64,
    /// Bytes of the row in front of it, and inside.
    before: u64,
    inside: u64,
}

/// The rows of the box, in their order in shared memory.
fn rows(
    lanes: &mut Lanes,
    op: &Op,
    lane: usize,
    map: &TensorMap,
    corner: &[i32; MOST_DIMENSIONS],
    stores: bool,
) -> Option<Vec<BoxRow>> {
    let element = u64::from(map.element.bytes());
    let first = i64::from(corner[0]);
    // The indices of a row that lie in the tensor.
    let (from, to) = (first.max(0), (first + i64::from(map.box_extents[0])).min(map.extents[0] as i64));
    let (skipped, inside) = ((from - first) as u64 * element, (to - from).max(0) as u64 * element);
    let mut rows = Vec::with_capacity(map.rows() as usize);
    for number in 0..map.rows() {
        let (mut rest, mut address, mut outside) = (number, map.address, from >= to);
        for (dimension, &corner) in corner.iter().enumerate().take(map.rank as usize).skip(1) {
            let count = u64::from(map.count(dimension));
            let step = (rest % count) as i64 * i64::from(map.element_strides[dimension].max(1));
            rest /= count;
            let index = i64::from(corner) + step;
            outside |= index < 0 || index >= map.extents[dimension] as i64;
            address = address.wrapping_add((index as u64).wrapping_mul(map.strides[dimension]));
        }
        if outside {
            rows.push(BoxRow { from: 0, before: 0, inside: 0 });
            continue;
        }
        let start = address + from as u64 * element;
        if !access::inside(lanes, op, Space::Global, start, inside) {
            let (space, bytes) = (Space::Global, inside as u32);
            let kind = if stores { AccessKind::Store } else { AccessKind::Load };
            return stop(lanes, op, lane, |at| Fault::OutOfBounds { at, space, address: start, bytes, kind });
        }
        rows.push(BoxRow { from: start, before: skipped, inside });
    }
    Some(rows)
}

/// The pieces that move between the rows and the tile at a place in shared memory.
fn pieces(map: &TensorMap, rows: &[BoxRow], place: &ClusterLocation, stores: bool) -> Vec<Piece> {
    let row_bytes = map.row_bytes();
    let chunk = if map.swizzle == Swizzle::None { row_bytes } else { UNIT };
    let base = place.host - place.side.base;
    let fill = match map.fills_nan {
        true => Source::Fill(map.element.nan(), map.element.bytes() as u8),
        false => Source::Fill(0, 4),
    };
    let mut pieces = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        for start in (0..row_bytes).step_by(chunk as usize) {
            let tile = place.side.base + map.swizzle.place(base + number as u64 * row_bytes + start);
            let end = start + chunk;
            let (from, to) = (row.before.clamp(start, end), (row.before + row.inside).clamp(start, end));
            let mut put = |first: u64, last: u64, source: Source| {
                if last > first {
                    let (to, bytes) = (tile + first - start, (last - first) as u32);
                    pieces.push(match (source, stores) {
                        (Source::At(global), true) => Piece { to: global, from: Source::At(to), bytes },
                        (source, _) => Piece { to, from: source, bytes },
                    });
                }
            };
            let global = row.from.wrapping_add(from).wrapping_sub(row.before);
            if stores {
                put(from, to, Source::At(global));
                continue;
            }
            put(start, from.min(end), fill);
            put(from, to, Source::At(global));
            put(to.max(from), end, fill);
        }
    }
    pieces
}
